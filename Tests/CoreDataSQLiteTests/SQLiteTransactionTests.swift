import CoreDataSQLite
import Foundation
import TestSupport
import Testing

@Suite(.enabled(if: SQLiteShell.isUsable)) struct SQLiteTransactionTests {
    let folder: TemporaryDirectory
    let connection: SQLiteConnection

    init() throws {
        folder = try TemporaryDirectory()
        connection = try SQLiteConnection(path: folder.path("a.sqlite"), busyTimeout: 0.1)
        try connection.execute("PRAGMA journal_mode=WAL; CREATE TABLE t(a); INSERT INTO t VALUES(1)")
    }

    private struct Stop: Error {}

    @Test func aWriteIsCommitted() throws {
        let result = try connection.write {
            #expect(!connection.isAutocommit)
            try connection.execute("INSERT INTO t VALUES(2)")
            return "done"
        }
        #expect(result == "done")
        #expect(connection.isAutocommit)
        #expect(try sqlite3(connection.path, "SELECT count(*) FROM t") == "2")
    }

    @Test func aThrowingWriteLeavesNothing() throws {
        #expect(throws: Stop.self) {
            try connection.write {
                try connection.execute("INSERT INTO t VALUES(2)")
                throw Stop()
            }
        }
        #expect(connection.isAutocommit)
        #expect(try sqlite3(connection.path, "SELECT count(*) FROM t") == "1")
        try connection.write { try connection.execute("INSERT INTO t VALUES(3)") }
        #expect(try sqlite3(connection.path, "SELECT group_concat(a) FROM t") == "1,3")
    }

    @Test func aReadSeesTheSnapshotOfItsBeginning() throws {
        try connection.read {
            // Another process commits after the transaction began, but before it read anything itself.
            _ = try sqlite3(connection.path, "INSERT INTO t VALUES(2)")
            #expect(try connection.int64("SELECT count(*) FROM t") == 1)
        }
        #expect(try connection.int64("SELECT count(*) FROM t") == 2)
    }

    @Test func nestingIsRefused() throws {
        let bodies: [() throws -> Void] = [
            { try connection.read {} }, { try connection.write {} }, { try connection.write(durable: true) {} },
        ]
        for body in bodies {
            try connection.read { #expect(sqliteError(body)?.code == SQLITE_MISUSE) }
            try connection.write { #expect(sqliteError(body)?.code == SQLITE_MISUSE) }
            try connection.execute("BEGIN")
            #expect(sqliteError(body)?.code == SQLITE_MISUSE)
            try connection.execute("ROLLBACK")
        }
        try connection.write {}
    }

    @Test func aRollbackBySQLiteItselfIsReportedAndLeavesTheConnectionUsable() throws {
        try connection.execute("CREATE TABLE u(a UNIQUE ON CONFLICT ROLLBACK); INSERT INTO u VALUES(1)")
        let error = try #require(
            sqliteError {
                try connection.write {
                    try connection.execute("INSERT INTO t VALUES(2)")
                    try? connection.execute("INSERT INTO u VALUES(1)")
                }
            })
        #expect(error.code == SQLITE_ABORT)
        #expect(error.extendedCode == 516)
        #expect(connection.isAutocommit)

        let constraint = sqliteError { try connection.write { try connection.execute("INSERT INTO u VALUES(1)") } }
        #expect(constraint?.code == SQLITE_CONSTRAINT)
        try connection.write { try connection.execute("INSERT INTO t VALUES(3)") }
        #expect(try sqlite3(connection.path, "SELECT group_concat(a) FROM t") == "1,3")
    }

    @Test func aStatementLeftRunningDoesNotHoldTheSnapshot() throws {
        try connection.execute("INSERT INTO t VALUES(2)")
        let select = try connection.prepare("SELECT a FROM t")
        #expect(try connection.read { try select.step() })
        #expect(!select.isRunning)
        _ = try sqlite3(connection.path, "INSERT INTO t VALUES(3)")
        #expect(try connection.int64("SELECT count(*) FROM t") == 3)

        #expect(throws: Stop.self) {
            try connection.read {
                #expect(try select.step())
                throw Stop()
            }
        }
        #expect(!select.isRunning)
        #expect(try connection.write { try select.step() })
        #expect(!select.isRunning)
        // Nothing of this connection keeps the log from being emptied.
        #expect(try sqlite3(connection.path, "PRAGMA wal_checkpoint(TRUNCATE)") == "0|0|0")
    }

    @Test func aCommitThatFailsForAReaderLeavesNothingBehind() throws {
        try connection.setPragma("journal_mode", to: "delete")
        let shell = try ShellSession(connection.path)
        #expect(try shell.run("BEGIN; SELECT count(*) FROM t;") == "1")
        let error = sqliteError { try connection.write { try connection.execute("INSERT INTO t VALUES(2)") } }
        #expect(error?.code == SQLITE_BUSY)
        #expect(connection.isAutocommit)
        #expect(try shell.run("SELECT count(*) FROM t; COMMIT;") == "1")
        try connection.write { try connection.execute("INSERT INTO t VALUES(3)") }
        #expect(try shell.run("SELECT group_concat(a) FROM t;") == "1,3")
        shell.end()
    }

    @Test func theSchemaVersionIsThatOfTheTransaction() throws {
        try connection.read {}
        let before = connection.schemaVersion
        #expect(try sqlite3(connection.path, "PRAGMA schema_version") == "\(before)")
        _ = try sqlite3(connection.path, "CREATE TABLE u(a)")
        #expect(connection.schemaVersion == before)
        try connection.write {}
        #expect(connection.schemaVersion == before + 1)
        _ = try sqlite3(connection.path, "CREATE TABLE v(a)")
        try connection.read { #expect(connection.schemaVersion == before + 2) }
    }

    @Test func aDurableWriteRaisesSynchronousForItsOwnTimeOnly() throws {
        try connection.execute("PRAGMA synchronous=NORMAL")
        try connection.write(durable: true) {
            #expect(try connection.pragma("synchronous") == 3)
            try connection.execute("INSERT INTO t VALUES(2)")
        }
        #expect(try connection.pragma("synchronous") == 1)
        #expect(throws: Stop.self) { try connection.write(durable: true) { throw Stop() } }
        #expect(try connection.pragma("synchronous") == 1)
        #expect(try sqlite3(connection.path, "SELECT count(*) FROM t") == "2")
    }

    @Test func transactionsWorkInMemory() throws {
        let memory = try SQLiteConnection(path: SQLiteConnection.memoryPath)
        try memory.execute("CREATE TABLE t(a)")
        try memory.write(durable: true) { try memory.execute("INSERT INTO t VALUES(1)") }
        #expect(throws: Stop.self) {
            try memory.write {
                try memory.execute("DELETE FROM t")
                throw Stop()
            }
        }
        #expect(try memory.read { try memory.int64("SELECT count(*) FROM t") } == 1)
    }

    @Test func aReadOnlyConnectionReadsInTransactionsAndRefusesToWrite() throws {
        let reader = try SQLiteConnection(path: connection.path, access: .readOnly)
        #expect(try reader.read { try reader.int64("SELECT count(*) FROM t") } == 1)
        #expect(sqliteError { try reader.write { try reader.execute("DELETE FROM t") } }?.code == SQLITE_READONLY)
        #expect(reader.isAutocommit)
    }
}
