import Foundation
import Testing

@testable import CoreData

/// A class with rules of its own.
final class RuledPerson: NSManagedObject {
    override func validateValue(_ value: inout Any?, forKey key: String) throws {
        if key == "name", value as? String == "forbidden" {
            throw NSError(domain: "Rules", code: 4242, userInfo: [:])
        }
        if key == "name", let text = value as? String, text != text.trimmingCharacters(in: .whitespaces) {
            value = text.trimmingCharacters(in: .whitespaces)
        }
        if key == "name", let text = value as? String { value = text.precomposedStringWithCanonicalMapping }
        try super.validateValue(&value, forKey: key)
    }
}

@Suite struct ValidationTests {
    /// Persons with a mandatory name and age, a salary of 0 or more, a text of 2 to 4 characters, and limits by code.
    static func model(ruled: Bool = false, change: ([String: NSEntityDescription]) -> Void = { _ in })
        -> NSManagedObjectModel
    {
        ObjectTestModel.make { entities in
            guard let person = entities["Person"] else { return }
            if ruled { person.managedObjectClassName = "CoreDataTests.RuledPerson" }
            let attributes = person.attributesByName
            attributes["name"]?.isOptional = false
            attributes["age"]?.isOptional = false
            attributes["big"]?.setValidationPredicates(
                [NSPredicate(format: "SELF >= 0")], withValidationWarnings: ["big must not be negative"])
            change(entities)
        }
    }

    let stack: ObjectTestStack

    init() throws { stack = try ObjectTestStack.inMemory(model: Self.model()) }

    var context: NSManagedObjectContext { stack.context }

    func error(_ body: () throws -> Void) -> NSError? {
        do {
            try body()
            return nil
        } catch {
            return error as NSError
        }
    }

    @Test func anObjectIsValidatedThoughThoseBeforeItOfTheSameClassNeedNoValidation() throws {
        let context = try OfficeStack().makeContext()
        context.insert("Team")
        let room = context.insert("Room")
        let error = try #require(error { try context.save() })
        #expect(error.code == 1570 && error.userInfo[NSValidationKeyErrorKey] as? String == "number")
        #expect(error.userInfo[NSValidationObjectErrorKey] as? NSManagedObject === room)
    }

    @Test func aMissingMandatoryValueIsToldByKeyAndObject() throws {
        let person = stack.insert("Person")
        let error = try #require(error { try context.save() })
        #expect(error.domain == NSCocoaErrorDomain && error.code == 1570)
        #expect(error.userInfo[NSValidationKeyErrorKey] as? String == "name")
        #expect(error.userInfo[NSValidationObjectErrorKey] as? NSManagedObject === person)
        #expect(context.hasChanges && person.isInserted)
        person.setValue("Ann", forKey: "name")
        try context.save()
    }

    @Test func aDefaultIsNotPutBack() throws {
        let person = stack.insert("Person", ["name": "Ann"])
        try context.save()
        person.setValue(nil, forKey: "age")
        let error = try #require(error { try context.save() })
        #expect(error.code == 1570 && error.userInfo[NSValidationKeyErrorKey] as? String == "age")
        #expect(self.error { try person.validateForUpdate() }?.code == 1570)
        #expect(person.isUpdated && person.value(forKey: "age") == nil)
    }

    @Test func severalFailuresAreOneErrorWithAFlatList() throws {
        for _ in 0..<2 { stack.insert("Person").setValue(nil, forKey: "age") }
        let error = try #require(error { try context.save() })
        #expect(error.code == 1560)
        let details = try #require(error.userInfo[NSDetailedErrorsKey] as? [NSError])
        #expect(details.count == 4 && details.allSatisfy { $0.code == 1570 })
    }

    @Test func aFailedPredicateTellsValuePredicateAndWarning() throws {
        let person = stack.insert("Person", ["name": "Ann", "big": -5])
        let error = try #require(error { try context.save() })
        #expect(error.code == 1550 && error.localizedDescription == "big must not be negative")
        #expect(error.userInfo[NSValidationValueErrorKey] as? Int == -5)
        #expect(error.userInfo[NSValidationPredicateErrorKey] is NSPredicate)
        #expect(error.userInfo[NSValidationKeyErrorKey] as? String == "big")
        person.setValue(nil, forKey: "big")
        try context.save()
    }

    @Test func oneValueIsCheckedWithoutChangingAnything() throws {
        let person = stack.insert("Person", ["name": "Ann", "big": 1])
        try context.save()
        var bad: Any? = -5
        #expect(error { try person.validateValue(&bad, forKey: "big") }?.code == 1550)
        var good: Any? = 50
        try person.validateValue(&good, forKey: "big")
        var none: Any?
        #expect(error { try person.validateValue(&none, forKey: "name") }?.code == 1570)
        #expect(!context.hasChanges && person.value(forKey: "big") as? Int == 1)
    }

    @Test(arguments: [
        ("text", "a", 1670), ("text", "abcde", 1660), ("text", "AB", 1680), ("text", "abc", 0),
        ("number", "11", 1610), ("number", "1", 1620), ("number", "5", 0),
    ])
    func limitsOfTheModelEditorHaveTheirCodes(key: String, value: String, code: Int) throws {
        let limits: [(String, String, Int)] = [
            ("text", "length >= 2", 1670), ("text", "length <= 4", 1660), ("text", "SELF MATCHES '[a-z]+'", 1680),
            ("number", "SELF <= 10", 1610), ("number", "SELF >= 2", 1620),
        ]
        let entity = ObjectTestModel.entity("Limited")
        let text = ObjectTestModel.attribute("text", .stringAttributeType)
        let number = ObjectTestModel.attribute("number", .integer64AttributeType)
        for attribute in [text, number] {
            let own = limits.filter { $0.0 == attribute.name }
            attribute.storeValidation(
                predicates: own.map { NSPredicate(format: $0.1) }, warnings: own.map { NSNumber(value: $0.2) })
        }
        entity.properties = [text, number]
        let model = NSManagedObjectModel()
        model.entities = [entity]
        let stack = try ObjectTestStack.inMemory(model: model)
        let object = stack.insert("Limited")
        object.setValue(key == "number" ? Int(value) : value, forKey: key)
        let error = error { try stack.context.save() }
        if code == 0 {
            #expect(error == nil)
        } else {
            let errors = error?.userInfo[NSDetailedErrorsKey] as? [NSError] ?? error.map { [$0] } ?? []
            #expect(errors.contains { $0.code == code })
        }
    }

    @Test func datesHaveLimits() throws {
        let stack = try ObjectTestStack.inMemory(
            model: Self.model { entities in
                let limit = Date(timeIntervalSinceReferenceDate: 100)
                entities["Person"]?.attributesByName["createdAt"]?.storeValidation(
                    predicates: [NSPredicate(format: "SELF <= %@", limit as NSDate)], warnings: [NSNumber(value: 1630)])
            })
        let person = stack.insert("Person", ["name": "A", "createdAt": Date(timeIntervalSinceReferenceDate: 101)])
        #expect(error { try stack.context.save() }?.code == 1630)
        person.setValue(Date(timeIntervalSinceReferenceDate: 99), forKey: "createdAt")
        try stack.context.save()
    }

    @Test func mandatoryRelationshipsAndCountsAreChecked() throws {
        let stack = try ObjectTestStack.inMemory(
            model: Self.model { entities in
                entities["Event"]?.relationshipsByName["team"]?.isOptional = false
                entities["Team"]?.relationshipsByName["members"]?.maxCount = 2
                entities["Group"]?.relationshipsByName["people"]?.minCount = 2
            })
        let event = stack.insert("Event")
        #expect(error { try stack.context.save() }?.code == 1570)
        let team = stack.insert("Team")
        event.setValue(team, forKey: "team")
        try stack.context.save()

        let people = (0..<3).map { stack.insert("Person", ["name": "\($0)", "team": team]) }
        let tooMany = try #require(error { try stack.context.save() })
        #expect(tooMany.code == 1590 && tooMany.userInfo[NSValidationKeyErrorKey] as? String == "members")
        people[2].setValue(nil, forKey: "team")
        try stack.context.save()

        let group = stack.insert("Group", ["people": [people[0]]])
        #expect(error { try stack.context.save() }?.code == 1580)
        group.setValue(nil, forKey: "people")
        try stack.context.save()

        let other = stack.another()
        let saved = other.object(with: team.objectID)
        other.object(with: people[2].objectID).setValue(saved, forKey: "team")
        #expect(error { try other.save() }?.code == 1590, "members that were not loaded count")
    }

    @Test func aMandatoryToManyWithoutMinimumMayBeEmpty() throws {
        let stack = try ObjectTestStack.inMemory(
            model: Self.model { entities in
                entities["Team"]?.relationshipsByName["members"]?.isOptional = false
                entities["Group"]?.relationshipsByName["people"]?.isOptional = false
                entities["Group"]?.relationshipsByName["people"]?.minCount = 1
            })
        let team = stack.insert("Team")
        try team.validateForInsert()
        try stack.context.save()
        let person = stack.insert("Person", ["name": "A", "team": team])
        try stack.context.save()
        stack.context.delete(person)
        try stack.context.save()
        #expect(team.value(forKey: "members") as? Set<NSManagedObject> == [])

        let group = stack.insert("Group")
        #expect(error { try stack.context.save() }?.code == 1580, "a minimum counts")
        group.setValue([stack.insert("Person", ["name": "B"])] as Set<NSManagedObject>, forKey: "people")
        try stack.context.save()
    }

    @Test func aNilledMandatoryInverseFailsTheDeletion() throws {
        let stack = try ObjectTestStack.inMemory(
            model: Self.model { $0["Event"]?.relationshipsByName["team"]?.isOptional = false })
        let team = stack.insert("Team")
        let event = stack.insert("Event", ["team": team])
        try stack.context.save()
        stack.context.delete(team)
        let error = try #require(error { try stack.context.save() })
        #expect(error.code == 1570 && error.userInfo[NSValidationObjectErrorKey] as? NSManagedObject === event)
        stack.context.rollback()
        #expect(event.object("team") === team)
    }

    @Test func aReferenceToADeletedObjectIsDangling() throws {
        let stack = try ObjectTestStack.inMemory()
        let mentor = stack.insert("Person", ["name": "Mentor"])
        let person = stack.insert("Person", ["name": "Ann", "mentor": mentor])
        try stack.context.save()
        stack.context.delete(mentor)
        // Nobody changed the one who points at it: the save goes through, and nil is what is read afterwards.
        try stack.context.save()
        stack.context.refresh(person, mergeChanges: false)
        #expect(person.object("mentor").map { $0.value(forKey: "name") == nil } ?? true)

        let second = stack.insert("Person", ["name": "Second"])
        try stack.context.save()
        person.setValue(second, forKey: "mentor")
        stack.context.delete(second)
        let error = try #require(error { try stack.context.save() })
        #expect(error.code == 1550 && error.userInfo[NSValidationKeyErrorKey] as? String == "mentor")
        #expect(error.userInfo[NSValidationValueErrorKey] as? NSManagedObject === second)
    }

    @Test func aClassMayRefuseAndCorrectValues() throws {
        let stack = try ObjectTestStack.inMemory(model: Self.model(ruled: true))
        let person = stack.insert("Person", ["name": "forbidden"])
        let error = try #require(error { try stack.context.save() })
        #expect(error.domain == "Rules" && error.code == 4242)
        person.setValue("  Ann ", forKey: "name")
        try stack.context.save()
        #expect(person.value(forKey: "name") as? String == "Ann")
        #expect(
            try stack.another().existingObject(with: person.objectID).value(forKey: "name") as? String == "Ann")
        // The same letter in one code instead of two is another text.
        person.setValue("ce\u{301}", forKey: "name")
        try stack.context.save()
        #expect((person.value(forKey: "name") as? String)?.unicodeScalars.count == 2)
        person.setValue(nil, forKey: "name")
        #expect(self.error { try stack.context.save() }?.code == 1570, "the model's rules count as well")
    }

    @Test func unchangedObjectsAreNotValidated() throws {
        let person = stack.insert("Person", ["name": "Ann"])
        try context.save()
        person.setPrimitiveValue(nil, forKey: "name")
        stack.insert("Team")
        try context.save()
    }

    @Test func elementsOfACompositeAreChecked() throws {
        let stack = try ObjectTestStack.inMemory(
            model: Self.model { entities in
                let address = entities["Person"]?.attributesByName["address"] as? NSCompositeAttributeDescription
                address?.elements[0].isOptional = false
            })
        let person = stack.insert("Person", ["name": "Ann"])
        let error = try #require(error { try stack.context.save() })
        #expect(error.code == 1570 && error.userInfo[NSValidationKeyErrorKey] as? String == "address.street")
        person.setValue(["street": "Rue"], forKey: "address")
        try stack.context.save()
    }
}
