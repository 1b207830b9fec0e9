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

    /// The queue of `perform`.
    final let executor = ContextExecutor(.privateQueue, label: "NSPersistentStoreCoordinator")

    /// Guards everything below it; never held during I/O, and no object is released while it is held.
    private let lock = NSLock()
    private var stores: [NSPersistentStore] = []
    /// Where stores are that are attached or being opened.
    private var occupied: Set<StoreLocation> = []
    private var contexts: [ObjectIdentifier: WeakContext] = [:]
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
        CoordinatorRegistry.add(self)
    }

    deinit {
        CoordinatorRegistry.remove(self)
        for store in stores {
            store.detach()
            try? store.engine?.close()
        }
    }

    /// A name for logs.
    open var name: String? {
        get { lock.withLock { storedName } }
        set { lock.withLock { storedName = newValue } }
    }

    /// The stores, in the order in which they were added.
    open var persistentStores: [NSPersistentStore] { lock.withLock { stores } }

    // MARK: Stores

    /// The stores whose configuration holds the entity, in the order in which they were added.
    final func stores(holding entity: NSEntityDescription) -> [NSPersistentStore] {
        persistentStores.filter { $0.holds(entity) }
    }

    /// The attached store of that identifier.
    final func store(withIdentifier identifier: String) -> NSPersistentStore? {
        persistentStores.first { $0.link.identifier == identifier }
    }

    /// Reserves a place for a store that is about to be opened.
    /// - Returns: false where another store has it.
    final func occupy(_ location: StoreLocation) -> Bool {
        lock.withLock { occupied.insert(location).inserted }
    }

    final func vacate(_ location: StoreLocation) {
        lock.withLock { _ = occupied.remove(location) }
    }

    /// Makes an open store one of the coordinator's.
    final func publish(_ store: NSPersistentStore) {
        store.attach(to: self)
        lock.withLock { stores.append(store) }
    }

    /// Takes a store out, and cuts ids and objects off it.
    /// - Returns: false where somebody else has taken it out already.
    final func withdraw(_ store: NSPersistentStore) -> Bool {
        let isMine = lock.withLock {
            guard let index = stores.firstIndex(where: { $0 === store }) else { return false }
            stores.remove(at: index)
            if let location = store.location { occupied.remove(location) }
            return true
        }
        if isMine { store.detach() }
        return isMine
    }

    /// Puts a store in the place of another one that is being taken out, in one step: whoever asks for stores finds either.
    /// - Returns: false where yet another one has the place already.
    final func exchange(_ old: NSPersistentStore, for new: NSPersistentStore) -> Bool {
        new.attach(to: self)
        let isDone = lock.withLock {
            if let index = stores.firstIndex(where: { $0 === old }) {
                stores[index] = new
                return true
            }
            // Somebody who met the new contents has detached the old store in the meantime.
            if let location = new.location, location != .memory, !occupied.insert(location).inserted { return false }
            stores.append(new)
            return true
        }
        (isDone ? old : new).detach()
        return isDone
    }

    // MARK: Contexts

    /// To be called by a context that gets this coordinator; it is held weakly.
    final func register(_ context: NSManagedObjectContext) {
        lock.withLock { contexts[ObjectIdentifier(context)] = WeakContext(context: context) }
    }

    /// To be called by a context that gets another coordinator or goes.
    final func unregister(_ context: NSManagedObjectContext) {
        lock.withLock { contexts[ObjectIdentifier(context)] = nil }
    }

    /// The living contexts that use this coordinator.
    final var registeredContexts: [NSManagedObjectContext] {
        lock.withLock { contexts.values.compactMap(\.context) }
    }
}

/// The coordinators of this process, so that a store can be taken from all that hold it.
enum CoordinatorRegistry {
    private struct WeakCoordinator {
        weak var coordinator: NSPersistentStoreCoordinator?
    }

    private final class Table: @unchecked Sendable {
        let lock = NSLock()
        var coordinators: [ObjectIdentifier: WeakCoordinator] = [:]
    }

    private static let table = Table()

    static func add(_ coordinator: NSPersistentStoreCoordinator) {
        table.lock.withLock {
            table.coordinators[ObjectIdentifier(coordinator)] = WeakCoordinator(coordinator: coordinator)
        }
    }

    static func remove(_ coordinator: NSPersistentStoreCoordinator) {
        table.lock.withLock { table.coordinators[ObjectIdentifier(coordinator)] = nil }
    }

    /// The stores at a place, each with its coordinator.
    static func holders(of location: StoreLocation) -> [(NSPersistentStoreCoordinator, NSPersistentStore)] {
        let coordinators = table.lock.withLock { table.coordinators.values.compactMap(\.coordinator) }
        return coordinators.flatMap { coordinator in
            coordinator.persistentStores.filter { $0.location == location }.map { (coordinator, $0) }
        }
    }
}
