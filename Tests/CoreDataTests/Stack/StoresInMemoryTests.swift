import CoreData
import Foundation
import TestSupport
import Testing

@Suite("Stores in memory")
struct StoresInMemoryTests {
    private let null = URL(fileURLWithPath: "/dev/null")

    private func batchDelete(_ coordinator: NSPersistentStoreCoordinator) throws -> Int? {
        let context = StackFixture.context(coordinator)
        return try context.performAndWait {
            let request = NSBatchDeleteRequest(fetchRequest: NSFetchRequest(entityName: "Note"))
            request.resultType = .resultTypeCount
            return (try context.execute(request) as? NSBatchDeleteResult)?.result as? Int
        }
    }

    @Test("a batch delete works in an in-memory store, where Apple's fails")
    func batchDeleteInMemory() throws {
        let coordinator = StackFixture.coordinator()
        try coordinator.addPersistentStore(ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
        try StackFixture.insert((1...20).map(String.init), coordinator)
        #expect(try batchDelete(coordinator) == 20)
        #expect(try StackFixture.count(coordinator) == 0)
    }

    @Test("a SQLite store at /dev/null makes no file, deletes in batches, and is nobody else's")
    func devNull() throws {
        let coordinator = StackFixture.coordinator()
        let store = try coordinator.addPersistentStore(type: .sqlite, at: null)
        #expect(store.type == NSSQLiteStoreType)
        try StackFixture.insert(["a", "b"], coordinator)
        let other = StackFixture.coordinator()
        try other.addPersistentStore(type: .sqlite, at: null)
        #expect(try StackFixture.count(other) == 0)
        #expect(try batchDelete(coordinator) == 2)
        #expect(!FileManager.default.fileExists(atPath: "/dev/null-wal"))
    }

    @Test("stores at the same name below /dev/null share their data in this process")
    func sharedName() throws {
        let url = URL(fileURLWithPath: "/dev/null/" + UUID().uuidString)
        let one = StackFixture.coordinator()
        let two = StackFixture.coordinator()
        try one.addPersistentStore(type: .sqlite, at: url)
        try two.addPersistentStore(type: .sqlite, at: url)
        try StackFixture.insert(["shared"], one)
        #expect(try StackFixture.texts(two) == ["shared"])
        #expect(throwsCode(134081) { try one.addPersistentStore(type: .sqlite, at: url) })
        try one.destroyPersistentStore(at: url, type: .sqlite)
        #expect(one.persistentStores.isEmpty)
        #expect(two.persistentStores.isEmpty)
        try two.addPersistentStore(type: .sqlite, at: url)
        #expect(try StackFixture.count(two) == 0)
    }

    @Test("destroying a store in memory by its URL empties it, and leaves those of others alone")
    func destroying() throws {
        for type in [NSSQLiteStoreType, NSInMemoryStoreType] {
            let coordinator = StackFixture.coordinator()
            let other = StackFixture.coordinator()
            for coordinator in [coordinator, other] {
                try coordinator.addPersistentStore(ofType: type, configurationName: nil, at: null)
                try StackFixture.insert(["x"], coordinator)
            }
            let url = try #require(coordinator.persistentStores[0].url)
            try coordinator.destroyPersistentStore(at: url, ofType: type)
            #expect(coordinator.persistentStores.isEmpty)
            try coordinator.addPersistentStore(ofType: type, configurationName: nil, at: url)
            #expect(try StackFixture.count(coordinator) == 0)
            #expect(try StackFixture.count(other) == 1)
        }
    }

    @Test("an in-memory store without a URL has one all the same, by which it can be found and destroyed")
    func ownURL() throws {
        let coordinator = StackFixture.coordinator()
        let store = try coordinator.addPersistentStore(ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
        let url = coordinator.url(for: store)
        #expect(url.scheme == "memory")
        #expect(coordinator.persistentStore(for: url) === store)
        try coordinator.destroyPersistentStore(at: url, type: .inMemory)
        #expect(coordinator.persistentStores.isEmpty)
    }
}
