import CoreDataSQLite
import Foundation
import TestSupport
import Testing

@Suite(.enabled(if: SQLiteShell.isUsable)) struct SQLitePoolTests {
    let folder: TemporaryDirectory
    let path: String

    init() throws {
        folder = try TemporaryDirectory()
        path = folder.path("a.sqlite")
        _ = try sqlite3(path, "PRAGMA journal_mode=WAL; CREATE TABLE t(a); INSERT INTO t VALUES(1)")
    }

    /// Runs `body` on a thread of its own; tasks would share a few threads, and these tests block them.
    private final class Job: @unchecked Sendable {
        private let condition = NSCondition()
        private var result: Result<Void, any Error>?

        init(_ body: @escaping @Sendable () throws -> Void) {
            Thread { [self] in
                let outcome = Result { try body() }
                condition.lock()
                result = outcome
                condition.broadcast()
                condition.unlock()
            }.start()
        }

        func wait() throws {
            condition.lock()
            defer { condition.unlock() }
            while result == nil { condition.wait() }
            try result?.get()
        }
    }

    @Test func readsGoOnWhileAWriteTransactionIsOpen() throws {
        let pool = try SQLitePool(path: path, timeout: 1)
        #expect(pool.isConcurrent)
        try pool.write { writer in
            try writer.execute("INSERT INTO t VALUES(2)")
            #expect(try pool.read { try $0.int64("SELECT count(*) FROM t") } == 1)
        }
        #expect(try pool.read { try $0.int64("SELECT count(*) FROM t") } == 2)
        try pool.close()
    }

    @Test func manyThreadsReadAndWriteWithoutLosingARow() throws {
        let pool = try SQLitePool(path: path, readers: 3, timeout: 20)
        let jobs = (0..<8).map { number in
            Job {
                for _ in 0..<50 {
                    if number < 4 {
                        try pool.write { try $0.execute("INSERT INTO t VALUES(7)") }
                    } else {
                        try pool.read { reader in
                            let first = try reader.int64("SELECT count(*) FROM t")
                            #expect(try reader.int64("SELECT count(*) FROM t") == first)
                        }
                    }
                }
            }
        }
        for job in jobs { try job.wait() }
        #expect(try sqlite3(path, "SELECT count(*) FROM t") == "201")
        // The writer and three readers hold the file, the log and the shared memory each, or less.
        #expect(openDescriptors(under: folder.path).values.filter { $0 == path }.count <= 4)
        try pool.close()
        #expect(openDescriptors(under: folder.path).isEmpty)
        #expect(try folder.contents == ["a.sqlite"])
    }

    @Test func readersAreOpenedWhenNeededAndSetUpOnce() throws {
        final class Count: @unchecked Sendable {
            let lock = NSLock()
            var roles: [SQLitePool.Role] = []
        }
        let count = Count()
        let pool = try SQLitePool(path: path, readers: 2) { connection, role in
            count.lock.withLock { count.roles.append(role) }
            try connection.register(function: "seven", argumentCount: 0) { $0.result(Int64(7)) }
        }
        #expect(count.roles == [.writer])
        for _ in 0..<5 { #expect(try pool.read { try $0.int64("SELECT seven()") } == 7) }
        #expect(count.roles == [.writer, .reader])
        #expect(try pool.read { _ in try pool.read { try $0.int64("SELECT seven()") } } == 7)
        #expect(count.roles == [.writer, .reader, .reader])
        try pool.close()
    }

    @Test func waitingForAReaderEndsWithBusy() throws {
        let pool = try SQLitePool(path: path, readers: 1, timeout: 0.1)
        try pool.read { _ in
            let error = try #require(sqliteError { try pool.read { _ in } })
            #expect(error.code == SQLITE_BUSY)
            #expect(error.message == "all 1 read connections are in use")
        }
        try pool.read { _ in }
        try pool.close()
    }

    @Test func waitingForTheWriterEndsWithBusy() throws {
        let pool = try SQLitePool(path: path, timeout: 0.1)
        try pool.write { _ in
            let job = Job { try pool.write { _ in } }
            #expect(sqliteError { try job.wait() }?.code == SQLITE_BUSY)
        }
        try pool.close()
    }

    @Test func askingForTheWriterInsideOfItsBlockIsRefusedAtOnce() throws {
        let pool = try SQLitePool(path: path, timeout: 30)
        try pool.withWriter { _ in
            #expect(sqliteError { try pool.withWriter { _ in } }?.code == SQLITE_MISUSE)
            #expect(sqliteError { try pool.close() }?.code == SQLITE_MISUSE)
        }
        try pool.close()
    }

    @Test func readersCannotWrite() throws {
        let pool = try SQLitePool(path: path)
        #expect(sqliteError { try pool.read { try $0.execute("DELETE FROM t") } }?.code == SQLITE_READONLY)
        // Keys of a long list may go into a temporary table all the same.
        try pool.read { try $0.execute("CREATE TEMP TABLE keys(a); INSERT INTO keys VALUES(1)") }
        try pool.close()
    }

    @Test func aReaderThatCannotBeSetUpDoesNotUseUpThePool() throws {
        struct Refused: Error {}
        let pool = try SQLitePool(path: path, readers: 1, timeout: 0.1) { _, role in
            if role == .reader { throw Refused() }
        }
        for _ in 0..<3 { #expect(throws: Refused.self) { try pool.read { _ in } } }
        // Closing a descriptor would drop the process's locks on the file, so SQLite keeps one and uses it again.
        #expect(openDescriptors(under: path).values.filter { $0 == path }.count <= 2)
        try pool.close()
    }

    // MARK: One connection

    @Test func aRollbackJournalFileHasOneConnection() throws {
        _ = try sqlite3(path, "PRAGMA journal_mode=DELETE")
        let pool = try SQLitePool(path: path, timeout: 0.2)
        #expect(!pool.isConcurrent)
        #expect(pool.readerLimit == 0)
        try pool.write { writer in
            try writer.execute("INSERT INTO t VALUES(2)")
            let job = Job { try pool.read { _ in } }
            #expect(sqliteError { try job.wait() }?.code == SQLITE_BUSY)
            #expect(sqliteError { try pool.read { _ in } }?.code == SQLITE_MISUSE)
        }
        #expect(try pool.read { try $0.int64("SELECT count(*) FROM t") } == 2)
        try pool.close()
        #expect(try sqlite3(path, "PRAGMA journal_mode") == "delete")
    }

    @Test func setupMayAskForWAL() throws {
        _ = try sqlite3(path, "PRAGMA journal_mode=DELETE")
        let pool = try SQLitePool(path: path) { connection, role in
            if role == .writer { try connection.setPragma("journal_mode", to: "wal") }
        }
        #expect(pool.isConcurrent)
        try pool.close()
    }

    @Test func anInMemoryDatabaseLivesAsLongAsItsPool() throws {
        let pool = try SQLitePool(path: SQLiteConnection.memoryPath)
        #expect(!pool.isConcurrent)
        try pool.write { try $0.execute("CREATE TABLE t(a); INSERT INTO t VALUES(1)") }
        let jobs = (0..<4).map { _ in Job { try pool.write { try $0.execute("INSERT INTO t VALUES(2)") } } }
        for job in jobs { try job.wait() }
        #expect(try pool.read { try $0.int64("SELECT count(*) FROM t") } == 5)
        try pool.close()
    }

    // MARK: Opening and closing

    @Test func aFileThatIsNoDatabaseIsRefusedAtOnce() throws {
        let other = folder.path("other")
        try Data(repeating: 0x41, count: 5000).write(to: folder.url("other"))
        #expect(sqliteError { try SQLitePool(path: other) }?.code == SQLITE_NOTADB)
        #expect(sqliteError { try SQLitePool(path: folder.path("none"), access: .readWrite) }?.code == SQLITE_CANTOPEN)
        #expect(openDescriptors(under: other).isEmpty)
    }

    @Test func closingWaitsForWhatIsOutAndNobodyGetsInMeanwhile() throws {
        let pool = try SQLitePool(path: path, timeout: 10)
        let isOut = DispatchSemaphore(value: 0)
        let mayEnd = DispatchSemaphore(value: 0)
        let reader = Job {
            try pool.read { reader in
                isOut.signal()
                mayEnd.wait()
                let count = try reader.int64("SELECT count(*) FROM t")
                #expect(count == 1)
            }
        }
        isOut.wait()
        let closer = Job { try pool.close() }
        let latecomer = Job {
            usleep(100_000)
            try pool.read { _ in }
        }
        usleep(200_000)
        mayEnd.signal()
        try reader.wait()
        try closer.wait()
        #expect(sqliteError { try latecomer.wait() }?.code == SQLITE_MISUSE)
        #expect(sqliteError { try pool.write { _ in } }?.code == SQLITE_MISUSE)
        try pool.close()
    }

    @Test func aCloseThatTimesOutLeavesThePoolUsable() throws {
        let pool = try SQLitePool(path: path, timeout: 5)
        try pool.read { _ in
            #expect(sqliteError { try pool.close(timeout: 0.1) }?.code == SQLITE_BUSY)
            let count = try pool.read { try $0.int64("SELECT count(*) FROM t") }
            #expect(count == 1)
        }
        try pool.write { try $0.execute("INSERT INTO t VALUES(2)") }
        try pool.close()
        #expect(try folder.contents == ["a.sqlite"])
    }

    @Test func manyPoolsLeakNoDescriptor() throws {
        for _ in 0..<20 {
            let pool = try SQLitePool(path: path)
            try pool.read { _ in try pool.read { _ in } }
            try pool.write { try $0.execute("UPDATE t SET a = a + 1") }
            try pool.close()
        }
        #expect(openDescriptors(under: folder.path).isEmpty)
        do {
            let dropped = try SQLitePool(path: path)
            try dropped.read { _ in }
        }
        #expect(openDescriptors(under: folder.path).isEmpty)
    }

    @Test func aReadOnlyPoolReadsAndRefusesToWrite() throws {
        let pool = try SQLitePool(path: path, access: .readOnly)
        #expect(try pool.read { try $0.int64("SELECT count(*) FROM t") } == 1)
        #expect(sqliteError { try pool.write { try $0.execute("DELETE FROM t") } }?.code == SQLITE_READONLY)
        try pool.close()
    }
}
