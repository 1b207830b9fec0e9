import CoreData
import Foundation

/// What the child process does; tests start it with one of these names.
///
/// Each scenario prints what it saw, one line a fact, and exits with 0.
let scenarios: [String: @Sendable () -> Void] = [
    "sync-main-performAndWait": syncMainPerformAndWait,
    "sync-main-await-perform": syncMainAwaitPerform,
    "sync-main-worker-context": syncMainAndWorkerContext,
    "run-loop-perform": runLoopPerform,
    "unknown-model": { _ = NSPersistentContainer(name: "NoSuchModel") },
    "default-directory": { print(NSPersistentContainer.defaultDirectoryURL().path) },
    "write-note": writeNote,
    "shut-down": {},
    "crash": crash,
    "session": session,
    "reset-while-worker-waits-for-main": resetWhileWorkerWaitsForMain,
    "reset-while-worker-waits-for-view-context": resetWhileWorkerWaitsForViewContext,
    "reset-while-main-waits": resetWhileMainWaits,
]

func say(_ text: String) {
    FileHandle.standardOutput.write(Data((text + "\n").utf8))
}

/// Main waits on a semaphore and never runs its queue; a worker uses a main-queue context.
func syncMainPerformAndWait() {
    let context = NSManagedObjectContext(.mainQueue)
    let done = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
        for round in 1...3 {
            let value = context.performAndWait { round * 2 }
            say("round \(round): \(value)")
        }
        // Only the first block waits for the grace time.
        let start = Date()
        for _ in 0..<100 { context.performAndWait {} }
        say(Date().timeIntervalSince(start) < 5 ? "quick" : "slow")
        done.signal()
    }
    say(done.wait(timeout: .now() + 20) == .success ? "finished" : "stuck")
}

/// Main waits on a semaphore and never runs its queue; a task awaits a block of a main-queue context.
func syncMainAwaitPerform() {
    let context = NSManagedObjectContext(.mainQueue)
    let done = DispatchSemaphore(value: 0)
    Task.detached {
        let value = await context.perform { 42 }
        say("value: \(value)")
        done.signal()
    }
    say(done.wait(timeout: .now() + 20) == .success ? "finished" : "stuck")
}

/// Main waits for a private context whose block waits for a main-queue context.
func syncMainAndWorkerContext() {
    let main = NSManagedObjectContext(.mainQueue)
    let worker = NSManagedObjectContext(.privateQueue)
    let inside = DispatchSemaphore(value: 0)
    let done = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
        worker.performAndWait {
            inside.signal()
            Thread.sleep(forTimeInterval: 0.05)
            main.performAndWait { say("main's block") }
        }
        done.signal()
    }
    inside.wait()
    worker.performAndWait { say("worker's block on main") }
    say(done.wait(timeout: .now() + 20) == .success ? "finished" : "stuck")
}

/// Blocks of a main-queue context run when the run loop does, in order, on main.
func runLoopPerform() {
    let context = NSManagedObjectContext(.mainQueue)
    nonisolated(unsafe) var seen: [Int] = []
    Thread.detachNewThread {
        for number in 1...5 {
            context.perform {
                seen.append(number)
                if number == 5 { say("order \(seen), main thread \(Thread.isMainThread)") }
            }
        }
    }
    let limit = Date(timeIntervalSinceNow: 10)
    while seen.count < 5, Date() < limit { RunLoop.main.run(until: Date(timeIntervalSinceNow: 0.01)) }
    say(seen.count == 5 ? "finished" : "stuck")
}

/// Opens a store of notes at the path that the environment names, or none that lasts.
func openNotes(_ properties: [NSPropertyDescription]) -> NSPersistentContainer {
    let note = NSEntityDescription()
    note.name = "Note"
    note.properties = properties
    let model = NSManagedObjectModel()
    model.entities = [note]
    let container = NSPersistentContainer(name: "Notes", managedObjectModel: model)
    let path = ProcessInfo.processInfo.environment["NOTES"] ?? "/dev/null"
    container.persistentStoreDescriptions = [NSPersistentStoreDescription(url: URL(fileURLWithPath: path))]
    container.loadPersistentStores { _, error in
        if let error { say("error: \(error)") }
    }
    return container
}

/// Opens a store at the path that the environment names, and saves and reads a note with a telling text.
func writeNote() {
    let text = NSAttributeDescription()
    text.name = "text"
    text.attributeType = .stringAttributeType
    text.isOptional = true
    let container = openNotes([text])
    let context = container.viewContext
    let object = NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
    object.setValue("a telling text", forKey: "text")
    do {
        try context.save()
        let request = NSFetchRequest<NSManagedObject>(entityName: "Note")
        request.predicate = NSPredicate(format: "text == %@", "a telling text")
        say("found \(try context.fetch(request).count)")
        try container.close()
    } catch {
        say("error: \(error)")
    }
}
