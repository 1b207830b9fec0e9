import CoreData
import Foundation

extension SaveCheck {
    /// One transaction, and a change for each record.
    func historyDifferences(_ before: StoreDump, _ after: StoreDump, _ changes: SaveChanges) -> [String] {
        var differences: [String] = []
        guard let oldChanges = before.records["ACHANGE"], let newChanges = after.records["ACHANGE"],
            let oldTransactions = before.records["ATRANSACTION"], let transactions = after.records["ATRANSACTION"]
        else { return ["no history"] }
        for (name, table) in [
            ("CHANGE", "ACHANGE"), ("TRANSACTION", "ATRANSACTION"), ("TRANSACTIONSTRING", "ATRANSACTIONSTRING"),
        ] {
            guard let old = before.records[table], let new = after.records[table] else { continue }
            for (key, row) in old.rows where new.rows[key] != row { differences.append("\(table) \(key) changed") }
            let added = Set(new.rows.keys).subtracting(old.rows.keys).sorted()
            let last = max(before.lastKeys[name]?.last ?? 0, old.rows.keys.max() ?? 0)
            let expected = (0..<added.count).map { last + 1 + Int64($0) }
            if added != expected { differences.append("\(table): keys \(added) after \(last)") }
            if after.lastKeys[name]?.last != added.last ?? before.lastKeys[name]?.last {
                differences.append("\(table): Z_MAX \(String(describing: after.lastKeys[name]?.last))")
            }
            for key in added
            where new.value(key, "Z_ENT") != after.lastKeys[name].map({ .integer($0.number) })
                || new.value(key, "Z_OPT") != .null
            {
                differences.append("\(table) \(key): Z_ENT or Z_OPT")
            }
        }

        let added = Set(transactions.rows.keys).subtracting(oldTransactions.rows.keys)
        guard added.count == 1, let transaction = added.first else {
            return differences + ["\(added.count) transactions"]
        }
        if case .real(let time)? = transactions.value(transaction, "ZTIMESTAMP"),
            abs(time - Date().timeIntervalSinceReferenceDate) < 300
        {
        } else {
            differences.append("the transaction's time")
        }
        let strings = after.records["ATRANSACTIONSTRING"]
        let written =
            if let strings, let key = transactions.value(transaction, "ZAUTHORTS")?.integer {
                strings.value(key, "ZNAME")
            } else {
                transactions.value(transaction, "ZAUTHOR")
            }
        if written != .text(author) { differences.append("author \(String(describing: written))") }

        var expected: [[Int64]: RecordKey] = [:]
        func expect(_ kind: Int64, _ record: RecordKey) {
            expected[[kind, columns.numbers[record.entity] ?? 0, record.key]] = record
        }
        changes.inserted.forEach { expect(0, $0.recordKey) }
        changes.updated.forEach { expect(1, $0) }
        changes.deleted.forEach { expect(2, $0) }
        for key in Set(newChanges.rows.keys).subtracting(oldChanges.rows.keys) {
            let values = ["ZCHANGETYPE", "ZENTITY", "ZENTITYPK"].map { newChanges.value(key, $0)?.integer ?? -1 }
            guard let record = expected.removeValue(forKey: values) else {
                differences.append("a change of type, entity, key \(values)")
                continue
            }
            if newChanges.value(key, "ZTRANSACTIONID") != .integer(transaction) {
                differences.append("\(record): another transaction")
            }
            let bits = newChanges.value(key, "ZCOLUMNS") ?? .null
            if (values[0] == 1) == bits.isNull { differences.append("\(record): bit map \(bits)") }
            if let properties = changes.exact[record]?.properties,
                let entity = store.model.entitiesByName[record.entity],
                values[0] == 1, bits != .blob(self.bits(properties, entity))
            {
                differences.append("\(record): bit map \(bits) for \(properties)")
            }
            if values[0] == 2 { differences += tombstoneDifferences(record, key, newChanges, before) }
        }
        differences += expected.map { "no change for \($0.value), type \($0.key[0])" }
        return differences
    }

    private func bits(_ changed: Set<String>, _ entity: NSEntityDescription) -> Data {
        let names = columns.historyBits(of: entity)
        var bytes = [UInt8](repeating: 0, count: names.count / 8 + 1)
        for (index, place) in names.enumerated() where changed.contains(place.property) {
            bytes[index / 8] |= 128 >> (index % 8)
        }
        return Data(bytes)
    }

    /// The attributes that the model marks are kept of a deleted record.
    private func tombstoneDifferences(
        _ record: RecordKey, _ change: Int64, _ table: StoreDump.Table, _ before: StoreDump
    ) -> [String] {
        guard let entity = store.model.entitiesByName[record.entity],
            let rows = before.records[ExpectedColumns.table(of: entity)]
        else { return [] }
        let kept = entity.lineage.reversed().flatMap(\.ownStoredAttributes)
            .filter { $0.attribute.preservesValueInHistoryOnDeletion }
        return kept.enumerated().compactMap { index, item in
            guard let tombstone = table.value(change, "ZTOMBSTONE\(index)"),
                let column = columns.value(entity, item.path), let value = rows.value(record.key, column)
            else { return "\(record).\(item.path): no tombstone" }
            return AttributeForm.stored(tombstone, item.attribute) == AttributeForm.stored(value, item.attribute)
                ? nil : "\(record).\(item.path): tombstone \(tombstone) for \(value)"
        }
    }
}
