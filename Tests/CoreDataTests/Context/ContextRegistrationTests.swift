import CoreData
import Foundation
import Testing

@Suite struct ContextRegistrationTests {
    @Test func aNewContextHasNoObjects() throws {
        let context = try OfficeStack().makeContext()
        #expect(context.registeredObjects.isEmpty)
    }

    @Test func unchangedObjectsNobodyHoldsAreLetGo() throws {
        let stack = try OfficeStack()
        let context = stack.makeContext()
        try autoreleasepoolIfNeeded {
            context.person("Ann")
            try context.save()
        }
        #expect(context.registeredObjects.isEmpty)
    }

    @Test func heldAndChangedObjectsStay() throws {
        let stack = try OfficeStack()
        try stack.fill(("Ann", 1), ("Bob", 2), ("Cid", 3))
        let context = stack.makeContext()
        let ann = try #require(try context.one("Ann"))
        try context.one("Bob")?.setValue(9, forKey: "salary")
        _ = try context.one("Cid")
        #expect(context.registeredObjects.compactMap(\.nameValue).sorted() == ["Ann", "Bob"])
        try context.save()
        #expect(context.registeredObjects == [ann])
    }

    @Test func anObjectIsTheSameAfterASweepAsLongAsItIsHeld() throws {
        let stack = try OfficeStack()
        try stack.fill(("Ann", 1))
        let context = stack.makeContext()
        let ann = try #require(try context.one("Ann"))
        _ = context.registeredObjects
        #expect(try context.one("Ann") === ann)
    }

    @Test func aContextThatRetainsItsObjectsKeepsThem() throws {
        let stack = try OfficeStack()
        try stack.fill(("Ann", 1), ("Bob", 2))
        let context = stack.makeContext()
        context.retainsRegisteredObjects = true
        _ = try context.all("Person").compactMap(\.nameValue)
        #expect(context.registeredObjects.count == 2)
    }

    @Test func fetchingIdsRegistersNothing() throws {
        let stack = try OfficeStack()
        let ids = try stack.fill(("Ann", 1), ("Bob", 2))
        let context = stack.makeContext()
        context.retainsRegisteredObjects = true
        let request = NSFetchRequest<NSManagedObjectID>(entityName: "Person")
        request.resultType = .managedObjectIDResultType
        #expect(Set(try context.fetch(request)) == Set(ids))
        #expect(context.registeredObjects.isEmpty)
    }

    @Test func largeResultsDoNotPileUp() throws {
        let stack = try OfficeStack()
        let writer = stack.makeContext()
        for number in 0..<3000 { writer.person("P\(number)", number) }
        try writer.save()
        let context = stack.makeContext()
        for _ in 0..<4 { #expect(try context.all("Person").count == 3000) }
        #expect(context.registeredObjects.isEmpty)
    }

    @Test func objectsOfAContextThatIsGoneHaveNone() throws {
        let stack = try OfficeStack()
        var context: NSManagedObjectContext? = stack.makeContext(isKept: false)
        let tag = context?.insert("Tag", ["text": "a"])
        let person = context?.person("Ann")
        person?.setValue(Set([try #require(tag)]), forKey: "tags")
        try context?.save()
        _ = person?.value(forKey: "tags")
        _ = tag?.value(forKey: "persons")
        weak let weakTag = tag
        context = nil
        #expect(person?.managedObjectContext == nil)
        #expect(weakTag != nil)
    }

    @Test func objectsThatHoldEachOtherGoWithTheirContext() throws {
        let stack = try OfficeStack()
        weak var weakPerson: NSManagedObject?
        weak var weakTag: NSManagedObject?
        do {
            let context = stack.makeContext(isKept: false)
            let tag = context.insert("Tag", ["text": "a"])
            let person = context.person("Ann")
            person.setValue(Set([tag]), forKey: "tags")
            try context.save()
            _ = person.value(forKey: "tags")
            _ = tag.value(forKey: "persons")
            weakPerson = person
            weakTag = tag
        }
        #expect(weakPerson == nil)
        #expect(weakTag == nil)
    }

    @Test func rollbackTakesEverythingBack() throws {
        let stack = try OfficeStack()
        let context = stack.makeContext()
        let ann = context.person("Ann", 1)
        let bob = context.person("Bob", 2)
        try context.save()
        let cid = context.person("Cid", 3)
        let temporary = cid.objectID
        ann.setValue(9, forKey: "salary")
        context.delete(bob)
        let changes = Recorder.changes(context)
        context.rollback()
        #expect(!context.hasChanges)
        #expect(context.insertedObjects.isEmpty && context.updatedObjects.isEmpty && context.deletedObjects.isEmpty)
        #expect(ann.salaryValue == 1)
        #expect(!bob.isDeleted)
        #expect(bob.nameValue == "Bob")
        #expect(context.registeredObject(for: temporary) == nil)
        #expect(cid.managedObjectContext == nil)
        #expect(context.registeredObjects == [ann, bob])
        #expect(changes.notes.last?.objects(NSRefreshedObjectsKey) == [ann, bob])
        #expect(try context.count("Person") == 2)
    }

    @Test func rollbackAfterAFailedSaveMakesTheContextUsable() throws {
        let stack = try OfficeStack()
        let context = stack.makeContext()
        context.insert("Room")
        #expect(errorCode { try context.save() } == 1570)
        context.rollback()
        let saves = Recorder.saves(context)
        try context.save()
        #expect(saves.notes.first?.counts == [0, 0, 0, 0])
        context.insert("Room", ["number": 1])
        try context.save()
    }

    @Test func rollbackOfRelationsPutsBothSidesBack() throws {
        let stack = try OfficeStack()
        let context = stack.makeContext()
        let red = context.insert("Team", ["name": "Red"])
        let blue = context.insert("Team", ["name": "Blue"])
        let ann = context.person("Ann")
        ann.setValue(red, forKey: "team")
        try context.save()
        ann.setValue(blue, forKey: "team")
        context.rollback()
        #expect(ann.value(forKey: "team") as? NSManagedObject === red)
        #expect(red.value(forKey: "persons") as? Set<NSManagedObject> == [ann])
        #expect(blue.value(forKey: "persons") as? Set<NSManagedObject> == [])
    }
}

/// Runs a block whose local objects are released at its end.
private func autoreleasepoolIfNeeded(_ block: () throws -> Void) rethrows { try block() }
