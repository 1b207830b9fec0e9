import CoreDataSQLite
import Foundation
import TestSupport
import Testing

@Suite struct SQLiteConnectionTests {
    let folder: TemporaryDirectory

    init() throws {
        folder = try TemporaryDirectory()
    }

    @Test func valuesOfEveryClassComeBackAsTheyWereBound() throws {
        let connection = try SQLiteConnection(path: folder.path("a.sqlite"))
        try connection.execute("CREATE TABLE t(a, b, c, d, e, f, g)")
        let insert = try connection.prepare("INSERT INTO t VALUES(?, ?, ?, ?, ?, ?, ?)")
        #expect(insert.parameterCount == 7)
        try insert.bind(Int64.min, at: 1)
        try insert.bind(1.5, at: 2)
        try insert.bind("na\u{EF}ve \u{1F600} with\u{0}NUL", at: 3)
        try insert.bind(Data([0, 1, 255]), at: 4)
        try insert.bindNull(at: 5)
        try insert.bind("", at: 6)
        try insert.bind(Data(), at: 7)
        try insert.run()
        #expect(connection.changes == 1)

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
            folder.path("a.sqlite"), "SELECT typeof(a),b,hex(c),hex(d),typeof(e),typeof(f),typeof(g) FROM t")
        #expect(shell == "integer|1.5|6E61C3AF766520F09F9880207769746800" + "4E554C|0001FF|null|text|blob")
    }
}
