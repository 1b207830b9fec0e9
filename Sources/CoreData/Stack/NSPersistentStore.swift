import Foundation

/// A store of a coordinator: where the records of its configuration's entities are kept.
///
/// A coordinator makes it (`addPersistentStore`). It stays what it is after it was removed, except that
/// `persistentStoreCoordinator` is nil and nothing can be read or written any more.
open class NSPersistentStore: NSObject, @unchecked Sendable {
    /// What ids and objects hold of the store.
    final let link: StoreLink
    /// The built-in engine behind the store.
    final let engine: (any StoreEngine)?
    /// Where the store is; no two stores of a coordinator are at one place, save those of their own in memory.
    final let location: StoreLocation?
    /// The frozen model of the coordinator that the store was opened for.
    final let model: NSManagedObjectModel
    /// The ordinals of the configuration's entities; nil for the whole model.
    private let entityOrdinals: Set<Int32>?
    /// The type the store was opened as.
    private let storeType: String
    private let guarded: Guarded

    /// What may change while other threads read it.
    private final class Guarded: @unchecked Sendable {
        let lock = NSLock()
        weak var coordinator: NSPersistentStoreCoordinator?
        var url: URL?
        var metadata: [String: Any]
        /// Metadata were set and wait for the next save.
        var hasUnsavedMetadata = false
        var isReadOnly: Bool

        init(url: URL?, metadata: [String: Any], isReadOnly: Bool) {
            self.url = url
            self.metadata = metadata
            self.isReadOnly = isReadOnly
        }
    }

    /// - Parameters:
    ///   - metadata: as the open store has them, with `NSStoreUUIDKey`.
    ///   - configurationName: nil for the whole model.
    init(
        engine: any StoreEngine, location: StoreLocation?, model: NSManagedObjectModel, type: String,
        configurationName: String?, url: URL?, options: [AnyHashable: Any]?, metadata: [String: Any], isReadOnly: Bool
    ) {
        self.engine = engine
        self.location = location
        self.model = model
        storeType = type
        self.configurationName = configurationName ?? NSManagedObjectModel.defaultConfigurationName
        self.options = options
        entityOrdinals = configurationName.flatMap { name in
            name == NSManagedObjectModel.defaultConfigurationName
                ? nil : model.entities(forConfigurationName: name).map { Set($0.map { Int32($0.ordinal) }) }
        }
        link = StoreLink(
            identifier: metadata[NSStoreUUIDKey] as? String ?? UUID().uuidString, newest: engine.rowCache.newest)
        guarded = Guarded(url: url, metadata: metadata, isReadOnly: isReadOnly)
        super.init()
        link.store = self
    }

    // MARK: What the store is

    /// The type: `NSSQLiteStoreType`, `NSInMemoryStoreType`.
    open var type: String { storeType }

    /// The name of the configuration whose entities the store holds; for the whole model the name that store files use.
    public let configurationName: String

    /// The options the store was added with.
    public let options: [AnyHashable: Any]?

    /// The identifier (`NSStoreUUIDKey`), the host of the URIs of the store's objects.
    open var identifier: String! { link.identifier }

    /// Where the store is; for a store in memory a URL that stands for it.
    open var url: URL? { guarded.lock.withLock { guarded.url } }

    /// Whether saving to the store is refused: it was added so, its file cannot be written, or its history forbids it.
    open var isReadOnly: Bool { guarded.lock.withLock { guarded.isReadOnly } }

    /// The coordinator, nil once the store was removed.
    open var persistentStoreCoordinator: NSPersistentStoreCoordinator? { guarded.lock.withLock { guarded.coordinator } }

    /// Whether the configuration of the store has the entity, which is one of the store's model.
    final func holds(_ entity: NSEntityDescription) -> Bool {
        entityOrdinals?.contains(Int32(entity.ordinal)) ?? true
    }

    // MARK: Metadata

    /// The store's metadata. What is set is read back at once and written with the next save of a context; type and
    /// identifier cannot be changed.
    ///
    /// - Precondition: setting needs a store that is not read-only.
    open var metadata: [String: Any]! {
        get { guarded.lock.withLock { guarded.metadata } }
        set { setMetadata(newValue ?? [:], from: "metadata") }
    }

    final func setMetadata(_ metadata: [String: Any], from call: StaticString) {
        guarded.lock.withLock {
            if guarded.isReadOnly {
                stackMisuse(
                    "\(call): the metadata of a read-only store cannot be set: \(guarded.url?.path ?? storeType)")
            }
            var new = metadata
            for key in [NSStoreTypeKey, NSStoreUUIDKey] { new[key] = guarded.metadata[key] }
            guarded.metadata = new
            guarded.hasUnsavedMetadata = true
        }
    }

    /// The metadata that the next save must write, if there are any.
    final var unsavedMetadata: [String: Any]? {
        guarded.lock.withLock { guarded.hasUnsavedMetadata ? guarded.metadata : nil }
    }

    /// To be called when a save has written metadata.
    final func metadataWereSaved() {
        guarded.lock.withLock { guarded.hasUnsavedMetadata = false }
    }

    // MARK: Being added and removed

    /// Called after the store was added to a coordinator. Does nothing unless overridden.
    open func didAdd(to coordinator: NSPersistentStoreCoordinator) {}

    /// Called before the store is removed from its coordinator. Does nothing unless overridden.
    open func willRemove(from coordinator: NSPersistentStoreCoordinator?) {}

    final func attach(to coordinator: NSPersistentStoreCoordinator) {
        guarded.lock.withLock { guarded.coordinator = coordinator }
        link.store = self
    }

    /// Cuts the store off its coordinator, and ids and objects off the store.
    final func detach() {
        guarded.lock.withLock { guarded.coordinator = nil }
        link.store = nil
    }

    final func move(to url: URL) {
        guarded.lock.withLock { guarded.url = url }
    }
}

/// Stops the program for a programmer's error where Apple raises an exception. The message is printed in release builds too.
func stackMisuse(_ message: String, file: StaticString = #file, line: UInt = #line) -> Never {
    fatalError(message, file: file, line: line)
}
