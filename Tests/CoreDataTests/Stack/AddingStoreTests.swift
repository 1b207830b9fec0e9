import CoreData
import Foundation
import TestSupport
import Testing

@Suite("Adding stores")
struct AddingStoreTests {
    private let folder: TemporaryDirectory
    private var url: URL { folder.url("Notes.sqlite") }

    init() throws { folder = try TemporaryDirectory() }

    @Test("an added store is there with its type, URL, options and coordinator")
    func attaches() throws {
        let coordinator = StackFixture.coordinator()
        let store = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: ["mine": 1])
        #expect(coordinator.persistentStores == [store])
        #expect(store.type == "SQLite")
        #expect(store.url == url)
        #expect(store.options?["mine"] as? Int == 1)
        #expect(store.persistentStoreCoordinator === coordinator)
        #expect(store.identifier == store.metadata[NSStoreUUIDKey] as? String)
        #expect(!store.isReadOnly)
        #expect(coordinator.persistentStore(for: url) === store)
        #expect(coordinator.url(for: store) == url)
        #expect(FileManager.default.fileExists(atPath: url.path))
    }

    @Test("an in-memory store needs no URL and makes no file")
    func inMemory() throws {
        let coordinator = StackFixture.coordinator()
        let store = try coordinator.addPersistentStore(
            ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
        #expect(store.type == "InMemory")
        #expect(coordinator.persistentStores.count == 1)
        #expect(
            coordinator.managedObjectModel.isConfiguration(withName: nil, compatibleWithStoreMetadata: store.metadata))
        try coordinator.remove(store)
        #expect(coordinator.persistentStores.isEmpty)
        #expect(try folder.contents.isEmpty)
    }

    @Test("a store that is attached already is refused with 134081, also by another path to it")
    func twice() throws {
        let coordinator = StackFixture.coordinator()
        try coordinator.addPersistentStore(type: .sqlite, at: url)
        #expect(throwsCode(134081) { try coordinator.addPersistentStore(type: .sqlite, at: url) })
        try FileManager.default.createSymbolicLink(
            atPath: folder.path("Alias.sqlite"), withDestinationPath: "Notes.sqlite")
        #expect(
            throwsCode(134081) { try coordinator.addPersistentStore(type: .sqlite, at: folder.url("Alias.sqlite")) })
        let detour = folder.url.appendingPathComponent("../\(folder.url.lastPathComponent)/Notes.sqlite")
        #expect(throwsCode(134081) { try coordinator.addPersistentStore(type: .sqlite, at: detour) })
        #expect(coordinator.persistentStores.count == 1)
    }

    @Test("two coordinators may have the same file")
    func twoCoordinators() throws {
        let one = StackFixture.coordinator()
        let two = StackFixture.coordinator()
        try one.addPersistentStore(type: .sqlite, at: url)
        try two.addPersistentStore(type: .sqlite, at: url)
        try StackFixture.insert(["seen by both"], one)
        #expect(try StackFixture.texts(two) == ["seen by both"])
        #expect(one.persistentStores[0].identifier == two.persistentStores[0].identifier)
    }

    @Test("an unknown type is refused with 134000, a missing URL and an unknown configuration with 134080")
    func refusals() {
        let coordinator = StackFixture.coordinator()
        #expect(
            throwsCode(134000) {
                try coordinator.addPersistentStore(ofType: "Paper", configurationName: nil, at: url)
            })
        #expect(
            throwsCode(134080) {
                try coordinator.addPersistentStore(ofType: NSSQLiteStoreType, configurationName: nil, at: nil)
            })
        #expect(
            throwsCode(134080) {
                try coordinator.addPersistentStore(ofType: NSSQLiteStoreType, configurationName: "Nope", at: url)
            })
        #expect(coordinator.persistentStores.isEmpty)
        #expect(!FileManager.default.fileExists(atPath: url.path))
    }

    @Test("a missing folder is an error 512, and a file that is no database 259 with SQLite's 26")
    func files() throws {
        let coordinator = StackFixture.coordinator()
        let lost = folder.url.appendingPathComponent("missing/Notes.sqlite")
        #expect(throwsCode(512) { try coordinator.addPersistentStore(type: .sqlite, at: lost) })
        let junk = Data(repeating: 0x41, count: 5000)
        try junk.write(to: url)
        do {
            try coordinator.addPersistentStore(type: .sqlite, at: url)
            Issue.record("no error")
        } catch let error as NSError {
            #expect(error.code == 259)
            #expect(error.userInfo[NSSQLiteErrorDomain] as? Int == 26)
        }
        #expect(try Data(contentsOf: url) == junk)
        #expect(coordinator.persistentStores.isEmpty)
        // The place is free again.
        try FileManager.default.removeItem(at: url)
        try coordinator.addPersistentStore(type: .sqlite, at: url)
    }

    @Test("a store of another model is refused with 134100 and stays untouched, also with the migration options on")
    func otherModel() throws {
        do {
            let coordinator = StackFixture.coordinator()
            try coordinator.addPersistentStore(
                type: .sqlite, at: url, options: [NSSQLitePragmasOption: ["journal_mode": "DELETE"]])
            try StackFixture.insert(["kept"], coordinator)
            try coordinator.remove(coordinator.persistentStores[0])
        }
        let before = try Data(contentsOf: url)
        let coordinator = StackFixture.coordinator(StackFixture.model(extraAttribute: true))
        let options = [
            NSMigratePersistentStoresAutomaticallyOption: true, NSInferMappingModelAutomaticallyOption: true,
        ]
        for options in [nil, options] {
            do {
                try coordinator.addPersistentStore(type: .sqlite, at: url, options: options)
                Issue.record("no error")
            } catch let error as NSError {
                #expect(error.code == 134100)
                #expect(
                    error.userInfo["reason"] as? String
                        == "The model used to open the store is incompatible with the one used to create the store")
                #expect((error.userInfo["metadata"] as? [String: Any])?[NSStoreUUIDKey] != nil)
            }
        }
        #expect(try Data(contentsOf: url) == before)
        #expect(coordinator.persistentStores.isEmpty)
    }

    @Test("adding is announced with the store under the key of added stores")
    func notification() throws {
        let coordinator = StackFixture.coordinator()
        let log = NotificationLog([.NSPersistentStoreCoordinatorStoresDidChange], object: coordinator)
        let store = try coordinator.addPersistentStore(type: .sqlite, at: url)
        #expect(log.notifications.count == 1)
        #expect(log.notifications[0].userInfo?["added"] as? [NSPersistentStore] == [store])
    }

    @Test("entities go to the store whose configuration has them")
    func configurations() throws {
        let coordinator = StackFixture.coordinator(StackFixture.configuredModel())
        let local = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: "Local", at: folder.url("Local.sqlite"))
        let shared = try coordinator.addPersistentStore(
            type: .sqlite, configuration: "Shared", at: folder.url("Shared.sqlite"))
        #expect([local.configurationName, shared.configurationName] == ["Local", "Shared"])
        let context = StackFixture.context(coordinator)
        try context.performAndWait {
            let draft = NSEntityDescription.insertNewObject(forEntityName: "Draft", into: context)
            let letter = NSEntityDescription.insertNewObject(forEntityName: "Letter", into: context)
            try context.save()
            #expect(draft.objectID.persistentStore === local)
            #expect(letter.objectID.persistentStore === shared)
        }
        #expect(try sqlite3(folder.url("Local.sqlite"), "SELECT count(*) FROM ZDRAFT") == "1")
        #expect(try sqlite3(folder.url("Shared.sqlite"), "SELECT count(*) FROM ZLETTER") == "1")
    }

    @Test("a described store is added and the completion is called once, before the method returns")
    func description() {
        let coordinator = StackFixture.coordinator()
        let calls = Calls()
        coordinator.addPersistentStore(with: NSPersistentStoreDescription(url: url)) { description, error in
            calls.add(error == nil ? "added" : "failed")
        }
        #expect(calls.texts == ["added"])
        coordinator.addPersistentStore(with: NSPersistentStoreDescription(url: url)) { _, error in
            calls.add("\((error as NSError?)?.code ?? 0)")
        }
        #expect(calls.texts == ["added", "134081"])
    }

    @Test("many threads adding one file to one coordinator: one succeeds", .timeLimit(.minutes(1)))
    func race() {
        let coordinator = StackFixture.coordinator()
        let calls = Calls()
        DispatchQueue.concurrentPerform(iterations: 6) { _ in
            do {
                try coordinator.addPersistentStore(type: .sqlite, at: url)
                calls.add("added")
            } catch { calls.add("\((error as NSError).code)") }
        }
        #expect(calls.texts.sorted() == ["134081", "134081", "134081", "134081", "134081", "added"])
        #expect(coordinator.persistentStores.count == 1)
    }
}

final class Calls: @unchecked Sendable {
    private let lock = NSLock()
    private var stored: [String] = []
    var texts: [String] { lock.withLock { stored } }
    func add(_ text: String) { lock.withLock { stored.append(text) } }
}
