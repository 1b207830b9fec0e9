import CoreData
import Foundation
import TestSupport
import Testing

/// `Tag.text` is unique.
@Suite struct ConstraintConflictTests {
    private func stack() throws -> OfficeStack {
        let stack = try OfficeStack(.file, uniqueNames: true)
        let writer = stack.makeContext()
        writer.insert("Tag", ["text": "red"])
        try writer.save()
        return stack
    }

    private func texts(_ stack: OfficeStack) throws -> String {
        try sqlite3(stack.path, "SELECT group_concat(ZTEXT) FROM (SELECT ZTEXT FROM ZTAG ORDER BY ZTEXT)")
    }

    @Test func aDuplicateOfAStoredRecordIsAnErrorThatNamesIt() throws {
        let stack = try stack()
        let context = stack.makeContext()
        let mine = context.insert("Tag", ["text": "red"])
        let error = try #require(throws: NSError.self) { try context.save() }
        #expect(error.domain == NSCocoaErrorDomain && error.code == 133021)
        let conflict = try #require((error.userInfo["conflictList"] as? [NSConstraintConflict])?.first)
        #expect(conflict.constraint == ["text"])
        #expect(conflict.constraintValues["text"] as? String == "red")
        #expect(conflict.conflictingObjects == [mine])
        #expect(conflict.databaseObject?.objectID.isTemporaryID == false)
        #expect(conflict.databaseSnapshot?["text"] as? String == "red")
        #expect(errorCode { try context.save() } == 133021)
        context.delete(mine)
        try context.save()
        #expect(try texts(stack) == "red")
    }

    @Test func duplicatesOfOneContextHaveNoDatabaseObject() throws {
        let stack = try stack()
        let context = stack.makeContext()
        let made = (0..<2).map { _ in context.insert("Tag", ["text": "blue"]) }
        #expect(try context.all("Tag", NSPredicate(format: "text == 'blue'")).count == 2)
        let error = try #require(throws: NSError.self) { try context.save() }
        #expect(error.code == 133021)
        let conflict = try #require((error.userInfo["conflictList"] as? [NSConstraintConflict])?.first)
        #expect(conflict.databaseObject == nil)
        #expect(conflict.databaseSnapshot == nil)
        #expect(Set(conflict.conflictingObjects) == Set(made))
    }

    @Test(arguments: [
        NSMergePolicyType.mergeByPropertyObjectTrumpMergePolicyType, .mergeByPropertyStoreTrumpMergePolicyType,
        .overwriteMergePolicyType, .rollbackMergePolicyType,
    ])
    func aNewDuplicateStandsForTheStoredRecord(_ type: NSMergePolicyType) throws {
        let stack = try stack()
        let context = stack.makeContext()
        context.mergePolicy = NSMergePolicy(merge: type)
        let mine = context.insert("Tag", ["text": "red"])
        let person = context.person("Ann")
        person.setValue(Set([mine]), forKey: "tags")
        try context.save()
        #expect(try texts(stack) == "red")
        #expect(!context.hasChanges)
        let storedID = try #require(try stack.makeContext().all("Tag").first).objectID
        #expect(mine.objectID == storedID)
        let seen = try #require(try stack.makeContext().one("Ann"))
        #expect((seen.value(forKey: "tags") as? Set<NSManagedObject>)?.map(\.objectID) == [storedID])
    }

    @Test func aStoredRecordThatTheContextHoldsStaysTheOneObject() throws {
        let stack = try stack()
        let context = stack.makeContext()
        context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
        let held = try #require(try context.all("Tag").first)
        #expect(held.value(forKey: "text") as? String == "red")
        let mine = context.insert("Tag", ["text": "red"])
        let person = context.person("Ann")
        person.setValue(Set([mine]), forKey: "tags")
        try context.save()
        #expect(try texts(stack) == "red")
        #expect(person.value(forKey: "tags") as? Set<NSManagedObject> == [held])
        #expect(mine.managedObjectContext == nil)
    }

    @Test(arguments: [
        NSMergePolicyType.mergeByPropertyObjectTrumpMergePolicyType, .mergeByPropertyStoreTrumpMergePolicyType,
    ])
    func oneOfSeveralNewDuplicatesIsKept(_ type: NSMergePolicyType) throws {
        let stack = try stack()
        let context = stack.makeContext()
        context.mergePolicy = NSMergePolicy(merge: type)
        for name in ["Ann", "Bob"] {
            context.person(name).setValue(Set([context.insert("Tag", ["text": "blue"])]), forKey: "tags")
        }
        try context.save()
        #expect(try texts(stack) == "blue,red")
        let persons = try stack.makeContext().all("Person")
        let tags = persons.flatMap { ($0.value(forKey: "tags") as? Set<NSManagedObject>) ?? [] }
        #expect(tags.count == 2)
        #expect(Set(tags.map(\.objectID)).count == 1)
    }

    @Test func aChangedRecordGivesWayToTheStoredOneOrReplacesIt() throws {
        for (policy, expected) in [
            (NSMergePolicy.mergeByPropertyStoreTrump, "green,red"), (.mergeByPropertyObjectTrump, "red"),
        ] {
            let stack = try stack()
            let context = stack.makeContext()
            context.mergePolicy = policy
            let green = context.insert("Tag", ["text": "green"])
            try context.save()
            green.setValue("red", forKey: "text")
            try context.save()
            #expect(try texts(stack) == expected)
            #expect(!context.hasChanges)
        }
    }

    @Test func valuesFreedInTheSameSaveDoNotConflict() throws {
        let stack = try stack()
        let context = stack.makeContext()
        let red = try #require(try context.all("Tag").first)
        context.delete(red)
        context.insert("Tag", ["text": "red"])
        try context.save()
        #expect(try texts(stack) == "red")
    }
}
