import Foundation
import TestSupport
import Testing

@testable import CoreData

/// Blocks that are not waited for, and those a task awaits.
@Suite("Perform")
struct PerformTests {
    @Test("blocks run in the order of the calls, one at a time", .timeLimit(.minutes(1)))
    func runsInOrder() async {
        let context = NSManagedObjectContext(.privateQueue)
        let log = Log()
        for number in 0..<100 { enqueue(context) { log.append(number) } }
        await context.perform(schedule: .enqueued) {}
        #expect(log.values == Array(0..<100))
    }

    @Test("an awaited block gives its value or error to the caller")
    func passesValueAndError() async throws {
        struct Failure: Error {}
        let context = NSManagedObjectContext(.privateQueue)
        let value = await context.perform { 11 }
        #expect(value == 11)
        await #expect(throws: Failure.self) { try await context.perform { throw Failure() } }
    }

    @Test("a context lives until its blocks have run", .timeLimit(.minutes(1)))
    func keepsContextAlive() async {
        let done = DispatchSemaphore(value: 0)
        weak var gone: NSManagedObjectContext?
        do {
            let context = NSManagedObjectContext(.privateQueue)
            gone = context
            enqueue(context) {
                usleep(10_000)
                done.signal()
            }
        }
        await waitOnThread(done)
        #expect(await eventually { gone == nil })
    }

    @Test("the main actor is inside a main-queue context at once", .timeLimit(.minutes(1)))
    @MainActor
    func runsAtOnceOnMain() async {
        let context = NSManagedObjectContext(.mainQueue)
        let log = Log()
        enqueue(context) { log.append(2) }
        let thread = Unchecked(pthread_self())
        let isSameThread = await context.perform(schedule: .immediate) {
            log.append(1)
            return pthread_equal(pthread_self(), thread.value) != 0
        }
        #expect(isSameThread)
        await context.perform(schedule: .enqueued) { log.append(3) }
        #expect(log.values == [1, 2, 3])
    }

    @Test("a main-queue context's block from elsewhere runs on the main queue", .timeLimit(.minutes(1)))
    func runsOnMainQueue() async {
        let context = NSManagedObjectContext(.mainQueue)
        let isMain = await context.perform { MainQueue.isCurrent }
        #expect(isMain)
        let wasMain = await onThread { context.performAndWait { MainQueue.isCurrent } }
        #expect(wasMain)
    }

    @Test("main may enter a private context that waits for main", .timeLimit(.minutes(1)))
    func nestsAcrossMain() async {
        let main = NSManagedObjectContext(.mainQueue)
        let worker = NSManagedObjectContext(.privateQueue)
        let text = await onThread {
            worker.performAndWait { main.performAndWait { worker.performAndWait { "both" } } }
        }
        #expect(text == "both")
    }

    @Test("many contexts with blocks that wait for one another need no free worker", .timeLimit(.minutes(1)))
    func needsNoFreeWorker() async {
        let contexts = (0..<200).map { _ in NSManagedObjectContext(.privateQueue) }
        let log = Log()
        let shared = NSManagedObjectContext(.privateQueue)
        for (number, context) in contexts.enumerated() {
            enqueue(context) { shared.performAndWait { log.append(number) } }
        }
        for context in contexts { await context.perform(schedule: .enqueued) {} }
        #expect(log.values.sorted() == Array(0..<200))
    }
}

/// `perform(_:)`: in an asynchronous function the compiler takes the awaited form, as it does with Apple's framework.
func enqueue(_ context: NSManagedObjectContext, _ block: @escaping @Sendable () -> Void) { context.perform(block) }

/// Runs the body on a thread of its own.
func onThread<T>(_ body: @escaping @Sendable () -> T) async -> T {
    let result: Unchecked<T> = await withCheckedContinuation { continuation in
        Thread.detachNewThread { continuation.resume(returning: Unchecked(body())) }
    }
    return result.value
}

func waitOnThread(_ semaphore: DispatchSemaphore) async {
    await onThread { semaphore.wait() }
}

/// Asks until the answer is yes, for a few seconds.
func eventually(_ condition: () -> Bool) async -> Bool {
    for _ in 0..<500 {
        if condition() { return true }
        try? await Task.sleep(nanoseconds: 10_000_000)
    }
    return condition()
}
