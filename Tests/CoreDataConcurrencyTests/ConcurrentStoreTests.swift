import CoreData
import Foundation
import TestSupport
import Testing

/// Several contexts at work on one store at once.
@Suite("Contexts at work together")
struct ConcurrentStoreTests {
    private let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory() }

    private func makeContainer(_ configure: (NSPersistentStoreDescription) -> Void = { _ in }) throws
        -> NSPersistentContainer
    {
        let text = NSAttributeDescription()
        text.name = "text"
        text.attributeType = .stringAttributeType
        text.isOptional = true
        let number = NSAttributeDescription()
        number.name = "number"
        number.attributeType = .integer64AttributeType
        number.defaultValue = 0
        let note = NSEntityDescription()
        note.name = "Note"
        note.properties = [text, number]
        let model = NSManagedObjectModel()
        model.entities = [note]
        let container = NSPersistentContainer(name: "Notes", managedObjectModel: model)
        let description = NSPersistentStoreDescription(url: folder.url("Notes.sqlite"))
        configure(description)
        container.persistentStoreDescriptions = [description]
        nonisolated(unsafe) var failure: (any Error)?
        container.loadPersistentStores { _, error in failure = error }
        if let failure { throw failure }
        return container
    }

    private func insert(_ count: Int, _ context: NSManagedObjectContext) {
        for number in 0..<count {
            let note = NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
            note.setValue("note \(number)", forKey: "text")
            note.setValue(Int64(number), forKey: "number")
        }
    }

    private static func request() -> NSFetchRequest<NSManagedObject> { NSFetchRequest(entityName: "Note") }

    @Test("saves of many contexts all arrive", .timeLimit(.minutes(2)))
    func manyWriters() throws {
        let container = try makeContainer()
        let errors = Log()
        DispatchQueue.concurrentPerform(iterations: 6) { _ in
            let context = container.newBackgroundContext()
            context.performAndWait {
                for _ in 0..<10 {
                    insert(5, context)
                    do { try context.save() } catch { errors.append((error as NSError).code) }
                }
            }
        }
        #expect(errors.values == [])
        let context = container.newBackgroundContext()
        let count = try context.performAndWait { try context.count(for: Self.request()) }
        #expect(count == 300)
        let keys = try context.performAndWait { Set(try context.fetch(Self.request()).map(\.objectID)).count }
        #expect(keys == 300)
    }

    @Test("readers see whole saves while a writer works", .timeLimit(.minutes(2)))
    func readersAndWriter() throws {
        let container = try makeContainer()
        let errors = Log()
        DispatchQueue.concurrentPerform(iterations: 4) { index in
            let context = container.newBackgroundContext()
            context.performAndWait {
                for _ in 0..<20 {
                    do {
                        if index == 0 {
                            insert(7, context)
                            try context.save()
                        } else {
                            let notes = try context.fetch(Self.request())
                            // Each save wrote seven.
                            if !notes.count.isMultiple(of: 7) { errors.append(notes.count) }
                            for note in notes where note.value(forKey: "text") == nil { errors.append(-1) }
                            context.reset()
                        }
                    } catch { errors.append((error as NSError).code) }
                }
            }
        }
        #expect(errors.values == [])
    }

    @Test("a context that merges automatically follows the saves of others", .timeLimit(.minutes(2)))
    func automaticMerging() async throws {
        let container = try makeContainer()
        let follower = container.newBackgroundContext()
        follower.automaticallyMergesChangesFromParent = true
        let id = try await container.performBackgroundTask { context in
            let note = NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
            try context.save()
            return note.objectID
        }
        let object = Held(try await follower.perform { Held(try follower.existingObject(with: id)) }.object)
        await withTaskGroup(of: Void.self) { group in
            for number in 1...4 {
                group.addTask {
                    let context = container.newBackgroundContext()
                    context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
                    try? await context.perform {
                        let note = try context.existingObject(with: id)
                        note.setValue(Int64(number), forKey: "number")
                        try context.save()
                    }
                }
            }
        }
        let stored = try await container.performBackgroundTask { context in
            try context.existingObject(with: id).value(forKey: "number") as? Int64
        }
        let seen = await follower.perform { object.object.value(forKey: "number") as? Int64 }
        #expect(seen == stored)
    }

    @Test(
        "destroying the store while contexts work leaves errors, no crash and a usable coordinator",
        .timeLimit(.minutes(2)))
    func destroyUnderLoad() throws {
        let container = try makeContainer()
        let url = folder.url("Notes.sqlite")
        let coordinator = container.persistentStoreCoordinator
        DispatchQueue.concurrentPerform(iterations: 4) { index in
            if index == 0 {
                for _ in 0..<5 {
                    usleep(5000)
                    do {
                        try coordinator.destroyPersistentStore(at: url, type: .sqlite)
                        try coordinator.addPersistentStore(type: .sqlite, at: url)
                    } catch { Issue.record("\(error)") }
                }
                return
            }
            let context = container.newBackgroundContext()
            for _ in 0..<30 {
                context.performAndWait {
                    insert(3, context)
                    do { try context.save() } catch { context.reset() }
                    _ = try? context.fetch(Self.request())
                }
            }
        }
        #expect(coordinator.persistentStores.count == 1)
        let context = container.newBackgroundContext()
        try context.performAndWait {
            insert(1, context)
            try context.save()
        }
        #expect(try sqlite3(url, "PRAGMA integrity_check") == "ok")
    }

    @Test("closing while contexts work ends", .timeLimit(.minutes(2)))
    func closeUnderLoad() async throws {
        let container = try makeContainer()
        for _ in 0..<4 {
            let context = container.newBackgroundContext()
            let start = {
                context.perform {
                    for _ in 0..<10 {
                        insert(3, context)
                        do { try context.save() } catch { context.reset() }
                    }
                }
            }
            start()
        }
        try await container.close()
        #expect(container.persistentStoreCoordinator.persistentStores.isEmpty)
    }
}

/// Carries an object between blocks of its own context.
private struct Held: @unchecked Sendable {
    let object: NSManagedObject
    init(_ object: NSManagedObject) { self.object = object }
}
