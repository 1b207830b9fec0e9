import CoreDataSQLite
import Foundation

/// How the rows of an entity, and of the entities below it, are read: which columns a statement selects, and what becomes
/// of each. Made once for an entity; shared by all requests.
final class SQLRowPlan: @unchecked Sendable {
    /// A column of the statement and the slot it fills.
    struct Step {
        let column: Int32
        let slot: Int32
        let kind: SlotKind
    }

    /// The part of the plan for rows of one entity.
    ///
    /// The lists are plain memory that the plan owns: the loop over the columns of a row touches no reference count.
    private struct EntityPart {
        unowned(unsafe) let layout: SlotLayout
        let steps: UnsafeBufferPointer<Step>
        /// Columns whose bytes are copied behind the slots.
        let variableColumns: UnsafeBufferPointer<Int32>
        /// Room for decimals, which are no bytes in the file.
        let fixedByteCount: Int

        init(_ layout: SlotLayout, _ steps: ContiguousArray<Step>) {
            self.layout = layout
            self.steps = Self.copy(steps)
            variableColumns = Self.copy(
                ContiguousArray(steps.lazy.filter { $0.kind.isVariable && $0.kind != .decimal }.map(\.column)))
            fixedByteCount = steps.lazy.filter { $0.kind == .decimal }.count * RowWriter.decimalByteCount
        }

        private static func copy<T>(_ items: ContiguousArray<T>) -> UnsafeBufferPointer<T> {
            let buffer = UnsafeMutableBufferPointer<T>.allocate(capacity: items.count)
            _ = buffer.initialize(from: items)
            return UnsafeBufferPointer(buffer)
        }

        func deallocate() {
            steps.deallocate()
            variableColumns.deallocate()
        }
    }

    let schema: SQLSchema
    let entity: SQLEntity
    /// What to select, in this order.
    let columns: ContiguousArray<SQLColumn>
    /// `t0.Z_PK, t0.Z_OPT, …`
    let selection: String
    /// Selects the row of the key in `?1`.
    let selectByKey: String
    /// The part of rows of the entity itself, where no others stand in the table.
    private let only: EntityPart?
    /// By `Z_ENT`.
    private let parts: ContiguousArray<EntityPart?>

    // Where every selection begins.

    private static let keyColumn: Int32 = 0
    private static let versionColumn: Int32 = 1
    private static let entityColumn: Int32 = 2

    init(_ schema: SQLSchema, _ entity: SQLEntity) {
        self.schema = schema
        self.entity = entity
        var columns: ContiguousArray<SQLColumn> = [SQLTable.primaryKey, SQLTable.version]
        if entity.table.isShared { columns.append(SQLTable.entity) }
        var places: [String: Int32] = [:]
        var parts = ContiguousArray<EntityPart?>()
        var only: EntityPart?
        for number in entity.numbers {
            guard let ordinal = schema.ordinal(number: Int64(number)), let member = schema.entity(ordinal: ordinal)
            else { continue }
            var steps = ContiguousArray<Step>()
            for (slot, column) in member.columns.enumerated() {
                guard let column else { continue }
                let place = places[column.name] ?? Int32(columns.count)
                if place == Int32(columns.count) {
                    places[column.name] = place
                    columns.append(column)
                }
                steps.append(Step(column: place, slot: Int32(slot), kind: member.layout.slots[slot].kind))
            }
            let part = EntityPart(member.layout, steps)
            while parts.count <= Int(number) { parts.append(nil) }
            parts[Int(number)] = part
            if !entity.table.isShared { only = part }
        }
        self.columns = columns
        selection = columns.map { "t0.\($0.sql)" }.joined(separator: ", ")
        selectByKey = "SELECT \(selection) FROM \(entity.table.sql) t0 WHERE t0.Z_PK = ?1"
        self.parts = parts
        self.only = only
    }

    deinit {
        for part in parts { part?.deallocate() }
    }

    /// The row a statement stands at, nil if it is of another entity than the plan's.
    func rowIfMember(_ statement: OpaquePointer, commit: UInt64) throws -> Row? {
        if only == nil {
            let number = sqlite3_column_int64(statement, Self.entityColumn)
            guard number > 0, number < Int64(parts.count), parts[Int(number)] != nil else { return nil }
        }
        return try row(statement, commit: commit)
    }

    /// The row a statement stands at.
    ///
    /// - Throws: `NSError` (134180) naming table, column and key where a value cannot be what the attribute holds.
    func row(_ statement: OpaquePointer, commit: UInt64) throws -> Row {
        let key = sqlite3_column_int64(statement, Self.keyColumn)
        let version = sqlite3_column_int64(statement, Self.versionColumn)
        let part = try only ?? part(sqlite3_column_int64(statement, Self.entityColumn), key)
        var byteCount = part.fixedByteCount
        for column in part.variableColumns { byteCount += Int(sqlite3_column_bytes(statement, column)) }
        guard byteCount <= Row.maximumByteCount else { throw tooLarge(key) }
        var writer = RowWriter(
            part.layout, primaryKey: key, version: version, commit: commit, byteCount: byteCount)
        for step in part.steps {
            // Unprotected values may be read like this where the connection is used by one thread at a time, which it is.
            guard let value = sqlite3_column_value(statement, step.column) else { continue }
            let type = sqlite3_value_type(value)
            if type == SQLITE_NULL { continue }
            let slot = Int(step.slot)
            switch step.kind {
            case .integer, .toOneKey:
                guard type == SQLITE_INTEGER || type == SQLITE_FLOAT else { throw unreadable(step, type, key) }
                writer.set(slot, integer: sqlite3_value_int64(value))
            case .boolean:
                guard type == SQLITE_INTEGER || type == SQLITE_FLOAT else { throw unreadable(step, type, key) }
                writer.set(slot, integer: sqlite3_value_int64(value) == 0 ? 0 : 1)
            case .double, .date:
                guard type == SQLITE_FLOAT || type == SQLITE_INTEGER else { throw unreadable(step, type, key) }
                writer.set(slot, double: sqlite3_value_double(value))
            case .float:
                guard type == SQLITE_FLOAT || type == SQLITE_INTEGER else { throw unreadable(step, type, key) }
                writer.set(slot, double: Double(Float(sqlite3_value_double(value))))
            case .string, .uri:
                // Numbers in a text column read as text.
                writer.set(slot, bytes: Self.text(value))
            case .data, .transformable:
                guard type == SQLITE_BLOB || type == SQLITE_TEXT else { throw unreadable(step, type, key) }
                writer.set(slot, bytes: Self.blob(value))
            case .uuid: try setUUID(&writer, step, value, type, key)
            case .decimal: try setDecimal(&writer, step, value, type, key)
            case .toOneEntity:
                if let ordinal = schema.ordinal(number: sqlite3_value_int64(value)) {
                    writer.set(slot, integer: Int64(ordinal))
                }
            case .transient: break
            }
        }
        return writer.row
    }

    @inline(__always)
    private static func text(_ value: OpaquePointer) -> UnsafeRawBufferPointer {
        let start = sqlite3_value_text(value)
        return UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : Int(sqlite3_value_bytes(value)))
    }

    @inline(__always)
    private static func blob(_ value: OpaquePointer) -> UnsafeRawBufferPointer {
        let start = sqlite3_value_blob(value)
        return UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : Int(sqlite3_value_bytes(value)))
    }

    private func setUUID(
        _ writer: inout RowWriter, _ step: Step, _ value: OpaquePointer, _ type: Int32, _ key: Int64
    ) throws {
        if type == SQLITE_BLOB, sqlite3_value_bytes(value) == 16 {
            writer.set(Int(step.slot), bytes: Self.blob(value))
        } else if type == SQLITE_TEXT, let uuid = UUID(uuidString: String(decoding: Self.text(value), as: UTF8.self)) {
            writer.set(Int(step.slot), uuid: uuid)
        } else {
            throw unreadable(step, type, key)
        }
    }

    /// A real becomes the shortest decimal that stands for it; Apple's column keeps no more.
    private func setDecimal(
        _ writer: inout RowWriter, _ step: Step, _ value: OpaquePointer, _ type: Int32, _ key: Int64
    ) throws {
        let decimal: Decimal?
        switch type {
        case SQLITE_INTEGER: decimal = Decimal(sqlite3_value_int64(value))
        case SQLITE_FLOAT: decimal = Decimal(nearest: sqlite3_value_double(value))
        case SQLITE_TEXT: decimal = Decimal(string: String(decoding: Self.text(value), as: UTF8.self))
        default: decimal = nil
        }
        guard let decimal else { throw unreadable(step, type, key) }
        writer.set(Int(step.slot), decimal: decimal)
    }

    // MARK: Errors

    private func part(_ number: Int64, _ key: Int64) throws -> EntityPart {
        if number > 0, number < Int64(parts.count), let part = parts[Int(number)] { return part }
        throw damaged("\(place(key)) has the entity number \(number), which is none of \(entity.name)'s.")
    }

    private func unreadable(_ step: Step, _ type: Int32, _ key: Int64) -> NSError {
        let stored =
            switch type {
            case SQLITE_INTEGER: "an integer"
            case SQLITE_FLOAT: "a real"
            case SQLITE_TEXT: "a text"
            default: "bytes"
            }
        return damaged("\(place(key)) has \(stored) in column \(columns[Int(step.column)].name) of kind \(step.kind).")
    }

    private func tooLarge(_ key: Int64) -> NSError {
        damaged("\(place(key)) holds more than \(Row.maximumByteCount) bytes.")
    }

    private func place(_ key: Int64) -> String { "The row \(key) of table \(entity.table.name)" }

    private func damaged(_ reason: String) -> NSError {
        NSError(
            domain: NSCocoaErrorDomain, code: NSSQLiteError,
            userInfo: [
                NSLocalizedDescriptionKey: "A value of the store cannot be read.",
                NSLocalizedFailureReasonErrorKey: reason,
            ])
    }
}
