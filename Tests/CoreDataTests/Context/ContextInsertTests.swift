import CoreData
import Foundation
import Testing

@Suite struct ContextInsertTests {
    @Test func aNewObjectIsInsertedTemporaryAndNoFault() throws {
        let stack = try OfficeStack()
        let context = stack.makeContext()
        let person = context.insert("Person")
        #expect(person.isInserted)
        #expect(!person.isUpdated)
        #expect(!person.isDeleted)
        #expect(!person.isFault)
        #expect(person.objectID.isTemporaryID)
        #expect(person.managedObjectContext === context)
        #expect(context.insertedObjects == [person])
        #expect(context.hasChanges)
    }

    @Test func theIdOfAnUnsavedObjectNamesNoStore() throws {
        let stack = try OfficeStack()
        let context = stack.makeContext()
        let uri = context.insert("Person").objectID.uriRepresentation()
        #expect(uri.scheme == "x-coredata")
        #expect((uri.host ?? "").isEmpty)
        #expect(uri.path.hasPrefix("/Person/t"))
    }

    @Test func defaultsOfTheModelAreThereAtOnce() throws {
        let stack = try OfficeStack()
        let context = stack.makeContext()
        #expect(context.insert("Person").salaryValue == 0)
    }

    @Test func settingAValueOfANewObjectDoesNotMakeItUpdated() throws {
        let stack = try OfficeStack()
        let context = stack.makeContext()
        let person = context.person("Ann")
        #expect(context.updatedObjects.isEmpty)
        #expect(!person.isUpdated)
    }

    @Test func aNewObjectThatIsDeletedIsInNoSet() throws {
        let stack = try OfficeStack()
        let context = stack.makeContext()
        let person = context.person("Ann")
        context.delete(person)
        #expect(context.insertedObjects.isEmpty)
        #expect(context.deletedObjects.isEmpty)
        #expect(!person.isDeleted)
        #expect(!person.isInserted)
        #expect(!context.hasChanges)
        #expect(person.managedObjectContext === context)
        try context.save()
        #expect(person.managedObjectContext == nil)
        #expect(try context.count("Person") == 0)
    }

    @Test func insertingAgainIsReportedAgain() throws {
        let stack = try OfficeStack()
        let context = stack.makeContext()
        let person = context.person("Ann")
        context.processPendingChanges()
        let changes = Recorder.changes(context)
        context.insert(person)
        context.processPendingChanges()
        #expect(changes.notes.map(\.counts) == [[1, 0, 0, 0]])
        #expect(context.insertedObjects == [person])
    }

    @Test func insertTakesBackAPendingDeletion() throws {
        let stack = try OfficeStack()
        try stack.fill(("Ann", 1))
        let context = stack.makeContext()
        let person = try #require(try context.one("Ann"))
        context.delete(person)
        context.insert(person)
        #expect(!person.isDeleted)
        try context.save()
        #expect(try context.count("Person") == 1)
    }

    @Test func anObjectMadeWithoutContextCanBeInsertedLater() throws {
        let stack = try OfficeStack()
        let context = stack.makeContext()
        let entity = try #require(NSEntityDescription.entity(forEntityName: "Person", in: context))
        let person = NSManagedObject(entity: entity, insertInto: nil)
        #expect(person.managedObjectContext == nil)
        person.setValue("Ann", forKey: "name")
        context.insert(person)
        #expect(person.isInserted)
        try context.save()
        #expect(try stack.makeContext().all("Person").map(\.nameValue) == ["Ann"])
    }
}
