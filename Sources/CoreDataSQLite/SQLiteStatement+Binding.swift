import CoreDataCSQLite
import Foundation

extension SQLiteStatement {
    /// Tells SQLite to copy the bytes before the call returns.
    @inlinable
    static var copied: sqlite3_destructor_type { unsafeBitCast(-1, to: sqlite3_destructor_type.self) }

    package var parameterCount: Int { Int(sqlite3_bind_parameter_count(handle)) }

    @inlinable
    package func bindNull(at index: Int) throws {
        try check(sqlite3_bind_null(handle, Int32(truncatingIfNeeded: index)))
    }

    @inlinable
    package func bind(_ value: Int64, at index: Int) throws {
        try check(sqlite3_bind_int64(handle, Int32(truncatingIfNeeded: index), value))
    }

    /// Binds a number. SQLite stores not-a-number as NULL.
    @inlinable
    package func bind(_ value: Double, at index: Int) throws {
        try check(sqlite3_bind_double(handle, Int32(truncatingIfNeeded: index), value))
    }

    /// Binds text as UTF-8; SQLite takes the one copy.
    @inlinable
    package func bind(_ value: String, at index: Int) throws {
        var value = value
        let result = value.withUTF8 { bytes in
            sqlite3_bind_text64(
                handle, Int32(truncatingIfNeeded: index), SQLiteStatement.characters(bytes), UInt64(bytes.count),
                SQLiteStatement.copied, UInt8(SQLITE_UTF8))
        }
        try check(result)
    }

    /// Binds bytes; SQLite takes the one copy. No bytes are an empty blob, not NULL.
    @inlinable
    package func bind(_ value: Data, at index: Int) throws {
        let result = value.withUnsafeBytes { bytes -> Int32 in
            guard let start = bytes.baseAddress, bytes.count > 0 else {
                return sqlite3_bind_zeroblob(handle, Int32(truncatingIfNeeded: index), 0)
            }
            return sqlite3_bind_blob64(
                handle, Int32(truncatingIfNeeded: index), start, UInt64(bytes.count), SQLiteStatement.copied)
        }
        try check(result)
    }

    @inlinable
    package func bind(_ value: Int64?, at index: Int) throws {
        if let value { try bind(value, at: index) } else { try bindNull(at: index) }
    }

    @inlinable
    package func bind(_ value: Double?, at index: Int) throws {
        if let value { try bind(value, at: index) } else { try bindNull(at: index) }
    }

    @inlinable
    package func bind(_ value: String?, at index: Int) throws {
        if let value { try bind(value, at: index) } else { try bindNull(at: index) }
    }

    @inlinable
    package func bind(_ value: Data?, at index: Int) throws {
        if let value { try bind(value, at: index) } else { try bindNull(at: index) }
    }

    /// Binds UTF-8 text without a copy. The bytes must stay where they are, unchanged, until the parameter is bound
    /// anew, the bindings are cleared or the statement is finalized.
    @inlinable
    package func bindText(uncopied bytes: UnsafeRawBufferPointer, at index: Int) throws {
        let characters = SQLiteStatement.characters(bytes.assumingMemoryBound(to: UInt8.self))
        try check(
            sqlite3_bind_text64(
                handle, Int32(truncatingIfNeeded: index), characters, UInt64(bytes.count), nil, UInt8(SQLITE_UTF8)))
    }

    /// Binds bytes without a copy, under the same rule as `bindText(uncopied:at:)`.
    @inlinable
    package func bindBlob(uncopied bytes: UnsafeRawBufferPointer, at index: Int) throws {
        guard let start = bytes.baseAddress, bytes.count > 0 else {
            return try check(sqlite3_bind_zeroblob(handle, Int32(truncatingIfNeeded: index), 0))
        }
        try check(
            sqlite3_bind_blob64(handle, Int32(truncatingIfNeeded: index), start, UInt64(bytes.count), nil))
    }

    @inlinable
    func check(_ result: Int32) throws {
        if result != SQLITE_OK { throw failure(result) }
    }

    /// SQLite takes a null pointer for NULL, so that empty text needs an address: any static one will do.
    @inlinable
    static func characters(_ bytes: UnsafeBufferPointer<UInt8>) -> UnsafePointer<CChar> {
        if let start = bytes.baseAddress { return UnsafeRawPointer(start).assumingMemoryBound(to: CChar.self) }
        return sqlite3_libversion()
    }
}
