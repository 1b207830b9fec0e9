import Foundation
import TestSupport
import Testing

@testable import CoreData

/// Arithmetic, functions, aggregates and subqueries in conditions. Expected keys are computed by hand.
@Suite("Expressions in SQL", .enabled(if: SQLiteShell.isUsable))
struct ExpressionSQLTests {
    let fixture: SQLFixture

    init() throws { fixture = try Self.makeFixture(inMemory: false) }

    static func makeFixture(inMemory: Bool) throws -> SQLFixture {
        let fixture = try SQLFixture(inMemory: inMemory)
        let teams = try fixture.insert("Team", [["name": "Red"], ["name": "Blue"], ["name": "Empty"]])
        let persons = try fixture.insert(
            "Person",
            [
                [
                    "name": "Ann", "age": 7, "score": 2.5, "price": Decimal(string: "0.1")!, "team": teams[0],
                    "createdAt": Date(timeIntervalSinceReferenceDate: 1000),
                ],
                [
                    "name": "Bé", "age": -3, "score": 4.0, "price": Decimal(string: "0.2")!, "team": teams[0],
                    "createdAt": Date(timeIntervalSinceReferenceDate: 90.5),
                ],
                ["name": "STRASSE", "age": 20, "score": -1.5, "team": teams[1]],
                ["price": Decimal(string: "12.5")!, "team": teams[1], "isActive": true],
            ])
        let tags = try fixture.insert("Tag", [["label": "x"], ["label": "y"], ["label": "z"]])
        try fixture.relate("Person", "tags", persons[0], add: [tags[0], tags[1]])
        try fixture.relate("Person", "tags", persons[1], add: [tags[1]])
        return fixture
    }

    @Test("arithmetic: whole numbers stay whole, nil and division by zero match nothing")
    func arithmetic() throws {
        #expect(try fixture.select("Person", "age + 1 == 8") == [1])
        #expect(try fixture.select("Person", "age / 2 == 3") == [1])
        #expect(try fixture.select("Person", "age / 2.0 == 3.5") == [1])
        #expect(try fixture.select("Person", "age * score > 0") == [1])
        #expect(try fixture.select("Person", "age - 10 < 0") == [1, 2])
        #expect(try fixture.select("Person", "age / 0 == 0 OR age / 0 != 0") == [])
        #expect(try fixture.select("Person", "age ** 2 == 49") == [1])
        #expect(try fixture.select("Person", "modulus:by:(age, 2) == 1") == [1])
        #expect(try fixture.select("Person", "modulus:by:(score, 2) == 0.5") == [1])
        #expect(try fixture.select("Person", "(age & 5) == 5") == [1, 2])
        #expect(try fixture.select("Person", "(age ^ 1) == 6") == [1])
        #expect(try fixture.select("Person", "(age << 2) == 28 OR ~age == 2") == [1, 2])
        #expect(try fixture.select("Person", "age + 9223372036854775807 > 9223372036854775807") == [1, 3])
    }

    @Test("decimals calculate exactly, in files and in memory", arguments: [false, true])
    func decimals(_ inMemory: Bool) throws {
        let fixture = try Self.makeFixture(inMemory: inMemory)
        let (small, large) = (Decimal(string: "0.2")!, Decimal(string: "0.3")!)
        #expect(try fixture.select("Person", "price + %@ == %@", small, large) == [1])
        #expect(try fixture.select("Person", "price * 3 == %@", Decimal(string: "0.3")!) == [1])
        #expect(try fixture.select("Team", "persons.@sum.price == %@", Decimal(string: "0.3")!) == [1])
        #expect(try fixture.select("Team", "persons.@avg.price == %@", Decimal(string: "0.15")!) == [1])
        #expect(try fixture.select("Team", "persons.@max.price > 12") == [2])
        #expect(try fixture.select("Team", "persons.@min.price < 1") == [1])
        #expect(try fixture.select("Person", "price == '12.5'") == [4])
        #expect(try fixture.select("Person", "price > age") == [2])
    }

    @Test("dates count in seconds")
    func dates() throws {
        #expect(try fixture.select("Person", "createdAt + 1 == %@", Date(timeIntervalSinceReferenceDate: 1001)) == [1])
        let date = Date(timeIntervalSinceReferenceDate: 993)
        #expect(try fixture.select("Person", "(createdAt - %@) / 2 == 3.5", date) == [1])
        #expect(try fixture.select("Person", "createdAt < now()") == [1, 2])
        #expect(
            try fixture.select("Person", "CAST(age, 'NSDate') == %@", Date(timeIntervalSinceReferenceDate: 7)) == [1])
        #expect(try fixture.select("Person", "CAST(createdAt, 'NSNumber') < 100") == [2])
    }

    @Test("functions of numbers and texts")
    func functions() throws {
        #expect(try fixture.select("Person", "abs:(age) == 3") == [2])
        #expect(try fixture.select("Person", "sqrt:(score) == 2") == [2])
        #expect(try fixture.select("Person", "floor:(score) == -2") == [3])
        #expect(try fixture.select("Person", "ceiling:(score) == -1") == [3])
        #expect(try fixture.select("Person", "trunc:(score) == 2") == [1])
        #expect(try fixture.select("Person", "raise:toPower:(score, 2) == 16") == [2])
        #expect(try fixture.select("Person", "ln:(exp:(score)) > 3.9") == [2])
        #expect(try fixture.select("Person", "length:(name) == 2") == [2])
        #expect(try fixture.select("Person", "uppercase:(name) == 'BÉ'") == [2])
        #expect(try fixture.select("Person", "lowercase:(name) BEGINSWITH 'str'") == [3])
        #expect(try fixture.select("Person", "canonical:(name) == 'be'") == [2])
        #expect(try fixture.select("Person", "noindex:(name) == 'Ann'") == [1])
        #expect(try fixture.select("Person", "CAST(age, 'NSString') CONTAINS '7'") == [1])
        #expect(try fixture.select("Person", "age BEGINSWITH '2'") == [3])
        #expect(try fixture.select("Person", "TERNARY(age > 0, age, 0 - age) == 3") == [2])
        #expect(try fixture.select("Person", "TERNARY(name == nil, 'none', name) == 'none'") == [4])
        #expect(try fixture.select("Person", "max:({age, 5}) == 5") == [2, 4])
        #expect(try fixture.select("Person", "random() < 1").count == 4)
    }

    @Test("aggregates over a to-many")
    func aggregates() throws {
        #expect(try fixture.select("Team", "persons.@sum.age == 4") == [1])
        #expect(try fixture.select("Team", "persons.@sum.age == 0") == [3])
        #expect(try fixture.select("Team", "persons.@avg.age == 2") == [1])
        #expect(try fixture.select("Team", "persons.@max.name == 'Bé'") == [1])
        #expect(
            try fixture.select("Team", "persons.@min.createdAt == %@", Date(timeIntervalSinceReferenceDate: 90.5)) == [
                1
            ])
        #expect(try fixture.select("Team", "persons.age.@count == 1") == [2])
        #expect(try fixture.select("Team", "count:(persons) == 2") == [1, 2])
        #expect(try fixture.select("Team", "persons[SIZE] == 2") == [1, 2])
        #expect(try fixture.select("Team", "sum:(persons.age) + 1 == 21") == [2])
        #expect(try fixture.select("Team", "median:(persons.score) == 3.25") == [1])
        #expect(try fixture.select("Team", "stddev:(persons.score) == 0.75") == [1])
        #expect(try fixture.select("Tag", "persons.team.@count == 2") == [2])
        #expect(try fixture.select("Tag", "ANY persons.@distinctUnionOfObjects.team.name == 'Red'") == [1, 2])
        #expect(try fixture.select("Person", "team.persons.@max.age == 20") == [3, 4])
    }

    @Test("paths over more than one to-many")
    func nested() throws {
        #expect(try fixture.select("Team", "ANY persons.tags.label == 'x'") == [1])
        #expect(try fixture.select("Team", "persons.tags.@count == 3") == [1])
        #expect(try fixture.select("Team", "ALL persons.tags.label IN {'x', 'y'}") == [1, 2, 3])
        #expect(try fixture.select("Tag", "ANY persons.team.persons.name == 'Bé'") == [1, 2])
        let tag = fixture.id(fixture.key("Tag", 1))
        #expect(try fixture.select("Team", "ANY persons.tags CONTAINS %@", tag) == [1])
        #expect(try fixture.select("Team", "%@ IN persons.tags", tag) == [1])
    }

    @Test("members that are written out, constants among them")
    func writtenOut() throws {
        #expect(try fixture.select("Team", "{'Red', name} CONTAINS 'Red'") == [1, 2, 3])
        #expect(try fixture.select("Team", "{'Blue', name} CONTAINS 'Red'") == [1])
        #expect(try fixture.select("Team", "'red' IN[c] {'Blue', name}") == [1])
        #expect(try fixture.select("Team", "ANY {'Red', name} == 'Red'") == [1, 2, 3])
        #expect(try fixture.select("Person", "5 BETWEEN {3, age}") == [1, 3])
    }

    @Test("SUBQUERY, nested and with keys of the row outside")
    func subqueries() throws {
        #expect(try fixture.select("Team", "SUBQUERY(persons, $p, $p.age > 0).@count == 1") == [1, 2])
        #expect(try fixture.select("Team", "SUBQUERY(persons, $p, $p.age > 0 AND $p.name == 'Ann').@count > 0") == [1])
        #expect(
            try fixture.select(
                "Team", "SUBQUERY(persons, $p, SUBQUERY($p.tags, $t, $t.label == 'y').@count > 0).@count == 2")
                == [1])
        #expect(try fixture.select("Person", "SUBQUERY(team.persons, $p, $p.age > age).@count == 1") == [2])
        #expect(try fixture.select("Person", "SUBQUERY(team.persons, $p, $p != SELF).@count == 1").count == 4)
        #expect(try fixture.select("Team", "SUBQUERY(persons, $p, $p.age > 0).@sum.age == 7") == [1])
        #expect(try fixture.select("Team", "ANY SUBQUERY(persons, $p, $p.age > 0).name == 'Ann'") == [1])
        #expect(try fixture.select("Team", "SUBQUERY(persons.tags, $t, $t.label == 'y').@count == 2") == [1])
        #expect(try fixture.select("Tag", "SUBQUERY(persons.team, $t, $t.name == 'Red').@count == 2") == [2])
        #expect(try fixture.select("Team", "SUBQUERY(persons, $p, ANY $p.tags.label == 'x').@count == 1") == [1])
    }

    @Test("FETCH: the records of another request")
    func fetches() throws {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Team")
        request.predicate = NSPredicate(format: "name == 'Red'")
        let none = NSNull()
        #expect(try fixture.select("Person", "team IN FETCH(%@, %@, NO)", request, none) == [1, 2])
        #expect(try fixture.select("Person", "NOT team IN FETCH(%@, %@, NO)", request, none) == [3, 4])
        #expect(try fixture.select("Person", "1 == FETCH(%@, %@, YES)", request, none).count == 4)
        #expect(try fixture.select("Person", "FETCH(%@, %@, NO).@count == 1", request, none).count == 4)
        request.predicate = nil
        request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
        request.fetchLimit = 1
        #expect(try fixture.select("Person", "team IN FETCH(%@, %@, NO)", request, none) == [3, 4])
        request.fetchLimit = 0
        request.resultType = .dictionaryResultType
        request.propertiesToFetch = ["name"]
        #expect(try fixture.select("Team", "name IN FETCH(%@, %@, NO)", request, none) == [1, 2, 3])
        request.propertiesToFetch = ["name", "name"]
        #expect(reason { _ = try fixture.select("Team", "name IN FETCH(%@, %@, NO)", request, none) } != nil)
    }

    @Test("values of different kinds compare as in memory")
    func kinds() throws {
        try fixture.insert("Person", [["name": "7", "age": 7], ["name": "00112233-4455-6677-8899-aabbccddeeff"]])
        #expect(try fixture.select("Person", "name == age") == [5])
        #expect(try fixture.select("Person", "age == name") == [5])
        let uuid = UUID(uuidString: "00112233-4455-6677-8899-AABBCCDDEEFF")!
        #expect(try fixture.select("Person", "name == %@", uuid) == [6])
        #expect(try fixture.select("Person", "name IN %@", [uuid, UUID()]) == [6])
        #expect(try fixture.select("Person", "team != SELF") == [1, 2, 3, 4])
        #expect(try fixture.select("Person", "team == SELF") == [])
        #expect(try fixture.select("Person", "NOT team == SELF") == [1, 2, 3, 4])
        #expect(try fixture.select("Person", "(3 + 4) == name") == [5])
    }

    @Test("what no SQL can express is refused by name")
    func refusals() throws {
        func refusal(_ entity: String, _ format: String, _ arguments: Any...) -> String {
            reason { _ = try fixture.store.count(fixture.plan(entity, format, arguments)) } ?? "no error"
        }
        #expect(refusal("Person", "tags[0] == nil").contains("index"))
        #expect(refusal("Person", "name + 1 == 2").contains("name is no number"))
        #expect(refusal("Person", "uppercase:(age) == '1'").contains("age is no text"))
        #expect(refusal("Person", "unheardOf:(age) == 1").contains("unheardOf:"))
        #expect(refusal("Person", "FUNCTION(name, 'shout') == 'A'").contains("shout"))
        let selector = NSComparisonPredicate(
            leftExpression: NSExpression(forKeyPath: "name"), rightExpression: NSExpression(forConstantValue: "a"),
            customSelector: "hasPrefix:")
        #expect(refusal("Person", "%@ AND age == 1", selector).contains("selector"))
        #expect(refusal("Person", "sum:(age) == 1").contains("sum:(age)"))
        #expect(refusal("Team", "persons.@median.age == 1").contains("@median"))
        #expect(refusal("Team", "persons.@sum.name == 1").contains("no number"))
        #expect(refusal("Team", "persons.@count.x == 1").contains("@count"))
        #expect(refusal("Team", "persons.@distinctUnionOfObjects.name.@count == 1").contains("behind another"))
        #expect(refusal("Person", "age.@count == 1").contains("@count"))
        #expect(refusal("Team", "SUBQUERY(name, $x, $x == 1).@count == 1").contains("SUBQUERY"))
        #expect(refusal("Team", "SUBQUERY(persons, $p, $q.age == 1).@count == 1").contains("$q"))
        #expect(refusal("Team", "SUBQUERY(persons, $p, $p.mood == 'x').@count == 1").contains("transient"))
        #expect(refusal("Person", "TERNARY(age > 1, name, age) == 1").contains("different kinds"))
        #expect(refusal("Person", "createdAt * 2 == 1").contains("date"))
        #expect(refusal("Person", "tint + 1 == 2").contains("tint"))
        #expect(refusal("Person", "photo == %@", Data(count: 200_000)).contains("photo"))
        #expect(refusal("Person", "CAST(blob, 'NSNumber') == 2").contains("NSNumber"))
    }

    @Test("text that would double with each level is an error, not a full memory")
    func doubling() throws {
        // A value that is named twice, for its two bounds.
        var format = "age"
        for _ in 0..<40 { format = "TERNARY(\(format) BETWEEN {0, 1}, 1, 2)" }
        #expect(reason { _ = try fixture.select("Person", format + " == 1") }?.contains("too large") == true)
    }
}
