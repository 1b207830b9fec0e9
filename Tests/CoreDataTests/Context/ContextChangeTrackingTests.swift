import CoreData
import Foundation
import Testing

@Suite struct ContextChangeTrackingTests {
    private func saved() throws -> (OfficeStack, NSManagedObjectContext, NSManagedObject) {
        let stack = try OfficeStack()
        let context = stack.makeContext()
        let person = context.person("Ann", 10)
        try context.save()
        return (stack, context, person)
    }

    @Test func aSavedObjectHasNoPendingState() throws {
        let (_, context, person) = try saved()
        #expect(!person.isInserted && !person.isUpdated && !person.isDeleted)
        #expect(!context.hasChanges)
        #expect(!person.hasChanges)
    }

    @Test func settingAValueMakesASavedObjectUpdated() throws {
        let (_, context, person) = try saved()
        person.setValue("Bob", forKey: "name")
        #expect(person.isUpdated)
        #expect(!person.isInserted)
        #expect(context.updatedObjects == [person])
        #expect(context.hasChanges)
        try context.save()
        #expect(!person.isUpdated)
        #expect(!context.hasChanges)
    }

    @Test func settingAnEqualValueCountsAsAChange() throws {
        let (_, context, person) = try saved()
        person.setValue("Ann", forKey: "name")
        #expect(context.hasChanges)
        #expect(context.updatedObjects == [person])
        #expect(!person.hasPersistentChangedValues)
    }

    @Test func anEqualValueIsInTheUpdatedSetOfTheSave() throws {
        let (_, context, person) = try saved()
        person.setValue("Ann", forKey: "name")
        let saves = Recorder.saves(context)
        try context.save()
        #expect(saves.notes.first?.objects(NSUpdatedObjectsKey) == [person])
    }

    @Test func aTransientValueCountsAsAChange() throws {
        let (_, context, person) = try saved()
        person.setValue(3, forKey: "mood")
        #expect(context.hasChanges)
        #expect(context.updatedObjects.count == 1)
        #expect(!person.hasPersistentChangedValues)
    }

    @Test func changedAndCommittedValuesTellNewAndSaved() throws {
        let (_, context, person) = try saved()
        person.setValue("Bob", forKey: "name")
        person.setValue("Cid", forKey: "name")
        #expect(person.changedValues()["name"] as? String == "Cid")
        #expect(person.committedValues(forKeys: ["name"])["name"] as? String == "Ann")
        try context.save()
        #expect(person.changedValues().isEmpty)
        #expect(person.committedValues(forKeys: ["name"])["name"] as? String == "Cid")
    }

    @Test func deletingMakesASavedObjectDeletedUntilTheSave() throws {
        let (_, context, person) = try saved()
        person.setValue("Bob", forKey: "name")
        context.delete(person)
        #expect(person.isDeleted)
        #expect(!person.isUpdated)
        #expect(context.deletedObjects == [person])
        #expect(context.updatedObjects.isEmpty)
        try context.save()
        #expect(!person.isDeleted)
        #expect(!context.hasChanges)
        #expect(person.managedObjectContext == nil)
    }

    @Test func aFailedSaveLeavesEverythingPending() throws {
        let (_, context, person) = try saved()
        let room = context.insert("Room")
        person.setValue("Bob", forKey: "name")
        #expect(errorCode { try context.save() } == 1570)
        #expect(context.hasChanges)
        #expect(context.insertedObjects == [room])
        #expect(context.updatedObjects == [person])
        #expect(person.nameValue == "Bob")
        #expect(room.objectID.isTemporaryID)
        room.setValue(1, forKey: "number")
        try context.save()
        #expect(!context.hasChanges)
    }

    @Test func anUnchangedLookAroundChangesNothing() throws {
        let (stack, _, person) = try saved()
        let other = stack.makeContext()
        let seen = try other.existingObject(with: person.objectID)
        _ = seen.value(forKey: "name")
        _ = seen.value(forKey: "team")
        _ = seen.value(forKey: "tags")
        #expect(!other.hasChanges)
    }
}
