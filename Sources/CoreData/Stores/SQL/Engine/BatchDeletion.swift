import CoreDataSQLite
import Foundation

/// One batch delete, inside its write transaction. No row is loaded: everything is said in sets.
final class BatchDeletion {
    /// The keys of the rows of one table that are to go, as something SQL can select from.
    struct Doomed {
        let table: SQLTable
        /// `SELECT …` of the keys.
        let keys: String
        /// Every row of the table goes: SQLite then drops its pages without looking at the rows.
        let isWholeTable: Bool
    }

    struct Result {
        var outcome = BatchDeleteOutcome(count: 0, keys: [])
        /// Rows of which the cache may hold old forms.
        var touched: [(root: Int32, key: Int64)] = []
        /// Root entities whose rows have all gone.
        var emptied: [Int32] = []
        var externalNames: [String] = []
    }

    let store: SQLiteStore
    let connection: SQLiteConnection
    let plan: BatchDeletePlan
    let rules: BatchDeletionRules
    var doomed: [Int32: Doomed] = [:]
    var result = Result()

    var schema: SQLSchema { store.schema }

    init(_ store: SQLiteStore, _ connection: SQLiteConnection, _ plan: BatchDeletePlan, _ rules: BatchDeletionRules) {
        self.store = store
        self.connection = connection
        self.plan = plan
        self.rules = rules
    }

    func run() throws -> Result {
        if plan.countsRows { result.outcome.rowsBefore = try rowCounts() }
        try select()
        try cascade()
        try checkKeptEntities()
        try checkRequiredInverses()
        try readKeys()
        try writeHistory()
        try readExternalNames()
        try releaseInverses()
        for pairs in rules.pairs { try remove(pairs) }
        let selected = Set(rules.selectedTables.map(\.rootOrdinal))
        for table in rules.tables { try delete(table, isSelection: selected.contains(table.rootOrdinal)) }
        if plan.countsRows { result.outcome.rowsAfter = try rowCounts() }
        return result
    }

    // MARK: Which rows

    private func select() throws {
        let table = rules.selected[0].table
        switch plan.selection {
        case .entities: return try selectEntities()
        case .plan(let fetch):
            let compiler = try FetchCompiler(fetch, schema, storeIdentifier: store.identifier)
            let isUnlimited = fetch.limit <= 0 && fetch.offset <= 0
            if isUnlimited, try compiler.condition == nil {
                doomed[table.rootOrdinal] = Doomed(
                    table: table, keys: "SELECT Z_PK FROM \(table.sql)", isWholeTable: true)
                return
            }
            // The order matters only for which rows a limit takes.
            var unsorted = fetch
            if isUnlimited { unsorted.sort = [] }
            let request = try FetchCompiler(unsorted, schema, storeIdentifier: store.identifier).select("t0.Z_PK")
            let doomed = try makeTemporaryTable(table)
            try connection.run(
                FetchCompiler.Statement(sql: "INSERT INTO \(doomed) \(request.sql)", values: request.values)
            ) { try $0.run() }
        case .keys(let keys):
            let list = SQLValueList(keys: ContiguousArray(keys.lazy.filter { !$0.isTemporary }.map(\.number)))
            let doomed = try makeTemporaryTable(table)
            let sql =
                "INSERT INTO \(doomed) SELECT Z_PK FROM \(table.sql)"
                + " WHERE Z_PK IN (SELECT value FROM coredata_values(?1))"
            try connection.run(FetchCompiler.Statement(sql: sql, values: [.list(list)])) { try $0.run() }
        }
        result.outcome.count = Int(connection.changes)
    }

    /// An empty table for the keys of a table's rows, of this connection alone.
    func makeTemporaryTable(_ table: SQLTable) throws -> String {
        let name = "temp.coredata_doomed_\(table.rootNumber)"
        try connection.execute("CREATE TABLE IF NOT EXISTS \(name) (k INTEGER PRIMARY KEY)")
        try connection.execute("DELETE FROM \(name)")
        doomed[table.rootOrdinal] = Doomed(table: table, keys: "SELECT k FROM \(name)", isWholeTable: false)
        return name
    }

    /// Adds the rows that go with the selected ones: to any depth, round any circle, in one statement.
    private func cascade() throws {
        // What leads to a table that is emptied anyway adds nothing.
        let cascades = rules.cascades.filter { doomed[$0.to.rootOrdinal]?.isWholeTable != true }
        guard !cascades.isEmpty else { return }
        let starts = rules.selectedTables.compactMap { doomed[$0.rootOrdinal] }
        if plan.wantsKeys { for start in starts { try readKeys(of: start) } }
        var parts = starts.filter { start in cascades.contains { $0.from === start.table } }
            .map { "SELECT \($0.table.rootNumber), * FROM (\($0.keys))" }
        guard !parts.isEmpty else { return }
        for cascade in cascades {
            let head = "SELECT \(cascade.to.rootNumber), m.Z_PK FROM doomed d CROSS JOIN"
            let origin = "d.t = \(cascade.from.rootNumber)"
            switch cascade.way {
            case .key(let column):
                parts.append("\(head) \(cascade.to.sql) m ON m.\(column.sql) = d.k WHERE \(origin)")
            case .ownKey(let column):
                parts.append(
                    "\(head) \(cascade.from.sql) o ON o.Z_PK = d.k CROSS JOIN \(cascade.to.sql) m"
                        + " ON m.Z_PK = o.\(column.sql) WHERE \(origin)")
            case .join(let link):
                parts.append(
                    "\(head) \(link.table.sql) j ON j.\(link.owner.sql) = d.k CROSS JOIN \(cascade.to.sql) m"
                        + " ON m.Z_PK = j.\(link.member.sql) WHERE \(origin)")
            }
        }
        let all = "temp.coredata_doomed"
        try connection.execute("CREATE TABLE IF NOT EXISTS \(all) (t INTEGER, k INTEGER)")
        try connection.execute("DELETE FROM \(all)")
        try connection.execute(
            "WITH RECURSIVE doomed(t, k) AS (\(parts.joined(separator: " UNION ")))"
                + " INSERT INTO \(all) SELECT t, k FROM doomed")
        for table in rules.tables where doomed[table.rootOrdinal]?.isWholeTable != true {
            let name = "temp.coredata_doomed_\(table.rootNumber)"
            if doomed[table.rootOrdinal] == nil { _ = try makeTemporaryTable(table) }
            try connection.execute("INSERT OR IGNORE INTO \(name) SELECT k FROM \(all) WHERE t = \(table.rootNumber)")
        }
        try connection.execute("DELETE FROM \(all)")
    }

    func keys(_ table: SQLTable) -> String { doomed[table.rootOrdinal]?.keys ?? "SELECT NULL WHERE 0" }

    /// Whether every row of the table goes, so that nothing has to be put right in it.
    private func isEmptied(_ table: SQLTable) -> Bool { doomed[table.rootOrdinal]?.isWholeTable == true }

    // MARK: Relationships

    /// A row that stays and must have what is deleted stops the request.
    private func checkRequiredInverses() throws {
        for inverse in rules.inverses where !inverse.relationship.isOptional && !isEmptied(inverse.holder.table) {
            let sql =
                "SELECT 1 FROM \(inverse.holder.table.sql) WHERE \(inverse.key.sql) IN (\(keys(inverse.deleted)))"
                + " AND Z_PK NOT IN (\(keys(inverse.holder.table))) LIMIT 1"
            guard try connection.int64(sql) != nil else { continue }
            let owner = inverse.relationship.declaringEntity?.name ?? inverse.holder.name
            let nullifying = inverse.relationship.inverseRelationship
            let deleted = nullifying?.declaringEntity?.name ?? inverse.relationship.destinationEntity?.name ?? ""
            throw StoreError.make(
                NSPersistentStoreSaveConflictsError,
                "Batch delete failed: \(deleted)/\(nullifying?.name ?? "") would nullify the mandatory relationship "
                    + "\(owner)/\(inverse.relationship.name).", url: store.url)
        }
    }

    /// Takes the keys of deleted rows out of the rows that stay. Their versions grow, so that a save which still has the old
    /// reference notices.
    private func releaseInverses() throws {
        for inverse in rules.inverses where !isEmptied(inverse.holder.table) {
            let columns = [inverse.key, inverse.entity, inverse.order].compactMap { $0 }
            let assignments = columns.map { "\($0.sql) = NULL" }.joined(separator: ", ")
            var sql =
                "UPDATE \(inverse.holder.table.sql) SET \(assignments), Z_OPT = ifnull(Z_OPT, 0) + 1"
                + " WHERE \(inverse.key.sql) IN (\(keys(inverse.deleted)))"
            if doomed[inverse.holder.table.rootOrdinal] != nil {
                sql += " AND Z_PK NOT IN (\(keys(inverse.holder.table)))"
            }
            let root = inverse.holder.table.rootOrdinal
            try connection.withCached(sql + " RETURNING Z_PK") { statement in
                try statement.forEachRow { result.touched.append((root, $0.int64(0))) }
            }
        }
        for hidden in rules.hiddenKeys where !isEmptied(hidden.link.table) {
            let columns = [hidden.link.key, hidden.link.order].compactMap { $0 }
            let assignments = columns.map { "\($0.sql) = NULL" }.joined(separator: ", ")
            try connection.execute(
                "UPDATE \(hidden.link.table.sql) SET \(assignments)"
                    + " WHERE \(hidden.link.key.sql) IN (\(keys(hidden.deleted)))")
        }
    }

    private func remove(_ pairs: BatchDeletionRules.Pairs) throws {
        let filter = isEmptied(pairs.deleted) ? "" : " WHERE \(pairs.column.sql) IN (\(keys(pairs.deleted)))"
        try connection.execute("DELETE FROM \(pairs.table.sql)\(filter)")
    }

    // MARK: Rows

    private func delete(_ table: SQLTable, isSelection: Bool) throws {
        guard let doomed = doomed[table.rootOrdinal] else { return }
        if doomed.isWholeTable {
            try connection.execute("DELETE FROM \(table.sql)")
            if isSelection { result.outcome.count += Int(connection.changes) }
            result.emptied.append(table.rootOrdinal)
            return
        }
        try connection.withCached(doomed.keys) { statement in
            try statement.forEachRow { result.touched.append((table.rootOrdinal, $0.int64(0))) }
        }
        try connection.execute("DELETE FROM \(table.sql) WHERE Z_PK IN (\(doomed.keys))")
        try connection.execute("DELETE FROM temp.coredata_doomed_\(table.rootNumber)")
    }

    /// The selected rows' keys stand first in the result, then those that went with them.
    private func readKeys() throws {
        guard plan.wantsKeys else { return }
        let first = result.outcome.keys.count
        for table in rules.tables {
            if let doomed = doomed[table.rootOrdinal] { try readKeys(of: doomed) }
        }
        guard first > 0 else { return }
        // A cascade may have come back to the selection's own table.
        let selected = Set(result.outcome.keys[..<first].map(\.number))
        let root = selected.isEmpty ? 0 : rules.selected[0].table.rootOrdinal
        var kept = Array(result.outcome.keys[..<first])
        for key in result.outcome.keys[first...] {
            let isSelected =
                selected.contains(key.number) && schema.branch(ordinal: key.entity)?.table.rootOrdinal == root
            if !isSelected { kept.append(key) }
        }
        result.outcome.keys = kept
    }

    private func readKeys(of doomed: Doomed) throws {
        guard let root = schema.family(doomed.table) else { return }
        let columns = doomed.table.isShared ? "Z_PK, Z_ENT" : "Z_PK"
        let filter = doomed.isWholeTable ? "" : " WHERE Z_PK IN (\(doomed.keys))"
        try connection.withCached("SELECT \(columns) FROM \(doomed.table.sql)\(filter)") { statement in
            result.outcome.keys += try store.keys(statement, root)
        }
    }

    // MARK: What else knows the rows

    private func writeHistory() throws {
        guard store.tracksHistory, let history = schema.history else { return }
        let writer = HistoryWriter(schema, history, connection)
        var transaction: Int64?
        for entity in rules.entities {
            guard let doomed = doomed[entity.table.rootOrdinal] else { continue }
            let filter = doomed.isWholeTable ? nil : "Z_PK IN (\(doomed.keys))"
            if transaction == nil {
                // Without a row there is no transaction.
                let isEmpty = try rules.tables.allSatisfy { table in
                    guard let doomed = self.doomed[table.rootOrdinal] else { return true }
                    return try connection.int64("SELECT 1 FROM (\(doomed.keys)) LIMIT 1") == nil
                }
                if isEmpty { return }
                transaction = try writer.beginTransaction(author: plan.author, contextName: plan.contextName)
            }
            guard let transaction else { return }
            try writer.writeDeletions(of: entity, where: filter, transaction: transaction)
        }
        result.outcome.historyToken = transaction
    }

    private func readExternalNames() throws {
        var read: Set<String> = []
        for entity in rules.entities {
            guard let doomed = doomed[entity.table.rootOrdinal] else { continue }
            for (slot, column) in zip(entity.layout.slots, entity.columns) {
                guard slot.isExternal, let column, read.insert("\(entity.table.name).\(column.name)").inserted else {
                    continue
                }
                // The length is known without reading the bytes.
                var sql = "SELECT \(column.sql) FROM \(entity.table.sql) WHERE length(\(column.sql)) = 38"
                if !doomed.isWholeTable { sql += " AND Z_PK IN (\(doomed.keys))" }
                try connection.withCached(sql) { statement in
                    try statement.forEachRow { row in
                        guard let bytes = row.blobBytes(0) else { return }
                        if case .file(let name) = ExternalData(column: bytes) { result.externalNames.append(name) }
                    }
                }
            }
        }
    }
}

extension HistoryWriter {
    /// Writes a change for each row of one entity that is about to be deleted.
    func writeDeletions(of entity: SQLEntity, where filter: String?, transaction: Int64) throws {
        let table = SQLHistorySchema.changeTable
        let last = try lastKey(SQLHistorySchema.changeNumber, table)
        var names = ["Z_PK", "Z_ENT", "ZCHANGETYPE", "ZENTITY", "ZENTITYPK", "ZTRANSACTIONID"]
        var values = [
            "\(last) + row_number() OVER ()", "\(SQLHistorySchema.changeNumber)", "\(Kind.delete.rawValue)",
            "\(entity.number)", "Z_PK", "\(transaction)",
        ]
        for (name, slot) in zip(history.tombstoneColumns, Tombstone.slots(of: entity)) {
            guard let column = entity.columns[slot] else { continue }
            names.append(name)
            values.append(column.sql)
        }
        let conditions = [entity.table.isShared ? "Z_ENT = \(entity.number)" : nil, filter].compactMap { $0 }
        let condition = conditions.isEmpty ? "" : " WHERE " + conditions.joined(separator: " AND ")
        try connection.execute(
            "INSERT INTO \(table) (\(names.joined(separator: ", "))) SELECT \(values.joined(separator: ", "))"
                + " FROM \(entity.table.sql)\(condition)")
        let count = connection.changes
        if count > 0 { try setLastKey(last + count, SQLHistorySchema.changeNumber, "CHANGE") }
    }
}
