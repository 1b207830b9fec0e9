import CoreDataCSQLite
import Foundation

/// A value as SQLite stores it.
enum RawValue: Hashable {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
    case blob(Data)

    var integer: Int64? {
        if case .integer(let value) = self { return value }
        return nil
    }

    var text: String? {
        if case .text(let value) = self { return value }
        return nil
    }

    var isNull: Bool { self == .null }
}

/// A database file, read by SQLite's C interface alone: what our engine says is compared with it.
final class RawDatabase {
    struct Failure: Error {
        let sql: String
        let message: String
    }

    private let handle: OpaquePointer

    init(_ url: URL) throws {
        var handle: OpaquePointer?
        guard sqlite3_open_v2(url.path, &handle, SQLITE_OPEN_READONLY, nil) == SQLITE_OK, let handle else {
            sqlite3_close_v2(handle)
            throw Failure(sql: "", message: "cannot open \(url.path)")
        }
        sqlite3_busy_timeout(handle, 5000)
        self.handle = handle
    }

    deinit { sqlite3_close_v2(handle) }

    func rows(_ sql: String) throws -> [[RawValue]] {
        var statement: OpaquePointer?
        defer { sqlite3_finalize(statement) }
        guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK else { throw failure(sql) }
        let columns = 0..<sqlite3_column_count(statement)
        var rows: [[RawValue]] = []
        while true {
            switch sqlite3_step(statement) {
            case SQLITE_ROW: rows.append(columns.map { Self.value(statement, $0) })
            case SQLITE_DONE: return rows
            default: throw failure(sql)
            }
        }
    }

    /// The first column.
    func column(_ sql: String) throws -> [RawValue] { try rows(sql).map { $0[0] } }

    func columnNames(_ table: String) throws -> [String] {
        try column("SELECT name FROM pragma_table_info('\(table)')").compactMap(\.text)
    }

    private func failure(_ sql: String) -> Failure {
        Failure(sql: sql, message: String(cString: sqlite3_errmsg(handle)))
    }

    private static func value(_ statement: OpaquePointer?, _ column: Int32) -> RawValue {
        switch sqlite3_column_type(statement, column) {
        case SQLITE_INTEGER: return .integer(sqlite3_column_int64(statement, column))
        case SQLITE_FLOAT: return .real(sqlite3_column_double(statement, column))
        case SQLITE_TEXT:
            let bytes = sqlite3_column_text(statement, column)
            let count = Int(sqlite3_column_bytes(statement, column))
            return .text(String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self))
        case SQLITE_BLOB:
            guard let bytes = sqlite3_column_blob(statement, column) else { return .blob(Data()) }
            return .blob(Data(bytes: bytes, count: Int(sqlite3_column_bytes(statement, column))))
        default: return .null
        }
    }
}
