import CoreData
import Foundation

extension NSPersistentContainer {
    /// Puts a new store without records in the place of each store of the container, with the same options and configuration.
    ///
    ///     try container.resetStores()
    ///     let context = container.viewContext   // the same one, and usable at once
    ///
    /// - **Contexts are drained**: the call waits until they are free, and keeps them so until it is done; blocks that come
    ///   meanwhile run on the new stores. A context that stays busy for longer than `timeout` is no reason to give up: it is
    ///   reset as its next block, and the report counts it in ``ResetReport/contextsWaiting``. What it then saves to an old store
    ///   is an error (134030, 134070). A main-queue context is drained by calls on the main queue only.
    /// - **There is no moment without a store**: the finished new store is copied over the old one in one transaction under SQLite's
    ///   locks, and the coordinator exchanges the stores in one step. Other connections and processes may have the file open.
    ///   External files go once that is durable. (Apple's framework cannot exchange stores: there, the coordinator is without
    ///   for a moment.)
    /// - **Contexts are reset**: their objects belong to no context any more, unsaved changes are gone. Ids of before lead to no
    ///   record: `existingObject(with:)` throws 133000. If one of several stores fails, contexts are reset all the same.
    ///
    /// Stores get new identifiers. Metadata that were set are gone with the store.
    ///
    /// - Parameter timeout: how many seconds to wait for contexts; how long to wait for the file is an option of the store.
    /// - Returns: what was done: records, files, times.
    /// - Throws: before anything is done, `NSError` of `NSCocoaErrorDomain`: 134070 if there is no store, 513 for a read-only
    ///   store. ``ResetError`` where a store failed: it is as before, the others are reset, and the error has the report.
    @discardableResult
    public func resetStores(timeout: TimeInterval = 5) throws -> ResetReport {
        try StoreReset(container: self, timeout: timeout).run().checkedReport()
    }

    /// Puts a new store without records in the place of each store of the container, without blocking the calling thread.
    ///
    ///     try await container.resetStores()
    ///
    /// It returns when every context has been reset. Otherwise as the synchronous form.
    @discardableResult
    public nonisolated(nonsending) func resetStores(timeout: TimeInterval = 5) async throws -> ResetReport {
        let reset = Carried(StoreReset(container: self, timeout: timeout))
        var outcome = try await persistentStoreCoordinator.perform { try Carried(reset.value.run()) }.value
        await outcome.waitForContexts()
        return try outcome.checkedReport()
    }
}
