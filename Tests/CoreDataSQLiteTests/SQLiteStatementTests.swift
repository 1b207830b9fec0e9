import CoreDataSQLite
import Foundation
import TestSupport
import Testing

@Suite(.enabled(if: SQLiteShell.isUsable)) struct SQLiteStatementTests {
    let folder: TemporaryDirectory
    let connection: SQLiteConnection

    init() throws {
        folder = try TemporaryDirectory()
        connection = try SQLiteConnection(path: folder.path("a.sqlite"))
    }

    @Test func valuesOfEveryClassComeBackAsTheyWereBound() throws {
        try connection.execute("CREATE TABLE t(a, b, c, d, e, f, g)")
        let insert = try connection.prepare("INSERT INTO t VALUES(?, ?, ?, ?, ?, ?, ?)")
        #expect(insert.parameterCount == 7)
        #expect(!insert.isReadOnly)
        try insert.bind(Int64.min, at: 1)
        try insert.bind(1.5, at: 2)
        try insert.bind("na\u{EF}ve \u{1F600} with\u{0}NUL", at: 3)
        try insert.bind(Data([0, 1, 255]), at: 4)
        try insert.bindNull(at: 5)
        try insert.bind("", at: 6)
        try insert.bind(Data(), at: 7)
        try insert.run()

        let select = try connection.prepare("SELECT * FROM t")
        #expect(try select.step())
        #expect(select.columnCount == 7)
        #expect(select.name(2) == "c")
        #expect(select.int64(0) == Int64.min)
        #expect(select.double(1) == 1.5)
        #expect(select.text(2) == "na\u{EF}ve \u{1F600} with\u{0}NUL")
        #expect(select.blob(3) == Data([0, 1, 255]))
        #expect(select.isNull(4))
        #expect(select.text(4) == nil)
        #expect(select.blob(4) == nil)
        #expect(select.type(5) == .text)
        #expect(select.text(5) == "")
        #expect(select.type(6) == .blob)
        #expect(select.blob(6) == Data())
        #expect(try !select.step())
        let shell = try sqlite3(
            connection.path, "SELECT typeof(a),b,hex(c),hex(d),typeof(e),typeof(f),typeof(g) FROM t")
        #expect(shell == "integer|1.5|6E61C3AF766520F09F98802077697468004E554C|0001FF|null|text|blob")
    }

    @Test func optionalValuesBindNullWhenThereIsNone() throws {
        let statement = try connection.prepare("SELECT typeof(?) || typeof(?) || typeof(?) || typeof(?)")
        try statement.bind(Int64?.none, at: 1)
        try statement.bind(Double?.some(2), at: 2)
        try statement.bind(String?.none, at: 3)
        try statement.bind(Data?.some(Data([1])), at: 4)
        #expect(try statement.step())
        #expect(statement.text(0) == "nullrealnullblob")
    }

    @Test func bytesBoundWithoutACopyAreReadWhenTheStatementRuns() throws {
        let statement = try connection.prepare("SELECT ?, hex(?), typeof(?), typeof(?)")
        var bytes = Array("text".utf8)
        try bytes.withUnsafeMutableBytes { buffer in
            try statement.bindText(uncopied: UnsafeRawBufferPointer(buffer), at: 1)
            try statement.bindBlob(uncopied: UnsafeRawBufferPointer(buffer), at: 2)
            try statement.bindText(uncopied: UnsafeRawBufferPointer(start: nil, count: 0), at: 3)
            try statement.bindBlob(uncopied: UnsafeRawBufferPointer(start: nil, count: 0), at: 4)
            buffer[0] = UInt8(ascii: "n")
            #expect(try statement.step())
            #expect(statement.text(0) == "next")
            #expect(statement.text(1) == "6E657874")
            #expect(statement.text(2) == "text")
            #expect(statement.text(3) == "blob")
        }
        statement.reset()
        statement.clearBindings()
    }

    @Test func notANumberIsStoredAsNull() throws {
        let statement = try connection.prepare("SELECT ?, ?")
        try statement.bind(Double.nan, at: 1)
        try statement.bind(Double.infinity, at: 2)
        #expect(try statement.step())
        #expect(statement.isNull(0))
        #expect(statement.double(1) == .infinity)
    }

    @Test func invalidTextIsRepaired() throws {
        let statement = try connection.prepare("SELECT CAST(x'41FF42' AS TEXT)")
        #expect(try statement.step())
        #expect(statement.text(0) == "A\u{FFFD}B")
        #expect(statement.textBytes(0).map { Array($0) } == [0x41, 0xFF, 0x42])
    }

    @Test(arguments: ["", "  ;\n", "-- nothing", "SELECT 1; SELECT 2", "SELECT 1\u{0}; DROP TABLE t"])
    func exactlyOneStatementIsPrepared(sql: String) throws {
        let error = try #require(sqliteError { try connection.prepare(sql) })
        #expect(error.code == SQLITE_MISUSE)
    }

    @Test func blanksAndASemicolonMayFollow() throws {
        #expect(try connection.int64("SELECT 3 ;\n ") == 3)
    }

    @Test func anErrorNamesStatementCodeAndFile() throws {
        let error = try #require(sqliteError { try connection.prepare("SELECT * FROM missing") })
        #expect(error.code == SQLITE_ERROR)
        #expect(error.message == "no such table: missing")
        #expect(error.sql == "SELECT * FROM missing")
        #expect(error.path == connection.path)
        #expect("\(error)".contains("no such table: missing"))
    }

    @Test func aConstraintFailureKeepsTheExtendedCodeAndTheStatementUsable() throws {
        try connection.execute("CREATE TABLE t(a UNIQUE NOT NULL); INSERT INTO t VALUES(1)")
        let insert = try connection.prepare("INSERT INTO t VALUES(?)")
        try insert.bind(Int64(1), at: 1)
        let error = try #require(sqliteError { try insert.run() })
        #expect(error.code == SQLITE_CONSTRAINT)
        #expect(error.extendedCode == SQLITE_CONSTRAINT | (8 << 8))
        #expect(error.message == "UNIQUE constraint failed: t.a")
        #expect(error.sql == "INSERT INTO t VALUES(?)")
        try insert.bind(Int64(2), at: 1)
        try insert.run()
        #expect(try connection.int64("SELECT count(*) FROM t") == 2)
    }

    @Test func aParameterThatDoesNotExistIsAnError() throws {
        let statement = try connection.prepare("SELECT ?")
        #expect(sqliteError { try statement.bind(Int64(1), at: 2) }?.code == SQLITE_RANGE)
        #expect(sqliteError { try statement.bind("x", at: 0) }?.code == SQLITE_RANGE)
    }

    @Test func rowsAreVisitedInOrderAndTheStatementIsReset() throws {
        let statement = try connection.prepare("VALUES(1),(2),(3)")
        var seen: [Int64] = []
        try statement.forEachRow { seen.append($0.int64(0)) }
        #expect(seen == [1, 2, 3])
        #expect(!statement.isRunning)
        struct Stop: Error {}
        #expect(throws: Stop.self) { try statement.forEachRow { _ in throw Stop() } }
        #expect(!statement.isRunning)
    }

    // MARK: The cache

    @Test func theSameTextGivesTheSameStatement() throws {
        let first = ObjectIdentifier(try connection.cached("SELECT 1"))
        let again = ObjectIdentifier(try connection.cached("SELECT 1"))
        #expect(first == again)
        #expect(connection.cachedStatementCount == 1)
    }

    @Test func aStatementInUseIsNotHandedOutTwice() throws {
        let outer = try connection.cached("VALUES(1),(2)")
        #expect(try outer.step())
        let inner = try connection.cached("VALUES(1),(2)")
        #expect(outer !== inner)
        #expect(try inner.step())
        #expect(try outer.step())
        #expect(outer.int64(0) == 2)
        #expect(inner.int64(0) == 1)
        #expect(connection.cachedStatementCount == 1)
    }

    @Test func aCachedStatementComesBackResetAndUnbound() throws {
        do {
            let statement = try connection.cached("SELECT ?")
            try statement.bind("before", at: 1)
            #expect(try statement.step())
        }
        let statement = try connection.cached("SELECT ?")
        #expect(!statement.isRunning)
        #expect(try statement.step())
        #expect(statement.isNull(0))
    }

    @Test func theCacheIsBoundedAndKeepsTheLatestUsed() throws {
        connection.statementCacheCapacity = 3
        for number in 1...3 { _ = try connection.int64("SELECT \(number)") }
        let one = ObjectIdentifier(try connection.cached("SELECT 1"))
        for number in 4...5 { _ = try connection.int64("SELECT \(number)") }
        #expect(connection.cachedStatementCount == 3)
        #expect(ObjectIdentifier(try connection.cached("SELECT 1")) == one)
        connection.statementCacheCapacity = 1
        #expect(connection.cachedStatementCount == 1)
        #expect(ObjectIdentifier(try connection.cached("SELECT 1")) == one)
        connection.statementCacheCapacity = 0
        #expect(try connection.int64("SELECT 9") == 9)
        #expect(connection.cachedStatementCount == 0)
    }

    @Test func sqliteSeesNoMoreStatementsThanTheCacheHolds() throws {
        connection.statementCacheCapacity = 10
        for number in 1...100 { _ = try connection.int64("SELECT \(number)") }
        var count = 0
        var next = sqlite3_next_stmt(connection.handle, nil)
        while next != nil {
            count += 1
            next = sqlite3_next_stmt(connection.handle, next)
        }
        #expect(count == 10)
    }

    @Test func aCachedStatementFollowsAChangeOfSchema() throws {
        try connection.execute("CREATE TABLE t(a); INSERT INTO t VALUES(1)")
        #expect(try connection.int64("SELECT * FROM t") == 1)
        _ = try sqlite3(
            connection.path, "DROP TABLE t; CREATE TABLE other(x); CREATE TABLE t(b, c); INSERT INTO t VALUES(7, 8)")
        #expect(try connection.int64("SELECT * FROM t") == 7)
        _ = try sqlite3(connection.path, "DROP TABLE t")
        #expect(sqliteError { try connection.int64("SELECT * FROM t") }?.message == "no such table: t")
    }
}
