import Foundation

extension NSPersistentContainer {
    /// Waits until the blocks that the container's contexts have waiting are done, and removes all stores: for a graceful stop.
    ///
    /// Unsaved changes are not saved. Afterwards no file of the stores is open; `loadPersistentStores` opens them again. An addition
    /// to Apple's interface.
    ///
    /// Not to be called inside a block that one of the contexts' blocks waits for.
    ///
    /// - Throws: `NSError` of `NSCocoaErrorDomain` 256 with SQLite's code 5 where something in a store does not end within its
    ///   timeout. That store and the ones behind it stay attached.
    public func close() throws {
        for context in persistentStoreCoordinator.registeredContexts { context.performAndWait {} }
        try removeStores()
    }

    /// Waits until the blocks that the container's contexts have waiting are done, and removes all stores, without blocking the
    /// calling thread.
    ///
    /// - Throws: as the synchronous form.
    public func close() async throws {
        for context in persistentStoreCoordinator.registeredContexts { await context.perform(schedule: .enqueued) {} }
        let outcome: Result<Void, any Error> = await handedOver { finish in
            DispatchQueue.global().async { finish(Result { try self.removeStores() }) }
        }
        try outcome.get()
    }

    private func removeStores() throws {
        for store in persistentStoreCoordinator.persistentStores {
            try persistentStoreCoordinator.remove(store)
        }
    }
}
