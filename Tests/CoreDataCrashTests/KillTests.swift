import CoreDataTestFixtures
import Foundation
import TestSupport
import Testing

/// A process is killed as it enters each of the system calls that an operation makes.
@Suite("Killed at every system call", .enabled(if: SystemCallTracer.isUsable, "strace is missing"))
struct KillTests {
    static let journals = ["wal", "delete"]

    /// `COREDATA_SOAK=1` does it with larger stores too.
    static let scales = ProcessInfo.processInfo.environment["COREDATA_SOAK"] == "1" ? [1, 25] : [1]

    @Test("nobody else has the store open", arguments: CrashOperation.allCases, journals)
    func alone(_ operation: CrashOperation, _ journal: String) throws {
        for scale in Self.scales { try killEverywhere(operation, journal, scale, isHeld: false) }
    }

    @Test(
        "another process has the store open", arguments: CrashOperation.allCases.filter { !$0.startsWithNothing },
        journals)
    func held(_ operation: CrashOperation, _ journal: String) throws {
        for scale in Self.scales { try killEverywhere(operation, journal, scale, isHeld: true) }
    }

    private func killEverywhere(_ operation: CrashOperation, _ journal: String, _ scale: Int, isHeld: Bool) throws {
        let run = try CrashRun(operation, journal: journal, scale: scale)
        let trace = try run.trace(isHeld: isHeld)
        #expect(trace.strayCalls.isEmpty, "other threads write too")
        var newAt: Int?
        for (index, call) in trace.calls.enumerated() {
            let outcome = try run.kill(at: call, isHeld: isHeld)
            let place = "\(operation.rawValue), \(journal), call \(index): \(call.name)"
            #expect(outcome.wasHit, "\(place) was not hit")
            for fault in outcome.faults { Issue.record("\(place): \(fault)") }
            if outcome.isNew, newAt == nil { newAt = index }
            // Once it is done, it is done.
            if let newAt { #expect(outcome.isNew, "\(place): old again, but new at call \(newAt)") }
        }
        #expect(newAt != nil)
        report(operation, journal, isHeld, trace, newAt)
    }

    private func report(
        _ operation: CrashOperation, _ journal: String, _ isHeld: Bool, _ trace: SystemCallTracer.Trace, _ newAt: Int?
    ) {
        let names = Dictionary(grouping: trace.calls, by: \.name).mapValues(\.count)
        let counts = names.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
        print(
            "killed \(operation.rawValue) (\(journal)\(isHeld ? ", held" : "")) at \(trace.calls.count) calls, "
                + "new from \(newAt.map(String.init) ?? "-") on: \(counts)")
    }
}
