import CoreDataCSQLite

/// What SQLite answered when it refused a call.
///
/// Values stay out of it: `sql` is the statement's text with its placeholders, never the bound values.
package struct SQLiteError: Error, Sendable, Equatable {
    /// The primary result code (the low byte of `extendedCode`), such as 5 for busy or 11 for corrupt.
    package let code: Int32
    package let extendedCode: Int32
    package let message: String
    /// The statement that failed, if one did.
    package let sql: String?
    /// The database file, or `:memory:`.
    package let path: String

    package init(extendedCode: Int32, message: String? = nil, sql: String? = nil, path: String) {
        self.code = extendedCode & 0xFF
        self.extendedCode = extendedCode
        self.message = message ?? String(cString: sqlite3_errstr(extendedCode))
        self.sql = sql
        self.path = path
    }

    /// The error a connection reports for its latest call. `result` is what that call returned: it wins when the
    /// connection has meanwhile forgotten.
    init(_ result: Int32, on database: OpaquePointer?, sql: String? = nil, path: String) {
        guard let database, sqlite3_errcode(database) & 0xFF == result & 0xFF else {
            self.init(extendedCode: result, sql: sql, path: path)
            return
        }
        self.init(
            extendedCode: sqlite3_extended_errcode(database), message: String(cString: sqlite3_errmsg(database)),
            sql: sql, path: path)
    }

    /// Somebody else holds a lock: worth trying again later, nothing is lost.
    package var isBusy: Bool { code == SQLITE_BUSY || code == SQLITE_LOCKED }

    /// The file is damaged or no SQLite database at all (codes 11 and 26): its contents cannot be replaced in place.
    package var isDamage: Bool { code == SQLITE_CORRUPT || code == SQLITE_NOTADB }
}

extension SQLiteError: CustomStringConvertible {
    package var description: String {
        let number = extendedCode == code ? "\(code)" : "\(code) (\(extendedCode))"
        let statement = sql.map { " in \"\($0)\"" } ?? ""
        return "SQLite error \(number): \(message)\(statement) [\(path)]"
    }
}
