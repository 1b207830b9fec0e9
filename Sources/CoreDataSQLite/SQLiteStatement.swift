import CoreDataCSQLite

/// A prepared statement. It belongs to its connection's thread and is finalized when nobody holds it any more.
///
/// Parameters are counted from 1 and columns from 0, as in SQLite.
package final class SQLiteStatement {
    /// The C handle, for hot loops that call SQLite directly. Hold the statement at least as long
    /// (`withExtendedLifetime`): without it the handle is finalized, or handed to somebody else by the cache.
    package let handle: OpaquePointer

    init(handle: OpaquePointer) {
        self.handle = handle
    }

    deinit {
        sqlite3_finalize(handle)
    }

    /// The statement's text, with placeholders.
    package var sql: String { sqlite3_sql(handle).map { String(cString: $0) } ?? "" }

    /// True if it changes nothing in the database.
    package var isReadOnly: Bool { sqlite3_stmt_readonly(handle) != 0 }

    /// True between the first row and the end or a reset: it holds its read transaction open.
    package var isRunning: Bool { sqlite3_stmt_busy(handle) != 0 }

    /// Moves to the next row: true if there is one, false at the end.
    ///
    /// - Throws: `SQLiteError`; the statement is reset then and may be run again.
    @inlinable
    package func step() throws -> Bool {
        let result = sqlite3_step(handle)
        if result == SQLITE_ROW { return true }
        if result == SQLITE_DONE { return false }
        throw failure(result)
    }

    /// Runs a statement that returns no rows, or whose rows are of no interest, to its end and resets it.
    @inlinable
    package func run() throws {
        while try step() {}
        sqlite3_reset(handle)
    }

    /// Calls `body` at each row and resets the statement at the end, also after an error.
    @inlinable
    package func forEachRow(_ body: (SQLiteStatement) throws -> Void) throws {
        defer { sqlite3_reset(handle) }
        while try step() { try body(self) }
    }

    /// How often SQLite has prepared the statement anew by itself: whenever the schema had changed since.
    @inlinable
    package var preparationCount: Int32 { sqlite3_stmt_status(handle, SQLITE_STMTSTATUS_REPREPARE, 0) }

    /// Makes the statement ready to run again. The bindings stay.
    @inlinable
    package func reset() {
        sqlite3_reset(handle)
    }

    /// Sets every parameter to NULL.
    @inlinable
    package func clearBindings() {
        sqlite3_clear_bindings(handle)
    }

    /// The error of a call on this statement, which is reset.
    @usableFromInline
    package func failure(_ result: Int32) -> SQLiteError {
        let database = sqlite3_db_handle(handle)
        let name = sqlite3_db_filename(database, "main").map { String(cString: $0) } ?? ""
        let path = name.isEmpty ? SQLiteConnection.memoryPath : name
        let error = SQLiteError(result, on: database, sql: sql, path: path)
        sqlite3_reset(handle)
        return error
    }
}
