import CoreData
import Foundation
import TestSupport
import Testing

@Suite struct ContextFaultTests {
    @Test func fetchedObjectsAreFaultsThatWakeOnce() throws {
        let stack = try OfficeStack(personClass: HookedPerson.className)
        try stack.fill(("Ann", 1))
        let context = stack.makeContext()
        let person = try #require(try context.all("Person").first as? HookedPerson)
        #expect(person.isFault)
        #expect(person.calls.isEmpty)
        #expect(person.nameValue == "Ann")
        #expect(person.salaryValue == 1)
        #expect(!person.isFault)
        #expect(person.calls == ["awakeFromFetch"])
    }

    @Test func withReturnsObjectsAsFaultsFalseAllAreLoaded() throws {
        let stack = try OfficeStack()
        try stack.fill(("Ann", 1), ("Bob", 2))
        let context = stack.makeContext()
        context.person("Cid")
        let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
        request.returnsObjectsAsFaults = false
        let result = try context.fetch(request)
        #expect(result.count == 3)
        #expect(result.allSatisfy { !$0.isFault })
    }

    @Test func withoutPropertyValuesFaultsReadTheStoreWhenTheyFire() throws {
        let stack = try OfficeStack()
        try stack.fill(("Ann", 1), ("Bob", 2))
        let context = stack.makeContext()
        let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
        request.includesPropertyValues = false
        let result = try context.fetch(request)
        #expect(result.allSatisfy { $0.isFault })
        #expect(Set(result.compactMap(\.nameValue)) == ["Ann", "Bob"])
        for person in try stack.makeContext().fetch(request) { person.managedObjectContext?.delete(person) }
        let other = stack.makeContext()
        for person in try other.fetch(request) { other.delete(person) }
        try other.save()
        #expect(try other.count("Person") == 0)
    }

    @Test func refreshingWithoutMergingDropsEdits() throws {
        let stack = try OfficeStack(personClass: HookedPerson.className)
        let context = stack.makeContext()
        let person = try #require(context.person("Ann", 1) as? HookedPerson)
        try context.save()
        person.setValue("Bob", forKey: "name")
        person.calls = []
        context.refresh(person, mergeChanges: false)
        #expect(person.isFault)
        #expect(person.calls == ["willTurnIntoFault", "didTurnIntoFault"])
        #expect(person.changedValues().isEmpty)
        #expect(person.isFault)
        #expect(!context.hasChanges)
        #expect(person.nameValue == "Ann")
    }

    @Test func refreshingWithMergingKeepsEditsAndFaultsUnchangedObjects() throws {
        let stack = try OfficeStack()
        let context = stack.makeContext()
        let ann = context.person("Ann", 1)
        let bob = context.person("Bob", 1)
        try context.save()
        ann.setValue("Eve", forKey: "name")
        context.refresh(ann, mergeChanges: true)
        context.refresh(bob, mergeChanges: true)
        #expect(!ann.isFault)
        #expect(ann.nameValue == "Eve")
        #expect(context.updatedObjects == [ann])
        #expect(bob.isFault)
    }

    @Test func aRefreshIsReported() throws {
        let stack = try OfficeStack()
        let context = stack.makeContext()
        let person = context.person("Ann", 1)
        try context.save()
        let changes = Recorder.changes(context)
        context.refresh(person, mergeChanges: false)
        context.processPendingChanges()
        #expect(changes.notes.map(\.counts) == [[0, 0, 0, 1]])
    }

    @Test func refreshingAnUnsavedObjectLosesItsValuesWithoutHarm() throws {
        let stack = try OfficeStack()
        let context = stack.makeContext()
        let person = context.person("Ann", 1)
        context.refresh(person, mergeChanges: false)
        #expect(person.isFault)
        #expect(person.isInserted)
        #expect(person.nameValue == nil)
        #expect(!person.isFault)
        try context.save()
        #expect(try context.count("Person") == 1)
    }

    @Test func refreshAllObjectsKeepsEditsAndIsReportedOnce() throws {
        let stack = try OfficeStack()
        let context = stack.makeContext()
        let ann = context.person("Ann", 1)
        let bob = context.person("Bob", 1)
        try context.save()
        ann.setValue(7, forKey: "salary")
        context.processPendingChanges()
        let changes = Recorder.changes(context)
        context.refreshAllObjects()
        context.processPendingChanges()
        #expect(changes.notes.map(\.counts) == [[0, 0, 0, 2]])
        #expect(!ann.isFault)
        #expect(ann.salaryValue == 7)
        #expect(bob.isFault)
        #expect(bob.managedObjectContext === context)
        #expect(bob.nameValue == "Bob")
    }

    @Test func aRefreshShowsWhatAnotherContextSaved() throws {
        let stack = try OfficeStack()
        let ids = try stack.fill(("Ann", 1))
        let context = stack.makeContext()
        let person = try context.existingObject(with: ids[0])
        #expect(person.salaryValue == 1)
        let other = stack.makeContext()
        try other.existingObject(with: ids[0]).setValue(2, forKey: "salary")
        try other.save()
        #expect(person.salaryValue == 1)
        context.refresh(person, mergeChanges: true)
        #expect(person.salaryValue == 2)
    }

    @Test func aFaultFiresWithWhatAnotherContextSavedMeanwhile() throws {
        let stack = try OfficeStack()
        let ids = try stack.fill(("Ann", 1))
        let context = stack.makeContext()
        let person = try #require(try context.all("Person").first)
        #expect(person.isFault)
        let other = stack.makeContext()
        try other.existingObject(with: ids[0]).setValue(2, forKey: "salary")
        try other.save()
        #expect(person.salaryValue == 2)
        person.setValue(3, forKey: "salary")
        try context.save()
    }

    @Test func valuesFromBehindComeOnlyWithAStalenessIntervalOfZero() throws {
        let stack = try OfficeStack(.file)
        try stack.fill(("Ann", 1))
        let context = stack.makeContext()
        let person = try #require(try context.one("Ann"))
        #expect(person.salaryValue == 1)
        _ = try sqlite3(stack.path, "UPDATE ZPERSON SET ZSALARY = 9, Z_OPT = Z_OPT + 1")
        context.refreshAllObjects()
        #expect(person.salaryValue == 1)
        context.stalenessInterval = 0
        context.refresh(person, mergeChanges: false)
        #expect(person.salaryValue == 9)
    }

    @Test func aFaultWhoseRecordIsGoneReadsNilAndCountsAsDeleted() throws {
        let stack = try OfficeStack(.file)
        let ids = try stack.fill(("Ann", 1))
        let context = stack.makeContext()
        let person = context.object(with: ids[0])
        let other = stack.makeContext()
        other.delete(try other.existingObject(with: ids[0]))
        try other.save()
        #expect(person.nameValue == nil)
        #expect(person.value(forKey: "tags") as? Set<NSManagedObject> == [])
        #expect(!person.isFault)
        #expect(person.isDeleted)
        #expect(context.deletedObjects == [person])
        try context.save()
        #expect(try sqlite3(stack.path, "SELECT count(*) FROM ZPERSON") == "0")
    }

    @Test func anInaccessibleObjectCannotBringItsRecordBack() throws {
        let stack = try OfficeStack()
        let ids = try stack.fill(("Ann", 1))
        let context = stack.makeContext()
        let person = context.object(with: ids[0])
        let other = stack.makeContext()
        other.delete(try other.existingObject(with: ids[0]))
        try other.save()
        _ = person.nameValue
        person.setValue("Bob", forKey: "name")
        try context.save()
        #expect(try stack.makeContext().count("Person") == 0)
    }

    @Test func resetLeavesFaultsWithoutContext() throws {
        let stack = try OfficeStack()
        let context = stack.makeContext()
        let ann = context.person("Ann", 1)
        try context.save()
        let bob = context.person("Bob", 1)
        context.delete(ann)
        let ids = [ann.objectID]
        context.reset()
        #expect([ann, bob].allSatisfy { $0.managedObjectContext == nil && $0.isFault })
        #expect(context.registeredObjects.isEmpty)
        #expect(!context.hasChanges)
        #expect(try context.all("Person").map(\.objectID) == ids)
        #expect(ann.nameValue == nil)
    }

    @Test func resetPostsOnlyThatAllIsInvalid() throws {
        let stack = try OfficeStack()
        let context = stack.makeContext()
        let person = context.person("Ann", 1)
        try context.save()
        let changes = Recorder.changes(context)
        context.reset()
        let note = try #require(changes.notes.first)
        #expect(changes.notes.count == 1)
        #expect(note.userInfo?.count == 1)
        #expect(note.userInfo?[NSInvalidatedAllObjectsKey] as? [NSManagedObjectID] == [person.objectID])
    }
}
