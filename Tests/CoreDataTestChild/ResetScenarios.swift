import CoreData
import CoreDataReset
import Foundation

/// Main resets while a worker inside its context waits for main.
func resetWhileWorkerWaitsForMain() {
    let container = makeNotes()
    for reset in resets(container, timeout: 0.2) {
        let context = container.newBackgroundContext()
        let isInside = DispatchSemaphore(value: 0)
        context.perform {
            isInside.signal()
            DispatchQueue.main.sync {}
        }
        isInside.wait()
        Thread.sleep(forTimeInterval: 0.02)
        report(reset)
        // Main is free: the worker ends, and its context follows.
        let limit = Date(timeIntervalSinceNow: 20)
        let isFree = DispatchSemaphore(value: 0)
        context.perform { isFree.signal() }
        while isFree.wait(timeout: .now()) != .success, Date() < limit {
            RunLoop.main.run(until: Date(timeIntervalSinceNow: 0.01))
        }
        say(Date() < limit ? "free" : "stuck")
    }
}

/// Main, which never runs its queue, resets while a worker inside its context waits for the view context.
func resetWhileWorkerWaitsForViewContext() {
    let container = makeNotes()
    let view = container.viewContext
    for reset in resets(container, timeout: 20) {
        let context = container.newBackgroundContext()
        let isInside = DispatchSemaphore(value: 0)
        let done = DispatchSemaphore(value: 0)
        context.perform {
            isInside.signal()
            view.performAndWait {}
            done.signal()
        }
        isInside.wait()
        report(reset)
        say(done.wait(timeout: .now() + 20) == .success ? "free" : "stuck")
    }
}

/// A worker resets while main waits for it and never runs its queue.
func resetWhileMainWaits() {
    let container = makeNotes()
    let done = DispatchSemaphore(value: 0)
    for reset in resets(container, timeout: 20) {
        Thread.detachNewThread {
            report(reset)
            done.signal()
        }
        say(done.wait(timeout: .now() + 20) == .success ? "free" : "stuck")
    }
}

private func resets(
    _ container: NSPersistentContainer, timeout: Double
) -> [@Sendable () throws -> ResetReport] {
    [{ try container.deleteAllRecords() }, { try container.resetStores(timeout: timeout) }]
}

private func report(_ reset: () throws -> ResetReport) {
    do {
        let report = try reset()
        say("\(report.operation.rawValue) \(report.recordsDeleted), waiting \(report.contextsWaiting)")
    } catch {
        say("error: \(error)")
    }
}

/// A container with one note.
private func makeNotes() -> NSPersistentContainer {
    let container = openNotes([])
    let context = container.newBackgroundContext()
    context.performAndWait {
        _ = NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
        do { try context.save() } catch { say("error: \(error)") }
    }
    return container
}
