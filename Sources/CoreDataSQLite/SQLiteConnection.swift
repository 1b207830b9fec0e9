import CoreDataCSQLite
import Foundation

/// One connection to one database.
///
/// A connection and everything made from it (statements, transactions) belong to **one thread at a time**: SQLite's own
/// mutexes are off. It is `Sendable` because it may be handed from thread to thread by somebody who orders the hand-over
/// with a lock, which is what `SQLitePool` does. Only `interrupt()` may be called from another thread meanwhile.
package final class SQLiteConnection: @unchecked Sendable {
    package enum Access: Sendable {
        /// The file must exist and is never written.
        case readOnly
        /// The file must exist. SQLite falls back to reading if the file may not be written: see `isReadOnly`.
        case readWrite
        /// As `readWrite`, but a missing file is created.
        case create
        /// Nobody can change the file as long as it is open: it is read without locks and without a file beside it, a log or
        /// journal that lies there included.
        case immutable
    }

    package static let memoryPath = ":memory:"

    /// The absolute or relative path this connection was opened with, or `:memory:`.
    package let path: String

    /// Seconds SQLite waits for a lock that another connection holds before it gives up with error 5.
    package var busyTimeout: Double {
        didSet { applyBusyTimeout() }
    }

    /// The schema cookie as it was when the latest `read` or `write` transaction of this connection began.
    package internal(set) var schemaVersion: Int32 = 0

    /// The schema cookie up to which the owner has checked that the file is still the one it knows. The connection only
    /// keeps it; `nil` until the owner sets it.
    package var acknowledgedSchemaVersion: Int32?

    var database: OpaquePointer?
    let statements = SQLiteStatementCache()
    var numberedStatements: ContiguousArray<SQLiteStatement?> = []
    var controls = ControlStatement.none
    var tracer: SQLiteTracer?
    var workLimit: SQLiteWorkLimit?
    var isInTransactionBlock = false

    /// Opens `path`.
    ///
    /// The file's header is first read by the first statement, so a file that is no database is refused there, not here.
    /// A file made here never has more permissions than its folder; `-wal`, `-shm` and the journal get the same ones.
    ///
    /// - Throws: `SQLiteError`, code 14 if the file cannot be opened (missing, a folder, not permitted).
    package init(path: String, access: Access = .create, busyTimeout: Double = 5) throws {
        self.path = path
        self.busyTimeout = busyTimeout
        guard !path.isEmpty, !path.utf8.contains(0) else {
            throw SQLiteError(extendedCode: SQLITE_CANTOPEN, message: "the path is empty or contains NUL", path: path)
        }
        // SQLite may be built to read "file:…" as a URI with parameters; a path that begins with a slash or a dot is a
        // path.
        let isPath = path == Self.memoryPath || path.hasPrefix("/") || path.hasPrefix(".")
        var name = isPath ? path : "./" + path
        var flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        switch access {
        case .readOnly: flags |= SQLITE_OPEN_READONLY
        case .readWrite: flags |= SQLITE_OPEN_READWRITE
        case .create: flags |= SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
        case .immutable:
            flags |= SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
            name = "file:" + Self.escaped(name) + "?immutable=1"
        }
        let isNew = access == .create && path != Self.memoryPath && !SQLiteFileGroup.exists(name)
        var handle: OpaquePointer?
        let result = sqlite3_open_v2(name, &handle, flags, nil)
        guard result == SQLITE_OK, let handle else {
            let error = SQLiteError(result, on: handle, path: path)
            sqlite3_close_v2(handle)
            throw error
        }
        database = handle
        if isNew { SQLiteFileGroup.restrictToFolder(name) }
        applyBusyTimeout()
    }

    deinit {
        tracer?.detach()
        limitWork(toSteps: nil)
        controls = ControlStatement.none
        statements.removeAll()
        numberedStatements = []
        // A statement that somebody still holds keeps SQLite's side alive until it goes too.
        sqlite3_close_v2(database)
    }

    /// The C handle, for calls this layer does not wrap.
    package var handle: OpaquePointer {
        guard let database else { fatalError("SQLite connection used after close: \(path)") }
        return database
    }

    package var isOpen: Bool { database != nil }

    package var isInMemory: Bool { path == Self.memoryPath }

    /// True if the file cannot be written through this connection, asked for or not.
    package var isReadOnly: Bool { sqlite3_db_readonly(handle, "main") == 1 }

    /// Closes the connection and finalizes its cached statements. Closing twice is allowed.
    ///
    /// - Throws: `SQLiteError`, code 5, if a statement made by it is still held by somebody, or a backup is running: the
    ///   connection stays open and usable then.
    package func close() throws {
        guard let database else { return }
        controls = ControlStatement.none
        statements.removeAll()
        numberedStatements = []
        let result = sqlite3_close(database)
        guard result == SQLITE_OK else { throw SQLiteError(result, on: database, path: path) }
        self.database = nil
        tracer = nil
    }

    /// Runs every statement of `script`, without values and without results.
    package func execute(_ script: String) throws {
        guard !script.utf8.contains(0) else {
            throw SQLiteError(extendedCode: SQLITE_MISUSE, message: "the script contains NUL", sql: script, path: path)
        }
        let result = sqlite3_exec(handle, script, nil, nil, nil)
        guard result == SQLITE_OK else { throw SQLiteError(result, on: handle, sql: script, path: path) }
    }

    /// Makes the statement that is running fail with error 9 as soon as possible. May be called from any thread, as long
    /// as the connection stays open.
    package func interrupt() {
        sqlite3_interrupt(handle)
    }

    // MARK: Counters

    /// Rows changed by the latest insert, update or delete itself, without those of triggers.
    package var changes: Int64 { sqlite3_changes64(handle) }

    /// Rows changed since the connection was opened, triggers included.
    package var totalChanges: Int64 { sqlite3_total_changes64(handle) }

    package var lastInsertRowID: Int64 { sqlite3_last_insert_rowid(handle) }

    /// True outside of an explicit transaction.
    package var isAutocommit: Bool { sqlite3_get_autocommit(handle) != 0 }

    /// The largest number of values one statement may bind.
    package var variableLimit: Int { Int(sqlite3_limit(handle, SQLITE_LIMIT_VARIABLE_NUMBER, -1)) }

    // MARK: Opening

    /// A path as part of a URI: everything but letters, digits and slashes by its number.
    private static func escaped(_ path: String) -> String {
        var result = ""
        for byte in path.utf8 {
            switch byte {
            case 0x2F, 0x2E, 0x30...0x39, 0x41...0x5A, 0x61...0x7A: result.unicodeScalars.append(UnicodeScalar(byte))
            default: result += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        }
        return result
    }

    private func applyBusyTimeout() {
        let milliseconds = busyTimeout > 0 ? Int32(min(busyTimeout * 1000, Double(Int32.max))) : 0
        sqlite3_busy_timeout(database, milliseconds)
    }
}
