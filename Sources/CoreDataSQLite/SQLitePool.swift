import CoreDataCSQLite
import Foundation

/// The connections of one process to one database: a writer and, in WAL mode, some readers beside it.
///
/// With a rollback journal readers and the writer would only lock each other out, and an in-memory database belongs to its
/// one connection: there, everything goes through the writer, one caller at a time.
///
/// A block that holds a connection must not ask for the writer again (an error, code 21), and in the single-connection case
/// not for any other either.
package final class SQLitePool: @unchecked Sendable {
    package enum Role: Sendable {
        case writer
        case reader
    }

    package let path: String
    /// Seconds to wait for a connection of the pool, and for locks of other processes.
    package let timeout: Double
    /// How many readers may be out at once; 0 if everything goes through the one connection.
    package let readerLimit: Int

    private let access: SQLiteConnection.Access
    private let setup: @Sendable (SQLiteConnection, Role) throws -> Void
    private let writer: SQLiteConnection

    // Guarded by `condition`.
    private let condition = NSCondition()
    private var idleReaders: [SQLiteConnection] = []
    private var readersOut = 0
    private var writerOwner: pthread_t?
    private var waiting = 0
    private var isClosing = false
    private var isClosed = false

    /// Opens the writer, runs `setup` on it and finds out the journal mode. Readers are opened when they are needed.
    ///
    /// - Parameters:
    ///   - readers: the largest number of read connections, at least 1.
    ///   - setup: run once on each new connection: registers functions, sets pragmas.
    /// - Throws: `SQLiteError`, code 14 if the file cannot be opened, 26 if it is no database; what `setup` throws.
    package init(
        path: String, access: SQLiteConnection.Access = .create, readers: Int = 4, timeout: Double = 5,
        setup: @escaping @Sendable (SQLiteConnection, Role) throws -> Void = { _, _ in }
    ) throws {
        self.path = path
        self.access = access
        self.timeout = timeout
        self.setup = setup
        writer = try SQLiteConnection(path: path, access: access, busyTimeout: timeout)
        try setup(writer, .writer)
        readerLimit = try writer.journalMode == "wal" ? max(readers, 1) : 0
    }

    /// True if reads go on while a write transaction is open.
    package var isConcurrent: Bool { readerLimit > 0 }

    // MARK: Handing out

    /// Calls `body` in a read transaction on a reader.
    package func read<T>(_ body: (SQLiteConnection) throws -> T) throws -> T {
        try withReader { connection in try connection.read { try body(connection) } }
    }

    /// Calls `body` in a write transaction on the writer.
    package func write<T>(durable: Bool = false, _ body: (SQLiteConnection) throws -> T) throws -> T {
        try withWriter { connection in try connection.write(durable: durable) { try body(connection) } }
    }

    /// Calls `body` with a connection for reading, outside of a transaction.
    ///
    /// - Throws: `SQLiteError`, code 5 if all are in use for longer than `timeout`; code 21 after `close()`.
    package func withReader<T>(_ body: (SQLiteConnection) throws -> T) throws -> T {
        guard isConcurrent else { return try withWriter(body) }
        let connection = try takeReader()
        defer { giveBack(connection) }
        return try body(connection)
    }

    /// Calls `body` with the writer, outside of a transaction.
    ///
    /// - Throws: `SQLiteError`, code 5 if it is in use for longer than `timeout`; code 21 if this thread holds it already, and
    ///   after `close()`.
    package func withWriter<T>(_ body: (SQLiteConnection) throws -> T) throws -> T {
        try takeWriter()
        defer { giveBackWriter() }
        return try body(writer)
    }

    /// Waits for the connections that are out, then closes all. Nobody gets a connection meanwhile.
    ///
    /// - Throws: `SQLiteError`, code 5 if some are not back within `timeout` seconds, or a statement of one is still held:
    ///   the pool is usable again then.
    package func close(timeout: Double? = nil) throws {
        let deadline = Deadline(after: timeout ?? self.timeout)
        condition.lock()
        defer { condition.unlock() }
        guard !isClosed else { return }
        isClosing = true
        defer {
            isClosing = false
            wake()
        }
        guard !isWriterHeldByThisThread else { throw misuse("close() inside of a block that holds the writer") }
        try wait(until: deadline, "connections are still in use") { readersOut == 0 && writerOwner == nil }
        guard !isClosed else { return }
        // The writer last: the last connection moves the log into the file and removes it, which a reader may not.
        while let reader = idleReaders.last {
            try reader.close()
            idleReaders.removeLast()
        }
        try writer.close()
        isClosed = true
    }

    // MARK: Under the lock

    private func takeReader() throws -> SQLiteConnection {
        condition.lock()
        defer { condition.unlock() }
        try wait("all \(readerLimit) read connections are in use") {
            isClosed || (!isClosing && readersOut < readerLimit)
        }
        guard !isClosed else { throw misuse("the store's connections are closed") }
        readersOut += 1
        if let idle = idleReaders.popLast() { return idle }
        // Opening may wait for another process; others should not wait for that.
        condition.unlock()
        let opened = Result { try openReader() }
        condition.lock()
        if case .failure = opened {
            readersOut -= 1
            wake()
        }
        return try opened.get()
    }

    private func openReader() throws -> SQLiteConnection {
        let reader = try SQLiteConnection(
            path: path, access: access == .immutable ? .immutable : .readOnly, busyTimeout: timeout)
        try setup(reader, .reader)
        return reader
    }

    private func giveBack(_ reader: SQLiteConnection) {
        condition.lock()
        idleReaders.append(reader)
        readersOut -= 1
        wake()
        condition.unlock()
    }

    private func takeWriter() throws {
        condition.lock()
        defer { condition.unlock() }
        guard !isWriterHeldByThisThread else { throw misuse("this thread holds the write connection already") }
        try wait("the write connection is in use") { isClosed || (!isClosing && writerOwner == nil) }
        guard !isClosed else { throw misuse("the store's connections are closed") }
        writerOwner = pthread_self()
    }

    private func giveBackWriter() {
        condition.lock()
        writerOwner = nil
        wake()
        condition.unlock()
    }

    private var isWriterHeldByThisThread: Bool {
        guard let writerOwner else { return false }
        return pthread_equal(writerOwner, pthread_self()) != 0
    }

    /// - Parameter deadline: nil: `timeout` seconds from now.
    private func wait(until deadline: Deadline? = nil, _ reason: String, _ isReady: () -> Bool) throws {
        if isReady() { return }
        let deadline = deadline ?? Deadline(after: timeout)
        waiting += 1
        defer { waiting -= 1 }
        while !isReady() {
            let remaining = deadline.remaining
            guard remaining > 0 else { throw SQLiteError(extendedCode: SQLITE_BUSY, message: reason, path: path) }
            // The condition waits by the wall clock; short waits keep a change of that clock from mattering.
            _ = condition.wait(until: Date(timeIntervalSinceNow: min(remaining, 0.5)))
        }
    }

    private func wake() {
        if waiting > 0 { condition.broadcast() }
    }

    private func misuse(_ message: String) -> SQLiteError {
        SQLiteError(extendedCode: SQLITE_MISUSE, message: message, path: path)
    }
}
