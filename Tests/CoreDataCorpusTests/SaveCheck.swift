import CoreData
import Foundation

/// What a save was about, as the context said before it.
struct SaveChanges {
    /// Their permanent keys are known after the save.
    let inserted: Set<NSManagedObject>
    let updated: Set<RecordKey>
    let deleted: Set<RecordKey>
    /// Updated records of which every changed column is known, with the new values, and the names of the changed properties.
    var exact: [RecordKey: (columns: [String: RawValue], properties: Set<String>)] = [:]
    /// Tables in which order keys may move though the records themselves did not change.
    var reordered: Set<String> = []

    init(_ context: NSManagedObjectContext) {
        context.processPendingChanges()
        inserted = context.insertedObjects
        updated = Set(context.updatedObjects.filter(\.hasPersistentChangedValues).map(\.recordKey))
        deleted = Set(context.deletedObjects.map(\.recordKey))
    }

    var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty }
}

/// Holds a file before a save against the file after it: what had to change changed as it must, all else did not.
struct SaveCheck {
    private struct Place: Hashable {
        let table: String
        let key: Int64
    }

    let store: RealStore
    let columns: ExpectedColumns
    let triggerColumns: Set<String>
    let author: String
    private(set) var differences: [String] = []

    init(_ store: RealStore, _ columns: ExpectedColumns, triggerColumns: Set<String>, author: String) {
        self.store = store
        self.columns = columns
        self.triggerColumns = triggerColumns
        self.author = author
    }

    private mutating func differ(_ text: String) {
        if differences.count < 20 { differences.append(text) }
    }

    private func place(_ record: RecordKey) -> Place {
        let entity = store.model.entitiesByName[record.entity]
        return Place(table: entity.map(ExpectedColumns.table) ?? "", key: record.key)
    }

    mutating func compare(_ before: StoreDump, _ after: StoreDump, _ changes: SaveChanges) {
        let inserted = Dictionary(uniqueKeysWithValues: changes.inserted.map { (place($0.recordKey), $0.recordKey) })
        let updated = Dictionary(uniqueKeysWithValues: changes.updated.map { (place($0), $0) })
        let deleted = Dictionary(uniqueKeysWithValues: changes.deleted.map { (place($0), $0) })
        for root in store.model.entities where root.superentity == nil {
            let table = ExpectedColumns.table(of: root)
            guard let old = before.records[table], let new = after.records[table] else {
                differ("\(table) is gone")
                continue
            }
            for key in Set(old.rows.keys).union(new.rows.keys) {
                let place = Place(table: table, key: key)
                switch (old.rows[key] != nil, new.rows[key] != nil) {
                case (false, true): check(inserted: inserted[place], place, new)
                case (true, false):
                    if deleted[place] == nil { differ("\(place) is gone") }
                default:
                    if deleted[place] != nil { differ("\(place) is still there") }
                    if inserted[place] != nil { differ("\(place) was there before") }
                    check(updated: updated[place], place, old, new, changes)
                }
            }
            let count = Int64(inserted.keys.filter { $0.table == table }.count)
            checkLastKey(root, count, before, after, new)
        }
        for place in inserted.keys where after.records[place.table]?.rows[place.key] == nil {
            differ("\(place) was not inserted")
        }
        checkOtherTables(before, after, Set(inserted.keys).union(updated.keys).union(deleted.keys), changes.reordered)
        if store.hasHistory { historyDifferences(before, after, changes).forEach { differ($0) } }
    }

    // MARK: Records

    private mutating func check(inserted record: RecordKey?, _ place: Place, _ table: StoreDump.Table) {
        guard let record else { return differ("\(place) appeared") }
        if table.value(place.key, "Z_ENT") != columns.numbers[record.entity].map(RawValue.integer) {
            differ("\(record): Z_ENT \(String(describing: table.value(place.key, "Z_ENT")))")
        }
        if table.value(place.key, "Z_OPT") != .integer(1) { differ("\(record): Z_OPT is not 1") }
    }

    private mutating func check(
        updated record: RecordKey?, _ place: Place, _ old: StoreDump.Table, _ new: StoreDump.Table,
        _ changes: SaveChanges
    ) {
        guard let before = old.rows[place.key], let after = new.rows[place.key] else { return }
        let exact = record.flatMap { changes.exact[$0] }
        if let record, let version = old.value(place.key, "Z_OPT"),
            new.value(place.key, "Z_OPT") != .integer((version.integer ?? 0) + 1)
        {
            differ("\(record): Z_OPT \(version) became \(String(describing: new.value(place.key, "Z_OPT")))")
        }
        for (index, column) in new.columns.enumerated() {
            if triggerColumns.contains(place.table + "." + column) || column == "Z_OPT" && record != nil { continue }
            let mayMove = column.hasPrefix("Z_FOK_") && changes.reordered.contains(place.table)
            if let expected = exact?.columns[column] {
                // Whole numbers in number columns are stored as integers.
                let stored = after[index].integer.map { RawValue.real(Double($0)) }
                if after[index] != expected, stored != expected {
                    differ("\(place).\(column): \(after[index]) for \(expected)")
                }
            } else if record == nil || exact != nil || ["Z_PK", "Z_ENT"].contains(column),
                before[index] != after[index], !mayMove
            {
                differ("\(place).\(column): \(before[index]) became \(after[index])")
            }
        }
    }

    private mutating func checkLastKey(
        _ root: NSEntityDescription, _ inserted: Int64, _ before: StoreDump, _ after: StoreDump,
        _ table: StoreDump.Table
    ) {
        let old = before.lastKeys[root.title]?.last ?? 0
        let new = after.lastKeys[root.title]?.last ?? -1
        if new != old + inserted { differ("\(root.title): Z_MAX \(old) became \(new) after \(inserted) insertions") }
        if let greatest = table.rows.keys.max(), new < greatest { differ("\(root.title): Z_MAX \(new) < \(greatest)") }
    }

    // MARK: Other tables

    private mutating func checkOtherTables(
        _ before: StoreDump, _ after: StoreDump, _ changed: Set<Place>, _ reordered: Set<String>
    ) {
        let roots = Set(store.model.entities.filter { $0.superentity == nil }.map(\.title))
        let history: Set = ["CHANGE", "TRANSACTION", "TRANSACTIONSTRING"]
        for (name, old) in before.lastKeys {
            guard let new = after.lastKeys[name], new.number == old.number, new.parent == old.parent else {
                differ("Z_PRIMARYKEY: \(name) changed")
                continue
            }
            if !roots.contains(name), !history.contains(name), new.last != old.last { differ("Z_PRIMARYKEY: \(name)") }
        }
        if before.lastKeys.count != after.lastKeys.count { differ("Z_PRIMARYKEY has other rows") }
        if Set(before.others.keys) != Set(after.others.keys) { differ("other tables") }
        let joins = joinPlaces()
        for (table, old) in before.others {
            let new = after.others[table] ?? [:]
            let moved = Set(old.keys).symmetricDifference(new.keys)
                .union(old.keys.filter { old[$0] != new[$0] })
            guard let join = joins[table] else {
                if !moved.isEmpty { differ("\(table) changed") }
                continue
            }
            for row in moved {
                // Both ends of a pair changed; one, if only the place in its list did.
                let ends = zip([0, 1], [join.first, join.second]).filter { index, family in
                    changed.contains(Place(table: family, key: row[index].integer ?? -1))
                }
                if ends.count < (reordered.contains(table) ? 1 : 2) { differ("\(table): \(row) changed") }
            }
        }
    }

    /// The tables of pairs: the tables that their first two columns lead to.
    private func joinPlaces() -> [String: (first: String, second: String)] {
        var result: [String: (first: String, second: String)] = [:]
        for entity in store.model.entities {
            for relationship in entity.ownRelationships where relationship.isToMany {
                guard let destination = relationship.destinationEntity,
                    let members = columns.members(entity, relationship), members.member != "Z_PK"
                else { continue }
                let owner = ExpectedColumns.table(of: entity)
                let target = ExpectedColumns.table(of: destination)
                // Which of the two the first column leads to follows from where the table's name comes from.
                let names = (try? RawDatabase(store.url).columnNames(members.table)) ?? []
                result[members.table] = names.first == members.owner ? (owner, target) : (target, owner)
            }
        }
        return result
    }
}
