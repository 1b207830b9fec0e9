import CoreDataCSQLite
import Foundation

/// The storage classes of SQLite.
package enum SQLiteType: Int32, Sendable {
    case integer = 1
    case float = 2
    case text = 3
    case blob = 4
    case null = 5
}

extension SQLiteStatement {
    package var columnCount: Int { Int(sqlite3_column_count(handle)) }

    package func name(_ column: Int) -> String {
        sqlite3_column_name(handle, Int32(truncatingIfNeeded: column)).map { String(cString: $0) } ?? ""
    }

    /// The storage class of the value as it is stored; ask before reading it as anything else.
    @inlinable
    package func type(_ column: Int) -> SQLiteType {
        SQLiteType(rawValue: sqlite3_column_type(handle, Int32(truncatingIfNeeded: column))) ?? .null
    }

    @inlinable
    package func isNull(_ column: Int) -> Bool {
        sqlite3_column_type(handle, Int32(truncatingIfNeeded: column)) == SQLITE_NULL
    }

    /// The value as an integer, 0 for NULL; SQLite converts from other classes.
    @inlinable
    package func int64(_ column: Int) -> Int64 {
        sqlite3_column_int64(handle, Int32(truncatingIfNeeded: column))
    }

    /// The value as a number, 0 for NULL; SQLite converts from other classes.
    @inlinable
    package func double(_ column: Int) -> Double {
        sqlite3_column_double(handle, Int32(truncatingIfNeeded: column))
    }

    /// The value as text, `nil` for NULL. Invalid UTF-8 is repaired.
    @inlinable
    package func text(_ column: Int) -> String? {
        guard let bytes = textBytes(column) else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The value's bytes, copied; `nil` for NULL.
    @inlinable
    package func blob(_ column: Int) -> Data? {
        guard let bytes = blobBytes(column) else { return nil }
        return bytes.isEmpty ? Data() : Data(bytes)
    }

    /// The value's UTF-8 bytes, `nil` for NULL. They are valid until the next step, reset or reading of this column as
    /// another class.
    @inlinable
    package func textBytes(_ column: Int) -> UnsafeRawBufferPointer? {
        let index = Int32(truncatingIfNeeded: column)
        guard let start = sqlite3_column_text(handle, index) else { return nil }
        return UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, index)))
    }

    /// The value's bytes, `nil` for NULL. They are valid until the next step, reset or reading of this column as another
    /// class.
    @inlinable
    package func blobBytes(_ column: Int) -> UnsafeRawBufferPointer? {
        let index = Int32(truncatingIfNeeded: column)
        guard let start = sqlite3_column_blob(handle, index) else {
            // An empty blob has no address, and neither has NULL.
            return isNull(column) ? nil : UnsafeRawBufferPointer(start: nil, count: 0)
        }
        return UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, index)))
    }
}
