import Foundation
import TestSupport
import Testing

@testable import CoreData

/// What nil does in a store, written down by hand. A = 1, B = 2, N = nil; two records each have the right-hand column b.
@Suite("Nil in predicates of a store", .enabled(if: SQLiteShell.isUsable))
struct PredicateNilTests {
    let fixture: SQLFixture

    /// Keys 1…6: (age, score) = (1, 1) (1, 2) (2, nil) (nil, 1) (nil, nil) (2, 2).
    init() throws {
        fixture = try SQLFixture()
        let values: [[String: Any]] = [
            ["age": 1, "score": 1.0], ["age": 1, "score": 2.0], ["age": 2], ["score": 1.0], [:],
            ["age": 2, "score": 2.0],
        ]
        try fixture.insert("Person", values)
    }

    /// Predicate, records found in the store, records for which it holds in memory.
    static let table: [(String, [Int64], [Int64])] = [
        ("age == nil", [4, 5], [4, 5]),
        ("age != nil", [1, 2, 3, 6], [1, 2, 3, 6]),
        ("nil == age", [4, 5], [4, 5]),
        ("age == 1", [1, 2], [1, 2]),
        // In a store nothing is known of a record without the value, as in SQL.
        ("age != 1", [3, 6], [3, 4, 5, 6]),
        ("NOT age == 1", [3, 6], [3, 4, 5, 6]),
        ("NOT age != 1", [1, 2], [1, 2]),
        ("age < 2", [1, 2], [1, 2]),
        ("NOT age < 2", [3, 6], [3, 4, 5, 6]),
        ("age < nil", [], []),
        ("NOT age < nil", [], [1, 2, 3, 4, 5, 6]),
        ("age == score", [1, 6], [1, 5, 6]),
        ("age != score", [2], [2, 3, 4]),
        ("age >= score", [1, 6], [1, 6]),
        ("age IN {1, nil}", [1, 2], [1, 2, 4, 5]),
        ("NOT age IN {1, nil}", [3, 6], [3, 6]),
        ("age IN {}", [], []),
        ("NOT age IN {}", [1, 2, 3, 4, 5, 6], [1, 2, 3, 4, 5, 6]),
        ("age BETWEEN {1, score}", [1, 2, 6], [1, 2, 6]),
        ("NOT age BETWEEN {2, 3}", [1, 2], [1, 2, 4, 5]),
        ("age + score == 2", [1], [1]),
        ("(age + score) == nil", [3, 4, 5], [3, 4, 5]),
        ("NOT age + score == 2", [2, 6], [2, 3, 4, 5, 6]),
        ("age / 0 == nil", [1, 2, 3, 4, 5, 6], [1, 2, 3, 4, 5, 6]),
        ("TERNARY(age == 1, 5, 6) == 6", [3, 4, 5, 6], [3, 4, 5, 6]),
        ("TERNARY(age != 1, 5, 6) == 6", [1, 2, 4, 5], [1, 2]),
        ("max:({age, score}) == 2", [2, 3, 6], [2, 3, 6]),
        ("sum:({age, score}) == 0", [5], [5]),
        ("age == 1 OR score == 1", [1, 2, 4], [1, 2, 4]),
        ("NOT (age == 1 OR score == 1)", [6], [3, 5, 6]),
        ("NOT (age == 1 AND score == 1)", [2, 3, 6], [2, 3, 4, 5, 6]),
        ("age BEGINSWITH '1'", [1, 2], [1, 2]),
        ("NOT age BEGINSWITH '1'", [3, 6], [3, 4, 5, 6]),
        ("age IN {score, 7}", [1, 6], [1, 5, 6]),
        ("age == (1 / 0)", [], [4, 5]),
        ("1 / 0 != 2", [], [1, 2, 3, 4, 5, 6]),
        ("NOT age BEGINSWITH ''", [], [4, 5]),
    ]

    @Test("each row of the table", arguments: table)
    func truth(_ format: String, _ stored: [Int64], _ inMemory: [Int64]) throws {
        #expect(try fixture.select("Person", format) == stored)
        let values: [[String: Any]] = [
            ["age": 1, "score": 1.0], ["age": 1, "score": 2.0], ["age": 2], ["score": 1.0], [:],
        ]
        let records = values + [["age": 2, "score": 2.0]]
        let predicate = NSPredicate(format: format)
        let holds = records.indices.filter { predicate.evaluate(with: records[$0]) }.map { Int64($0 + 1) }
        #expect(holds == inMemory)
    }

    /// Empty and absent collections.
    @Test(
        "quantifiers and aggregates over nothing, and over members without a value",
        arguments: [
            ("ANY persons.age == 1", [1]), ("ALL persons.age == 1", [2, 3]), ("NONE persons.age == 1", [2, 3]),
            ("ANY persons.age == nil", [1]), ("ALL persons.age != nil", [2, 3]), ("persons.@count == 0", [2, 3]),
            ("persons.age.@count == 1", [1]), ("persons.@sum.age == 0", [2, 3]), ("persons.@max.age == nil", [2, 3]),
            ("persons.@avg.age == 1", [1]), ("SUBQUERY(persons, $p, $p.age != 1).@count == 0", [1, 2, 3]),
        ] as [(String, [Int64])])
    func quantifiers(_ format: String, _ keys: [Int64]) throws {
        let teams = try fixture.insert("Team", [["name": "with"], ["name": "without"], ["name": "empty"]])
        try fixture.insert("Person", [["age": 1, "team": teams[0]], ["team": teams[0]]])
        #expect(try fixture.select("Team", format) == keys)
    }

    @Test("a path through nil is nil, to its end")
    func pathsThroughNil() throws {
        let teams = try fixture.insert("Team", [["name": "Red"]])
        let own = try fixture.insert("Person", [["age": 9, "team": teams[0]]])
        #expect(try fixture.select("Person", "team.persons.@count == 0") == [])
        #expect(try fixture.select("Person", "team.persons.@count == 1") == [own[0].number])
        #expect(try fixture.select("Person", "team.persons.@count == nil") == [1, 2, 3, 4, 5, 6])
        #expect(try fixture.select("Person", "count:(team.persons) == 0") == [1, 2, 3, 4, 5, 6])
        #expect(try fixture.select("Person", "team.name == nil") == [1, 2, 3, 4, 5, 6])
    }
}
