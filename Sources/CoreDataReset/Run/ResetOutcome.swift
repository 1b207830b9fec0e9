import CoreData
import Foundation

/// How a call of the toolkit ended.
struct ResetOutcome {
    var report: ResetReport
    /// One a store that failed.
    var failures: [any Error] = []
    /// Contexts that follow as their next block.
    private var waiting: [NSManagedObjectContext] = []

    init(_ operation: ResetReport.Operation) {
        report = ResetReport(operation: operation)
    }

    /// Runs the block in each context: at once where it is free, else as its next block.
    mutating func tell(
        _ contexts: [NSManagedObjectContext], _ block: @escaping @Sendable (NSManagedObjectContext) -> Void
    ) {
        let clock = Stopwatch()
        for context in contexts {
            if context.runIfFree({ block(context) }) {
                report.contextsTold += 1
            } else {
                context.runLater { block(context) }
                waiting.append(context)
            }
        }
        report.contextsWaiting = waiting.count
        report.add(ResetReport.Step(name: "tell contexts", seconds: clock.seconds))
    }

    /// Waits until every context has followed.
    mutating func waitForContexts() async {
        let clock = Stopwatch()
        for context in waiting { await context.perform(schedule: .enqueued) {} }
        report.contextsTold += waiting.count
        report.contextsWaiting = 0
        waiting = []
        report.add(ResetReport.Step(name: "tell contexts", seconds: clock.seconds))
        report.seconds += clock.seconds
    }

    /// - Throws: `ResetError` if a store failed.
    func checkedReport() throws -> ResetReport {
        if failures.isEmpty { return report }
        throw ResetError(report: report, failures: failures)
    }
}

/// Carries a value to the coordinator's queue and back: one thread at a time has it.
struct Carried<Value>: @unchecked Sendable {
    let value: Value

    init(_ value: Value) { self.value = value }
}

/// Measures how long something takes.
struct Stopwatch {
    private let start = DispatchTime.now()

    var seconds: Double { Double(DispatchTime.now().uptimeNanoseconds - start.uptimeNanoseconds) / 1e9 }
}
