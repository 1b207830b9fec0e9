import Foundation
import TestSupport
import Testing

@testable import CoreData

@Suite("Predicates in SQL", .enabled(if: SQLiteShell.isUsable))
struct PredicateSQLTests {
    let fixture: SQLFixture

    /// Five persons, the first an employee; two teams.
    init() throws {
        fixture = try SQLFixture()
        let teams = try fixture.insert("Team", [["name": "Red"], ["name": "Blue"]])
        try fixture.insert(
            "Employee", [["name": "Anna", "age": 30, "salary": 100, "team": teams[0], "isActive": true]])
        try fixture.insert(
            "Person",
            [
                ["name": "bob", "age": 20, "score": 1.5, "team": teams[0], "isActive": false],
                ["name": "Café", "age": 40, "price": Decimal(string: "12.5")!, "site": "https://a.org/"],
                ["age": 50, "uuid": Self.uuid, "createdAt": Date(timeIntervalSinceReferenceDate: 1000.25)],
                ["name": "Zoë%_*?\\", "team": teams[1]],
            ])
    }

    static let uuid = UUID(uuidString: "00112233-4455-6677-8899-AABBCCDDEEFF")!

    @Test("a regular expression that is given up fails the request; it does not leave out rows")
    func costlyExpression() throws {
        try fixture.insert("Person", [["name": String(repeating: "a", count: 60)]])
        for format in [
            "name MATCHES '(a+)+b'", "NOT name MATCHES '(a+)+b'", "name MATCHES TERNARY(age == 1, name, '(a+)+b')",
        ] {
            #expect(reason { _ = try fixture.select("Person", format) }?.contains("too many steps") == true)
        }
    }

    @Test("comparisons leave out rows without a value")
    func comparisons() throws {
        #expect(try fixture.select("Person", "age == 20") == [2])
        #expect(try fixture.select("Person", "age != 20") == [1, 3, 4])
        #expect(try fixture.select("Person", "age < 40") == [1, 2])
        #expect(try fixture.select("Person", "age <= 40") == [1, 2, 3])
        #expect(try fixture.select("Person", "age > 40") == [4])
        #expect(try fixture.select("Person", "age >= 40") == [3, 4])
        #expect(try fixture.select("Person", "NOT age == 20") == [1, 3, 4])
        #expect(try fixture.select("Person", "40 < age") == [4])
        #expect(try fixture.select("Person", "age > 39.5") == [3, 4])
        #expect(try fixture.select("Person", "name != 'bob'") == [1, 3, 5])
    }

    @Test("nil is IS NULL")
    func null() throws {
        #expect(try fixture.select("Person", "name == nil") == [4])
        #expect(try fixture.select("Person", "name != nil") == [1, 2, 3, 5])
        #expect(try fixture.select("Person", "team == nil") == [3, 4])
        #expect(try fixture.select("Person", "nil == team") == [3, 4])
        #expect(try fixture.select("Person", "age < nil") == [])
        #expect(try fixture.select("Person", "NOT age < nil") == [])
    }

    @Test("constants are turned into the attribute's type")
    func coercion() throws {
        #expect(try fixture.select("Person", "age == '20'") == [2])
        #expect(try fixture.select("Person", "isActive == YES") == [1])
        #expect(try fixture.select("Person", "isActive == %@", false) == [2])
        #expect(try fixture.select("Person", "isActive == 'true'") == [1])
        #expect(try fixture.select("Person", "score == 1.5") == [2])
        #expect(try fixture.select("Person", "price == %@", Decimal(string: "12.5")!) == [3])
        #expect(try fixture.select("Person", "price == 12.5") == [3])
        #expect(try fixture.select("Person", "uuid == %@", Self.uuid) == [4])
        #expect(try fixture.select("Person", "uuid == %@", Self.uuid.uuidString) == [4])
        #expect(try fixture.select("Person", "uuid == 'none'") == [])
        #expect(try fixture.select("Person", "uuid != 'none'") == [4])
        #expect(try fixture.select("Person", "NOT uuid == 'none'") == [4])
        let date = Date(timeIntervalSinceReferenceDate: 1000.25)
        #expect(try fixture.select("Person", "createdAt == %@", date) == [4])
        #expect(try fixture.select("Person", "createdAt > %@", date.addingTimeInterval(-0.25)) == [4])
        #expect(try fixture.select("Person", "createdAt >= 1000") == [4])
        #expect(try fixture.select("Person", "site == %@", URL(string: "https://a.org/")!) == [3])
        #expect(try fixture.select("Person", "site BEGINSWITH 'https'") == [3])
    }

    @Test("AND, OR, NOT and constants combine")
    func compounds() throws {
        #expect(try fixture.select("Person", "age > 20 AND age < 50") == [1, 3])
        #expect(try fixture.select("Person", "age == 20 OR age == 50") == [2, 4])
        #expect(try fixture.select("Person", "NOT (age == 20 OR age == 50)") == [1, 3])
        #expect(try fixture.select("Person", "TRUEPREDICATE").count == 5)
        #expect(try fixture.select("Person", "FALSEPREDICATE") == [])
        #expect(try fixture.select("Person", "1 == 1 AND age == 20") == [2])
        let empty = NSCompoundPredicate(orPredicateWithSubpredicates: [])
        var plan = fixture.plan("Person")
        plan.predicate = empty
        #expect(try fixture.store.count(plan) == 0)
    }

    @Test("a compound of thousands of parts is no deeper than SQLite allows")
    func wide() throws {
        let parts = (0..<5000).map { NSPredicate(format: "age == %d", $0) }
        var plan = fixture.plan("Person")
        plan.predicate = NSCompoundPredicate(orPredicateWithSubpredicates: parts)
        #expect(try fixture.store.count(plan) == 4)
        plan.predicate = NSCompoundPredicate(
            andPredicateWithSubpredicates: (1000..<6000).map { NSPredicate(format: "age != %d", $0) })
        #expect(try fixture.store.count(plan) == 4)
    }

    @Test("a predicate nested too deep is an error, not a crash")
    func deep() throws {
        var predicate = NSPredicate(format: "age == 1")
        for _ in 0..<1000 { predicate = NSCompoundPredicate(notPredicateWithSubpredicate: predicate) }
        var plan = fixture.plan("Person")
        plan.predicate = predicate
        #expect(reason { _ = try fixture.store.count(plan) }?.contains("nested") == true)
    }

    @Test("IN takes collections of any size and kind")
    func membership() throws {
        #expect(try fixture.select("Person", "age IN {20, 40, 99}") == [2, 3])
        #expect(try fixture.select("Person", "NOT age IN {20, 40}") == [1, 4])
        #expect(try fixture.select("Person", "age IN %@", [20]) == [2])
        #expect(try fixture.select("Person", "age IN %@", [Int]()) == [])
        #expect(try fixture.select("Person", "age IN %@", Set([50, 30])) == [1, 4])
        #expect(try fixture.select("Person", "name IN %@", ["bob", "Anna"]) == [1, 2])
        #expect(try fixture.select("Person", "uuid IN %@", [Self.uuid, UUID()]) == [4])
        #expect(try fixture.select("Person", "score IN %@", [1.5, 0.1 + 0.2]) == [2])
        #expect(try fixture.select("Person", "age IN %@", Array(0..<100_000)).count == 4)
        #expect(try fixture.select("Person", "%@ CONTAINS age", [20, 50]) == [2, 4])
        #expect(try fixture.select("Person", "NOT age IN %@", [[20, NSNull()] as [Any]] as [Any]) == [1, 3, 4])
        #expect(try fixture.select("Person", "name IN[c] %@", ["BOB", "x"]) == [2])
    }

    @Test("texts in a list of numbers match by their digits")
    func textsInNumbers() throws {
        try fixture.insert("Coupon", [["code": "9"], ["code": "10"], ["code": "90"]])
        #expect(try fixture.select("Coupon", "code IN %@", [9, 10, 11]) == [1, 2])
        #expect(try fixture.select("Coupon", "code == 90") == [3])
    }

    @Test("a double in a list is compared with all its bits")
    func exactDoubles() throws {
        let values = [
            0.1 + 0.2, 1.0 / 3.0, Double.leastNonzeroMagnitude, 1.7976931348623157e308, -0.1, 123456789.12345679,
        ]
        let keys = try fixture.insert("Person", values.map { ["score": $0] })
        #expect(try fixture.select("Person", "score IN %@", values) == keys.map(\.number))
        for (key, value) in zip(keys, values) {
            #expect(try fixture.select("Person", "score == %@", value) == [key.number])
        }
    }

    @Test("BETWEEN includes both ends")
    func between() throws {
        #expect(try fixture.select("Person", "age BETWEEN {20, 40}") == [1, 2, 3])
        #expect(try fixture.select("Person", "age BETWEEN %@", [41, 50]) == [4])
        #expect(reason { _ = try fixture.select("Person", "age BETWEEN {1, 2, 3}") }?.contains("two values") == true)
    }

    @Test("text operators compare code by code unless told otherwise")
    func texts() throws {
        #expect(try fixture.select("Person", "name BEGINSWITH 'b'") == [2])
        #expect(try fixture.select("Person", "name BEGINSWITH 'B'") == [])
        #expect(try fixture.select("Person", "name BEGINSWITH[c] 'B'") == [2])
        #expect(try fixture.select("Person", "name BEGINSWITH ''") == [1, 2, 3, 5])
        #expect(try fixture.select("Person", "name ENDSWITH 'é'") == [3])
        #expect(try fixture.select("Person", "name ENDSWITH 'e'") == [])
        #expect(try fixture.select("Person", "name ENDSWITH[d] 'e'") == [3])
        #expect(try fixture.select("Person", "name CONTAINS 'nn'") == [1])
        #expect(try fixture.select("Person", "name CONTAINS[c] 'NN'") == [1])
        #expect(try fixture.select("Person", "name CONTAINS[cd] 'CAFE'") == [3])
        #expect(try fixture.select("Person", "name CONTAINS[c] 'CAFE'") == [])
        #expect(try fixture.select("Person", "name CONTAINS '%_'") == [5])
        #expect(try fixture.select("Person", "name LIKE 'b*'") == [2])
        #expect(try fixture.select("Person", "name LIKE 'b?b'") == [2])
        #expect(try fixture.select("Person", "name LIKE 'bob'") == [2])
        #expect(try fixture.select("Person", "name LIKE[c] '*NN*'") == [1])
        #expect(try fixture.select("Person", "name LIKE %@", "Zo?%_\\*\\?\\\\") == [5])
        #expect(try fixture.select("Person", "name MATCHES '[Bb]o.*'") == [2])
        #expect(try fixture.select("Person", "name MATCHES 'o'") == [])
        #expect(try fixture.select("Person", "name ==[c] 'BOB'") == [2])
        #expect(try fixture.select("Person", "name ==[cd] 'cafe'") == [3])
        #expect(try fixture.select("Person", "name ==[cn] 'BOB'") == [])
        #expect(try fixture.select("Person", "name ==[cn] 'bob'") == [2])
        #expect(try fixture.select("Person", "name IN[cn] {'bob', 'Cafe\u{301}'}") == [2])
        #expect(try fixture.select("Person", "name !=[c] 'BOB'") == [1, 3, 5])
        #expect(try fixture.select("Person", "name <[c] 'B'") == [1])
        #expect(try fixture.select("Person", "name IN 'xbobx Anna'") == [1, 2])
        #expect(try fixture.select("Person", "NOT name CONTAINS 'nn'") == [2, 3, 5])
    }

    @Test("texts beyond ASCII: ß, dotless i, combining marks, emoji, empty and very long texts")
    func unicode() throws {
        let names = ["STRASSE", "straße", "e\u{301}", "👩‍👩‍👧", "", String(repeating: "ä", count: 5000), "ı", "I"]
        let keys = try fixture.insert("Person", names.map { ["name": $0] }).map(\.number)
        for name in names {
            for format in [
                "name == %@", "name BEGINSWITH %@", "name ENDSWITH %@", "name CONTAINS %@", "name ==[c] %@",
                "name BEGINSWITH[cd] %@", "name CONTAINS[cd] %@", "name ENDSWITH[c] %@", "name <[c] %@", "name > %@",
            ] {
                let predicate = NSPredicate(format: format, argumentArray: [name])
                let expected = zip(keys, names).filter { predicate.evaluate(with: ["name": $0.1]) }.map(\.0)
                let found = try fixture.select("Person", format, name).filter(keys.contains)
                #expect(found == expected, "\(format) \(name)")
            }
        }
    }

    @Test("the end of a prefix's range is the next text behind it")
    func prefixRange() {
        #expect(PredicateCompiler.end(ofPrefix: "ab") == "ac")
        #expect(PredicateCompiler.end(ofPrefix: "a\u{10FFFF}") == "b")
        #expect(PredicateCompiler.end(ofPrefix: "\u{10FFFF}") == nil)
        #expect(PredicateCompiler.end(ofPrefix: "a\u{D7FF}") == "a\u{E000}")
        #expect(PredicateCompiler.end(ofPrefix: "z\u{7F}") == "z\u{80}")
    }

    @Test("dotted keys go over to-one relationships, nil on the way included")
    func keyPaths() throws {
        #expect(try fixture.select("Person", "team.name == 'Red'") == [1, 2])
        #expect(try fixture.select("Person", "team.name != 'Red'") == [5])
        #expect(try fixture.select("Person", "team.name == nil") == [3, 4])
        #expect(try fixture.select("Person", "team.name == 'Red' AND age == 20") == [2])
        #expect(try fixture.select("Person", "team.name == 'Red' OR age == 50") == [1, 2, 4])
        #expect(try fixture.select("Person", "SELF.team.name BEGINSWITH 'B'") == [5])
        #expect(try fixture.select("Person", "team.name == name") == [])
    }

    @Test("two attributes of a row are compared with each other")
    func columns() throws {
        try fixture.insert("Person", [["name": "7", "age": 7, "score": 7.0]])
        #expect(try fixture.select("Person", "age == score") == [6])
        #expect(try fixture.select("Person", "age > score") == [2])
        #expect(try fixture.select("Person", "name ==[c] team.name") == [])
    }

    @Test("records are named by object ids, also of superentities")
    func identity() throws {
        let red = fixture.id(fixture.key("Team", 1))
        #expect(try fixture.select("Person", "team == %@", red) == [1, 2])
        #expect(try fixture.select("Person", "team != %@", red) == [5])
        #expect(try fixture.select("Person", "team IN %@", [red]) == [1, 2])
        #expect(try fixture.select("Person", "team.objectID == %@", red) == [1, 2])
        let person = fixture.id(fixture.key("Person", 1))
        #expect(try fixture.select("Person", "SELF == %@", person) == [1])
        #expect(try fixture.select("Person", "self == %@", fixture.id(fixture.key("Employee", 1))) == [1])
        #expect(try fixture.select("Person", "objectID == %@", person) == [1])
        #expect(try fixture.select("Person", "SELF IN %@", [person, fixture.id(fixture.key("Person", 4))]) == [1, 4])
        #expect(try fixture.select("Person", "NOT (SELF IN %@)", [person]) == [2, 3, 4, 5])
        let many = (1...70_000).map { fixture.id(fixture.key("Person", $0)) }
        #expect(try fixture.select("Person", "SELF IN %@", many).count == 5)
        // Same number, other table, other store, unsaved: no match.
        #expect(try fixture.select("Person", "SELF == %@", red) == [])
        #expect(try fixture.select("Person", "SELF == %@", fixture.id(person.key, store: "other")) == [])
        let unsaved = ObjectKey(number: 1, entity: person.key.entity, isTemporary: true)
        #expect(try fixture.select("Person", "SELF == %@", fixture.id(unsaved)) == [])
        #expect(try fixture.select("Person", "team.persons CONTAINS %@", person) == [1, 2])
    }

    @Test("the entity itself can be compared")
    func entities() throws {
        #expect(try fixture.select("Person", "entity == %@", fixture.entity("Employee")) == [1])
        #expect(try fixture.select("Person", "entity IN %@", [fixture.entity("Person")]) == [2, 3, 4, 5])
    }

    @Test("so can its name, by which rows are sorted and shown too")
    func entityNames() throws {
        #expect(try fixture.select("Person", "entity.name == 'Employee'") == [1])
        #expect(try fixture.select("Person", "SELF.entity.name BEGINSWITH[c] 'p'") == [2, 3, 4, 5])
        #expect(try fixture.select("Person", "entity.name == 'Team'") == [])
        let sort = [NSSortDescriptor(key: "entity.name", ascending: false)]
        #expect(
            try fixture.store.fetchKeys(fixture.plan("Person", sort: sort)).map(\.number) == [2, 3, 4, 5, 1])
        let rows = try fixture.dictionaries(
            fixture.plan("Person", sort: sort), DictionaryPlan([.init("kind", .keyPath("entity.name"))]))
        #expect(rows.map { $0["kind"] as? String } == ["Person", "Person", "Person", "Person", "Employee"])
    }

    @Test("a composite's elements have their own columns")
    func composites() throws {
        try fixture.insert("Place", [["name": "a", "position.lat": 1.0, "position.lon": 2.0], ["name": "b"]])
        #expect(try fixture.select("Place", "position.lat == 1") == [1])
        #expect(try fixture.select("Place", "position.lon == nil") == [2])
        #expect(reason { _ = try fixture.select("Place", "position == nil") }?.contains("composite") == true)
    }

    @Test("values are bound, names with quotes are quoted")
    func injection() throws {
        #expect(try fixture.select("Person", "name == %@", "x' OR '1'='1") == [])
        #expect(try fixture.select("Person", "name == %@", "\u{0}") == [])
        #expect(try fixture.shell("SELECT count(*) FROM ZPERSON") == "5")
    }

    @Test("a prefix and an equal text use the index on the column")
    func index() throws {
        try fixture.shell("CREATE INDEX test_name ON ZPERSON (ZNAME)")
        for format in ["name BEGINSWITH 'a'", "name == 'a'", "name LIKE 'a*'", "name IN {'a', 'b'}"] {
            let compiler = try FetchCompiler(
                fixture.plan("Person", format), fixture.store.schema, storeIdentifier: fixture.store.identifier)
            let request = try compiler.select("t0.Z_PK")
            let plan = try fixture.store.pool.withWriter { connection in
                // EXPLAIN by itself does not notice that the schema has changed.
                _ = try connection.int64("SELECT count(*) FROM ZPERSON")
                return try connection.run(
                    FetchCompiler.Statement(sql: "EXPLAIN QUERY PLAN " + request.sql, values: request.values)
                ) { statement in
                    var lines: [String] = []
                    try statement.forEachRow { lines.append($0.text(3) ?? "") }
                    return lines.joined(separator: "\n")
                }
            }
            #expect(
                plan.contains("USING COVERING INDEX test_name") || plan.contains("USING INDEX test_name"),
                "\(format): \(plan)")
        }
    }
}
