import CoreDataSQLite

/// Values that a statement reads as a table: `x IN (SELECT value FROM coredata_values(?))`.
///
/// One text serves lists of any length, so the statement stays cached and no limit on parameters applies; the values arrive
/// with their exact types, which they would not by way of JSON.
final class SQLValueList {
    enum Storage {
        case keys(ContiguousArray<Int64>)
        case values([SQLValue])
    }

    static let pointerType: StaticString = "CoreDataValueList"
    let storage: Storage

    init(keys: ContiguousArray<Int64>) { storage = .keys(keys) }
    init(_ values: [SQLValue]) { storage = .values(values) }

    var count: Int {
        switch storage {
        case .keys(let keys): keys.count
        case .values(let values): values.count
        }
    }

    fileprivate func setResult(_ index: Int, _ context: OpaquePointer) {
        switch storage {
        case .keys(let keys): sqlite3_result_int64(context, keys[index])
        case .values(let values):
            switch values[index] {
            case .integer(let value): sqlite3_result_int64(context, value)
            case .double(let value): sqlite3_result_double(context, value)
            case .text(var text):
                text.withUTF8 { bytes in
                    bytes.withMemoryRebound(to: CChar.self) { characters in
                        sqlite3_result_text64(
                            context, characters.baseAddress ?? sqlite3_libversion(), UInt64(characters.count),
                            copied, UInt8(SQLITE_UTF8))
                    }
                }
            case .blob(let data):
                data.withUnsafeBytes { bytes in
                    if let start = bytes.baseAddress, !bytes.isEmpty {
                        sqlite3_result_blob64(context, start, UInt64(bytes.count), copied)
                    } else {
                        sqlite3_result_zeroblob(context, 0)
                    }
                }
            case .null, .list, .matcher: sqlite3_result_null(context)
            }
        }
    }
}

/// Tells SQLite to copy the bytes before the call returns.
private var copied: sqlite3_destructor_type { unsafeBitCast(-1, to: sqlite3_destructor_type.self) }

/// The place of a statement in a list. What SQLite knows of it stands first, so that both have the same address.
private struct ListCursor {
    var base = sqlite3_vtab_cursor()
    var list: SQLValueList?
    var index = 0

    static func at(_ cursor: UnsafeMutablePointer<sqlite3_vtab_cursor>) -> UnsafeMutablePointer<ListCursor> {
        UnsafeMutableRawPointer(cursor).assumingMemoryBound(to: ListCursor.self)
    }
}

extension SQLiteConnection {
    /// Makes `coredata_values(?)` known to this connection.
    func registerValueLists() throws {
        let result = sqlite3_create_module_v2(handle, "coredata_values", valueListModule.pointer, nil, nil)
        guard result == SQLITE_OK else { throw SQLiteError(extendedCode: result, path: path) }
    }
}

/// The virtual table's functions; made once, never changed, never freed.
private struct ModulePointer: @unchecked Sendable {
    let pointer: UnsafeMutablePointer<sqlite3_module>
}

private let valueListModule: ModulePointer = {
    var module = sqlite3_module()
    // Without xCreate the table exists by its name alone, and nothing is ever stored of it.
    module.xConnect = { database, _, _, _, table, _ in
        let result = sqlite3_declare_vtab(database, "CREATE TABLE x(value, list HIDDEN)")
        guard result == SQLITE_OK else { return result }
        let made = UnsafeMutablePointer<sqlite3_vtab>.allocate(capacity: 1)
        made.initialize(to: sqlite3_vtab())
        table?.pointee = made
        return SQLITE_OK
    }
    module.xDisconnect = { table in
        table?.deallocate()
        return SQLITE_OK
    }
    module.xBestIndex = { _, info in
        guard let info else { return SQLITE_ERROR }
        for index in 0..<Int(info.pointee.nConstraint) {
            let constraint = info.pointee.aConstraint[index]
            guard constraint.iColumn == 1, constraint.op == UInt8(SQLITE_INDEX_CONSTRAINT_EQ), constraint.usable != 0
            else { continue }
            info.pointee.aConstraintUsage[index].argvIndex = 1
            info.pointee.aConstraintUsage[index].omit = 1
            info.pointee.estimatedCost = 10
            info.pointee.estimatedRows = 10
            return SQLITE_OK
        }
        return SQLITE_CONSTRAINT
    }
    module.xOpen = { _, cursor in
        let made = UnsafeMutablePointer<ListCursor>.allocate(capacity: 1)
        made.initialize(to: ListCursor())
        cursor?.pointee = UnsafeMutableRawPointer(made).assumingMemoryBound(to: sqlite3_vtab_cursor.self)
        return SQLITE_OK
    }
    module.xClose = { cursor in
        guard let cursor else { return SQLITE_OK }
        ListCursor.at(cursor).deinitialize(count: 1)
        ListCursor.at(cursor).deallocate()
        return SQLITE_OK
    }
    module.xFilter = { cursor, _, _, count, values in
        guard let cursor else { return SQLITE_ERROR }
        let place = ListCursor.at(cursor)
        place.pointee.index = 0
        place.pointee.list = nil
        if count > 0, let value = values?[0],
            let address = sqlite3_value_pointer(value, SQLValueList.pointerType.cString)
        {
            place.pointee.list = Unmanaged<SQLValueList>.fromOpaque(address).takeUnretainedValue()
        }
        return SQLITE_OK
    }
    module.xNext = { cursor in
        guard let cursor else { return SQLITE_ERROR }
        ListCursor.at(cursor).pointee.index += 1
        return SQLITE_OK
    }
    module.xEof = { cursor in
        guard let cursor else { return 1 }
        let place = ListCursor.at(cursor)
        return place.pointee.index < place.pointee.list?.count ?? 0 ? 0 : 1
    }
    module.xColumn = { cursor, context, column in
        guard let cursor, let context else { return SQLITE_ERROR }
        let place = ListCursor.at(cursor)
        if column == 0, let list = place.pointee.list { list.setResult(place.pointee.index, context) }
        return SQLITE_OK
    }
    module.xRowid = { cursor, row in
        guard let cursor else { return SQLITE_ERROR }
        row?.pointee = Int64(ListCursor.at(cursor).pointee.index)
        return SQLITE_OK
    }
    let pointer = UnsafeMutablePointer<sqlite3_module>.allocate(capacity: 1)
    pointer.initialize(to: module)
    return ModulePointer(pointer: pointer)
}()
