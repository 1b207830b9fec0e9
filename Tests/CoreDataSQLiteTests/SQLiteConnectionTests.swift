import CoreDataSQLite
import Foundation
import TestSupport
import Testing

@Suite(.enabled(if: SQLiteShell.isUsable)) struct SQLiteConnectionTests {
    let folder: TemporaryDirectory
    let path: String

    init() throws {
        folder = try TemporaryDirectory()
        path = folder.path("a.sqlite")
    }

    // MARK: Opening

    @Test func aMissingFileIsMadeOnlyOnRequest() throws {
        for access in [SQLiteConnection.Access.readOnly, .readWrite] {
            let error = try #require(sqliteError { try SQLiteConnection(path: path, access: access) })
            #expect(error.code == SQLITE_CANTOPEN)
            #expect(error.path == path)
        }
        #expect(try folder.contents.isEmpty)
        _ = try SQLiteConnection(path: path, access: .create)
        #expect(try folder.contents == ["a.sqlite"])
    }

    @Test func aFolderIsNoDatabase() throws {
        let error = try #require(sqliteError { try SQLiteConnection(path: folder.path) })
        #expect(error.code == SQLITE_CANTOPEN)
    }

    @Test func aFileInAMissingFolderCannotBeMade() throws {
        let error = try #require(sqliteError { try SQLiteConnection(path: folder.path("none/a.sqlite")) })
        #expect(error.code == SQLITE_CANTOPEN)
    }

    @Test(arguments: ["", "a\u{0}b"]) func aPathMustBeOne(path: String) throws {
        let error = try #require(sqliteError { try SQLiteConnection(path: path) })
        #expect(error.code == SQLITE_CANTOPEN)
    }

    @Test func aNameThatLooksLikeAURIIsAName() throws {
        let name = "file:\(UUID().uuidString)?mode=memory"
        defer { try? FileManager.default.removeItem(atPath: name) }
        let connection = try SQLiteConnection(path: name)
        try connection.execute("CREATE TABLE t(a)")
        #expect(FileManager.default.fileExists(atPath: "./" + name))
    }

    @Test func textIsNoDatabase() throws {
        try Data(repeating: UInt8(ascii: "x"), count: 8192).write(to: folder.url("a.sqlite"))
        let connection = try SQLiteConnection(path: path)
        let error = try #require(sqliteError { try connection.int64("SELECT count(*) FROM sqlite_master") })
        #expect(error.code == SQLITE_NOTADB)
        #expect(error.isDamage)
        #expect(!error.isBusy)
    }

    @Test func aDamagedPageIsReportedAsCorrupt() throws {
        _ = try sqlite3(path, "CREATE TABLE t(a); INSERT INTO t VALUES(1);")
        var bytes = try Data(contentsOf: folder.url("a.sqlite"))
        bytes.replaceSubrange(4096..<4196, with: Data(repeating: 0xFF, count: 100))
        try bytes.write(to: folder.url("a.sqlite"))
        let connection = try SQLiteConnection(path: path)
        let error = try #require(sqliteError { try connection.int64("SELECT a FROM t") })
        #expect(error.code == SQLITE_CORRUPT)
        #expect(error.isDamage)
        #expect(error.sql == "SELECT a FROM t")
    }

    @Test func aReadOnlyConnectionRefusesToWrite() throws {
        _ = try sqlite3(path, "CREATE TABLE t(a);")
        let connection = try SQLiteConnection(path: path, access: .readOnly)
        #expect(connection.isReadOnly)
        let error = try #require(sqliteError { try connection.execute("INSERT INTO t VALUES(1)") })
        #expect(error.code == SQLITE_READONLY)
        #expect(try connection.int64("SELECT count(*) FROM t") == 0)
    }

    @Test func aPrivateFolderMakesAPrivateFile() throws {
        let former = umask(0o022)
        defer { umask(former) }
        func mode(_ name: String) throws -> Int? {
            let attributes = try FileManager.default.attributesOfItem(atPath: folder.path(name))
            return (attributes[.posixPermissions] as? NSNumber)?.intValue
        }
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: folder.path)
        let secret = try SQLiteConnection(path: folder.path("private.sqlite"))
        try secret.execute("PRAGMA journal_mode=WAL; CREATE TABLE t(a)")
        #expect(try mode("private.sqlite") == 0o600)
        #expect(try mode("private.sqlite-wal") == 0o600)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.path)
        let shared = try SQLiteConnection(path: folder.path("shared.sqlite"))
        try shared.execute("CREATE TABLE t(a)")
        #expect(try mode("shared.sqlite") == 0o644)
    }

    // MARK: Closing

    @Test func closingFinalizesCachedStatementsAndLeavesNothingOpen() throws {
        let connection = try SQLiteConnection(path: path)
        try connection.execute("PRAGMA journal_mode=WAL; CREATE TABLE t(a)")
        _ = try connection.int64("SELECT count(*) FROM t")
        _ = try connection.write { try connection.execute("INSERT INTO t VALUES(1)") }
        #expect(openDescriptors(under: folder.path).count >= 2)
        try connection.close()
        #expect(openDescriptors(under: folder.path).isEmpty)
        #expect(try folder.contents == ["a.sqlite"])
        #expect(!connection.isOpen)
        try connection.close()
    }

    @Test func closingIsRefusedWhileAStatementIsHeld() throws {
        let connection = try SQLiteConnection(path: path)
        var held: SQLiteStatement? = try connection.prepare("SELECT 1")
        let error = try #require(sqliteError { try connection.close() })
        #expect(error.code == SQLITE_BUSY)
        #expect(try held?.step() == true)
        held = nil
        try connection.close()
    }

    @Test func aDroppedConnectionClosesItsFiles() throws {
        var connection: SQLiteConnection? = try SQLiteConnection(path: path)
        try connection?.execute("CREATE TABLE t(a)")
        #expect(!openDescriptors(under: folder.path).isEmpty)
        connection = nil
        #expect(openDescriptors(under: folder.path).isEmpty)
    }

    @Test func aStatementOutlivesItsDroppedConnection() throws {
        var connection: SQLiteConnection? = try SQLiteConnection(path: path)
        let statement = try #require(try connection?.prepare("SELECT 42"))
        connection = nil
        #expect(try statement.step())
        #expect(statement.int64(0) == 42)
    }

    // MARK: Counters and pragmas

    @Test func countersFollowTheStatements() throws {
        let connection = try SQLiteConnection(path: SQLiteConnection.memoryPath)
        try connection.execute("CREATE TABLE t(a); INSERT INTO t VALUES(1),(2),(3)")
        #expect(connection.changes == 3)
        #expect(connection.lastInsertRowID == 3)
        try connection.execute("DELETE FROM t WHERE a > 1")
        #expect(connection.changes == 2)
        #expect(connection.totalChanges == 5)
        #expect(connection.isInMemory)
        #expect(connection.variableLimit >= 999)
    }

    @Test func pragmasAreReadAndSet() throws {
        let connection = try SQLiteConnection(path: path)
        #expect(try connection.setPragma("journal_mode", to: "WAL") == "wal")
        #expect(try connection.journalMode == "wal")
        try connection.setPragma("user_version", to: "-7")
        #expect(try connection.pragma("user_version") == -7)
        #expect(try connection.textPragma("encoding") == "UTF-8")
        #expect(try sqlite3(path, "PRAGMA user_version; PRAGMA journal_mode") == "-7\nwal")
    }

    @Test(arguments: ["user_version; DROP TABLE t", "", "1a", "main.user_version"])
    func whatIsNoNameIsNoPragma(name: String) throws {
        let connection = try SQLiteConnection(path: path)
        #expect(sqliteError { try connection.setPragma(name, to: "1") }?.code == SQLITE_MISUSE)
        #expect(sqliteError { try connection.pragma(name) }?.code == SQLITE_MISUSE)
    }

    @Test func aPragmasValueCannotEscape() throws {
        let connection = try SQLiteConnection(path: path)
        try connection.execute("CREATE TABLE t(a)")
        _ = try? connection.setPragma("user_version", to: "1; DROP TABLE t")
        _ = try? connection.setPragma("user_version", to: "'; DROP TABLE t; --")
        #expect(try connection.int64("SELECT count(*) FROM sqlite_master") == 1)
    }

    @Test func aScriptIsNotCutOffAtNUL() throws {
        let connection = try SQLiteConnection(path: SQLiteConnection.memoryPath)
        let error = sqliteError { try connection.execute("CREATE TABLE t(a);\u{0} CREATE TABLE u(a)") }
        #expect(error?.code == SQLITE_MISUSE)
        #expect(try connection.int64("SELECT count(*) FROM sqlite_master") == 0)
    }

    @Test func identifiersAndTextsAreQuoted() throws {
        let connection = try SQLiteConnection(path: SQLiteConnection.memoryPath)
        let name = SQLiteConnection.quoted(identifier: #"a "b" c"#)
        #expect(name == #""a ""b"" c""#)
        try connection.execute(
            "CREATE TABLE \(name)(x); INSERT INTO \(name) VALUES(\(SQLiteConnection.quoted(text: "it's")))")
        #expect(try connection.text("SELECT x FROM \(name)") == "it's")
    }

    // MARK: Waiting and interrupting

    @Test func aWriterOfAnotherProcessIsWaitedForAndThenReported() throws {
        _ = try sqlite3(path, "CREATE TABLE t(a);")
        let shell = try ShellSession(path)
        try shell.run("BEGIN IMMEDIATE; INSERT INTO t VALUES(1);")
        let connection = try SQLiteConnection(path: path, busyTimeout: 0.2)
        let start = Date()
        let error = try #require(sqliteError { try connection.write {} })
        #expect(error.code == SQLITE_BUSY)
        #expect(error.isBusy)
        #expect(Date().timeIntervalSince(start) >= 0.15)
        #expect(connection.isAutocommit)
        try shell.run("COMMIT;")
        try connection.write { try connection.execute("INSERT INTO t VALUES(2)") }
        #expect(try shell.run("SELECT count(*) FROM t;") == "2")
        shell.end()
    }

    @Test func anInterruptEndsARunningStatement() throws {
        let connection = try SQLiteConnection(path: SQLiteConnection.memoryPath)
        let isDone = DispatchSemaphore(value: 0)
        // A thread of its own: the statement keeps this one busy, and other tests may have all the rest.
        Thread.detachNewThread {
            // An interrupt before the statement starts is forgotten, so keep at it.
            while isDone.wait(timeout: .now() + 0.05) == .timedOut { connection.interrupt() }
        }
        let endless = "WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c) SELECT count(*) FROM c"
        let error = sqliteError { try connection.int64(endless) }
        isDone.signal()
        #expect(error?.code == SQLITE_INTERRUPT)
    }
}
