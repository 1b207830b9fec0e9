import CoreData
import Foundation
import XCTest

/// The same in XCTest, whose synchronous tests run on the main thread.
final class XCTestExecutorTests: XCTestCase {
    /// The expectation runs the run loop, so the block runs on main.
    func testBlocksRunOnMainWhileAnExpectationIsAwaited() {
        // What an earlier test left in the main queue that it blocked: until that has run, nobody waits for main.
        let drained = expectation(description: "the main queue runs")
        DispatchQueue.main.async { drained.fulfill() }
        wait(for: [drained], timeout: 20)
        let context = NSManagedObjectContext(.mainQueue)
        let done = expectation(description: "performAndWait")
        Thread.detachNewThread {
            let isMainThread = context.performAndWait { Thread.isMainThread }
            XCTAssertTrue(isMainThread)
            done.fulfill()
        }
        wait(for: [done], timeout: 20)
    }

    /// A semaphore blocks main; the worker runs the block itself.
    func testBlocksComeThroughWhileMainIsBlocked() {
        let context = NSManagedObjectContext(.mainQueue)
        let done = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            context.performAndWait {}
            done.signal()
        }
        XCTAssertEqual(done.wait(timeout: .now() + 20), .success)
    }

    /// On the main thread a main-queue context is entered directly.
    func testMainEntersItsContextDirectly() {
        let context = NSManagedObjectContext(.mainQueue)
        let other = NSManagedObjectContext(.privateQueue)
        let text = context.performAndWait { other.performAndWait { context.performAndWait { "nested" } } }
        XCTAssertEqual(text, "nested")
    }

    func testAsynchronousTestsAwaitBlocks() async throws {
        let context = NSManagedObjectContext(.mainQueue)
        let value = await context.perform { 5 }
        XCTAssertEqual(value, 5)
    }
}
