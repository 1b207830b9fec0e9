import Foundation
import TestSupport
import Testing

@testable import CoreData

/// The executor itself: turns, owners, nesting.
@Suite("Context executor")
struct ContextExecutorTests {
    @Test("performAndWait on a private context runs on the calling thread")
    func runsOnCallingThread() {
        let context = NSManagedObjectContext(.privateQueue)
        let here = pthread_self()
        context.performAndWait { #expect(pthread_equal(pthread_self(), here) != 0) }
    }

    @Test("performAndWait returns the value and throws the error of its block")
    func passesValueAndError() throws {
        struct Failure: Error {}
        let context = NSManagedObjectContext(.privateQueue)
        #expect(context.performAndWait { 7 } == 7)
        #expect(throws: Failure.self) { try context.performAndWait { throw Failure() } }
        // The context is free again after an error.
        #expect(context.performAndWait { true })
    }

    @Test("performAndWait may be nested in itself")
    func nestsInItself() {
        let context = NSManagedObjectContext(.privateQueue)
        let depth = context.performAndWait { context.performAndWait { context.performAndWait { 3 } } }
        #expect(depth == 3)
    }

    @Test("A block inside B inside A may enter A again", .timeLimit(.minutes(1)))
    func nestsOverContexts() {
        let a = NSManagedObjectContext(.privateQueue)
        let b = NSManagedObjectContext(.privateQueue)
        let seen = a.performAndWait { b.performAndWait { a.performAndWait { b.performAndWait { "inside" } } } }
        #expect(seen == "inside")
    }

    @Test("the current context is the innermost one")
    func knowsCurrentContext() {
        let a = NSManagedObjectContext(.privateQueue)
        let b = NSManagedObjectContext(.privateQueue)
        #expect(NSManagedObjectContext.current == nil)
        a.performAndWait {
            #expect(NSManagedObjectContext.current === a)
            b.performAndWait { #expect(NSManagedObjectContext.current === b) }
            #expect(NSManagedObjectContext.current === a)
        }
        #expect(NSManagedObjectContext.current == nil)
    }

    @Test("threads are inside one at a time", .timeLimit(.minutes(1)))
    func excludesThreads() {
        let context = NSManagedObjectContext(.privateQueue)
        let counter = Counter()
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            for _ in 0..<200 {
                context.performAndWait {
                    // Unguarded on purpose: the context is the guard.
                    counter.value += 1
                }
            }
        }
        #expect(context.performAndWait { counter.value } == 1600)
    }

    @Test("waiting threads and blocks get their turns in the order they asked", .timeLimit(.minutes(1)))
    func servesInOrder() {
        let executor = ContextExecutor(.privateQueue, label: "test")
        let log = Log()
        let done = DispatchSemaphore(value: 0)
        executor.enter()
        for number in 0..<10 {
            if number.isMultiple(of: 2) {
                executor.enqueue {
                    log.append(number)
                    done.signal()
                }
            } else {
                let waiting = executor.waitingCount
                Thread.detachNewThread {
                    executor.enter()
                    log.append(number)
                    executor.leave()
                    done.signal()
                }
                while executor.waitingCount == waiting { usleep(100) }
            }
        }
        executor.leave()
        for _ in 0..<10 { done.wait() }
        #expect(log.values == Array(0..<10))
    }

    @Test("a thread that runs a block for a waiting one may use what that one owns", .timeLimit(.minutes(1)))
    func lendsOwnership() {
        let executor = ContextExecutor(.privateQueue, label: "test")
        executor.enter()
        let lender = ThreadState.current
        let done = DispatchSemaphore(value: 0)
        let log = Log()
        Thread.detachNewThread {
            ThreadState.current.lent(lender) {
                executor.enter()
                log.append(1)
                executor.leave()
            }
            log.append(executor.isEntered ? 3 : 2)
            done.signal()
        }
        done.wait()
        #expect(executor.isEntered)
        executor.leave()
        #expect(log.values == [1, 2])
    }

    @Test("many threads entering two contexts in the same order all come through", .timeLimit(.minutes(1)))
    func survivesContention() {
        let a = NSManagedObjectContext(.privateQueue)
        let b = NSManagedObjectContext(.privateQueue)
        let counter = Counter()
        DispatchQueue.concurrentPerform(iterations: 6) { index in
            for _ in 0..<100 {
                a.performAndWait { b.performAndWait { a.performAndWait { counter.value += 1 } } }
            }
        }
        #expect(counter.value == 600)
    }
}

final class Counter: @unchecked Sendable {
    var value = 0
}

final class Log: @unchecked Sendable {
    private let lock = NSLock()
    private var stored: [Int] = []
    var values: [Int] { lock.withLock { stored } }
    func append(_ value: Int) { lock.withLock { stored.append(value) } }
}
