import CoreData
import Foundation
import TestSupport
import Testing

@Suite("Removing stores")
struct RemovingStoreTests {
    private let folder: TemporaryDirectory
    private var url: URL { folder.url("Notes.sqlite") }

    init() throws { folder = try TemporaryDirectory() }

    @Test("a removed store is detached and its file stays")
    func detaches() throws {
        let coordinator = StackFixture.coordinator()
        let store = try coordinator.addPersistentStore(type: .sqlite, at: url)
        try StackFixture.insert(["kept"], coordinator)
        try coordinator.remove(store)
        #expect(coordinator.persistentStores.isEmpty)
        #expect(store.persistentStoreCoordinator == nil)
        #expect(coordinator.persistentStore(for: url) == nil)
        #expect(try sqlite3(url, "SELECT ZTEXT FROM ZNOTE") == "kept")
        try coordinator.addPersistentStore(type: .sqlite, at: url)
        #expect(try StackFixture.texts(coordinator) == ["kept"])
    }

    @Test("removal is announced before and after")
    func notifications() throws {
        let coordinator = StackFixture.coordinator()
        let store = try coordinator.addPersistentStore(type: .sqlite, at: url)
        let before = NotificationLog([.NSPersistentStoreCoordinatorWillRemoveStore], object: store)
        let after = NotificationLog([.NSPersistentStoreCoordinatorStoresDidChange], object: coordinator)
        try coordinator.remove(store)
        #expect(before.notifications.count == 1)
        #expect(after.notifications.map { $0.userInfo?["removed"] as? [NSPersistentStore] } == [[store]])
    }

    @Test("removing a store twice is an error")
    func twice() throws {
        let coordinator = StackFixture.coordinator()
        let store = try coordinator.addPersistentStore(type: .sqlite, at: url)
        try coordinator.remove(store)
        #expect(throwsCode(134070) { try coordinator.remove(store) })
    }

    @Test("the data of an in-memory store go with it, and another one is empty")
    func inMemory() throws {
        let coordinator = StackFixture.coordinator()
        let store = try coordinator.addPersistentStore(ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
        try StackFixture.insert(["gone"], coordinator)
        #expect(try StackFixture.count(coordinator) == 1)
        try coordinator.remove(store)
        try coordinator.addPersistentStore(ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
        #expect(try StackFixture.count(coordinator) == 0)
        // A second coordinator sees nothing of the first one, which is still alive.
        try StackFixture.insert(["mine"], coordinator)
        let second = StackFixture.coordinator()
        try second.addPersistentStore(ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
        #expect(try StackFixture.count(second) == 0)
    }

    @Test("ids of a removed store lead nowhere: 133000 from a context, nil from the URI")
    func ids() throws {
        let coordinator = StackFixture.coordinator()
        let store = try coordinator.addPersistentStore(type: .sqlite, at: url)
        let identifier = try #require(store.identifier)
        try StackFixture.insert(["a", "b"], coordinator)
        let context = StackFixture.context(coordinator)
        let ids = try context.performAndWait {
            let request = NSFetchRequest<NSManagedObjectID>(entityName: "Note")
            request.resultType = .managedObjectIDResultType
            return try context.fetch(request)
        }
        #expect(ids.count == 2)
        try coordinator.destroyPersistentStore(at: url, type: .sqlite)
        try coordinator.addPersistentStore(type: .sqlite, at: url)
        for id in ids {
            #expect(id.persistentStore == nil)
            #expect(id.uriRepresentation().absoluteString.contains(identifier))
            #expect(coordinator.managedObjectID(forURIRepresentation: id.uriRepresentation()) == nil)
            context.performAndWait {
                #expect(throwsCode(133000) { _ = try context.existingObject(with: id) })
            }
        }
    }

    @Test("a context whose store was removed throws, and an unchanged one saves")
    func contexts() throws {
        let coordinator = StackFixture.coordinator()
        let store = try coordinator.addPersistentStore(type: .sqlite, at: url)
        let clean = StackFixture.context(coordinator)
        let dirty = StackFixture.context(coordinator)
        dirty.performAndWait {
            _ = NSEntityDescription.insertNewObject(forEntityName: "Note", into: dirty)
        }
        try coordinator.remove(store)
        try clean.performAndWait { try clean.save() }
        #expect(throws: (any Error).self) {
            try clean.performAndWait { try clean.fetch(NSFetchRequest<NSManagedObject>(entityName: "Note")) }
        }
        #expect(throws: (any Error).self) { try dirty.performAndWait { try dirty.save() } }
    }
}
