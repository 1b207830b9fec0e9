import Foundation

/// A scratch pad of managed objects: it fetches them from the stores of its coordinator, tracks their changes and saves these as one.
///
/// A context is used inside its own queue (`perform`, `performAndWait`) only; a main-queue context also directly on the main queue.
open class NSManagedObjectContext: NSObject, @unchecked Sendable {
    // MARK: Stored state (the engine's)

    /// What the objects of this context hold of it; replaced by `reset()`.
    private(set) lazy var link = ContextLink(self)
    let concurrency: NSManagedObjectContextConcurrencyType
    /// The context's queue.
    let executor: ContextExecutor

    public init(concurrencyType: NSManagedObjectContextConcurrencyType) {
        concurrency = concurrencyType
        executor = ContextExecutor(
            concurrencyType == .mainQueueConcurrencyType ? .mainQueue : .privateQueue, label: "NSManagedObjectContext")
        super.init()
    }

    /// The coordinator whose stores the context reads and writes.
    open var persistentStoreCoordinator: NSPersistentStoreCoordinator?
}

/// The queue a context works on.
public enum NSManagedObjectContextConcurrencyType: UInt, Sendable {
    case privateQueueConcurrencyType = 1
    case mainQueueConcurrencyType = 2
}
