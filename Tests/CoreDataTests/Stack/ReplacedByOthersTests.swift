import Foundation
import TestSupport
import Testing

@testable import CoreData

/// Somebody else resets the file of an attached store: seen from here it happens behind the coordinator's back.
@Suite("Stores reset by others", .enabled(if: SQLiteShell.isUsable))
struct ReplacedByOthersTests {
    private let folder: TemporaryDirectory
    private var url: URL { folder.url("Notes.sqlite") }

    init() throws { folder = try TemporaryDirectory() }

    /// What another process does that destroys the store and makes a new one with one record, whose key and version are those
    /// of the record that was there.
    private func resetBehindTheBack() throws {
        let location = try StoreLocation(type: NSSQLiteStoreType, url: url)
        try SQLiteStore.destroy(location, url: url, options: nil)
        let engine = try SQLiteStore.open(
            location, type: NSSQLiteStoreType, url: url, model: StackFixture.model(), configuration: nil, options: nil)
        try engine.close()
        _ = try sqlite3(
            url,
            "INSERT INTO ZNOTE (Z_PK, Z_ENT, Z_OPT, ZTEXT) VALUES (1, 1, 1, 'a stranger''s'); "
                + "UPDATE Z_PRIMARYKEY SET Z_MAX = 1")
    }

    @Test("reading finds the store removed, detaches it and says so")
    func reading() throws {
        let coordinator = StackFixture.coordinator()
        let store = try coordinator.addPersistentStore(type: .sqlite, at: url)
        try StackFixture.insert(["mine"], coordinator)
        #expect(try StackFixture.texts(coordinator) == ["mine"])
        try resetBehindTheBack()
        let log = NotificationLog([.NSPersistentStoreCoordinatorStoresDidChange], object: coordinator)
        #expect(throwsCode(134070) { _ = try StackFixture.texts(coordinator) })
        #expect(coordinator.persistentStores.isEmpty)
        #expect(log.notifications.map { $0.userInfo?["removed"] as? [NSPersistentStore] } == [[store]])
        try coordinator.addPersistentStore(type: .sqlite, at: url)
        #expect(try StackFixture.texts(coordinator) == ["a stranger's"])
    }

    @Test("a save of objects that were read before changes nothing of the new store")
    func writing() throws {
        let coordinator = StackFixture.coordinator()
        try coordinator.addPersistentStore(type: .sqlite, at: url)
        try StackFixture.insert(["mine"], coordinator)
        let context = StackFixture.context(coordinator)
        let note = try context.performAndWait {
            let notes = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Note"))
            let note = try #require(notes.first)
            note.setValue("overwritten", forKey: "text")
            return Unchecked(note)
        }
        try resetBehindTheBack()
        #expect(throws: (any Error).self) { try context.performAndWait { try context.save() } }
        #expect(try sqlite3(url, "SELECT ZTEXT FROM ZNOTE") == "a stranger's")
        // Even after the new store was attached the old objects are nobody's.
        try coordinator.addPersistentStore(type: .sqlite, at: url)
        #expect(throws: (any Error).self) { try context.performAndWait { try context.save() } }
        #expect(try sqlite3(url, "SELECT ZTEXT FROM ZNOTE") == "a stranger's")
        withExtendedLifetime(note) {}
    }
}
