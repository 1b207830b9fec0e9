import CoreDataSQLite
import Foundation
import TestSupport
import Testing

@Suite struct SQLiteFunctionTests {
    let connection: SQLiteConnection

    init() throws {
        connection = try SQLiteConnection(path: SQLiteConnection.memoryPath)
    }

    @Test func aFunctionGetsItsArgumentsAndGivesAResult() throws {
        try connection.register(function: "describe", argumentCount: -1) { call in
            var parts: [String] = []
            for index in 0..<call.count {
                switch call.type(index) {
                case .integer: parts.append("i\(call.int64(index))")
                case .float: parts.append("f\(call.double(index))")
                case .text: parts.append("t\(call.text(index) ?? "")")
                case .blob: parts.append("b\(call.blobBytes(index)?.count ?? -1)")
                case .null: parts.append("n")
                }
            }
            call.result(parts.joined(separator: ","))
        }
        #expect(try connection.text("SELECT describe(1, 2.5, 'x', x'0102', NULL)") == "i1,f2.5,tx,b2,n")
        #expect(try connection.text("SELECT describe()") == "")
        #expect(try connection.text("SELECT describe(x'')") == "b0")
    }

    @Test func resultsHaveTheirClass() throws {
        try connection.register(function: "give", argumentCount: 1) { call in
            switch call.int64(0) {
            case 0: call.result(Int64.max)
            case 1: call.result(0.5)
            case 2: call.result("")
            case 3: call.result(Data())
            case 4: call.result(Data([7]))
            case 5: call.result(true)
            case 6: call.resultNull()
            case 7: call.result(argument: 0)
            default: break
            }
        }
        let sql =
            "SELECT group_concat(typeof(give(value)) || ':' || quote(give(value)), ' ') FROM json_each('[0,1,2,3,4,5,6,7,8]')"
        #expect(
            try connection.text(sql)
                == "integer:9223372036854775807 real:0.5 text:'' blob:X'' blob:X'07' integer:1 null:NULL integer:7 null:NULL"
        )
    }

    @Test func anErrorInAFunctionFailsTheStatement() throws {
        struct Refused: Error, CustomStringConvertible { let description = "not today" }
        try connection.register(function: "refuse", argumentCount: 0) { _ in throw Refused() }
        let error = try #require(sqliteError { try connection.int64("SELECT refuse()") })
        #expect(error.code == SQLITE_ERROR)
        #expect(error.message == "not today")
    }

    @Test func aFunctionsClosureIsReleasedWithItsConnection() throws {
        final class Token {}
        weak var weakToken: Token?
        do {
            let token = Token()
            weakToken = token
            try connection.register(function: "f", argumentCount: 0) { call in
                withExtendedLifetime(token) { call.result(Int64(1)) }
            }
            try connection.register(collation: "c") { _, _ in withExtendedLifetime(token) { 0 } }
            #expect(try connection.int64("SELECT f()") == 1)
        }
        #expect(weakToken != nil)
        try connection.close()
        #expect(weakToken == nil)
    }

    @Test func aNameThatIsTooLongIsRefused() throws {
        let name = String(repeating: "x", count: 300)
        #expect(
            sqliteError { try connection.register(function: name, argumentCount: 0) { _ in } }?.code == SQLITE_MISUSE)
    }

    @Test func aSchemaReachesOnlyFunctionsThatAllowIt() throws {
        try connection.execute(
            """
            CREATE TABLE t(a); CREATE TABLE log(a);
            CREATE TRIGGER good AFTER INSERT ON t BEGIN SELECT noted(NEW.a); END;
            CREATE TABLE u(a);
            CREATE TRIGGER bad AFTER INSERT ON u BEGIN SELECT secret(NEW.a); END;
            """)
        var seen: [Int64] = []
        try connection.register(function: "noted", argumentCount: 1, traits: .innocuous) { seen.append($0.int64(0)) }
        try connection.register(function: "secret", argumentCount: 1) { seen.append($0.int64(0)) }
        try connection.execute("INSERT INTO t VALUES(5)")
        #expect(seen == [5])
        let error = try #require(sqliteError { try connection.execute("INSERT INTO u VALUES(6)") })
        #expect(error.message == "unsafe use of secret()")
        #expect(seen == [5])
        try connection.execute("SELECT secret(7)")
        #expect(seen == [5, 7])
    }

    @Test func aSpatialIndexIsKeptUpToDateByATrigger() throws {
        try connection.execute(
            """
            CREATE TABLE asset(pk INTEGER PRIMARY KEY, lat, lon);
            CREATE VIRTUAL TABLE place USING rtree(pk, a, b, c, d);
            CREATE TRIGGER asset_insert AFTER INSERT ON asset BEGIN
                INSERT INTO place VALUES(NEW.pk, NEW.lat, NEW.lat, NEW.lon, NEW.lon); END;
            INSERT INTO asset VALUES(1, 2.5, 3.5);
            """)
        #expect(try connection.int64("SELECT pk FROM place WHERE a > 2 AND c > 3") == 1)
    }

    @Test func aCollationOrdersTexts() throws {
        try connection.register(collation: "bylength") { left, right in Int32(left.count - right.count) }
        try connection.execute("CREATE TABLE t(a COLLATE bylength); INSERT INTO t VALUES('ccc'), (''), ('bb'), ('a')")
        #expect(try connection.text("SELECT group_concat(a, '/') FROM (SELECT a FROM t ORDER BY a)") == "/a/bb/ccc")
    }

    // MARK: The log

    @Test func aTraceTellsTextRowsAndTime() throws {
        try connection.execute("CREATE TABLE t(a); INSERT INTO t VALUES(1),(2),(3)")
        var records: [SQLiteTraceRecord] = []
        connection.trace { records.append($0) }
        let statement = try connection.prepare("SELECT a FROM t WHERE a > ?")
        try statement.bind(Int64(1), at: 1)
        try statement.forEachRow { _ in usleep(2000) }
        #expect(records.count == 1)
        #expect(records.first?.sql == "SELECT a FROM t WHERE a > ?")
        #expect(records.first?.expandedSQL == nil)
        #expect(records.first?.rows == 2)
        #expect((records.first?.seconds ?? 0) >= 0.003)

        connection.trace(expandingValues: true) { records.append($0) }
        try statement.forEachRow { _ in }
        #expect(records.last?.expandedSQL == "SELECT a FROM t WHERE a > 1")

        connection.trace(nil)
        try statement.forEachRow { _ in }
        #expect(records.count == 2)
    }

    @Test func aTraceCountsNestedStatementsEachForItself() throws {
        try connection.execute("CREATE TABLE t(a); INSERT INTO t VALUES(1),(2)")
        var rows: [String: Int] = [:]
        connection.trace { rows[$0.sql, default: 0] += $0.rows }
        let outer = try connection.prepare("SELECT a FROM t")
        try outer.forEachRow { _ in try connection.withCached("VALUES(1),(2),(3)") { try $0.forEachRow { _ in } } }
        #expect(rows == ["SELECT a FROM t": 2, "VALUES(1),(2),(3)": 6])
    }

    @Test func aTriggerIsPartOfTheStatementThatFiredIt() throws {
        try connection.execute(
            "CREATE TABLE t(a); CREATE TABLE u(a); CREATE TRIGGER x AFTER INSERT ON t BEGIN INSERT INTO u VALUES(1); END"
        )
        var texts: [String] = []
        connection.trace { texts.append($0.sql) }
        try connection.execute("INSERT INTO t VALUES(1)")
        #expect(texts == ["INSERT INTO t VALUES(1)"])
    }
}
