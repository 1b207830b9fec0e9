import Foundation

/// Joins a model, the stores and the contexts that use them.
///
///     let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
///     try coordinator.addPersistentStore(type: .sqlite, at: url)
///
/// All members may be called from any thread. A store is among `persistentStores` only while it is completely open.
open class NSPersistentStoreCoordinator: NSObject, @unchecked Sendable {
    /// The model, frozen since the coordinator was made.
    public final let managedObjectModel: NSManagedObjectModel

    /// Guards everything below it; never held during I/O or while foreign code runs.
    let lock = NSLock()
    private var stores: [NSPersistentStore] = []
    private var contexts: [WeakContext] = []
    private var storedName: String?

    private struct WeakContext {
        weak var context: NSManagedObjectContext?
    }

    /// A coordinator of a model, which cannot be changed from then on.
    ///
    /// - Precondition: the model is valid.
    public init(managedObjectModel model: NSManagedObjectModel) {
        model.freeze()
        managedObjectModel = model
        super.init()
    }

    /// A name for logs.
    open var name: String? {
        get { lock.withLock { storedName } }
        set { lock.withLock { storedName = newValue } }
    }

    /// The stores, in the order in which they were added.
    open var persistentStores: [NSPersistentStore] { lock.withLock { stores } }

    // MARK: The engine's view

    /// The stores whose configuration holds the entity, in the order in which they were added.
    final func stores(holding entity: NSEntityDescription) -> [NSPersistentStore] {
        persistentStores.filter { $0.holds(entity) }
    }

    /// The attached store of that identifier.
    final func store(withIdentifier identifier: String) -> NSPersistentStore? {
        lock.withLock { stores.first { $0.link.identifier == identifier } }
    }

    /// To be called by a context that gets this coordinator; it is held weakly.
    final func register(_ context: NSManagedObjectContext) {
        lock.withLock {
            contexts.removeAll { $0.context == nil || $0.context === context }
            contexts.append(WeakContext(context: context))
        }
    }

    final func unregister(_ context: NSManagedObjectContext) {
        lock.withLock { contexts.removeAll { $0.context == nil || $0.context === context } }
    }

    /// The living contexts that use this coordinator.
    final var registeredContexts: [NSManagedObjectContext] { lock.withLock { contexts.compactMap(\.context) } }
}
