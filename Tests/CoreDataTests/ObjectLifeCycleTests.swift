import Foundation
import Testing

@testable import CoreData

/// A class that writes down what it is told.
class Diary: NSManagedObject {
    var calls: [String] = []
    var onWillSave: ((Diary) -> Void)?
    var atInsert: Any?
    var whenTurning: Any?

    override func awakeFromInsert() {
        super.awakeFromInsert()
        calls.append("insert")
        atInsert = value(forKey: "age")
        setPrimitiveValue(99, forKey: "big")
    }
    override func awakeFromFetch() {
        super.awakeFromFetch()
        calls.append("fetch")
        setValue("set in awakeFromFetch", forKey: "scratch")
    }
    override func awake(fromSnapshotEvents flags: NSSnapshotEventType) {
        if flags.contains(.rollback) { calls.append("rollback") }
    }
    override func prepareForDeletion() { calls.append("delete \(value(forKey: "team") != nil)") }
    override func willSave() {
        calls.append("willSave\(isDeleted ? " deleted" : "")")
        onWillSave?(self)
    }
    override func didSave() { calls.append("didSave") }
    override func willTurnIntoFault() {
        whenTurning = value(forKey: "name")
        calls.append("willTurn")
    }
    override func didTurnIntoFault() { calls.append("didTurn \(isFault)") }
}

@Suite struct ObjectLifeCycleTests {
    let stack: ObjectTestStack

    init() throws {
        stack = try ObjectTestStack.inMemory(
            model: ObjectTestModel.make { entities in
                entities["Person"]?.managedObjectClassName = "CoreDataTests.Diary"
                entities["Captain"]?.managedObjectClassName = "CoreDataTests.Diary"
            })
    }

    var context: NSManagedObjectContext { stack.context }

    func diary(_ values: [String: Any] = [:]) throws -> Diary {
        try #require(stack.insert("Person", values) as? Diary)
    }

    @Test func insertingAwakesOnceWithDefaultsInPlace() throws {
        let diary = try diary()
        #expect(diary.calls == ["insert"] && diary.atInsert as? Int == 7)
        #expect(diary.value(forKey: "big") as? Int == 99 && diary.changedValues().isEmpty)
        try context.save()
        #expect(diary.calls == ["insert", "willSave", "didSave"])
        #expect(diary.committedValues(forKeys: ["big"])["big"] as? Int == 99)
    }

    @Test func theClassIsTheInitialisersEntity() throws {
        let diary = Diary(
            entity: try #require(stack.coordinator.managedObjectModel.entitiesByName["Person"]), insertInto: context)
        #expect(diary.entity.name == "Person" && diary.isInserted)
        // Person and Captain share the class: the topmost entity is meant.
        let other = Diary(context: context)
        #expect(other.entity.name == "Person" && other.calls == ["insert"])
    }

    @Test func firingAFaultAwakesOnceAndTracksNothing() throws {
        let saved = try diary(["name": "Ann"])
        try context.save()
        let other = stack.another()
        let diary = try #require(other.object(with: saved.objectID) as? Diary)
        #expect(diary.isFault && diary.faultingState != 0 && diary.calls.isEmpty)
        #expect(diary.value(forKey: "name") as? String == "Ann")
        #expect(!diary.isFault && diary.faultingState == 0 && diary.calls == ["fetch"])
        #expect(diary.value(forKey: "scratch") as? String == "set in awakeFromFetch")
        #expect(!diary.hasChanges && !other.hasChanges)
        _ = diary.value(forKey: "age")
        #expect(diary.calls == ["fetch"])
    }

    @Test func accessingNilFiresTheFault() throws {
        let saved = try diary()
        try context.save()
        let diary = stack.another().object(with: saved.objectID)
        diary.willAccessValue(forKey: nil)
        #expect(!diary.isFault)
    }

    @Test func refreshingTurnsIntoAFaultAndDropsEdits() throws {
        let diary = try diary(["name": "Ann"])
        try context.save()
        diary.calls = []
        diary.setValue("Bob", forKey: "name")
        context.refresh(diary, mergeChanges: false)
        #expect(diary.calls == ["willTurn", "didTurn true"] && diary.whenTurning as? String == "Bob")
        #expect(diary.isFault && diary.changedValues().isEmpty)
        #expect(diary.value(forKey: "name") as? String == "Ann")
    }

    @Test func refreshingWithMergeKeepsEditsAndLoadedness() throws {
        let diary = try diary(["name": "Ann", "age": 1])
        try context.save()
        diary.setValue("Bob", forKey: "name")
        context.refresh(diary, mergeChanges: true)
        #expect(!diary.isFault && diary.value(forKey: "name") as? String == "Bob")
        try context.save()
        context.refresh(diary, mergeChanges: true)
        #expect(diary.isFault)
    }

    @Test func deletingPreparesBeforeRulesAndAgainWhenRepeated() throws {
        let team = stack.insert("Team")
        let diary = try diary(["team": team])
        try context.save()
        diary.calls = []
        context.delete(diary)
        context.delete(diary)
        #expect(diary.calls == ["delete true", "delete true"])
        #expect(diary.isDeleted && context.deletedObjects == [diary])
        try context.save()
        #expect(diary.calls.suffix(2) == ["willSave deleted", "didSave"])
        #expect(!diary.isDeleted && diary.managedObjectContext == nil)
        #expect(team.set("members").count == 0)
    }

    @Test func whatWillSaveChangesIsSaved() throws {
        let diary = try diary(["name": "Ann"])
        diary.onWillSave = { diary in
            if diary.value(forKey: "age") as? Int != 44 { diary.setValue(44, forKey: "age") }
        }
        try context.save()
        #expect(diary.committedValues(forKeys: ["age"])["age"] as? Int == 44)
        #expect(!context.hasChanges && diary.calls.filter { $0 == "didSave" }.count == 1)
        diary.onWillSave = { $0.setPrimitiveValue("primitive", forKey: "name") }
        diary.setValue(45, forKey: "age")
        try context.save()
        #expect(
            try stack.another().existingObject(with: diary.objectID).value(forKey: "name") as? String == "primitive")
    }

    @Test func rollbackTellsTheObject() throws {
        let diary = try diary(["name": "Ann"])
        try context.save()
        diary.calls = []
        diary.setValue("Bob", forKey: "name")
        context.rollback()
        #expect(diary.calls == ["rollback"] && diary.value(forKey: "name") as? String == "Ann")
        #expect(!diary.isFault && !diary.hasChanges)
    }

    @Test func anInsertedObjectThatIsRefreshedLosesItsValuesAndStaysUsable() throws {
        let diary = try diary(["name": "Ann"])
        context.refresh(diary, mergeChanges: false)
        #expect(diary.isFault)
        diary.willAccessValue(forKey: nil)
        #expect(!diary.isFault && diary.value(forKey: "name") == nil)
    }

    @Test func aResetLeavesFaultsWithoutAContext() throws {
        let diary = try diary(["name": "Ann"])
        try context.save()
        context.reset()
        #expect(diary.isFault && diary.managedObjectContext == nil)
        diary.willAccessValue(forKey: nil)
        #expect(!diary.isFault && diary.value(forKey: "name") == nil)
    }

    @Test func objectsThatHoldEachOtherGoWithTheirContext() throws {
        weak var first: Diary?
        weak var second: NSManagedObject?
        try autoreleasing {
            let other = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            other.persistentStoreCoordinator = stack.coordinator
            let diary = try #require(
                NSEntityDescription.insertNewObject(forEntityName: "Person", into: other) as? Diary)
            let group = NSEntityDescription.insertNewObject(forEntityName: "Group", into: other)
            diary.setValue([group], forKey: "groups")
            #expect(diary.set("groups").count == 1 && group.set("people").count == 1)
            first = diary
            second = group
        }
        #expect(first == nil && second == nil)
    }

    private func autoreleasing(_ body: () throws -> Void) rethrows { try body() }
}
