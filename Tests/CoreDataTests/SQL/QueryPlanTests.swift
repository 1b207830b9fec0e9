import CoreDataSQLite
import Foundation
import TestSupport
import Testing

@testable import CoreData

/// What SQLite says it does (`EXPLAIN QUERY PLAN`), and that many values and many shapes cost no more than they must.
@Suite("Query plans", .enabled(if: SQLiteShell.isUsable))
struct QueryPlanTests {
    let fixture: SQLFixture

    init() throws {
        fixture = try SQLFixture()
        try fixture.insert("Team", [["name": "Red"]])
        try fixture.shell("CREATE INDEX test_name ON ZPERSON (ZNAME)")
        try fixture.shell("CREATE INDEX test_age ON ZPERSON (ZAGE)")
        try fixture.shell("CREATE INDEX test_created ON ZPERSON (ZCREATEDAT)")
        try fixture.shell("CREATE INDEX test_price ON ZPERSON (ZPRICE)")
    }

    private func statement(_ entity: String, _ format: String, _ arguments: [Any]) throws -> FetchCompiler.Statement {
        try FetchCompiler(
            fixture.plan(entity, format, arguments), fixture.store.schema, storeIdentifier: fixture.store.identifier
        ).select("t0.Z_PK")
    }

    private func plan(_ entity: String, _ format: String, _ arguments: Any...) throws -> String {
        let request = try statement(entity, format, arguments)
        return try fixture.store.pool.withWriter { connection in
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
    }

    @Test(
        "equality, ranges, BETWEEN, IN and prefixes search an index",
        arguments: [
            ("name == 'a'", "test_name (ZNAME=?)"), ("'a' == name", "test_name (ZNAME=?)"),
            ("name < 'b'", "test_name (ZNAME<?)"), ("name BEGINSWITH 'a'", "test_name (ZNAME>? AND ZNAME<?)"),
            ("name BEGINSWITH[n] 'a'", "test_name (ZNAME>? AND ZNAME<?)"),
            ("name LIKE 'a*'", "test_name (ZNAME>? AND ZNAME<?)"), ("name IN {'a', 'b'}", "test_name (ZNAME=?)"),
            ("age == 3", "test_age (ZAGE=?)"), ("age >= 3 AND age < 9", "test_age (ZAGE>? AND ZAGE<?)"),
            ("age BETWEEN {3, 9}", "test_age (ZAGE>? AND ZAGE<?)"), ("age > 1.5", "test_age (ZAGE>?)"),
            ("age IN {1, 2, 3}", "test_age (ZAGE=?)"), ("age == nil", "test_age (ZAGE=?)"),
            ("age == 2 + 1", "test_age (ZAGE=?)"), ("createdAt < now()", "test_created (ZCREATEDAT<?)"),
            ("price == 2.5", "test_price (ZPRICE=?)"), ("age == 3 OR name == 'a'", "MULTI-INDEX OR"),
        ])
    func indexes(_ format: String, _ use: String) throws {
        let plan = try plan("Person", format)
        #expect(plan.contains(use), "\(plan)")
    }

    @Test("noindex: and options do without")
    func withoutIndex() throws {
        for format in ["noindex:(name) == 'a'", "name ==[c] 'a'", "name ENDSWITH 'a'"] {
            #expect(try !plan("Person", format).contains("SEARCH t0 USING"), "\(format)")
        }
    }

    @Test("to-one paths search the destination by key; to-many members are found by the owner's key")
    func relationships() throws {
        #expect(try plan("Person", "team.name == 'Red'").contains("SEARCH"))
        let members = try plan("Team", "ANY persons.score == 3")
        #expect(members.contains("CORRELATED") && members.contains("ZTEAM"), "\(members)")
        #expect(try plan("Team", "persons.@count > 1").contains("(ZTEAM=?)"))
        #expect(try plan("Team", "SUBQUERY(persons, $p, $p.age > 1).@count > 1").contains("(ZTEAM=?)"))
        #expect(try plan("Tag", "ANY persons.score == 1").contains("USING INTEGER PRIMARY KEY"))
        #expect(
            try plan("Person", "SELF IN %@", (1...9).map { fixture.id(fixture.key("Person", $0)) }).contains(
                "PRIMARY KEY"))
    }

    @Test("what another request finds is found once, not once a row")
    func fetchIsIndependent() throws {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Team")
        request.predicate = NSPredicate(format: "name == 'Red'")
        let plan = try plan("Person", "team IN FETCH(%@, %@, NO)", request, NSNull())
        #expect(!plan.contains("CORRELATED"), "\(plan)")
    }

    @Test("ten thousand ids, texts and UUIDs in one parameter")
    func manyValues() throws {
        let names = (0..<10_000).map { "n\($0)" }
        let keys = try fixture.insert("Person", names.map { ["name": $0, "uuid": UUID()] })
        let ids = keys.map { fixture.id($0) }
        #expect(try fixture.select("Person", "SELF IN %@", ids).count == 10_000)
        #expect(try fixture.select("Person", "NOT SELF IN %@", ids) == [])
        #expect(try fixture.select("Person", "name IN %@", Array(names.prefix(9_999))).count == 9_999)
        #expect(try fixture.select("Person", "name IN[c] %@", names.map { $0.uppercased() }).count == 10_000)
        #expect(try fixture.select("Team", "ANY persons IN %@", ids) == [])
        #expect(try statement("Person", "SELF IN %@", [ids]).values.count == 1)
    }

    @Test("the text of a statement does not depend on its values")
    func shapes() throws {
        func sql(_ format: String, _ arguments: Any...) throws -> String {
            try statement("Person", format, arguments).sql
        }
        #expect(try sql("age > %d AND name == %@", 1, "a") == sql("age > %d AND name == %@", 2, "b"))
        #expect(try sql("age IN %@", [1, 2]) == sql("age IN %@", Array(1...500)))
        #expect(try sql("age + %d > 3", 1) == sql("age + %d > 3", 7))
        #expect(try sql("name ==[c] %@", "a") == sql("name ==[c] %@", "b"))
    }

    @Test("no value and no name of a predicate becomes SQL")
    func injection() throws {
        let evil = "'); DROP TABLE ZPERSON; --"
        for format in [
            "name == %@", "name BEGINSWITH %@", "name LIKE %@", "name IN {%@, 'x'}", "uppercase:(name) == %@",
            "CAST(name, 'NSString') == %@", "TERNARY(name == %@, 1, 2) == 1", "name CONTAINS[cd] %@",
        ] {
            let request = try statement("Person", format, [evil])
            #expect(!request.sql.contains("DROP"), "\(request.sql)")
        }
        #expect(reason { _ = try statement("Person", "%K == 1", [evil]) } != nil)
        #expect(reason { _ = try statement("Person", "CAST(age, %@) == 1", [evil]) } != nil)
        #expect(try fixture.shell("SELECT count(*) FROM ZPERSON") == "0")
    }
}
