import CoreData
import Foundation
import TestSupport
import Testing

/// Teams in one store, persons in both, by configuration.
@Suite struct SeveralStoresTests {
    private let coordinator: NSPersistentStoreCoordinator
    private let left: NSPersistentStore
    private let right: NSPersistentStore
    private let directory: TemporaryDirectory

    init() throws {
        let item = Office.entity(
            "Item", [Office.attribute("name", .stringAttributeType), Office.attribute("rank", .integer32AttributeType)])
        let note = Office.entity("Note", [Office.attribute("text", .stringAttributeType, isOptional: false)])
        Office.relate(note, "item", to: item, "notes", toMany: true)
        let model = NSManagedObjectModel()
        model.entities = [item, note]
        model.setEntities([item, note], forConfigurationName: "Left")
        model.setEntities([item], forConfigurationName: "Right")
        coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        directory = try TemporaryDirectory()
        left = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: "Left", at: directory.url("left.sqlite"))
        right = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: "Right", at: directory.url("right.sqlite"))
    }

    private func context() -> NSManagedObjectContext {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        return context
    }

    private func fill() throws {
        let context = context()
        for (rank, name) in ["a", "c", "e"].enumerated() { context.insert("Item", ["name": name, "rank": rank]) }
        for (rank, name) in ["b", "d", "f"].enumerated() {
            context.assign(context.insert("Item", ["name": name, "rank": 10 + rank]), to: right)
        }
        try context.save()
    }

    private func rows(_ store: NSPersistentStore) throws -> String {
        try sqlite3(try #require(store.url), "SELECT group_concat(ZNAME) FROM (SELECT ZNAME FROM ZITEM ORDER BY 1)")
    }

    @Test func objectsGoToTheFirstStoreUnlessAssigned() throws {
        try fill()
        #expect(try rows(left) == "a,c,e")
        #expect(try rows(right) == "b,d,f")
    }

    @Test func idsNameTheirStore() throws {
        try fill()
        let objects = try context().all("Item", sort: "name")
        #expect(
            objects.map { $0.objectID.uriRepresentation().host }
                == (0..<6).map { $0 % 2 == 0 ? left.identifier : right.identifier })
        #expect(Set(objects.map(\.objectID)).count == 6)
    }

    @Test func sortedResultsAreMergedAndTheWindowIsCutFromAll() throws {
        try fill()
        let request = NSFetchRequest<NSManagedObject>(entityName: "Item")
        request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
        #expect(try context().fetch(request).compactMap(\.nameValue) == ["a", "b", "c", "d", "e", "f"])
        request.fetchOffset = 1
        request.fetchLimit = 3
        #expect(try context().fetch(request).compactMap(\.nameValue) == ["b", "c", "d"])
        #expect(try context().count(for: request) == 3)
        request.fetchOffset = 5
        #expect(try context().count(for: request) == 1)
    }

    @Test func withoutOrderTheFirstStoreComesFirst() throws {
        try fill()
        let request = NSFetchRequest<NSManagedObject>(entityName: "Item")
        request.fetchLimit = 1
        #expect(try context().fetch(request).map { $0.objectID.persistentStore } == [left])
    }

    @Test func affectedStoresLimitARequest() throws {
        try fill()
        let request = NSFetchRequest<NSManagedObject>(entityName: "Item")
        request.affectedStores = [right]
        #expect(Set(try context().fetch(request).compactMap(\.nameValue)) == ["b", "d", "f"])
        #expect(try context().count(for: request) == 3)
        let ids = NSFetchRequest<NSManagedObjectID>(entityName: "Item")
        ids.affectedStores = [left]
        ids.resultType = .managedObjectIDResultType
        #expect(try context().fetch(ids).count == 3)
        let delete = NSBatchDeleteRequest(fetchRequest: NSFetchRequest<NSFetchRequestResult>(entityName: "Item"))
        delete.affectedStores = [right]
        _ = try context().execute(delete)
        #expect(try rows(left) == "a,c,e")
        #expect(try rows(right) == "")
    }

    @Test func aBatchDeleteReachesAllStoresThatHoldTheEntity() throws {
        try fill()
        let fetch = NSFetchRequest<NSFetchRequestResult>(entityName: "Item")
        fetch.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
        fetch.fetchOffset = 2
        fetch.fetchLimit = 2
        let delete = NSBatchDeleteRequest(fetchRequest: fetch)
        delete.resultType = .resultTypeCount
        #expect((try context().execute(delete) as? NSBatchDeleteResult)?.result as? Int == 2)
        #expect(try rows(left) == "a,c")
        #expect(try rows(right) == "d,f")
    }

    @Test func oneSaveWritesToBothStores() throws {
        try fill()
        let context = context()
        for object in try context.all("Item") { object.setValue(99, forKey: "rank") }
        try context.save()
        for store in [left, right] {
            #expect(try sqlite3(try #require(store.url), "SELECT count(*) FROM ZITEM WHERE ZRANK = 99") == "3")
        }
    }

    @Test func whatIsInvalidForOneStoreIsWrittenToNone() throws {
        let context = context()
        context.insert("Note")
        context.assign(context.insert("Item", ["name": "x"]), to: right)
        #expect(errorCode { try context.save() } == 1570)
        #expect(try rows(right) == "")
        #expect(context.insertedObjects.count == 2)
    }

    @Test func aRelationshipBetweenStoresCannotBeSaved() throws {
        let context = context()
        let item = context.insert("Item", ["name": "x"])
        let note = context.insert("Note", ["text": "n"])
        note.setValue(item, forKey: "item")
        context.assign(item, to: right)
        #expect(errorCode { try context.save() } != nil)
        #expect(try rows(right) == "")
        #expect(try rows(left) == "")
    }

    @Test func objectsOfARemovedStoreFailTheSaveAndTheOthersGoOn() throws {
        try fill()
        let context = context()
        let objects = try context.all("Item", sort: "name")
        for object in objects { object.setValue(5, forKey: "rank") }
        try coordinator.remove(right)
        #expect(errorCode { try context.save() } == 134030)
        #expect(try sqlite3(try #require(left.url), "SELECT count(*) FROM ZITEM WHERE ZRANK = 5") == "0")
        context.rollback()
        objects[0].setValue(6, forKey: "rank")
        try context.save()
        #expect(try context.count("Item") == 3)
    }
}
