import CoreData
import Foundation
import Testing

/// A class with a rule for `name`, as generated code registers it.
private class Ruled: NSManagedObject {
    func validateName(_ value: inout Any?) throws {
        guard let name = value as? String else { return }
        if name == "bad" { throw CocoaError(.validationStringPatternMatching) }
        value = name.capitalized
    }

    func validateAge(_ value: AutoreleasingUnsafeMutablePointer<AnyObject?>) throws {
        if let age = value.pointee as? Int, age > 150 { value.pointee = 150 as AnyObject }
    }

    static let registration: Void = {
        _registerRule("Name") { try unsafeDowncast($0, to: Ruled.self).validateName(&$1) }
        _registerRule("Age") { object, value in
            try _withPointer(to: &value) { try unsafeDowncast(object, to: Ruled.self).validateAge($0) }
        }
    }()
}

private final class RuledMore: Ruled {
    override func validateName(_ value: inout Any?) throws {
        try super.validateName(&value)
        value = (value as? String).map { $0 + "!" }
    }
}

@Suite struct ValueRuleTests {
    let model = ObjectTestModel.make { _ in }

    private func person() throws -> Ruled {
        _ = Ruled.registration
        model.freeze()
        return Ruled(entity: try #require(model.entitiesByName["Person"]), insertInto: nil)
    }

    @Test func theMethodOfTheNameMayChangeTheValue() throws {
        var value: Any? = "ann"
        try person().validateValue(&value, forKey: "name")
        #expect(value as? String == "Ann")
    }

    @Test func theMethodOfTheNameMayThrow() throws {
        var value: Any? = "bad"
        let person = try person()
        #expect(throws: CocoaError.self) { try person.validateValue(&value, forKey: "name") }
    }

    @Test func applesFormWorksToo() throws {
        var value: Any? = 200
        try person().validateValue(&value, forKey: "age")
        #expect(value as? Int == 150)
        value = 20
        try person().validateValue(&value, forKey: "age")
        #expect(value as? Int == 20)
    }

    @Test func aSubclassMethodCounts() throws {
        _ = Ruled.registration
        model.freeze()
        let person = RuledMore(entity: try #require(model.entitiesByName["Person"]), insertInto: nil)
        var value: Any? = "ann"
        try person.validateValue(&value, forKey: "name")
        #expect(value as? String == "Ann!")
    }

    @Test func savingAsksTheRules() throws {
        let person = try person()
        person.setValue("ann", forKey: "name")
        try? person.validateForInsert()
        #expect(person.value(forKey: "name") as? String == "Ann")
    }
}
