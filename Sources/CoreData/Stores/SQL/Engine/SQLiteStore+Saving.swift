import CoreDataSQLite
import Foundation

// Saves.
extension SQLiteStore {
    func reserveKeys(_ entity: NSEntityDescription, count: Int) throws -> Int64 {
        try write { connection, _ in try PrimaryKeys.reserve(count, of: entity, schema, connection) }
    }

    func save(_ request: SaveRequest) throws -> SaveOutcome {
        guard schema.allowsExternalFiles, let storage = externalStorage, request.mayReleaseFiles() else {
            return try save(request, nil)
        }
        do {
            return try storage.alone(timeout: options.timeout) { try save(request, storage) }
        } catch {
            throw StoreError.translated(error, .write, url: url)
        }
    }

    /// - Parameter storage: where records may lose external files; nobody else brings or removes files there now.
    private func save(_ request: SaveRequest, _ storage: ExternalStorage?) throws -> SaveOutcome {
        do {
            let result = try write(request, storage)
            return .committed(historyToken: result.historyToken)
        } catch SaveTransaction.Stop.conflicts(let rows) {
            return .conflicts(try conflicts(rows))
        } catch SaveTransaction.Stop.constraint(let changes) {
            let conflicts = try ConstraintConflictFinder(self).conflicts(changes)
            guard !conflicts.isEmpty else {
                // What was in the way is gone meanwhile.
                throw StoreError.make(
                    NSManagedObjectConstraintMergeError, "A uniqueness constraint was broken while the save ran.",
                    url: url)
            }
            return .constraintConflicts(conflicts)
        }
    }

    private func write(_ request: SaveRequest, _ storage: ExternalStorage?) throws -> SaveTransaction.Result {
        var removal: ExternalRemoval?
        do {
            // Files may go only when no power loss can bring back the rows that refer to them.
            let result = try write(durable: storage != nil) { connection, _ in
                let transaction = SaveTransaction(self, connection)
                let result = try transaction.run(request)
                if let storage { removal = try storage.promiseRemoval(of: transaction.changes.releasedFiles) }
                return result
            } afterCommit: { result, connection in
                publish(result)
                if !result.deleted.isEmpty { reclaimFreePages(connection, share: 5) }
            }
            removal?.carryOut()
            return result
        } catch {
            removal?.withdraw(after: error)
            throw error
        }
    }

    /// Hands what a save wrote to the row cache, before anybody else can write: the cache sees commits in the file's order.
    private func publish(_ result: SaveTransaction.Result) {
        rowCache.commit(written: result.written, deleted: result.deleted) { key in
            schema.entity(ordinal: key.entity)?.table.rootOrdinal ?? 0
        }
        invalidateTriggered()
    }

    /// Rows that triggers changed are read again when they are next needed.
    func invalidateTriggered() {
        let triggered = triggeredChanges.records.compactMap { record -> (root: Int32, key: Int64)? in
            guard let ordinal = schema.ordinal(number: record.entity), let entity = schema.entity(ordinal: ordinal)
            else { return nil }
            return (entity.table.rootOrdinal, record.key)
        }
        if !triggered.isEmpty { rowCache.invalidate(triggered) }
    }

    /// What the store has now in place of rows whose versions did not fit.
    private func conflicts(_ rows: [Row]) throws -> [SaveOutcome.Conflict] {
        let persisted = try self.rows(for: rows.map(\.key))
        var byKey: [ObjectKey: [Row]] = [:]
        for row in persisted { byKey[row.key, default: []].append(row) }
        return rows.map { old in
            // Keys of different hierarchies may have the same number.
            let now = byKey[old.key]?.first { $0.layout.rootOrdinal == old.layout.rootOrdinal }
            return SaveOutcome.Conflict(old: old, persisted: now)
        }
    }
}

/// Finds out which rows a save's broken uniqueness constraints are about, after the save was taken back.
struct ConstraintConflictFinder {
    let store: SQLiteStore

    init(_ store: SQLiteStore) { self.store = store }

    /// A constraint with the values claimed for it.
    private struct Claim: Hashable {
        let table: String
        let names: [String]
        let values: [Data]
    }

    /// A record by table and key: keys alone are unique in a table only.
    private struct RecordPlace: Hashable {
        let root: Int32
        let key: Int64

        init(_ row: Row) {
            root = row.layout.rootOrdinal
            key = row.primaryKey
        }
    }

    func conflicts(_ changes: ChangeSet) throws -> [SaveOutcome.ConstraintConflict] {
        var claimants: [Claim: (rows: [Row], slots: [Int])] = [:]
        var order: [Claim] = []
        // Rows of the store that the save deletes or gives other values are in nobody's way.
        var replaced: Set<RecordPlace> = []
        func claim(_ row: Row, where isClaimed: (Int) -> Bool) {
            guard let entity = store.schema.entity(ordinal: row.layout.ordinal) else { return }
            for constraint in UniquenessConstraint.all(of: entity) where constraint.slots.contains(where: isClaimed) {
                // NULL equals nothing.
                if constraint.slots.contains(where: row.isNull) { continue }
                let values = constraint.slots.map { Self.value(of: row, $0) }
                let claim = Claim(table: entity.table.name, names: constraint.names, values: values)
                if claimants[claim] == nil { order.append(claim) }
                claimants[claim, default: ([], constraint.slots)].rows.append(row)
            }
        }
        for row in changes.inserted { claim(row) { _ in true } }
        for update in changes.updated {
            replaced.insert(RecordPlace(update.old))
            claim(update.new) { _ in true }
        }
        for deletion in changes.deleted { replaced.insert(RecordPlace(deletion.old)) }

        return try store.read { connection, snapshot in
            try order.compactMap { claim in
                guard let (rows, slots) = claimants[claim], let first = rows.first else { return nil }
                let persisted = try self.persisted(first, slots, replaced, connection, snapshot)
                guard rows.count > 1 || persisted != nil else { return nil }
                return SaveOutcome.ConstraintConflict(
                    constraint: claim.names, claimants: rows, persisted: persisted)
            }
        }
    }

    private static func value(of row: Row, _ slot: Int) -> Data {
        guard row.layout.slots[slot].kind.isVariable else { return withUnsafeBytes(of: row.word(slot)) { Data($0) } }
        return row.data(slot)
    }

    /// The stored row with the same values, of whatever entity in the table.
    private func persisted(
        _ row: Row, _ slots: [Int], _ replaced: Set<RecordPlace>, _ connection: SQLiteConnection, _ snapshot: UInt64
    ) throws -> Row? {
        guard let entity = store.schema.entity(ordinal: row.layout.ordinal),
            let family = store.schema.family(entity.table)
        else { return nil }
        let plan = store.rowPlans.reading(family)
        let columns = slots.compactMap { entity.columns[$0] }
        let filter = columns.enumerated().map { "t0.\($1.sql) = ?\($0 + 1)" }.joined(separator: " AND ")
        let steps = ContiguousArray(
            slots.map { SQLWritePlan.Step(slot: Int32($0), kind: row.layout.slots[$0].kind) })
        let writePlan = store.rowPlans.writing(entity)
        let sql = "SELECT \(plan.selection) FROM \(entity.table.sql) t0 WHERE \(filter)"
        return try connection.withCached(sql) { statement in
            defer {
                statement.reset()
                statement.clearBindings()
            }
            guard writePlan.bind(steps, of: row, to: statement.handle, from: 1) == SQLITE_OK else { return nil }
            while try statement.step() {
                // A row of an entity that the store's configuration does not hold has no form here.
                guard let found = try plan.rowIfMember(statement.handle, commit: snapshot) else { continue }
                if !replaced.contains(RecordPlace(found)) { return found }
            }
            return nil
        }
    }
}
