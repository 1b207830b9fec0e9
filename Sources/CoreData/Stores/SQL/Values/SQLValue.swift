import CoreDataSQLite
import Foundation

/// A value for a parameter of a statement.
enum SQLValue {
    case null
    case integer(Int64)
    case double(Double)
    case text(String)
    case blob(Data)
    /// The list that `coredata_values(?)` reads as a table.
    case list(SQLValueList)
    /// What `coredata_matches(text, ?)` and `coredata_order(text, ?)` compare with.
    case matcher(TextMatcher)

    /// Binds the value; lists and matchers are retained until the parameter is bound anew.
    func bind(to statement: SQLiteStatement, at index: Int) throws {
        switch self {
        case .null: try statement.bindNull(at: index)
        case .integer(let value): try statement.bind(value, at: index)
        case .double(let value): try statement.bind(value, at: index)
        case .text(let value): try statement.bind(value, at: index)
        case .blob(let value): try statement.bind(value, at: index)
        case .list(let list): try statement.bind(object: list, type: SQLValueList.pointerType, at: index)
        case .matcher(let matcher): try statement.bind(object: matcher, type: TextMatcher.pointerType, at: index)
        }
    }
}

extension SQLiteStatement {
    /// Binds an object for functions of ours; SQL itself sees NULL. Only code that knows `type` can get at it.
    func bind(object: AnyObject, type: StaticString, at index: Int) throws {
        // SQLite calls the destructor also where the binding fails.
        let result = sqlite3_bind_pointer(
            handle, Int32(truncatingIfNeeded: index), Unmanaged.passRetained(object).toOpaque(), type.cString,
            { address in
                if let address { Unmanaged<AnyObject>.fromOpaque(address).release() }
            })
        if result != SQLITE_OK { throw failure(result) }
    }

    func bind(_ values: [SQLValue]) throws {
        for (index, value) in values.enumerated() { try value.bind(to: self, at: index + 1) }
    }
}

extension StaticString {
    var cString: UnsafePointer<CChar> {
        UnsafeRawPointer(utf8Start).assumingMemoryBound(to: CChar.self)
    }
}
