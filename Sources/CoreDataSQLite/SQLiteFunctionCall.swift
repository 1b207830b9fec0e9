import CoreDataCSQLite
import Foundation

/// One call of a function that Swift registered with a connection: its arguments, and where its result goes. Valid during
/// the call only.
///
/// A function that sets no result returns NULL. Arguments are counted from 0.
package struct SQLiteFunctionCall {
    /// The C context, for calls that are not wrapped here, such as `sqlite3_get_auxdata`.
    package let context: OpaquePointer
    package let values: UnsafeMutablePointer<OpaquePointer?>?
    package let count: Int

    package func value(_ index: Int) -> OpaquePointer? {
        guard let values, index >= 0, index < count else { return nil }
        return values[index]
    }

    package func type(_ index: Int) -> SQLiteType {
        guard let value = value(index) else { return .null }
        return SQLiteType(rawValue: sqlite3_value_type(value)) ?? .null
    }

    package func isNull(_ index: Int) -> Bool { type(index) == .null }

    package func int64(_ index: Int) -> Int64 {
        guard let value = value(index) else { return 0 }
        return sqlite3_value_int64(value)
    }

    package func double(_ index: Int) -> Double {
        guard let value = value(index) else { return 0 }
        return sqlite3_value_double(value)
    }

    /// The argument as text, `nil` for NULL.
    package func text(_ index: Int) -> String? {
        guard let bytes = textBytes(index) else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The argument's UTF-8 bytes, `nil` for NULL.
    package func textBytes(_ index: Int) -> UnsafeRawBufferPointer? {
        guard let value = value(index), let start = sqlite3_value_text(value) else { return nil }
        return UnsafeRawBufferPointer(start: start, count: Int(sqlite3_value_bytes(value)))
    }

    /// The argument's bytes, `nil` for NULL.
    package func blobBytes(_ index: Int) -> UnsafeRawBufferPointer? {
        guard let value = value(index), sqlite3_value_type(value) != SQLITE_NULL else { return nil }
        let start = sqlite3_value_blob(value)
        return UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : Int(sqlite3_value_bytes(value)))
    }

    package func resultNull() { sqlite3_result_null(context) }

    package func result(_ value: Int64) { sqlite3_result_int64(context, value) }

    package func result(_ value: Bool) { sqlite3_result_int(context, value ? 1 : 0) }

    package func result(_ value: Double) { sqlite3_result_double(context, value) }

    package func result(_ value: String) {
        var value = value
        value.withUTF8 { bytes in
            sqlite3_result_text64(
                context, SQLiteStatement.characters(bytes), UInt64(bytes.count), SQLiteStatement.copied,
                UInt8(SQLITE_UTF8))
        }
    }

    package func result(_ value: Data) {
        value.withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress, bytes.count > 0 else { return sqlite3_result_zeroblob(context, 0) }
            sqlite3_result_blob64(context, start, UInt64(bytes.count), SQLiteStatement.copied)
        }
    }

    /// Passes an argument through unchanged.
    package func result(argument index: Int) {
        guard let value = value(index) else { return sqlite3_result_null(context) }
        sqlite3_result_value(context, value)
    }

    func fail(_ error: any Error) {
        let known = error as? SQLiteError
        sqlite3_result_error(context, known?.message ?? String(describing: error), -1)
        if let known { sqlite3_result_error_code(context, known.extendedCode) }
    }
}
