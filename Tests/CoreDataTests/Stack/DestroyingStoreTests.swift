import CoreData
import Foundation
import TestSupport
import Testing

@Suite("Destroying stores", .enabled(if: SQLiteShell.isUsable))
struct DestroyingStoreTests {
    private let folder: TemporaryDirectory
    private var url: URL { folder.url("Notes.sqlite") }

    init() throws { folder = try TemporaryDirectory() }

    @Test("a destroyed store is empty, detached, and can be added again at once under a new identifier")
    func attached() throws {
        let coordinator = StackFixture.coordinator()
        let store = try coordinator.addPersistentStore(type: .sqlite, at: url)
        let identifier = store.identifier
        try StackFixture.insert(["a", "b"], coordinator)
        try coordinator.destroyPersistentStore(at: url, ofType: NSSQLiteStoreType, options: nil)
        #expect(coordinator.persistentStores.isEmpty)
        #expect(FileManager.default.fileExists(atPath: url.path))
        #expect(try sqlite3(url, "PRAGMA integrity_check") == "ok")
        let new = try coordinator.addPersistentStore(type: .sqlite, at: url)
        #expect(new.identifier != identifier)
        #expect(try StackFixture.count(coordinator) == 0)
        try StackFixture.insert(["c"], coordinator)
        #expect(try StackFixture.texts(coordinator) == ["c"])
    }

    @Test("every coordinator of the process loses the store")
    func twoCoordinators() throws {
        let one = StackFixture.coordinator()
        let two = StackFixture.coordinator()
        try one.addPersistentStore(type: .sqlite, at: url)
        let store = try two.addPersistentStore(type: .sqlite, at: url)
        let log = NotificationLog([.NSPersistentStoreCoordinatorStoresDidChange], object: two)
        try one.destroyPersistentStore(at: url, type: .sqlite)
        #expect(one.persistentStores.isEmpty)
        #expect(two.persistentStores.isEmpty)
        #expect(log.notifications.map { $0.userInfo?["removed"] as? [NSPersistentStore] } == [[store]])
    }

    @Test("a store of an old model can be destroyed and made anew with the new one")
    func otherModel() throws {
        let old = StackFixture.coordinator()
        try old.addPersistentStore(type: .sqlite, at: url)
        try StackFixture.insert(["old"], old)
        let new = StackFixture.coordinator(StackFixture.model(extraAttribute: true))
        try new.destroyPersistentStore(at: url, type: .sqlite)
        try new.addPersistentStore(type: .sqlite, at: url)
        #expect(try StackFixture.count(new) == 0)
    }

    @Test("while another process writes, destroying fails with SQLite's 5 and the store stays attached and usable")
    func busy() throws {
        let coordinator = StackFixture.coordinator()
        let store = try coordinator.addPersistentStore(type: .sqlite, at: url)
        try StackFixture.insert(["kept"], coordinator)
        let writer = try Subprocess(SQLiteShell.path, ["-batch", url.path])
        writer.write("BEGIN IMMEDIATE; SELECT 'holding';\n")
        #expect(writer.readLine() == "holding")
        do {
            try coordinator.destroyPersistentStore(
                at: url, type: .sqlite, options: [NSPersistentStoreTimeoutOption: 0.2])
            Issue.record("no error")
        } catch let error as NSError {
            #expect(error.userInfo[NSSQLiteErrorDomain] as? Int == 5)
        }
        #expect(coordinator.persistentStores == [store])
        #expect(try StackFixture.texts(coordinator) == ["kept"])
        writer.write("ROLLBACK;\n")
        writer.closeInput()
        _ = writer.wait(timeout: 10)
        try coordinator.destroyPersistentStore(at: url, type: .sqlite)
        #expect(coordinator.persistentStores.isEmpty)
    }

    @Test("destroying where there is no file is an error, an unknown type too, a store in memory is nothing to do")
    func nothingThere() throws {
        let coordinator = StackFixture.coordinator()
        #expect(throwsCode(260) { try coordinator.destroyPersistentStore(at: url, type: .sqlite) })
        #expect(throwsCode(134000) { try coordinator.destroyPersistentStore(at: url, ofType: "Paper") })
        #expect(try folder.contents.isEmpty)
    }
}

@Suite("Replacing stores", .enabled(if: SQLiteShell.isUsable))
struct ReplacingStoreTests {
    private let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory() }

    private func makeStore(_ name: String, _ texts: [String]) throws -> URL {
        let coordinator = StackFixture.coordinator()
        let store = try coordinator.addPersistentStore(type: .sqlite, at: folder.url(name))
        try StackFixture.insert(texts, coordinator)
        try coordinator.remove(store)
        return folder.url(name)
    }

    @Test("the destination becomes a copy of the source, which stays")
    func copies() throws {
        let source = try makeStore("Source.sqlite", ["s1", "s2"])
        let destination = try makeStore("Destination.sqlite", ["d"])
        let coordinator = StackFixture.coordinator()
        try coordinator.addPersistentStore(type: .sqlite, at: destination)
        try coordinator.replacePersistentStore(at: destination, withPersistentStoreFrom: source, type: .sqlite)
        #expect(coordinator.persistentStores.isEmpty)
        try coordinator.addPersistentStore(type: .sqlite, at: destination)
        #expect(try StackFixture.texts(coordinator) == ["s1", "s2"])
        #expect(try sqlite3(source, "SELECT count(*) FROM ZNOTE") == "2")
        #expect(
            try sqlite3(source, "SELECT Z_UUID FROM Z_METADATA")
                == sqlite3(destination, "SELECT Z_UUID FROM Z_METADATA"))
    }

    @Test("with nothing at the destination the source is copied")
    func intoNothing() throws {
        let source = try makeStore("Source.sqlite", ["s"])
        let destination = folder.url("New.sqlite")
        let coordinator = StackFixture.coordinator()
        try coordinator.replacePersistentStore(
            at: destination, withPersistentStoreFrom: source, ofType: NSSQLiteStoreType)
        try coordinator.addPersistentStore(type: .sqlite, at: destination)
        #expect(try StackFixture.texts(coordinator) == ["s"])
    }

    @Test("a missing source is an error and the destination stays attached")
    func missingSource() throws {
        let destination = try makeStore("Destination.sqlite", ["d"])
        let coordinator = StackFixture.coordinator()
        let store = try coordinator.addPersistentStore(type: .sqlite, at: destination)
        #expect(
            throwsCode(260) {
                try coordinator.replacePersistentStore(
                    at: destination, withPersistentStoreFrom: folder.url("None.sqlite"), type: .sqlite)
            })
        #expect(coordinator.persistentStores == [store])
        #expect(try StackFixture.texts(coordinator) == ["d"])
        #expect(
            throwsCode(134070) {
                try coordinator.replacePersistentStore(
                    at: destination, withPersistentStoreFrom: destination, type: .sqlite)
            })
    }
}
