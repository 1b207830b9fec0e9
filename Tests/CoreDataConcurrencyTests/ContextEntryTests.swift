import Foundation
import Testing

@_spi(CoreDataReset) @testable import CoreData

/// Going into a context only if it is free.
@Suite("Entering a free context", .timeLimit(.minutes(1)))
struct ContextEntryTests {
    /// Runs the body while another thread is inside the context.
    private func whileBusy(_ context: NSManagedObjectContext, _ body: (DispatchSemaphore) -> Void) {
        let isInside = DispatchSemaphore(value: 0)
        let goOn = DispatchSemaphore(value: 0)
        context.perform {
            isInside.signal()
            goOn.wait()
        }
        isInside.wait()
        body(goOn)
        goOn.signal()
    }

    @Test("a free context is entered at once, also from inside")
    func free() {
        let context = NSManagedObjectContext(.privateQueue)
        var count = 0
        #expect(context.performIfFree { count += 1 })
        context.performAndWait {
            #expect(context.performIfFree { count += 1 })
            #expect(context.isQueueCurrent)
        }
        #expect(count == 2)
    }

    @Test("a busy one is not, and works as before afterwards")
    func busy() {
        let context = NSManagedObjectContext(.privateQueue)
        whileBusy(context) { _ in
            let entered = { () -> Void in Issue.record("entered") }
            #expect(!context.performIfFree(entered))
            #expect(!context.performIfFree(until: Date(timeIntervalSinceNow: 0.05), entered))
        }
        #expect(context.performAndWait { true })
        #expect(context.executor.waitingCount == 0)
    }

    @Test("one that becomes free before the deadline is entered")
    func becomesFree() {
        let context = NSManagedObjectContext(.privateQueue)
        var didRun = false
        whileBusy(context) { goOn in
            DispatchQueue.global().asyncAfter(deadline: .now() + 0.05) { goOn.signal() }
            let isInside = context.performIfFree(until: Date(timeIntervalSinceNow: 20)) { didRun = true }
            #expect(isInside)
        }
        #expect(didRun)
    }

    @Test("many threads with short deadlines leave nobody waiting and nobody inside together")
    func manyThreads() {
        let context = NSManagedObjectContext(.privateQueue)
        let inside = EntryCount()
        DispatchQueue.concurrentPerform(iterations: 8) { thread in
            for round in 0..<200 {
                let wait = Double((thread + round) % 3) * 0.0001
                _ = context.performIfFree(until: Date(timeIntervalSinceNow: wait)) { inside.visit() }
                if round % 10 == 0 { context.performAndWait { inside.visit() } }
            }
        }
        context.performAndWait {}
        #expect(inside.mostTogether == 1)
        #expect(context.executor.waitingCount == 0)
    }

    @Test("a main-queue context is entered from elsewhere")
    func mainQueue() async {
        let context = NSManagedObjectContext(.mainQueue)
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                var wasInside = context.isQueueCurrent
                #expect(!wasInside)
                #expect(context.performIfFree { wasInside = context.isQueueCurrent } && wasInside)
                continuation.resume()
            }
        }
    }
}

/// How many threads are inside something at once.
private final class EntryCount: @unchecked Sendable {
    private let lock = NSLock()
    private var now = 0
    private var most = 0

    var mostTogether: Int { lock.withLock { most } }

    func visit() {
        lock.withLock {
            now += 1
            most = max(most, now)
        }
        lock.withLock { now -= 1 }
    }
}
