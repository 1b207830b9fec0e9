import CoreData
import Foundation

/// One call of `deleteAllRecords`.
struct RecordDeletion {
    let container: NSPersistentContainer
    let selection: EntitySelection
    let author: String?

    /// Does it on the calling thread. One reset of a coordinator's stores runs at a time: in the coordinator's queue.
    func run() throws -> ResetOutcome {
        let coordinator = container.persistentStoreCoordinator
        return try coordinator.performAndWait {
            let clock = Stopwatch()
            let plan = try RecordDeletionPlan(selection, coordinator)
            var outcome = ResetOutcome(.deleteAllRecords)
            var emptied = Set<String>()
            var retained = Set<String>()
            for step in plan.stores {
                if empty(step, &outcome) {
                    emptied.insert(step.store.identifier)
                } else {
                    retained.formUnion(step.deleted.compactMap(\.name))
                }
            }
            if !emptied.isEmpty {
                let deletion = DeletedRecords(stores: emptied, reach: plan.reach, retained: retained)
                outcome.tell(container.contextsToTell) { deletion.follow(in: $0) }
            }
            outcome.report.seconds = clock.seconds
            return outcome
        }
    }

    /// - Returns: whether the records are gone.
    private func empty(_ step: RecordDeletionPlan.StoreStep, _ outcome: inout ResetOutcome) -> Bool {
        let store = step.store
        var report = ResetReport.Store(store)
        defer { outcome.report.stores.append(report) }
        let clock = Stopwatch()
        do {
            let rows = try container.emptyEntities(step.deleted, keeping: step.kept, in: store, author: author)
            report.steps.append(ResetReport.Step(name: "delete records", seconds: clock.seconds))
            report.setRows(before: rows.before, after: rows.after)
            report.filesAfter = StoreFiles(of: store)
            return true
        } catch {
            report.fail(error, clock)
            report.filesAfter = StoreFiles(of: store)
            outcome.failures.append(error)
            return false
        }
    }
}
