import Foundation

// Derived attributes. Objects keep the rows that they made: they show what was derived once they are refreshed, as on Apple's
// platforms.
extension SaveTransaction {
    /// Computes what is derived from the records themselves, for the rows that will be written.
    func deriveValues() {
        derivedRows = []
        for index in changes.inserted.indices {
            let row = changes.inserted[index]
            guard let entity = deriving(row) else { continue }
            changes.inserted[index] = derived(row, entity.derivations)
        }
        for index in changes.updated.indices {
            let row = changes.updated[index].new
            guard let entity = deriving(row) else { continue }
            // The object that was changed may not know what triggers have made of the record since: it is read again.
            if entity.hasTriggeredValues {
                store.triggeredChanges.add(entity: Int64(entity.number), key: row.primaryKey)
            }
            guard !entity.derivations.isEmpty else { continue }
            changes.updated[index].new = derived(row, entity.derivations)
            let changed = changes.updated[index].changedSlots
            for derivation in entity.derivations where derivation.depends(on: changed) {
                changes.updated[index].changedSlots.insert(derivation.slot)
            }
        }
    }

    private func deriving(_ row: Row) -> SQLEntity? {
        guard let entity = schema.entity(ordinal: row.layout.ordinal) else { return nil }
        return entity.hasTriggeredValues || !entity.derivations.isEmpty ? entity : nil
    }

    private func derived(_ row: Row, _ derivations: ContiguousArray<OwnDerivation>) -> Row {
        if derivations.isEmpty { return row }
        let layout = row.layout
        var values: [Int: SlotValue] = [:]
        for derivation in derivations { values[derivation.slot] = derivation.value(in: row) }
        var byteCount = 0
        for slot in layout.slots.indices where layout.slots[slot].kind.isVariable {
            byteCount += values[slot]?.byteCount ?? (row.isNull(slot) ? 0 : row.byteCount(slot))
        }
        var writer = RowWriter(
            layout, primaryKey: row.primaryKey, version: row.version, commit: 0, byteCount: byteCount)
        for slot in layout.slots.indices {
            if let value = values[slot] { writer.set(slot, value) } else { writer.copy(slot, from: row) }
        }
        derivedRows.append((row, writer.row))
        return writer.row
    }
}

extension SlotValue {
    /// The bytes that a derived value takes behind the words of a row.
    fileprivate var byteCount: Int {
        switch self {
        case .string(let text): text.utf8.count
        case .data(let data): data.count
        case .uuid: 16
        case .object(let url as NSURL): url.absoluteString.utf8.count
        case .object(is NSDecimalNumber): RowWriter.decimalByteCount
        case .unset, .null, .integer, .double, .key, .object, .any: 0
        }
    }
}

extension RowWriter {
    fileprivate mutating func set(_ slot: Int, _ value: SlotValue) {
        switch value {
        case .integer(let number): set(slot, integer: number)
        case .double(let number): set(slot, double: number)
        case .string(var text): text.withUTF8 { set(slot, bytes: UnsafeRawBufferPointer($0)) }
        case .data(let data): data.withUnsafeBytes { set(slot, bytes: $0) }
        case .uuid(let uuid): set(slot, uuid: uuid)
        case .object(let number as NSDecimalNumber): set(slot, decimal: number.decimalValue)
        case .object(let url as NSURL):
            var text = url.absoluteString
            text.withUTF8 { set(slot, bytes: UnsafeRawBufferPointer($0)) }
        case .unset, .null, .key, .object, .any: break
        }
    }
}
