import Foundation
import TestSupport
import Testing

/// Whole processes: a synchronous main that never runs its queue, one with a run loop.
@Suite("Main queue of a process")
struct ProcessTests {
    @Test("a worker's performAndWait on a main-queue context comes through where main never runs its queue")
    func idleMainPerformAndWait() throws {
        let result = try runChild("sync-main-performAndWait")
        #expect(result.output == "round 1: 2\nround 2: 4\nround 3: 6\nquick\nfinished\n")
        // One warning, however often it happens.
        #expect(result.errorOutput.components(separatedBy: "CoreData: warning:").count == 2)
    }

    @Test("an awaited block of a main-queue context comes through where main never runs its queue")
    func idleMainAwait() throws {
        let result = try runChild("sync-main-await-perform")
        #expect(result.output == "value: 42\nfinished\n")
    }

    @Test("main waiting for a private context whose block waits for main ends")
    func crossedWaiting() throws {
        let result = try runChild("sync-main-worker-context")
        #expect(result.output == "main's block\nworker's block on main\nfinished\n")
    }

    @Test("blocks run in the run loop of main, in order")
    func runLoop() throws {
        let result = try runChild("run-loop-perform")
        #expect(result.output == "order [1, 2, 3, 4, 5], main thread true\nfinished\n")
        #expect(result.errorOutput == "")
    }
}
