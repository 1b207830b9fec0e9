import CoreData
import Foundation
import Testing

@Suite struct ContextLookupTests {
    @Test func oneIdIsOneObject() throws {
        let stack = try OfficeStack()
        let ids = try stack.fill(("Ann", 1))
        let context = stack.makeContext()
        let fetched = try #require(try context.one("Ann"))
        #expect(try context.one("Ann") === fetched)
        #expect(context.object(with: ids[0]) === fetched)
        #expect(try context.existingObject(with: ids[0]) === fetched)
        #expect(context.registeredObject(for: ids[0]) === fetched)
        let other = try #require(try stack.makeContext().one("Ann"))
        #expect(other !== fetched)
        #expect(other != fetched)
        #expect(other.objectID == fetched.objectID)
    }

    @Test func objectWithIdReadsNothing() throws {
        let stack = try OfficeStack()
        let ids = try stack.fill(("Ann", 1))
        let context = stack.makeContext()
        let person = context.object(with: ids[0])
        #expect(person.isFault)
        #expect(person.objectID == ids[0])
        #expect(!context.hasChanges)
        #expect(person.nameValue == "Ann")
    }

    @Test func existingObjectIsLoaded() throws {
        let stack = try OfficeStack()
        let ids = try stack.fill(("Ann", 1))
        let context = stack.makeContext()
        #expect(try !context.existingObject(with: ids[0]).isFault)
        let held = context.object(with: ids[0])
        context.refresh(held, mergeChanges: false)
        #expect(try context.existingObject(with: ids[0]) === held)
        #expect(!held.isFault)
    }

    @Test func existingObjectOfAGoneRecordIsError133000() throws {
        let stack = try OfficeStack()
        let ids = try stack.fill(("Ann", 1))
        let other = stack.makeContext()
        other.delete(try other.existingObject(with: ids[0]))
        try other.save()
        let context = stack.makeContext()
        #expect(errorCode { _ = try context.existingObject(with: ids[0]) } == 133000)
        #expect(!context.hasChanges)
        let fault = context.object(with: ids[0])
        #expect(errorCode { _ = try context.existingObject(with: ids[0]) } == 133000)
        #expect(!fault.isDeleted)
    }

    @Test func theTemporaryIdOfAnOwnObjectFindsIt() throws {
        let stack = try OfficeStack()
        let context = stack.makeContext()
        let person = context.person("Ann")
        #expect(try context.existingObject(with: person.objectID) === person)
        #expect(context.object(with: person.objectID) === person)
    }

    @Test func theTemporaryIdOfAnotherContextFindsNothing() throws {
        let stack = try OfficeStack()
        let other = stack.makeContext()
        let id = other.person("Ann").objectID
        let context = stack.makeContext()
        #expect(context.registeredObject(for: id) == nil)
        #expect(errorCode { _ = try context.existingObject(with: id) } == 133000)
        let hollow = context.object(with: id)
        #expect(hollow.isFault)
        #expect(hollow.nameValue == nil)
        #expect(!hollow.isFault)
        try context.save()
    }

    @Test func temporaryURIsComeBackAsTheirIds() throws {
        let stack = try OfficeStack()
        let context = stack.makeContext()
        let objects = (0..<3).map { context.person("P\($0)") }
        let ids = objects.compactMap {
            stack.coordinator.managedObjectID(forURIRepresentation: $0.objectID.uriRepresentation())
        }
        #expect(ids == objects.map(\.objectID))
        #expect(Set(ids).count == 3)
    }

    @Test func anIdOfAnotherCoordinatorOfTheSameFileWorks() throws {
        let stack = try OfficeStack(.file)
        let ids = try stack.fill(("Ann", 1))
        let second = NSPersistentStoreCoordinator(managedObjectModel: Office.model())
        try second.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: stack.store.url, options: nil)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = second
        #expect(try context.existingObject(with: ids[0]).nameValue == "Ann")
        let id = try #require(second.managedObjectID(forURIRepresentation: ids[0].uriRepresentation()))
        #expect(id == ids[0])
        #expect(context.object(with: id) === context.object(with: ids[0]))
        try second.remove(second.persistentStores[0])
    }

    @Test func permanentIdsCanBeHadBeforeTheSave() throws {
        let stack = try OfficeStack()
        let context = stack.makeContext()
        let team = context.insert("Team", ["name": "Red"])
        let person = context.person("Ann")
        person.setValue(team, forKey: "team")
        let before = person.objectID
        try context.obtainPermanentIDs(for: [person, team, person])
        let id = person.objectID
        #expect(!id.isTemporaryID)
        #expect(id != before)
        #expect(person.isInserted)
        #expect(context.hasChanges)
        #expect(context.registeredObject(for: id) === person)
        #expect(person.value(forKey: "team") as? NSManagedObject === team)
        #expect(team.value(forKey: "persons") as? Set<NSManagedObject> == [person])
        try context.obtainPermanentIDs(for: [person])
        #expect(person.objectID == id)
        person.setValue(nil, forKey: "team")
        #expect(team.value(forKey: "persons") as? Set<NSManagedObject> == [])
        person.setValue(team, forKey: "team")
        try context.save()
        #expect(person.objectID == id)
        let seen = try stack.makeContext().existingObject(with: id)
        #expect((seen.value(forKey: "team") as? NSManagedObject)?.objectID == team.objectID)
    }

    @Test func idsOfARemovedStoreAreErrorsAndNeverStopTheProgram() throws {
        let stack = try OfficeStack(.file)
        let ids = try stack.fill(("Ann", 1), ("Bob", 2))
        let context = stack.makeContext()
        let held = try context.existingObject(with: ids[0])
        let fault = context.object(with: ids[1])
        try stack.coordinator.remove(stack.store)
        for id in ids {
            let error = try #require(throws: NSError.self) { _ = try stack.makeContext().existingObject(with: id) }
            #expect(error.domain == NSCocoaErrorDomain && error.code == 133000)
            let underlying = try #require(error.userInfo["NSUnderlyingException"] as? NSError)
            #expect(underlying.localizedFailureReason?.contains("not reachable") == true)
            #expect(stack.coordinator.managedObjectID(forURIRepresentation: id.uriRepresentation()) == nil)
            #expect(id.persistentStore == nil)
        }
        #expect(fault.nameValue == nil)
        #expect(fault.isDeleted)
        #expect(stack.makeContext().object(with: ids[0]).nameValue == nil)
        held.setValue(3, forKey: "salary")
        #expect(errorCode { try context.save() } == 134030)
        #expect(errorCode { _ = try context.all("Person") } != nil)
        context.reset()
        try context.save()
    }
}
