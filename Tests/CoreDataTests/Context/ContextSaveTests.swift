import CoreData
import Foundation
import TestSupport
import Testing

/// Counts its hooks and does what the test tells it in them.
final class HookedPerson: NSManagedObject {
    var calls: [String] = []
    var onWillSave: ((HookedPerson) -> Void)?
    var onDidSave: ((HookedPerson) -> Void)?
    var onValidate: ((HookedPerson) -> Void)?

    func count(_ call: String) -> Int { calls.filter { $0 == call }.count }

    override func awakeFromInsert() {
        super.awakeFromInsert()
        calls.append("awakeFromInsert")
    }

    override func awakeFromFetch() {
        super.awakeFromFetch()
        calls.append("awakeFromFetch")
    }

    override func prepareForDeletion() {
        super.prepareForDeletion()
        calls.append("prepareForDeletion")
    }

    override func willSave() {
        super.willSave()
        calls.append("willSave")
        onWillSave?(self)
    }

    override func didSave() {
        super.didSave()
        calls.append("didSave")
        onDidSave?(self)
    }

    override func willTurnIntoFault() {
        super.willTurnIntoFault()
        calls.append("willTurnIntoFault")
    }

    override func didTurnIntoFault() {
        super.didTurnIntoFault()
        calls.append("didTurnIntoFault")
    }

    override func validateForUpdate() throws {
        calls.append("validateForUpdate")
        onValidate?(self)
        try super.validateForUpdate()
    }

    override func validateForInsert() throws {
        calls.append("validateForInsert")
        onValidate?(self)
        try super.validateForInsert()
    }

    static let className = "CoreDataTests.HookedPerson"
}

@Suite struct ContextSaveTests {
    private func hooked() throws -> (OfficeStack, NSManagedObjectContext, HookedPerson) {
        let stack = try OfficeStack(personClass: HookedPerson.className)
        let context = stack.makeContext()
        let person = try #require(context.person("Ann") as? HookedPerson)
        return (stack, context, person)
    }

    @Test(arguments: OfficeStack.Kind.allCases) func whatIsSavedIsFoundByAnotherContext(_ kind: OfficeStack.Kind) throws
    {
        let stack = try OfficeStack(kind)
        let context = stack.makeContext()
        let team = context.insert("Team", ["name": "Red"])
        let person = context.person("Ann", 7)
        person.setValue(team, forKey: "team")
        try context.save()
        let seen = try #require(try stack.makeContext().one("Ann"))
        #expect(seen.salaryValue == 7)
        #expect((seen.value(forKey: "team") as? NSManagedObject)?.nameValue == "Red")
    }

    @Test func theFileHoldsWhatWasSaved() throws {
        let stack = try OfficeStack(.file)
        let context = stack.makeContext()
        let team = context.insert("Team", ["name": "Red"])
        for name in ["Ann", "Bob"] { context.person(name, 7).setValue(team, forKey: "team") }
        try context.save()
        let ann = try #require(try context.one("Ann"))
        ann.setValue(8, forKey: "salary")
        try context.save()
        #expect(
            try sqlite3(
                stack.path, "SELECT ZNAME, ZSALARY, Z_OPT, ZTEAM FROM ZPERSON ORDER BY ZNAME")
                == "Ann|8|2|1\nBob|7|1|1")
    }

    @Test func aSaveChangesTemporaryIdsToPermanentOnes() throws {
        let stack = try OfficeStack()
        let context = stack.makeContext()
        let person = context.person("Ann")
        let before = person.objectID
        try context.save()
        #expect(!person.objectID.isTemporaryID)
        #expect(person.objectID != before)
        #expect(person.objectID.uriRepresentation().host == stack.store.identifier)
        #expect(context.registeredObject(for: before) == nil)
        #expect(context.registeredObject(for: person.objectID) === person)
    }

    @Test func hooksRunOnceInASaveThatChangesNothing() throws {
        let (_, context, person) = try hooked()
        try context.save()
        #expect(person.calls == ["awakeFromInsert", "willSave", "validateForInsert", "didSave"])
    }

    @Test func whatWillSaveChangesIsSaved() throws {
        let (stack, context, person) = try hooked()
        person.onWillSave = { if $0.value(forKey: "note") == nil { $0.setValue("seen", forKey: "note") } }
        try context.save()
        #expect(person.count("didSave") == 1)
        #expect(person.committedValues(forKeys: ["note"])["note"] as? String == "seen")
        #expect(try stack.makeContext().one("Ann")?.value(forKey: "note") as? String == "seen")
        #expect(!context.hasChanges)
    }

    @Test func anObjectChangedByAnothersWillSaveHearsOfTheSave() throws {
        let (stack, context, person) = try hooked()
        try context.save()
        let other = try #require(context.person("Bob") as? HookedPerson)
        person.calls = []
        other.onWillSave = { _ in if person.salaryValue == 0 { person.setValue(3, forKey: "salary") } }
        try context.save()
        #expect(person.calls == ["willSave", "validateForUpdate", "didSave"])
        #expect(try stack.makeContext().one("Ann")?.salaryValue == 3)
    }

    @Test func whatWillSaveInsertsIsSaved() throws {
        let (stack, context, person) = try hooked()
        person.onWillSave = { object in
            if (try? context.count("Team")) == 0 { context.insert("Team", ["name": "Made"]) }
            _ = object
        }
        try context.save()
        #expect(try stack.makeContext().all("Team").map(\.nameValue) == ["Made"])
    }

    @Test func anObserverOfWillSaveMayChangeMore() throws {
        let (stack, context, _) = try hooked()
        let token = NotificationCenter.default.addObserver(
            forName: .NSManagedObjectContextWillSave, object: context, queue: nil
        ) { _ in
            let made = context.insert("Team", ["name": "Made"])
            try? context.obtainPermanentIDs(for: [made])
        }
        defer { NotificationCenter.default.removeObserver(token) }
        try context.save()
        #expect(try stack.makeContext().all("Team").map(\.nameValue) == ["Made"])
    }

    @Test func whatValidationChangesIsValidatedAgainAndSaved() throws {
        let (stack, context, person) = try hooked()
        person.onValidate = { if $0.salaryValue == 0 { $0.setValue(9, forKey: "salary") } }
        try context.save()
        #expect(person.count("validateForInsert") == 2)
        #expect(try stack.makeContext().one("Ann")?.salaryValue == 9)
    }

    @Test func aDeletedObjectHearsOfItsSave() throws {
        let (_, context, person) = try hooked()
        try context.save()
        person.calls = []
        var wasDeleted: [Bool] = []
        person.onWillSave = { wasDeleted.append($0.isDeleted) }
        person.onDidSave = { wasDeleted.append($0.isDeleted) }
        context.delete(person)
        try context.save()
        #expect(person.calls == ["prepareForDeletion", "willSave", "didSave"])
        #expect(wasDeleted == [true, true])
        #expect(!person.isDeleted)
    }

    @Test func aChangeInDidSaveIsPending() throws {
        let (_, context, person) = try hooked()
        person.onDidSave = { if $0.salaryValue == 0 { $0.setValue(1, forKey: "salary") } }
        try context.save()
        #expect(context.hasChanges)
        #expect(context.updatedObjects == [person])
    }

    @Test func savingInsideOfASaveIsAnError() throws {
        let (_, context, person) = try hooked()
        var code: Int?
        person.onWillSave = { _ in code = errorCode { try context.save() } }
        try context.save()
        #expect(code == 134030)
        #expect(!context.hasChanges)
    }

    @Test func aSaveWithoutChangesSucceedsWithoutStores() throws {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        try context.save()
        context.persistentStoreCoordinator = NSPersistentStoreCoordinator(managedObjectModel: Office.model())
        try context.save()
    }

    @Test func savingChangesWithoutStoresIsAnErrorThatSaysSo() throws {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = NSPersistentStoreCoordinator(managedObjectModel: Office.model())
        context.person("Ann")
        let error = try #require(throws: NSError.self) { try context.save() }
        #expect(error.domain == NSCocoaErrorDomain && error.code == 134030)
        #expect(error.localizedFailureReason?.contains("no persistent stores") == true)
        #expect(context.insertedObjects.count == 1)
    }

    @Test func savingToAReadOnlyStoreIsError513() throws {
        let writable = try OfficeStack(.file)
        try writable.fill(("Ann", 1))
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Office.model())
        try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: writable.store.url,
            options: [NSReadOnlyPersistentStoreOption: true])
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        #expect(try context.one("Ann")?.salaryValue == 1)
        context.person("Bob")
        #expect(errorCode { try context.save() } == 513)
        #expect(context.hasChanges)
        context.rollback()
        try context.save()
    }

    @Test func metadataAreWrittenWithTheNextSave() throws {
        let stack = try OfficeStack(.file)
        var metadata = stack.coordinator.metadata(for: stack.store)
        metadata["answer"] = 42
        stack.coordinator.setMetadata(metadata, for: stack.store)
        let url = try #require(stack.store.url)
        func stored() throws -> Any? {
            try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: NSSQLiteStoreType, at: url)["answer"]
        }
        #expect(try stored() == nil)
        try stack.makeContext().save()
        #expect(try stored() as? Int == 42)
    }

    @Test func aSingleValidationErrorIsThrownItselfAndSeveralAreGathered() throws {
        let stack = try OfficeStack()
        let context = stack.makeContext()
        let room = context.insert("Room")
        let single = try #require(throws: NSError.self) { try context.save() }
        #expect(single.code == 1570)
        #expect(single.userInfo[NSValidationKeyErrorKey] as? String == "number")
        #expect(single.userInfo[NSValidationObjectErrorKey] as? NSManagedObject === room)
        context.insert("Room")
        let several = try #require(throws: NSError.self) { try context.save() }
        #expect(several.code == 1560)
        #expect((several.userInfo[NSDetailedErrorsKey] as? [NSError])?.map(\.code) == [1570, 1570])
    }

    @Test func objectsThatReferToEachOtherBeforeTheirFirstSaveAreSaved() throws {
        let stack = try OfficeStack(.file)
        let context = stack.makeContext()
        let person = context.person("Ann")
        let badge = context.insert("Badge", ["code": "1"])
        let tags = (0..<3).map { context.insert("Tag", ["text": "t\($0)"]) }
        person.setValue(badge, forKey: "badge")
        person.setValue(Set(tags), forKey: "tags")
        try context.save()
        #expect(try sqlite3(stack.path, "SELECT count(*) FROM ZBADGE WHERE ZPERSON = 1") == "1")
        let seen = try #require(try stack.makeContext().one("Ann"))
        #expect((seen.value(forKey: "tags") as? Set<NSManagedObject>)?.count == 3)
        #expect((seen.value(forKey: "badge") as? NSManagedObject)?.value(forKey: "code") as? String == "1")
    }

    @Test func anOwnerOfANewMemberIsUpdatedToo() throws {
        let stack = try OfficeStack()
        let context = stack.makeContext()
        let team = context.insert("Team", ["name": "Red"])
        try context.save()
        let person = context.person("Ann")
        person.setValue(team, forKey: "team")
        let saves = Recorder.saves(context)
        try context.save()
        #expect(saves.notes.first?.objects(NSInsertedObjectsKey) == [person])
        #expect(saves.notes.first?.objects(NSUpdatedObjectsKey) == [team])
    }

    @Test func manyObjectsInManySavesKeepTheirValues() throws {
        let stack = try OfficeStack(.file)
        let context = stack.makeContext()
        for round in 0..<5 {
            for number in 0..<700 { context.person("P\(round * 700 + number)", number) }
            try context.save()
        }
        #expect(
            try sqlite3(stack.path, "SELECT count(*), count(DISTINCT ZNAME), max(Z_PK) FROM ZPERSON")
                == "3500|3500|3500")
    }
}
