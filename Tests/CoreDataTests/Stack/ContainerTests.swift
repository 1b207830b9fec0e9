import Foundation
import TestSupport
import Testing

@testable import CoreData

@Suite("Persistent container")
struct ContainerTests {
    private let folder: TemporaryDirectory
    private var url: URL { folder.url("Notes.sqlite") }

    init() throws { folder = try TemporaryDirectory() }

    private func makeContainer(_ name: String = "Notes") -> NSPersistentContainer {
        let container = NSPersistentContainer(name: name, managedObjectModel: StackFixture.model())
        container.persistentStoreDescriptions = [NSPersistentStoreDescription(url: url)]
        return container
    }

    private func load(_ container: NSPersistentContainer) -> [String] {
        let calls = Calls()
        container.loadPersistentStores { description, error in
            calls.add(
                (description.url?.lastPathComponent ?? "") + ": " + ((error as NSError?).map { "\($0.code)" } ?? "ok"))
        }
        return calls.texts
    }

    @Test("a container describes one SQLite store of its name in the folder its class names")
    func defaults() {
        final class Elsewhere: NSPersistentContainer, @unchecked Sendable {
            override class func defaultDirectoryURL() -> URL { URL(fileURLWithPath: "/tmp/elsewhere") }
        }
        let container = Elsewhere(name: "Trips", managedObjectModel: StackFixture.model())
        #expect(container.name == "Trips")
        #expect(container.persistentStoreDescriptions.count == 1)
        #expect(container.persistentStoreDescriptions[0].type == NSSQLiteStoreType)
        #expect(container.persistentStoreDescriptions[0].url?.path == "/tmp/elsewhere/Trips.sqlite")
    }

    @Test("before loading everything is there but the stores")
    func beforeLoading() {
        let container = makeContainer()
        #expect(container.viewContext.persistentStoreCoordinator === container.persistentStoreCoordinator)
        #expect(container.viewContext.concurrencyType == .mainQueueConcurrencyType)
        #expect(container.managedObjectModel === container.persistentStoreCoordinator.managedObjectModel)
        #expect(container.persistentStoreCoordinator.persistentStores.isEmpty)
        let background = container.newBackgroundContext()
        #expect(background.concurrencyType == .privateQueueConcurrencyType)
        #expect(background.parent == nil)
        #expect(background.persistentStoreCoordinator === container.persistentStoreCoordinator)
    }

    @Test("loading calls back once a store, and again only for stores that are not there")
    func loading() throws {
        let container = makeContainer()
        let lost = NSPersistentStoreDescription(url: folder.url.appendingPathComponent("no/Lost.sqlite"))
        container.persistentStoreDescriptions.append(lost)
        #expect(load(container) == ["Notes.sqlite: ok", "Lost.sqlite: 512"])
        #expect(load(container) == ["Lost.sqlite: 512"])
        try FileManager.default.createDirectory(at: folder.url("no"), withIntermediateDirectories: true)
        #expect(load(container) == ["Lost.sqlite: ok"])
        #expect(load(container) == [])
        // A store that was removed is loaded again.
        try container.persistentStoreCoordinator.remove(container.persistentStoreCoordinator.persistentStores[0])
        #expect(load(container) == ["Notes.sqlite: ok"])
    }

    @Test("a description changed in place before loading counts")
    func changedInPlace() {
        let container = NSPersistentContainer(name: "Notes", managedObjectModel: StackFixture.model())
        container.persistentStoreDescriptions.first?.url = url
        #expect(load(container) == ["Notes.sqlite: ok"])
        #expect(FileManager.default.fileExists(atPath: url.path))
    }

    @Test(
        "an asynchronous description loads on another thread; saving before that is an error", .timeLimit(.minutes(1)))
    func asynchronous() async throws {
        let container = makeContainer()
        container.persistentStoreDescriptions[0].shouldAddStoreAsynchronously = true
        let context = container.newBackgroundContext()
        // The store's place is held, so that loading cannot finish yet.
        let location = try StoreLocation(type: NSSQLiteStoreType, url: url)
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            StoreGate.alone(location) {
                container.loadPersistentStores { _, error in
                    if let error { continuation.resume(throwing: error) } else { continuation.resume() }
                }
                context.performAndWait {
                    _ = NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
                    #expect(throws: (any Error).self) { try context.save() }
                }
                #expect(container.persistentStoreCoordinator.persistentStores.isEmpty)
            }
        }
        try await context.perform { try context.save() }
        #expect(try StackFixture.count(container.persistentStoreCoordinator) == 1)
    }

    @Test("a failed load leaves no store, and a later save says so instead of stopping the program")
    func failedLoad() {
        let container = makeContainer()
        container.persistentStoreDescriptions[0].url = URL(fileURLWithPath: "/proc/Notes.sqlite")
        #expect(load(container).count == 1)
        #expect(container.persistentStoreCoordinator.persistentStores.isEmpty)
        let context = container.newBackgroundContext()
        context.performAndWait {
            _ = NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
            #expect(throws: (any Error).self) { try context.save() }
        }
    }

    @Test("background tasks have a context of their own", .timeLimit(.minutes(1)))
    func backgroundTasks() async throws {
        let container = makeContainer()
        _ = load(container)
        let count = try await container.performBackgroundTask { context in
            _ = NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
            try context.save()
            return try context.count(for: NSFetchRequest<NSFetchRequestResult>(entityName: "Note"))
        }
        #expect(count == 1)
        struct Failure: Error {}
        await #expect(throws: Failure.self) { try await container.performBackgroundTask { _ in throw Failure() } }
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            let run = { container.performBackgroundTask { _ in continuation.resume() } }
            run()
        }
    }

    @Test("closing waits for blocks, detaches the stores and leaves no file open", .timeLimit(.minutes(1)))
    func closing() async throws {
        let container = makeContainer()
        _ = load(container)
        let context = container.newBackgroundContext()
        let log = Calls()
        for number in 0..<20 {
            let run = {
                context.perform {
                    usleep(1000)
                    let note = NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
                    note.setValue("\(number)", forKey: "text")
                    try? context.save()
                    log.add("done")
                }
            }
            run()
        }
        try await container.close()
        #expect(log.texts.count == 20)
        #expect(container.persistentStoreCoordinator.persistentStores.isEmpty)
        #expect(openFiles(in: folder.url) == [])
        #expect(try sqlite3(url, "SELECT count(*) FROM ZNOTE") == "20")
        #expect(load(container) == ["Notes.sqlite: ok"])
        let close = { try container.close() }
        try close()
        #expect(openFiles(in: folder.url) == [])
    }

    @Test("a container that goes closes its files")
    func going() throws {
        do {
            let container = makeContainer()
            _ = load(container)
            #expect(!openFiles(in: folder.url).isEmpty)
        }
        #expect(openFiles(in: folder.url) == [])
    }

    @Test("a compatible store keeps its rows over five launches")
    func launches() throws {
        for launch in 1...5 {
            let container = makeContainer()
            #expect(load(container) == ["Notes.sqlite: ok"])
            try StackFixture.insert(["launch \(launch)"], container.persistentStoreCoordinator)
            #expect(try StackFixture.count(container.persistentStoreCoordinator) == launch)
        }
    }

    @Test("two containers of one file see each other's saves")
    func twoContainers() throws {
        let one = makeContainer()
        let two = makeContainer()
        _ = load(one)
        _ = load(two)
        try StackFixture.insert(["from one"], one.persistentStoreCoordinator)
        #expect(try StackFixture.texts(two.persistentStoreCoordinator) == ["from one"])
    }
}

/// The files in a folder that this process has open.
func openFiles(in folder: URL) -> [String] {
    let path = folder.resolvingSymlinksInPath().path
    let descriptors = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
    return descriptors.compactMap { try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/" + $0) }
        .filter { $0.hasPrefix(path) }.sorted()
}
