import Foundation
import TestSupport

@testable import CoreData

/// A store of the library model in a file of its own, with helpers to drive the engine directly.
final class SQLFixture {
    let directory: TemporaryDirectory
    let url: URL
    let model: NSManagedObjectModel
    let store: SQLiteStore

    init(
        model: NSManagedObjectModel = LibraryModel.make(), inMemory: Bool = false, options: [AnyHashable: Any] = [:]
    ) throws {
        directory = try TemporaryDirectory()
        url = directory.url("Library.sqlite")
        self.model = model
        store = try SQLiteStore.open(
            inMemory ? .memory : StoreLocation(url: url), type: inMemory ? NSInMemoryStoreType : NSSQLiteStoreType,
            url: inMemory ? nil : url, model: model, configuration: nil, options: options)
    }

    deinit { try? store.close() }

    /// Runs SQL in the shell on the store's file.
    @discardableResult
    func shell(_ sql: String) throws -> String { try sqlite3(url, sql) }

    func entity(_ name: String) -> NSEntityDescription {
        guard let entity = model.entitiesByName[name] else { preconditionFailure("no entity \(name)") }
        return entity
    }

    func key(_ name: String, _ number: Int64) -> ObjectKey {
        ObjectKey(number: number, entity: Int32(entity(name).ordinal))
    }

    // MARK: Rows

    /// A row with the given values: Swift values for attributes, `ObjectKey`s for to-one relationships.
    func row(_ name: String, _ key: Int64, _ values: [String: Any] = [:], version: Int64 = 1) -> Row {
        let layout = entity(name).slotLayout
        let byteCount = values.values.reduce(0) { sum, value in
            switch value {
            case let text as String: sum + text.utf8.count
            case let url as URL: sum + url.absoluteString.utf8.count
            case let data as Data: sum + data.count
            default: sum + 20
            }
        }
        var writer = RowWriter(layout, primaryKey: key, version: version, commit: 0, byteCount: byteCount)
        for (name, value) in values {
            guard let slot = layout.slots.firstIndex(where: { $0.path == name }) else {
                preconditionFailure("no slot \(name)")
            }
            switch value {
            case let key as ObjectKey:
                writer.set(slot, integer: key.number)
                if slot + 1 < layout.slots.count, layout.slots[slot + 1].kind == .toOneEntity {
                    writer.set(slot + 1, integer: Int64(key.entity))
                }
            case let value as Bool: writer.set(slot, integer: value ? 1 : 0)
            case let value as Int: writer.set(slot, integer: Int64(value))
            case let value as Double: writer.set(slot, double: value)
            case let value as Float: writer.set(slot, double: Double(value))
            case let value as Date: writer.set(slot, double: value.timeIntervalSinceReferenceDate)
            case let value as Decimal: writer.set(slot, decimal: value)
            case let value as UUID: writer.set(slot, uuid: value)
            case let value as String: Data(value.utf8).withUnsafeBytes { writer.set(slot, bytes: $0) }
            case let value as URL: Data(value.absoluteString.utf8).withUnsafeBytes { writer.set(slot, bytes: $0) }
            case let value as Data: value.withUnsafeBytes { writer.set(slot, bytes: $0) }
            default: preconditionFailure("no form for \(value)")
            }
        }
        return writer.row
    }

    func changed(_ row: Row, _ names: String...) -> SlotSet {
        var slots = SlotSet(slotCount: row.layout.slots.count)
        for (index, slot) in row.layout.slots.enumerated() where names.contains(slot.path) { slots.insert(index) }
        return slots
    }

    // MARK: Requests

    @discardableResult
    func save(
        newKeys: [(String, Int)] = [], author: String? = nil, contextName: String? = nil,
        metadata: [String: Any]? = nil,
        _ build: @escaping ([Int64]) throws -> ChangeSet
    ) throws -> SaveOutcome {
        try store.save(
            SaveRequest(
                newKeys: newKeys.map { (entity($0.0), $0.1) }, build: build, author: author, contextName: contextName,
                metadata: metadata))
    }

    /// Inserts records of one entity; their keys are consecutive.
    @discardableResult
    func insert(_ name: String, _ records: [[String: Any]]) throws -> [ObjectKey] {
        let root = entity(name).rootEntity.name ?? name
        var first: Int64 = 0
        let outcome = try save(newKeys: [(root, records.count)]) { keys in
            first = keys[0]
            var changes = ChangeSet()
            for (index, record) in records.enumerated() {
                changes.inserted.append(self.row(name, keys[0] + Int64(index), record))
            }
            return changes
        }
        guard case .committed = outcome else { preconditionFailure("\(outcome)") }
        return records.indices.map { key(name, first + Int64($0)) }
    }

    func relate(
        _ name: String, _ relationship: String, _ owner: ObjectKey, add: [ObjectKey] = [], remove: [ObjectKey] = [],
        order: [ObjectKey]? = nil
    ) throws {
        guard let description = entity(name).relationshipsByName[relationship] else {
            preconditionFailure("no relationship \(relationship)")
        }
        try save { _ in
            var changes = ChangeSet()
            changes.toMany.append(
                ChangeSet.ToManyChange(
                    relationship: description, owner: owner, added: add, removed: remove, order: order))
            return changes
        }
    }

    func plan(
        _ name: String, _ format: String? = nil, _ arguments: [Any] = [], sort: [NSSortDescriptor] = [], limit: Int = 0,
        offset: Int = 0, subentities: Bool = true
    ) -> FetchPlan {
        var plan = FetchPlan(entity: entity(name))
        plan.predicate = format.map { NSPredicate(format: $0, argumentArray: arguments) }
        plan.sort = sort
        plan.limit = limit
        plan.offset = offset
        plan.includesSubentities = subentities
        return plan
    }

    /// The rows of a dictionary fetch by the names of their columns, without nil.
    func dictionaries(_ plan: FetchPlan, _ dictionaries: DictionaryPlan) throws -> [[String: Any]] {
        var plan = plan
        plan.shape = .dictionaries(dictionaries)
        var rows: [[String: Any]] = []
        try store.fetchDictionaries(plan) { values in
            var row: [String: Any] = [:]
            for (column, value) in zip(dictionaries.columns, values) { row[column.name] = value }
            rows.append(row)
        }
        return rows
    }

    func rows(_ plan: FetchPlan) throws -> [Row] {
        var rows: [Row] = []
        try store.fetchRows(plan) { rows.append(contentsOf: $0) }
        return rows
    }

    /// Keys of what a predicate selects, ascending.
    func select(_ name: String, _ format: String, _ arguments: Any...) throws -> [Int64] {
        try store.fetchKeys(plan(name, format, arguments)).map(\.number).sorted()
    }

    func row(at key: ObjectKey) throws -> Row? { try store.rows(for: [key]).first }

    func id(_ key: ObjectKey, store identifier: String? = nil) -> NSManagedObjectID {
        NSManagedObjectID(
            key: key, entity: model.entitiesByOrdinal[Int(key.entity) - 1],
            storeLink: StoreLink(identifier: identifier ?? store.identifier, newest: CommitNumber()))
    }
}

/// The failure reason of the error that a closure throws.
func reason(_ body: () throws -> Void) -> String? {
    do {
        try body()
        return nil
    } catch {
        let error = error as NSError
        return error.localizedFailureReason ?? error.localizedDescription
    }
}
