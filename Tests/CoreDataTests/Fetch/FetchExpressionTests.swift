import CoreData
import Foundation
import TestSupport
import Testing

/// `NSFetchRequestExpression` in predicates, for stores and for unsaved objects.
@Suite struct FetchExpressionTests {
    private let stack: OfficeStack
    private let context: NSManagedObjectContext

    init() throws {
        stack = try OfficeStack(.file)
        let writer = stack.makeContext()
        for (name, team) in [("Ann", "Red"), ("Bob", "Blue"), ("Cid", "Red")] {
            let home =
                try writer.all("Team", NSPredicate(format: "name == %@", team)).first
                ?? writer.insert("Team", ["name": team])
            writer.person(name, name.count).setValue(home, forKey: "team")
        }
        try writer.save()
        context = stack.makeContext()
    }

    private func teams(_ name: String) -> NSFetchRequest<NSFetchRequestResult> {
        let request = NSFetchRequest<NSFetchRequestResult>(entityName: "Team")
        request.predicate = NSPredicate(format: "name == %@", name)
        return request
    }

    private func names(_ predicate: NSPredicate) throws -> [String?] {
        try context.all("Person", predicate, sort: "name").map(\.nameValue)
    }

    private func expression(_ request: NSFetchRequest<NSFetchRequestResult>, countOnly: Bool = false) -> NSExpression {
        NSFetchRequestExpression.expression(
            forFetch: NSExpression(forConstantValue: request), context: NSExpression(forConstantValue: context),
            countOnly: countOnly)
    }

    @Test func membersOfAFetch() throws {
        #expect(try names(NSPredicate(format: "team IN %@", expression(teams("Red")))) == ["Ann", "Cid"])
        #expect(
            try names(NSPredicate(format: "NOT (team IN FETCH(%@, %@, NO))", teams("Red"), context)) == ["Bob"])
        #expect(try names(NSPredicate(format: "team IN %@", expression(teams("Green")))) == [])
    }

    @Test func unsavedObjectsAreTriedWithTheSameFetch() throws {
        let red = try #require(try context.all("Team", NSPredicate(format: "name == 'Red'")).first)
        context.person("Dan").setValue(red, forKey: "team")
        #expect(try names(NSPredicate(format: "team IN %@", expression(teams("Red")))) == ["Ann", "Cid", "Dan"])
    }

    @Test func theFetchSeesUnsavedChangesOfItsContext() throws {
        let blue = try #require(try context.all("Team", NSPredicate(format: "name == 'Blue'")).first)
        blue.setValue("Red", forKey: "name")
        #expect(try names(NSPredicate(format: "team IN %@", expression(teams("Red")))) == ["Ann", "Bob", "Cid"])
    }

    @Test func theNumberOfResults() throws {
        #expect(try names(NSPredicate(format: "salary > %@", expression(teams("Red"), countOnly: true))).count == 3)
        #expect(try names(NSPredicate(format: "salary < %@", expression(teams("Red"), countOnly: true))).isEmpty)
    }

    @Test func aDictionaryFetchOfOneColumnGivesItsValues() throws {
        let request = NSFetchRequest<NSFetchRequestResult>(entityName: "Person")
        request.resultType = .dictionaryResultType
        request.propertiesToFetch = ["name"]
        request.predicate = NSPredicate(format: "team.name == 'Red'")
        #expect(try names(NSPredicate(format: "name IN %@", expression(request))) == ["Ann", "Cid"])
    }

    @Test func anotherContextMayBeAsked() throws {
        let other = stack.makeContext()
        let fetch = NSFetchRequestExpression.expression(
            forFetch: NSExpression(forConstantValue: teams("Red")), context: NSExpression(forConstantValue: other),
            countOnly: false)
        #expect(try names(NSPredicate(format: "team IN %@", fetch)) == ["Ann", "Cid"])
    }

    @Test func anErrorOfTheInnerFetchIsTheError() throws {
        let request = teams("Red")
        request.predicate = NSPredicate(format: "colour == 1")
        let error = try #require(throws: NSError.self) {
            _ = try names(NSPredicate(format: "team IN %@", expression(request)))
        }
        #expect(error.localizedFailureReason == "keypath colour not found in entity Team")
    }

    @Test func itIsEvaluatedInMemoryToo() throws {
        let result = expression(teams("Red")).expressionValue(with: nil, context: nil)
        #expect((result as? [Any])?.count == 1)
        #expect(expression(teams("Red"), countOnly: true).expressionValue(with: nil, context: nil) as? Int == 1)
    }
}
