#if OPEN_CORE_DATA
    @_spi(CoreDataReset) import CoreData
    import Foundation

    // What the framework does for a reset, where it is ours. `Framework+Apple.swift` has the same members.

    extension NSPersistentContainer {
        /// The contexts the framework knows of.
        var livingContexts: [NSManagedObjectContext] { persistentStoreCoordinator.contextsInUse }

        /// Deletes all records of these very entities in one transaction.
        func emptyEntities(
            _ entities: [NSEntityDescription], keeping kept: [NSEntityDescription], in store: NSPersistentStore,
            author: String?
        ) throws -> (before: [String: Int], after: [String: Int]) {
            try persistentStoreCoordinator.deleteRecords(of: entities, keeping: kept, in: store, author: author)
        }

        /// Puts a new store in the place of a store.
        func renewed(_ store: NSPersistentStore) throws -> NSPersistentStore { try renew(store) }
    }

    extension NSManagedObjectContext {
        /// Runs the block in the context's queue, unless somebody else stays inside until the deadline.
        func runIfFree(until deadline: Date = .distantPast, _ block: () -> Void) -> Bool {
            performIfFree(until: deadline, block)
        }

        /// Runs the block when its turn comes.
        func runLater(_ block: @escaping @Sendable () -> Void) { performLater(block) }

        /// Whether being inside keeps others out: whoever is on the main queue is inside its contexts without asking.
        var canBeHeld: Bool { concurrencyType == .privateQueueConcurrencyType || isQueueCurrent }
    }
#endif
