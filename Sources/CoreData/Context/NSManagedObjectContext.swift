import Foundation

/// A scratch pad of managed objects: it fetches them from the stores of its coordinator, tracks their changes and saves these as one.
///
/// A context is used inside its own queue (`perform`, `performAndWait`) only; a main-queue context also directly on the main queue.
///
///     let context = container.newBackgroundContext()
///     try context.performAndWait {
///         let book = Book(context: context)
///         book.title = "The Sea"
///         try context.save()
///     }
open class NSManagedObjectContext: NSObject, @unchecked Sendable {
    // MARK: Stored state (the engine's)

    /// What the objects of this context hold of it; replaced by `reset()`.
    @exclusivity(unchecked) final var link: ContextLink {
        didSet { link.usesRowsAtHand = stalenessInterval < 0 }
    }
    /// What objects hold that have left the context.
    private(set) var formerLink: ContextLink
    let concurrency: NSManagedObjectContextConcurrencyType
    /// The context's queue.
    let executor: ContextExecutor

    @exclusivity(unchecked) private var coordinator: NSPersistentStoreCoordinator?
    /// The coordinator's model by ordinal; nil as long as there is no coordinator.
    @exclusivity(unchecked) final private(set) var index: ModelIndex?

    @exclusivity(unchecked) final var identityMap = IdentityMap()
    /// The next sweep is due when the map has more objects than this.
    @exclusivity(unchecked) final var sweepLimit = NSManagedObjectContext.smallestSweepLimit
    static var smallestSweepLimit: Int { 1024 }

    @exclusivity(unchecked) final var changes = PendingChanges()
    /// Whether an object was ever deleted or found to be gone: only then can a relationship lead to one that is.
    @exclusivity(unchecked) final var sawDeletion = false
    /// A save is under way.
    @exclusivity(unchecked) final var isSaving = false
    /// Changes from elsewhere are being merged.
    @exclusivity(unchecked) final var isMerging = false
    /// The results whose rows are read a batch at a time.
    @exclusivity(unchecked) final var fetchBatches: [FetchBatch] = []
    /// A block that processes pending changes was sent to the main queue.
    @exclusivity(unchecked) final var isEventScheduled = false

    /// Changes that other contexts saved and that wait to be merged.
    let mergeInbox = MergeInbox()
    private let flags = ContextFlags()

    private var storedUserInfo: NSMutableDictionary?
    private var storedPolicy: NSMergePolicy = .error

    public init(concurrencyType: NSManagedObjectContextConcurrencyType) {
        concurrency = concurrencyType
        executor = ContextExecutor(
            concurrencyType == .mainQueueConcurrencyType ? .mainQueue : .privateQueue, label: "NSManagedObjectContext")
        link = ContextLink(nil)
        formerLink = ContextLink(nil)
        super.init()
        link.attach(self, nil)
    }

    deinit {
        link.sever()
        coordinator?.unregister(self)
        identityMap.forEach { $0.releaseObjects() }
    }

    // MARK: Stack

    /// The coordinator whose stores the context reads and writes.
    ///
    /// - Precondition: it is set before the context has objects.
    open var persistentStoreCoordinator: NSPersistentStoreCoordinator? {
        get { coordinator }
        set {
            guard newValue !== coordinator else { return }
            if identityMap.count > 0 {
                contextMisuse("persistentStoreCoordinator was changed of a context that has objects; reset() it first")
            }
            coordinator?.unregister(self)
            coordinator = newValue
            identityMap.removeAll()
            let model = newValue?.managedObjectModel
            index = model.map { ModelIndex($0) }
            link = ContextLink(self, model)
            formerLink = ContextLink(nil, model)
            newValue?.register(self)
        }
    }

    /// The parent context: always nil.
    ///
    /// Child contexts are not available yet; setting one stops the program with this message rather than losing changes.
    open var parent: NSManagedObjectContext? {
        get { nil }
        set {
            if newValue != nil {
                contextMisuse("NSManagedObjectContext.parent was set: child contexts are not supported yet")
            }
        }
    }

    // MARK: Attributes of the context

    /// A name for logs and for the transactions of the store's history.
    open var name: String?

    /// Who the changes come from, for the history of the store; it counts for saves and batch requests.
    open var transactionAuthor: String?

    /// Free for the client.
    open var userInfo: NSMutableDictionary {
        if let storedUserInfo { return storedUserInfo }
        let made = NSMutableDictionary()
        storedUserInfo = made
        return made
    }

    /// How `save()` decides where somebody else changed the same records; an `NSMergePolicy`, `NSMergePolicy.error` unless set.
    open var mergePolicy: Any {
        get { storedPolicy }
        set {
            guard let policy = newValue as? NSMergePolicy else {
                contextMisuse("mergePolicy was set to a \(type(of: newValue)), which is no NSMergePolicy")
            }
            storedPolicy = policy
        }
    }

    var policy: NSMergePolicy { storedPolicy }

    /// How old, in seconds, the cached values may be that a fault is fired with; negative: of any age. Values that an object has
    /// already are not affected.
    ///
    /// With 0 or more, a fault always asks the store, so that its values are never older than this.
    @exclusivity(unchecked) open var stalenessInterval: TimeInterval = -1 {
        didSet { link.usesRowsAtHand = stalenessInterval < 0 }
    }

    /// Whether delete rules are carried out when pending changes are processed (true, the default) or at `save()` only.
    open var propagatesDeletesAtEndOfEvent: Bool = true

    /// Whether the context keeps all its objects; otherwise it lets go of unchanged ones that nobody else holds. false by default.
    open var retainsRegisteredObjects: Bool = false

    /// Whether an object whose record is gone counts as deleted and reads nil or 0 (true, the default). Otherwise firing such a
    /// fault stops the program, as the exception does on Apple's platforms.
    open var shouldDeleteInaccessibleFaults: Bool = true

    /// Whether saves of other contexts of the same coordinator are merged into this one. false by default.
    open var automaticallyMergesChangesFromParent: Bool {
        get { flags.mergesAutomatically }
        set { flags.mergesAutomatically = newValue }
    }

    // MARK: For subclasses to override

    /// Writes all changes to the stores, each store in one transaction.
    ///
    /// The order: pending changes are processed; `willSave` is sent to every changed object, again to those that change meanwhile;
    /// `NSManagedObjectContextWillSave` is posted; everything is validated; the stores are written, the merge policy deciding about
    /// conflicts; objects have permanent ids and `didSave` is sent; `NSManagedObjectContextDidSave` and
    /// `NSManagedObjectContextDidSaveObjectIDs` are posted. If it throws, all changes are still pending.
    ///
    /// - Throws: `NSError` in `NSCocoaErrorDomain`: the validation error, or 1560 with several under `NSDetailedErrorsKey`;
    ///   133020 or 133021 for conflicts that the merge policy does not resolve; 134030 if there is no store for an object, or its
    ///   store was removed; 513 for a read-only store; 134040 if a store was written before another failed; errors of the store.
    open func save() throws { try saveChanges() }

    /// Asked when the record of a fault is gone: true makes the object a deleted one whose values are nil or 0, false stops the
    /// program. Returns `shouldDeleteInaccessibleFaults` unless overridden.
    ///
    /// - Parameters:
    ///   - fault: the object whose values were asked for.
    ///   - oid: its id.
    ///   - property: the property that was read; nil where it is not known.
    open func shouldHandleInaccessibleFault(
        _ fault: NSManagedObject, for oid: NSManagedObjectID, triggeredByProperty property: NSPropertyDescription?
    ) -> Bool {
        shouldDeleteInaccessibleFaults
    }

    /// The message of a debugger: class, name, and how many objects there are.
    open override var description: String {
        "<\(type(of: self)): 0x\(String(UInt(bitPattern: ObjectIdentifier(self).hashValue), radix: 16))"
            + (name.map { " \"\($0)\"" } ?? "") + ">"
    }
}

/// What other threads read of a context.
private final class ContextFlags: @unchecked Sendable {
    private let lock = NSLock()
    private var automatic = false

    var mergesAutomatically: Bool {
        get { lock.withLock { automatic } }
        set { lock.withLock { automatic = newValue } }
    }
}

/// The queue a context works on.
public enum NSManagedObjectContextConcurrencyType: UInt, Sendable {
    case privateQueueConcurrencyType = 1
    case mainQueueConcurrencyType = 2
}
