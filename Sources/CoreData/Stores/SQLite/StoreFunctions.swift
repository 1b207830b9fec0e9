import CoreDataSQLite
import Foundation

/// The functions that the triggers of Core Data's files call, and the collation of ours. Without them the tables that have
/// such triggers cannot be written.
enum StoreFunctions {
    /// Called by the triggers of derived attributes, from framework 1044 on.
    static let updated = "NSCoreDataDATriggerUpdatedAffectedObjectValue"
    static let inserted = "NSCoreDataDATriggerInsertUpdatedAffectedObjectValue"
    /// Called by triggers of an earlier generation.
    static let updatedFormerly = "NSCoreDataTriggerUpdateAffectedObjectValue"

    /// Orders texts that are decimal numbers by their value; used by stores in memory.
    static let decimalCollation = "COREDATA_DECIMAL"

    /// Registers everything on a new connection.
    ///
    /// - Parameter changes: where the triggers' reports go; nil for a connection that does not write.
    static func register(on connection: SQLiteConnection, changes: TriggeredChanges?) throws {
        for name in [updated, inserted, updatedFormerly] {
            try connection.register(function: name, argumentCount: 5, traits: .innocuous) { call in
                changes?.add(entity: call.int64(1), key: call.int64(2))
                call.resultNull()
            }
        }
        try connection.register(collation: decimalCollation, DecimalOrder.compare)
    }
}

/// The records that triggers changed in the write transaction that is running: their cached rows are old.
final class TriggeredChanges: @unchecked Sendable {
    struct Record: Hashable {
        /// `Z_ENT`.
        let entity: Int64
        /// `Z_PK`.
        let key: Int64
    }

    // Belongs to the writer's thread.
    private(set) var records: Set<Record> = []

    func add(entity: Int64, key: Int64) { records.insert(Record(entity: entity, key: key)) }

    func removeAll() { records.removeAll() }
}

/// The order of texts that hold decimal numbers.
enum DecimalOrder {
    /// A number below, at or above zero. Texts that are no numbers stand behind the numbers, by their bytes.
    @Sendable
    static func compare(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Int32 {
        switch (decimal(left), decimal(right)) {
        case (let left?, let right?): return left == right ? 0 : left < right ? -1 : 1
        case (_?, nil): return -1
        case (nil, _?): return 1
        case (nil, nil): return bytewise(left, right)
        }
    }

    private static func decimal(_ bytes: UnsafeRawBufferPointer) -> Decimal? {
        let text = String(decoding: bytes, as: UTF8.self)
        guard let value = Decimal(string: text, locale: nil), !value.isNaN else { return nil }
        return value
    }

    private static func bytewise(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Int32 {
        if left.elementsEqual(right) { return 0 }
        return left.lexicographicallyPrecedes(right) ? -1 : 1
    }
}
