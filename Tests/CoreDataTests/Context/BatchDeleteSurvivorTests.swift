import CoreData
import Foundation
import TestSupport
import Testing

/// What a batch delete leaves behind in the store and, once its ids are merged, in contexts.
@Suite struct BatchDeleteSurvivorTests {
    private func delete(_ objects: [NSManagedObject], of context: NSManagedObjectContext) throws -> [NSManagedObjectID]
    {
        let request = NSBatchDeleteRequest(objectIDs: objects.map(\.objectID))
        request.resultType = .resultTypeObjectIDs
        let result = try context.execute(request) as? NSBatchDeleteResult
        return try #require(result?.result as? [NSManagedObjectID])
    }

    @Test(arguments: OfficeStack.Kind.allCases)
    func objectsLetGoOfDeletedOnesThatTheirContextNeverLoaded(_ kind: OfficeStack.Kind) throws {
        let stack = try OfficeStack(kind)
        let writer = stack.makeContext()
        let (team, tag) = (writer.insert("Team", ["name": "t"]), writer.insert("Tag", ["text": "x"]))
        let kept = writer.insert("Tag", ["text": "y"])
        let names = ["loaded", "fault", "changed"]
        for name in names {
            writer.person(name).setValuesForKeys(["team": team, "tags": NSSet(array: [tag, kept])])
        }
        try writer.save()

        let context = stack.makeContext()
        let persons = try names.map { try #require(try context.one($0)) }
        _ = persons[0].nameValue
        persons[2].setValue("note", forKey: "note")
        let loadedTags = [persons[0], persons[2]].map { $0.value(forKey: "tags") as? NSSet }
        #expect(loadedTags.map { $0?.count } == [2, 2])
        context.refresh(persons[1], mergeChanges: false)
        _ = try context.all("Person")
        #expect(persons[1].isFault)

        for objects in [[team], [tag]] {
            let ids = try delete(objects, of: stack.makeContext())
            NSManagedObjectContext.mergeChanges(fromRemoteContextSave: [NSDeletedObjectsKey: ids], into: [context])
        }
        #expect(persons[1].isFault)
        for person in persons {
            #expect(person.value(forKey: "team") == nil)
            let tags = person.value(forKey: "tags") as? Set<NSManagedObject>
            #expect(tags?.map { $0.value(forKey: "text") as? String } == ["y"])
        }
        #expect(persons[2].value(forKey: "note") as? String == "note")
        for person in persons { person.setValue(7, forKey: "salary") }
        try context.save()
        #expect(try stack.makeContext().all("Person", NSPredicate(format: "salary == 7 AND team == nil")).count == 3)
    }

    @Test func objectsLetGoOfWhatWasDeletedByAnotherCoordinator() throws {
        let stack = try OfficeStack(.file)
        let writer = stack.makeContext(isKept: false)
        let team = writer.insert("Team", ["name": "t"])
        let names = ["loaded", "fault"]
        for name in names { writer.person(name).setValue(team, forKey: "team") }
        try writer.save()

        let context = stack.makeContext()
        let persons = try names.map { try #require(try context.one($0)) }
        _ = persons[0].nameValue
        context.refresh(persons[1], mergeChanges: false)
        _ = try context.all("Person")
        #expect(persons[1].isFault)

        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Office.model())
        _ = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: URL(fileURLWithPath: stack.path))
        let other = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        other.persistentStoreCoordinator = coordinator
        let ids = try delete(try other.all("Team"), of: other)
        NSManagedObjectContext.mergeChanges(fromRemoteContextSave: [NSDeletedObjectsKey: ids], into: [context])
        #expect(persons.map { $0.value(forKey: "team") == nil } == [true, true])
        // The rows that contexts of one coordinator share are new ones too.
        let third = stack.makeContext()
        let again = try persons.map { try third.existingObject(with: $0.objectID) }
        #expect(again.map { $0.value(forKey: "team") == nil } == [true, true])
        for person in persons { person.setValue(7, forKey: "salary") }
        try context.save()
        #expect(try sqlite3(stack.path, "SELECT ZSALARY, quote(ZTEAM) FROM ZPERSON") == "7|NULL\n7|NULL")
    }

    @Test func aStoreInMemoryIsReadAfterABatchDeleteAsBefore() throws {
        let stack = try OfficeStack(.memory)
        let ids = try stack.fill(("a", 1), ("b", 2), ("c", 3))
        func read(_ id: NSManagedObjectID) throws -> String? {
            let context = stack.makeContext()
            context.stalenessInterval = 0
            return try context.existingObject(with: id).nameValue
        }
        #expect(try read(ids[0]) == "a")
        let context = stack.makeContext()
        _ = try delete([context.object(with: ids[1])], of: context)
        for _ in 0..<2 {
            #expect(try read(ids[0]) == "a")
            #expect(try read(ids[2]) == "c")
        }
        context.insert("Tag", ["text": "x"])
        try context.save()
        #expect(try context.count("Person") == 2)
    }
}
