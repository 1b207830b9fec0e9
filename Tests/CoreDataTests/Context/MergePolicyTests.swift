import CoreData
import Foundation
import TestSupport
import Testing

/// Two contexts read Alice/10; the first saves, then the second.
@Suite struct MergePolicyTests {
    private final class Race {
        let stack: OfficeStack
        let first: NSManagedObjectContext
        let second: NSManagedObjectContext
        let mine: NSManagedObject
        let id: NSManagedObjectID

        init(_ kind: OfficeStack.Kind = .memory, _ policy: NSMergePolicy = .error, firstSets: [String: Any]) throws {
            stack = try OfficeStack(kind)
            id = try stack.fill(("Alice", 10))[0]
            first = stack.makeContext()
            second = stack.makeContext()
            second.mergePolicy = policy
            mine = try second.existingObject(with: id)
            let theirs = try first.existingObject(with: id)
            for (key, value) in firstSets { theirs.setValue(value, forKey: key) }
            try first.save()
        }

        func stored() throws -> (name: String?, salary: Int?) {
            let seen = try stack.makeContext().existingObject(with: id)
            return (seen.nameValue, seen.salaryValue)
        }
    }

    @Test func typesHaveApplesNumbers() {
        #expect(NSMergePolicyType.errorMergePolicyType.rawValue == 0)
        #expect(NSMergePolicyType.mergeByPropertyStoreTrumpMergePolicyType.rawValue == 1)
        #expect(NSMergePolicyType.mergeByPropertyObjectTrumpMergePolicyType.rawValue == 2)
        #expect(NSMergePolicyType.overwriteMergePolicyType.rawValue == 3)
        #expect(NSMergePolicyType.rollbackMergePolicyType.rawValue == 4)
        #expect(NSMergePolicy.error.mergeType == .errorMergePolicyType)
        let globals = [
            NSErrorMergePolicy, NSMergeByPropertyStoreTrumpMergePolicy, NSMergeByPropertyObjectTrumpMergePolicy,
            NSOverwriteMergePolicy, NSRollbackMergePolicy,
        ]
        #expect(globals.compactMap { ($0 as? NSMergePolicy)?.mergeType.rawValue } == [0, 1, 2, 3, 4])
    }

    @Test func aNewContextHasTheErrorPolicy() {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        #expect((context.mergePolicy as? NSMergePolicy)?.mergeType == .errorMergePolicyType)
        context.mergePolicy = NSMergeByPropertyObjectTrumpMergePolicy
        #expect((context.mergePolicy as? NSMergePolicy)?.mergeType == .mergeByPropertyObjectTrumpMergePolicyType)
    }

    @Test func theErrorPolicyListsTheConflict() throws {
        let race = try Race(firstSets: ["name": "FromCtx1"])
        race.mine.setValue("FromCtx2", forKey: "name")
        let error = try #require(throws: NSError.self) { try race.second.save() }
        #expect(error.domain == NSCocoaErrorDomain && error.code == 133020)
        let conflicts = try #require(error.userInfo["conflictList"] as? [NSMergeConflict])
        #expect(conflicts.count == 1)
        let conflict = conflicts[0]
        #expect(conflict.sourceObject === race.mine)
        #expect(conflict.cachedSnapshot?["name"] as? String == "FromCtx1")
        #expect(conflict.persistedSnapshot == nil)
        #expect(conflict.objectSnapshot?["name"] as? String == "Alice")
        #expect(conflict.oldVersionNumber == 1)
        #expect(conflict.newVersionNumber == 2)
        #expect(race.second.updatedObjects == [race.mine])
        #expect(race.mine.nameValue == "FromCtx2")
        #expect(try race.stored().name == "FromCtx1")
    }

    @Test func aConflictWithADeletedRecordHasVersionZero() throws {
        let race = try Race(firstSets: [:])
        race.first.delete(try race.first.existingObject(with: race.id))
        try race.first.save()
        race.mine.setValue("FromCtx2", forKey: "name")
        let error = try #require(throws: NSError.self) { try race.second.save() }
        #expect(error.code == 133020)
        let conflict = try #require((error.userInfo["conflictList"] as? [NSMergeConflict])?.first)
        #expect(conflict.newVersionNumber == 0)
        #expect(conflict.persistedSnapshot == nil)
        #expect(conflict.cachedSnapshot == nil)
    }

    @Test func aChangeOfAnotherProcessHasBothSnapshots() throws {
        let stack = try OfficeStack(.file)
        let id = try stack.fill(("Alice", 10))[0]
        let context = stack.makeContext()
        let mine = try context.existingObject(with: id)
        _ = try sqlite3(stack.path, "UPDATE ZPERSON SET ZNAME = 'Theirs', Z_OPT = Z_OPT + 1")
        mine.setValue("Mine", forKey: "name")
        let error = try #require(throws: NSError.self) { try context.save() }
        let conflict = try #require((error.userInfo["conflictList"] as? [NSMergeConflict])?.first)
        #expect(error.code == 133020)
        #expect(conflict.objectSnapshot?["name"] as? String == "Alice")
        #expect(conflict.newVersionNumber == 2)
    }

    @Test(arguments: OfficeStack.Kind.allCases) func storeTrumpTakesWhatBothChangedFromTheStore(
        _ kind: OfficeStack.Kind
    ) throws {
        let race = try Race(kind, .mergeByPropertyStoreTrump, firstSets: ["name": "FromCtx1"])
        race.mine.setValue("FromCtx2", forKey: "name")
        race.mine.setValue(99, forKey: "salary")
        try race.second.save()
        #expect(race.mine.nameValue == "FromCtx1" && race.mine.salaryValue == 99)
        #expect(try race.stored() == ("FromCtx1", 99))
        #expect(!race.second.hasChanges)
    }

    @Test(arguments: OfficeStack.Kind.allCases) func objectTrumpTakesWhatBothChangedFromMemory(_ kind: OfficeStack.Kind)
        throws
    {
        let race = try Race(kind, .mergeByPropertyObjectTrump, firstSets: ["name": "FromCtx1", "salary": 50])
        race.mine.setValue("FromCtx2", forKey: "name")
        try race.second.save()
        #expect(race.mine.nameValue == "FromCtx2" && race.mine.salaryValue == 50)
        #expect(try race.stored() == ("FromCtx2", 50))
    }

    @Test func overwritingWritesUneditedValuesToo() throws {
        let race = try Race(.memory, .overwrite, firstSets: ["name": "FromCtx1", "salary": 77])
        race.mine.setValue("FromCtx2", forKey: "name")
        try race.second.save()
        #expect(try race.stored() == ("FromCtx2", 10))
        #expect(race.mine.salaryValue == 10)
    }

    @Test func rollbackGivesUpTheChangesInMemory() throws {
        let race = try Race(.memory, .rollback, firstSets: ["name": "FromCtx1"])
        race.mine.setValue("FromCtx2", forKey: "name")
        try race.second.save()
        #expect(race.mine.nameValue == "FromCtx1")
        #expect(race.mine.changedValues().isEmpty)
        #expect(!race.second.hasChanges)
        #expect(try race.stored().name == "FromCtx1")
    }

    @Test func theVersionGrowsWithEachWriter() throws {
        let race = try Race(.file, .mergeByPropertyObjectTrump, firstSets: ["name": "FromCtx1"])
        race.mine.setValue("FromCtx2", forKey: "name")
        try race.second.save()
        #expect(try sqlite3(race.stack.path, "SELECT Z_OPT FROM ZPERSON") == "3")
    }

    @Test func differentRecordsDoNotConflict() throws {
        let stack = try OfficeStack()
        let ids = try stack.fill(("Ann", 1), ("Bob", 2))
        let (first, second) = (stack.makeContext(), stack.makeContext())
        let mine = try second.existingObject(with: ids[1])
        try first.existingObject(with: ids[0]).setValue(5, forKey: "salary")
        try first.save()
        mine.setValue(6, forKey: "salary")
        try second.save()
        #expect(try stack.makeContext().all("Person", sort: "name").map(\.salaryValue) == [5, 6])
    }

    @Test func anUnchangedObjectIsCheckedOnDemandOnly() throws {
        let race = try Race(firstSets: ["name": "FromCtx1"])
        race.second.person("Eve")
        try race.second.save()
        race.second.detectConflicts(for: race.mine)
        race.second.person("Zoe")
        #expect(errorCode { try race.second.save() } == 133020)
    }

    @Test(arguments: [
        NSMergePolicyType.mergeByPropertyObjectTrumpMergePolicyType, .overwriteMergePolicyType,
        .mergeByPropertyStoreTrumpMergePolicyType, .rollbackMergePolicyType,
    ])
    func anOwnDeletionOfAChangedRecordIsDecidedByWhoWins(_ type: NSMergePolicyType) throws {
        let race = try Race(.memory, NSMergePolicy(merge: type), firstSets: ["name": "FromCtx1"])
        race.second.delete(race.mine)
        try race.second.save()
        let objectWins = type == .mergeByPropertyObjectTrumpMergePolicyType || type == .overwriteMergePolicyType
        #expect(try race.stack.makeContext().count("Person") == (objectWins ? 0 : 1))
        if !objectWins {
            #expect(!race.mine.isDeleted)
            #expect(race.mine.nameValue == "FromCtx1")
        }
    }

    @Test(arguments: [
        NSMergePolicyType.mergeByPropertyObjectTrumpMergePolicyType, .mergeByPropertyStoreTrumpMergePolicyType,
        .rollbackMergePolicyType,
    ])
    func aDeletionBySomebodyElseStands(_ type: NSMergePolicyType) throws {
        let race = try Race(.memory, NSMergePolicy(merge: type), firstSets: [:])
        race.first.delete(try race.first.existingObject(with: race.id))
        try race.first.save()
        race.mine.setValue("FromCtx2", forKey: "name")
        try race.second.save()
        #expect(try race.stack.makeContext().count("Person") == 0)
        #expect(race.mine.isDeleted || race.mine.managedObjectContext == nil)
    }

    @Test func overwritingInsertsADeletedRecordAnew() throws {
        let race = try Race(.memory, .overwrite, firstSets: [:])
        race.first.delete(try race.first.existingObject(with: race.id))
        try race.first.save()
        race.mine.setValue("FromCtx2", forKey: "name")
        try race.second.save()
        #expect(try race.stored() == ("FromCtx2", 10))
    }

    @Test func deletingWhatSomebodyElseDeletedIsFineUnlessThePolicyIsTheErrorPolicy() throws {
        for policy in [NSMergePolicy.error, .mergeByPropertyStoreTrump] {
            let race = try Race(.memory, policy, firstSets: [:])
            race.first.delete(try race.first.existingObject(with: race.id))
            try race.first.save()
            race.second.delete(race.mine)
            let code = errorCode { try race.second.save() }
            #expect(code == (policy === NSMergePolicy.error ? 133020 : nil))
        }
    }

    @Test func relationshipsOfBothSidesAreMerged() throws {
        let stack = try OfficeStack(.file)
        let writer = stack.makeContext()
        let ann = writer.person("Ann", 1)
        let tags = ["a", "b", "c"].map { writer.insert("Tag", ["text": $0]) }
        ann.setValue(Set([tags[0]]), forKey: "tags")
        try writer.save()
        let (first, second) = (stack.makeContext(), stack.makeContext())
        second.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
        let mine = try second.existingObject(with: ann.objectID)
        #expect((mine.value(forKey: "tags") as? Set<NSManagedObject>)?.count == 1)
        let theirs = try first.existingObject(with: ann.objectID)
        theirs.mutableSetValue(forKey: "tags").add(first.object(with: tags[1].objectID))
        try first.save()
        mine.mutableSetValue(forKey: "tags").add(second.object(with: tags[2].objectID))
        try second.save()
        let seen = try stack.makeContext().existingObject(with: ann.objectID)
        #expect((seen.value(forKey: "tags") as? Set<NSManagedObject>)?.count == 3)
    }

    // MARK: Policies of the client

    private final class Averaging: NSMergePolicy, @unchecked Sendable {
        var listed = 0

        override func resolve(optimisticLockingConflicts list: [NSMergeConflict]) throws {
            listed += list.count
            try super.resolve(optimisticLockingConflicts: list)
            for conflict in list { conflict.sourceObject.setValue(15, forKey: "salary") }
        }
    }

    @Test func whatACustomPolicySetsIsSaved() throws {
        let policy = Averaging(merge: .mergeByPropertyStoreTrumpMergePolicyType)
        let race = try Race(.memory, policy, firstSets: ["salary": 20])
        race.mine.setValue(10, forKey: "salary")
        race.mine.setValue("Mine", forKey: "name")
        try race.second.save()
        #expect(policy.listed == 1)
        #expect(try race.stored() == ("Mine", 15))
    }

    private final class Idle: NSMergePolicy, @unchecked Sendable {
        override func resolve(mergeConflicts list: [Any]) throws {}
    }

    @Test func aPolicyThatDoesNothingSavesTheObjectAsItIs() throws {
        let race = try Race(.memory, Idle(merge: .errorMergePolicyType), firstSets: ["salary": 20])
        race.mine.setValue("Mine", forKey: "name")
        try race.second.save()
        #expect(try race.stored() == ("Mine", 10))
    }

    private final class Refusing: NSMergePolicy, @unchecked Sendable {
        struct Refusal: Error {}
        override func resolve(mergeConflicts list: [Any]) throws { throw Refusal() }
    }

    @Test func theErrorOfACustomPolicyComesOutUnchanged() throws {
        let race = try Race(.memory, Refusing(merge: .overwriteMergePolicyType), firstSets: ["salary": 20])
        race.mine.setValue("Mine", forKey: "name")
        #expect(throws: Refusing.Refusal.self) { try race.second.save() }
        #expect(race.second.hasChanges)
    }
}
