import Foundation

/// A whole stack: a model, a coordinator with its stores, and contexts.
///
///     let container = NSPersistentContainer(name: "Library")
///     container.loadPersistentStores { description, error in
///         if let error { print("The store cannot be opened: \(error)") }
///     }
///     let context = container.viewContext
open class NSPersistentContainer: NSObject, @unchecked Sendable {
    /// The name, also of the store file that is used unless descriptions say otherwise.
    public final let name: String
    /// The model.
    public final let managedObjectModel: NSManagedObjectModel
    /// The coordinator, which has no stores until `loadPersistentStores` has added them.
    public final let persistentStoreCoordinator: NSPersistentStoreCoordinator
    /// A main-queue context on the coordinator.
    public final let viewContext: NSManagedObjectContext

    private let loading = Loading()

    private final class Loading: @unchecked Sendable {
        let lock = NSLock()
        var descriptions: [NSPersistentStoreDescription] = []
        /// Descriptions whose stores are being added.
        var underWay: Set<ObjectIdentifier> = []
        var loaded: [ObjectIdentifier: WeakStore] = [:]
    }

    private struct WeakStore {
        weak var store: NSPersistentStore?
    }

    /// A container of the model of that name, which is looked for in the main bundle and in the resource bundles next to the
    /// executable.
    ///
    /// Containers of the same name share one model instance.
    ///
    /// - Precondition: there is such a model; otherwise the program stops and says where it was looked for. Use
    ///   ``init(name:managedObjectModel:)`` for a model from elsewhere.
    public convenience init(name: String) {
        let model: NSManagedObjectModel
        do {
            model = try ModelCatalog.shared.model(named: name, module: Self.moduleName)
        } catch {
            stackMisuse("NSPersistentContainer(name: \"\(name)\"): \(error.reason)")
        }
        self.init(name: name, managedObjectModel: model)
    }

    /// A container of a model.
    ///
    /// - Parameters:
    ///   - name: the container's name; its store is `defaultDirectoryURL()/NAME.sqlite` unless descriptions say otherwise.
    ///   - model: the model, which cannot be changed from then on.
    public init(name: String, managedObjectModel model: NSManagedObjectModel) {
        self.name = name
        managedObjectModel = model
        persistentStoreCoordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        persistentStoreCoordinator.name = name
        viewContext = NSManagedObjectContext(.mainQueue)
        viewContext.persistentStoreCoordinator = persistentStoreCoordinator
        super.init()
        let file = type(of: self).defaultDirectoryURL().appendingPathComponent(name + ".sqlite")
        loading.descriptions = [NSPersistentStoreDescription(url: file)]
    }

    /// The module of a subclass, whose resource bundle is looked into first.
    private class var moduleName: String? {
        self == NSPersistentContainer.self ? nil : String(reflecting: self).split(separator: ".").first.map(String.init)
    }

    // MARK: Stores

    /// The folder in which containers keep their stores: `$XDG_DATA_HOME`, else `~/.local/share`, and in it a folder named after
    /// the executable. It is made, for the user alone, if it is missing. Subclasses may override it.
    open class func defaultDirectoryURL() -> URL { DefaultDirectory.make() }

    /// What `loadPersistentStores` adds: one SQLite store in the default directory unless set before.
    open var persistentStoreDescriptions: [NSPersistentStoreDescription] {
        get { loading.lock.withLock { loading.descriptions } }
        set { loading.lock.withLock { loading.descriptions = newValue } }
    }

    /// Adds the stores of all descriptions that are not loaded yet.
    ///
    /// - Parameter block: called once a store, with the error if it could not be added (see
    ///   `NSPersistentStoreCoordinator.addPersistentStore`): on the calling thread before the method returns, or on another thread
    ///   for a description with `shouldAddStoreAsynchronously`.
    open func loadPersistentStores(
        completionHandler block: @escaping (NSPersistentStoreDescription, (any Error)?) -> Void
    ) {
        let block = Unchecked(block)
        for description in takeDescriptionsToLoad() {
            persistentStoreCoordinator.addPersistentStore(with: description) { description, store, error in
                self.didLoad(description, store)
                block.value(description, error)
            }
        }
    }

    /// The descriptions whose stores are neither attached nor being added.
    private func takeDescriptionsToLoad() -> [NSPersistentStoreDescription] {
        let attached = persistentStoreCoordinator.persistentStores
        return loading.lock.withLock {
            let due = loading.descriptions.filter { description in
                let identifier = ObjectIdentifier(description)
                if loading.underWay.contains(identifier) { return false }
                guard let store = loading.loaded[identifier]?.store else { return true }
                return !attached.contains { $0 === store }
            }
            loading.underWay.formUnion(due.map(ObjectIdentifier.init))
            return due
        }
    }

    private func didLoad(_ description: NSPersistentStoreDescription, _ store: NSPersistentStore?) {
        loading.lock.withLock {
            let identifier = ObjectIdentifier(description)
            loading.underWay.remove(identifier)
            loading.loaded[identifier] = store.map { WeakStore(store: $0) }
        }
    }

    /// A description's store has another one in its place.
    final func didExchange(_ old: NSPersistentStore, for new: NSPersistentStore) {
        loading.lock.withLock {
            for (description, loaded) in loading.loaded where loaded.store === old {
                loading.loaded[description] = WeakStore(store: new)
            }
        }
    }

    // MARK: Contexts

    /// A new private-queue context on the coordinator.
    open func newBackgroundContext() -> NSManagedObjectContext {
        let context = NSManagedObjectContext(.privateQueue)
        context.persistentStoreCoordinator = persistentStoreCoordinator
        return context
    }

    /// Runs the block in the queue of a new private-queue context and returns at once.
    @preconcurrency
    open func performBackgroundTask(_ block: @escaping @Sendable (NSManagedObjectContext) -> Void) {
        let context = newBackgroundContext()
        context.perform { block(context) }
    }

    /// Runs the block in the queue of a new private-queue context and returns what it returns, or throws what it throws.
    @preconcurrency
    public final func performBackgroundTask<T, E: Error>(
        _ block: @escaping @Sendable (NSManagedObjectContext) throws(E) -> T
    ) async throws(E) -> T {
        let context = newBackgroundContext()
        return try await context.perform(schedule: .enqueued) { () throws(E) -> T in try block(context) }
    }
}
