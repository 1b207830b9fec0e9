import CoreData
import Foundation

extension NSPersistentContainer {
    /// Deletes all records, or all records of some entities, from all stores of the container; the stores stay.
    ///
    ///     let report = try container.deleteAllRecords()
    ///     print(report)
    ///
    /// - Each store is emptied in **one transaction**. Delete rules are carried out, join rows and references to what is gone are
    ///   taken out, external files go once the deletion is durable. Keys are not given out again. A store with history gets one
    ///   transaction with a change for each record. Records are not loaded; their validation and life-cycle methods do not run.
    /// - **Every context follows**: those of the container, and those that ``track(_:)`` named. Live objects of deleted records
    ///   count as deleted, and unsaved changes to them are dropped. So are unsaved new objects of the entities: they
    ///   would bring back a record of what was emptied. Objects that stay, with their unsaved changes, are refreshed where they may
    ///   have lost a partner.
    /// - It works **on the calling thread** and never waits for a context that somebody else is inside of, so that it may be called
    ///   anywhere: on the main queue, and inside `performAndWait`. Such a context follows as its next block, before any that
    ///   is scheduled later; the report counts it in ``ResetReport/contextsWaiting``. (On Apple's platforms this goes for every
    ///   context but main-queue ones on the main thread.)
    ///
    /// - Parameters:
    ///   - entities: which; all unless said otherwise.
    ///   - author: the author of the transaction in the history of stores that have one.
    /// - Returns: what was done: records, files, times.
    /// - Throws: before anything is done, `NSError` of `NSCocoaErrorDomain`: 134060 for a name the model has no entity of, 134070
    ///   if there is no store, 513 for a read-only store. ``ResetError`` where a store failed: it is untouched, the others are
    ///   emptied, and the error has the report. A required relationship that would lose its object (134050) is such a failure.
    @discardableResult
    public func deleteAllRecords(
        _ entities: EntitySelection = .all, author: String? = nil
    ) throws -> ResetReport {
        try RecordDeletion(container: self, selection: entities, author: author).run().checkedReport()
    }

    /// Deletes all records, or all records of some entities, from all stores of the container, without blocking the calling thread;
    /// the stores stay.
    ///
    ///     try await container.deleteAllRecords(.allBut(["Setting"]))
    ///
    /// It returns when every context has followed. Otherwise as the synchronous form.
    @discardableResult
    public nonisolated(nonsending) func deleteAllRecords(
        _ entities: EntitySelection = .all, author: String? = nil
    ) async throws -> ResetReport {
        let deletion = Carried(RecordDeletion(container: self, selection: entities, author: author))
        var outcome = try await persistentStoreCoordinator.perform { try Carried(deletion.value.run()) }.value
        await outcome.waitForContexts()
        return try outcome.checkedReport()
    }
}
