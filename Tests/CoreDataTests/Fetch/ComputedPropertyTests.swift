import CoreData
import Foundation
import TestSupport
import Testing

final class Titled: NSManagedObject {}

/// Properties that only Swift code computes, registered by name.
@Suite struct ComputedPropertyTests {
    private func persons(_ class: NSManagedObject.Type) throws -> (OfficeStack, [NSManagedObject]) {
        let stack = try OfficeStack(personClass: NSStringFromClass(`class`))
        let context = stack.makeContext()
        return (stack, [context.person("Bob", 3), context.person("Ann", 5)])
    }

    @Test func predicatesAndSortDescriptorsInMemoryReadThem() throws {
        Titled.registerComputedProperty("initial") { person in person.nameValue.map { String($0.prefix(1)) } }
        let (stack, persons) = try persons(Titled.self)
        #expect(persons[0].value(forKey: "initial") as? String == "B")
        #expect(persons.filter { NSPredicate(format: "initial == 'A'").evaluate(with: $0) }.map(\.nameValue) == ["Ann"])
        let sorted = (persons as NSArray).sortedArray(using: [NSSortDescriptor(key: "initial", ascending: true)])
        #expect((sorted as? [NSManagedObject])?.map(\.nameValue) == ["Ann", "Bob"])
        withExtendedLifetime(stack) {}
    }

    @Test func nilIsAValue() throws {
        Titled.registerComputedProperty("nothing") { _ in String?.none }
        let (stack, persons) = try persons(Titled.self)
        #expect(persons[0].value(forKey: "nothing") == nil)
        withExtendedLifetime(stack) {}
    }

    @Test func theLatestRegistrationCounts() throws {
        Titled.registerComputedProperty("rank") { _ in 1 }
        Titled.registerComputedProperty("rank") { _ in 2 }
        let (stack, persons) = try persons(Titled.self)
        #expect(persons[0].value(forKey: "rank") as? Int == 2)
        withExtendedLifetime(stack) {}
    }

    @Test func aStoreRefusesThem() throws {
        Titled.registerComputedProperty("initial2") { $0.nameValue }
        let (stack, persons) = try persons(Titled.self)
        let context = try #require(persons[0].managedObjectContext)
        #expect(errorCode { _ = try context.all("Person", NSPredicate(format: "initial2 == 'A'")) } == 134060)
        withExtendedLifetime(stack) {}
    }
}
