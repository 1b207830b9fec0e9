import CoreDataSQLite
import Foundation

/// How the rows of one entity are inserted, updated and deleted. Made once for an entity.
final class SQLWritePlan: @unchecked Sendable {
    /// A slot with a column.
    struct Step {
        let slot: Int32
        let kind: SlotKind
    }

    let schema: SQLSchema
    let entity: SQLEntity
    /// Parameters: key, entity, version, then the steps.
    let insert: String
    let steps: ContiguousArray<Step>
    /// Parameters: key, version.
    let delete: String
    let deleteAnyVersion: String
    /// Parameter: key.
    let selectVersion: String
    /// What else goes with a row: the pairs it stands in, and hidden keys that lead to it. Parameter: key.
    let deleteReferences: [String]

    private let lock = NSLock()
    private var updates: [SlotSet: Update] = [:]
    private static let keptUpdates = 64

    /// An update of certain slots.
    final class Update: Sendable {
        /// Parameters: new version, the steps, key, old version.
        let sql: String
        /// The same without the old version: whatever is stored is overwritten.
        let anyVersion: String
        let steps: ContiguousArray<Step>

        init(sql: String, anyVersion: String, steps: ContiguousArray<Step>) {
            self.sql = sql
            self.anyVersion = anyVersion
            self.steps = steps
        }
    }

    init(_ schema: SQLSchema, _ entity: SQLEntity) {
        self.schema = schema
        self.entity = entity
        var steps = ContiguousArray<Step>()
        var names = ["Z_PK", "Z_ENT", "Z_OPT"]
        for (slot, column) in entity.columns.enumerated() {
            guard let column else { continue }
            names.append(column.sql)
            steps.append(Step(slot: Int32(slot), kind: entity.layout.slots[slot].kind))
        }
        self.steps = steps
        let table = entity.table.sql
        let places = (1...names.count).map { "?\($0)" }.joined(separator: ", ")
        insert = "INSERT INTO \(table) (\(names.joined(separator: ", "))) VALUES (\(places))"
        delete = "DELETE FROM \(table) WHERE Z_PK = ?1 AND Z_OPT = ?2"
        deleteAnyVersion = "DELETE FROM \(table) WHERE Z_PK = ?1"
        selectVersion = "SELECT ifnull(Z_OPT, 0), Z_OPT IS NULL FROM \(table) WHERE Z_PK = ?1"
        deleteReferences = entity.toMany.flatMap { $0.map(Self.deleteReferences) ?? [] }
    }

    private static func deleteReferences(_ members: SQLToMany) -> [String] {
        switch members {
        case .foreignKey(let link):
            // Where the members show their owner by a property, what becomes of it is the delete rule's affair.
            guard link.inverseSlot == nil else { return [] }
            return ["UPDATE \(link.table.sql) SET \(link.key.sql) = NULL WHERE \(link.key.sql) = ?1"]
        case .join(let link):
            let pairs = "DELETE FROM \(link.table.sql) WHERE "
            guard link.table.isReflexive else { return [pairs + "\(link.owner.sql) = ?1"] }
            return [pairs + "\(link.owner.sql) = ?1", pairs + "\(link.member.sql) = ?1"]
        }
    }

    func update(_ slots: SlotSet) -> Update {
        lock.lock()
        defer { lock.unlock() }
        if let known = updates[slots] { return known }
        var steps = ContiguousArray<Step>()
        var assignments = ["Z_OPT = ?1"]
        slots.forEach { slot in
            guard slot < entity.columns.count, let column = entity.columns[slot] else { return }
            assignments.append("\(column.sql) = ?\(assignments.count + 1)")
            steps.append(Step(slot: Int32(slot), kind: entity.layout.slots[slot].kind))
        }
        let key = assignments.count + 1
        let text = "UPDATE \(entity.table.sql) SET \(assignments.joined(separator: ", ")) WHERE Z_PK = ?\(key)"
        let made = Update(sql: text + " AND Z_OPT = ?\(key + 1)", anyVersion: text, steps: steps)
        if updates.count >= Self.keptUpdates { updates.removeAll() }
        updates[slots] = made
        return made
    }

    /// Binds slots of a row to consecutive parameters. Texts and bytes are not copied: the row must outlive the step.
    @inline(__always)
    func bind(
        _ steps: ContiguousArray<Step>, of row: Row, to statement: OpaquePointer, from first: Int32
    ) -> Int32 {
        var index = first
        var result = SQLITE_OK
        for step in steps {
            let slot = Int(step.slot)
            if row.isNull(slot) {
                result |= sqlite3_bind_null(statement, index)
            } else {
                switch step.kind {
                case .integer, .boolean, .toOneKey:
                    result |= sqlite3_bind_int64(statement, index, row.integer(slot))
                case .double, .float, .date: result |= sqlite3_bind_double(statement, index, row.double(slot))
                case .string, .uri:
                    result |= row.withBytes(slot) { bytes in
                        sqlite3_bind_text64(
                            statement, index, bytes.characters, UInt64(bytes.count), nil, UInt8(SQLITE_UTF8))
                    }
                case .uuid, .data, .transformable:
                    result |= row.withBytes(slot) { bytes in
                        bytes.isEmpty
                            ? sqlite3_bind_zeroblob(statement, index, 0)
                            : sqlite3_bind_blob64(statement, index, bytes.baseAddress, UInt64(bytes.count), nil)
                    }
                case .decimal: result |= bindDecimal(row.decimal(slot), statement, index)
                case .toOneEntity:
                    if let target = schema.entity(ordinal: Int32(truncatingIfNeeded: row.integer(slot))) {
                        result |= sqlite3_bind_int64(statement, index, Int64(target.number))
                    } else {
                        result |= sqlite3_bind_null(statement, index)
                    }
                case .transient: result |= sqlite3_bind_null(statement, index)
                }
            }
            index += 1
        }
        return result
    }

    private func bindDecimal(_ decimal: Decimal, _ statement: OpaquePointer, _ index: Int32) -> Int32 {
        guard schema.storesDecimalsAsText else { return sqlite3_bind_double(statement, index, decimal.nearestDouble) }
        let text = decimal.description
        return sqlite3_bind_text(statement, index, text, -1, unsafeBitCast(-1, to: sqlite3_destructor_type.self))
    }
}

extension UnsafeRawBufferPointer {
    /// SQLite takes a null pointer for NULL: empty text needs an address, any static one.
    @inline(__always)
    fileprivate var characters: UnsafePointer<CChar> {
        if let baseAddress { return baseAddress.assumingMemoryBound(to: CChar.self) }
        return sqlite3_libversion()
    }
}
