import CoreData
import Foundation

/// One call of `resetStores`.
struct StoreReset {
    let container: NSPersistentContainer
    let timeout: TimeInterval

    /// Does it on the calling thread. One reset of a coordinator's stores runs at a time: in the coordinator's queue.
    func run() throws -> ResetOutcome {
        let coordinator = container.persistentStoreCoordinator
        return try coordinator.performAndWait {
            let clock = Stopwatch()
            let stores = try coordinator.writableStores
            var outcome = ResetOutcome(.resetStores)
            let contexts = container.contextsToTell
            let drain = Stopwatch()
            let held = ContextHold.holding(contexts, until: Date(timeIntervalSinceNow: max(timeout, 0))) { held in
                outcome.report.add(ResetReport.Step(name: "drain contexts", seconds: drain.seconds))
                var isReset = false
                for store in stores { isReset = reset(store, &outcome) || isReset }
                if isReset { outcome.tell(held) { $0.reset() } }
                return isReset ? held : nil
            }
            if let held {
                outcome.tell(contexts.filter { context in !held.contains { $0 === context } }) { $0.reset() }
            }
            outcome.report.seconds = clock.seconds
            return outcome
        }
    }

    /// - Returns: whether the old store is gone.
    private func reset(_ store: NSPersistentStore, _ outcome: inout ResetOutcome) -> Bool {
        var report = ResetReport.Store(store)
        defer { outcome.report.stores.append(report) }
        var clock = Stopwatch()
        // A damaged store whose records cannot be counted is a reason to reset it.
        let before = try? store.recordCounts()
        report.steps.append(ResetReport.Step(name: "count records", seconds: clock.seconds))
        clock = Stopwatch()
        do {
            let new = try container.renewed(store)
            report.steps.append(ResetReport.Step(name: "reset store", seconds: clock.seconds))
            report.identifierAfter = new.identifier
            report.filesAfter = StoreFiles(of: new)
            if let before { report.setRows(before: before, after: (try? new.recordCounts()) ?? [:]) }
            return true
        } catch {
            if let before { report.setRows(before: before, after: before) }
            report.fail(error, clock)
            report.filesAfter = StoreFiles(of: store)
            outcome.failures.append(error)
            return store.persistentStoreCoordinator == nil
        }
    }
}
