import Foundation
import Testing

@testable import CoreData

/// What counts as a change, and what an object says of its changes.
@Suite struct ObjectChangeTests {
    let stack: ObjectTestStack

    init() throws { stack = try ObjectTestStack.inMemory() }

    var context: NSManagedObjectContext { stack.context }

    func saved(_ values: [String: Any] = ["name": "123456", "age": 30]) throws -> NSManagedObject {
        let person = stack.insert("Person", values)
        try context.save()
        return person
    }

    @Test func aFreshInsertHasNoChangedValues() {
        let person = stack.insert("Person")
        #expect(person.isInserted && !person.isDeleted && !person.isFault && !person.isUpdated)
        #expect(person.managedObjectContext === context && person.objectID.isTemporaryID)
        #expect(person.changedValues().isEmpty)
        #expect(person.committedValues(forKeys: ["name"])["name"] == nil)
    }

    @Test func changedValuesOfANewObjectAreThoseThatWereSet() {
        let team = stack.insert("Team")
        let person = stack.insert("Person", ["name": "Ann", "age": 3, "team": team, "counter": 8])
        #expect(Set(person.changedValues().keys) == ["name", "age", "team"])
        person.setPrimitiveValue(5, forKey: "big")
        #expect(person.changedValues()["big"] == nil)
        #expect(person.value(forKey: "big") as? Int == 5)
    }

    @Test func changedAndCommittedValues() throws {
        let person = try saved()
        #expect(!person.isInserted && !person.isUpdated && !person.hasChanges)
        person.setValue("101", forKey: "name")
        #expect(person.isUpdated && !person.isInserted)
        person.setValue("202", forKey: "name")
        #expect(person.changedValues().count == 1 && person.changedValues()["name"] as? String == "202")
        #expect(person.committedValues(forKeys: ["name"])["name"] as? String == "123456")
        person.setValue(nil, forKey: "age")
        #expect(person.changedValues()["age"] is NSNull)
        try context.save()
        #expect(person.changedValues().isEmpty && !person.isUpdated)
        #expect(person.committedValues(forKeys: ["name"])["name"] as? String == "202")
        #expect(person.committedValues(forKeys: ["age"])["age"] is NSNull)
    }

    @Test func committedValuesOfAllKeysLeaveUnloadedRelationshipsAlone() throws {
        let team = stack.insert("Team", ["name": "Red"])
        let person = stack.insert("Person", ["name": "Ann", "team": team])
        try context.save()
        let other = stack.another()
        let red = other.object(with: team.objectID)
        #expect(red.committedValues(forKeys: nil).keys.sorted() == ["name"])
        #expect(!red.isFault && red.hasFault(forRelationshipNamed: "members"))
        let members = red.committedValues(forKeys: ["members"])["members"] as? NSSet
        #expect(members?.count == 1 && !red.hasFault(forRelationshipNamed: "members"))
        let ann = other.object(with: person.objectID)
        red.mutableSetValue(forKey: "members").removeAllObjects()
        #expect((red.committedValues(forKeys: ["members"])["members"] as? NSSet)?.contains(ann) == true)
        #expect(ann.committedValues(forKeys: ["team"])["team"] as? NSManagedObject === red)
        #expect(ann.changedValues()["team"] is NSNull)
    }

    @Test func anEqualValueMarksTheObjectButIsNoPersistentChange() throws {
        let person = try saved()
        person.setValue("123456", forKey: "name")
        #expect(person.isUpdated && person.hasChanges && context.updatedObjects == [person])
        #expect(!person.hasPersistentChangedValues && person.changedValues().isEmpty)
        person.setValue("x", forKey: "name")
        #expect(person.hasPersistentChangedValues)
    }

    @Test func aTransientChangeIsNoPersistentOne() throws {
        let person = try saved()
        person.setValue(50, forKey: "counter")
        #expect(person.hasChanges && !person.hasPersistentChangedValues && person.changedValues().isEmpty)
        #expect(context.updatedObjects.count == 1)
        try context.save()
        #expect(person.value(forKey: "counter") as? Int == 50)
        context.refreshAllObjects()
        #expect(person.value(forKey: "counter") as? Int == 0)
    }

    @Test func primitiveWritesAreNotTracked() throws {
        let person = try saved()
        person.setPrimitiveValue("other", forKey: "name")
        #expect(person.changedValues().isEmpty && !person.hasChanges && !context.hasChanges)
        #expect(person.primitiveValue(forKey: "name") as? String == "other")
        person.willChangeValue(forKey: "age")
        person.setPrimitiveValue(31, forKey: "age")
        person.didChangeValue(forKey: "age")
        #expect(person.isUpdated && Set(person.changedValues().keys) == ["age"])
    }

    @Test func accessorsWithSetMutationsCarryThemOut() {
        let team = stack.insert("Team")
        let people = (0..<3).map { _ in stack.insert("Person") }
        func mutate(_ kind: NSKeyValueSetMutationKind, _ objects: [NSManagedObject]) {
            team.willChangeValue(forKey: "members", withSetMutation: kind, using: Set(objects))
            team.didChangeValue(forKey: "members", withSetMutation: kind, using: Set(objects))
        }
        mutate(.union, [people[0], people[1]])
        #expect(team.set("members").count == 2 && people[1].object("team") === team)
        mutate(.minus, [people[0]])
        #expect(team.set("members") == setOf(people[1]))
        mutate(.set, [people[2], people[1]])
        mutate(.intersect, [people[2]])
        #expect(team.set("members") == setOf(people[2]))
    }

    @Test func changedValuesOfAFaultAreEmptyAndFireNothing() throws {
        let person = try saved()
        let fault = stack.another().object(with: person.objectID)
        #expect(fault.changedValues().isEmpty && fault.isFault)
        #expect(fault.description.contains("<fault>") && fault.isFault)
        #expect(!fault.hasPersistentChangedValues && fault.isFault)
    }

    @Test func changesOfTheCurrentEventEndWithIt() throws {
        let person = try saved()
        person.setValue("a", forKey: "name")
        #expect(Set(person.changedValuesForCurrentEvent().keys) == ["name"])
        context.processPendingChanges()
        #expect(person.changedValuesForCurrentEvent().isEmpty)
        person.setValue(1, forKey: "age")
        #expect(Set(person.changedValuesForCurrentEvent().keys) == ["age"])
        #expect(Set(person.changedValues().keys) == ["name", "age"])
    }

    @Test func anUnloadedToManyInChangedValuesTellsTheNewMembers() throws {
        let team = stack.insert("Team")
        stack.insert("Person", ["team": team])
        try context.save()
        let other = stack.another()
        let red = other.object(with: team.objectID)
        let ann = NSEntityDescription.insertNewObject(forEntityName: "Person", into: other)
        ann.setValue(red, forKey: "team")
        #expect(red.changedValues()["members"] as? NSSet == setOf(ann))
        #expect(red.isFault)
    }

    @Test func moreThanSixtyFourPropertiesAreTracked() throws {
        let wide = ObjectTestModel.entity("Wide")
        wide.properties = (0..<150).map { ObjectTestModel.attribute("a\($0)", .integer64AttributeType) }
        let model = NSManagedObjectModel()
        model.entities = [wide]
        let stack = try ObjectTestStack.inMemory(model: model)
        let object = stack.insert("Wide")
        try stack.context.save()
        for index in [0, 63, 64, 127, 128, 149] { object.setValue(index, forKey: "a\(index)") }
        #expect(Set(object.changedValues().keys) == ["a0", "a63", "a64", "a127", "a128", "a149"])
        try stack.context.save()
        let again = try stack.another().existingObject(with: object.objectID)
        #expect(again.value(forKey: "a149") as? Int == 149 && again.value(forKey: "a64") as? Int == 64)
        #expect(again.value(forKey: "a65") == nil)
    }

    @Test func aMutatedTransformableIsNotSavedAnEqualReplacementNeither() throws {
        let person = stack.insert("Person")
        let tags = NSMutableArray(array: ["one"])
        person.setValue(tags, forKey: "tags")
        try context.save()
        tags.add("two")
        #expect(!context.hasChanges)
        try context.save()
        let other = stack.another()
        #expect((try other.existingObject(with: person.objectID).value(forKey: "tags") as? NSArray)?.count == 1)
    }
}
