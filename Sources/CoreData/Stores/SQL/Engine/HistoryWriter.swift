import CoreDataSQLite
import Foundation

/// Writes history rows: one transaction with a change for each inserted, updated and deleted record.
///
/// Layouts differ by the age of the file; the columns that are there are filled.
final class HistoryWriter {
    enum Kind: Int64 {
        case insert = 0
        case update = 1
        case delete = 2
    }

    let schema: SQLSchema
    let history: SQLHistorySchema
    let connection: SQLiteConnection
    /// By entity ordinal.
    private var columns: [Int32: ChangedColumns] = [:]

    init(_ schema: SQLSchema, _ history: SQLHistorySchema, _ connection: SQLiteConnection) {
        self.schema = schema
        self.history = history
        self.connection = connection
    }

    /// - Returns: the transaction's number; nil where nothing changed.
    func write(_ changes: ChangeSet, author: String?, contextName: String?) throws -> Int64? {
        guard !changes.inserted.isEmpty || !changes.updated.isEmpty || !changes.deleted.isEmpty else { return nil }
        let transaction = try beginTransaction(author: author, contextName: contextName)
        var next = try lastKey(SQLHistorySchema.changeNumber, SQLHistorySchema.changeTable) + 1
        let statement = try connection.cached(insertChange)
        defer {
            statement.reset()
            statement.clearBindings()
        }
        func write(_ kind: Kind, _ row: Row, _ columns: Data?) throws {
            guard let entity = schema.entity(ordinal: row.layout.ordinal) else { return }
            try statement.bind(next, at: 1)
            try statement.bind(kind.rawValue, at: 2)
            try statement.bind(Int64(entity.number), at: 3)
            try statement.bind(row.primaryKey, at: 4)
            try statement.bind(transaction, at: 5)
            try statement.bind(columns, at: 6)
            if kind == .delete { try bindTombstone(row, entity, statement) }
            try statement.run()
            next += 1
        }
        for row in changes.inserted { try write(.insert, row, nil) }
        for update in changes.updated {
            try write(.update, update.new, changedColumns(update))
        }
        for deletion in changes.deleted { try write(.delete, deletion.old, nil) }
        try setLastKey(next - 1, SQLHistorySchema.changeNumber, "CHANGE")
        return transaction
    }

    // MARK: Transactions

    /// Writes the row of a new transaction and returns its key.
    func beginTransaction(author: String?, contextName: String?) throws -> Int64 {
        let key = try lastKey(SQLHistorySchema.transactionNumber, SQLHistorySchema.transactionTable) + 1
        var names = ["Z_PK", "Z_ENT"]
        var values: [SQLValue] = [.integer(key), .integer(Int64(SQLHistorySchema.transactionNumber))]
        if history.transactionColumns.contains("ZTIMESTAMP") {
            names.append("ZTIMESTAMP")
            values.append(.double(Date().timeIntervalSinceReferenceDate))
        }
        let process = ProcessInfo.processInfo.processName
        let texts = [
            ("AUTHOR", author), ("BUNDLEID", Bundle.main.bundleIdentifier ?? process), ("CONTEXTNAME", contextName),
            ("PROCESSID", process),
        ]
        for (name, text) in texts {
            guard let text else { continue }
            if history.hasStringTable, history.transactionColumns.contains("Z\(name)TS") {
                names.append("Z\(name)TS")
                values.append(.integer(try internedKey(text)))
            } else if history.transactionColumns.contains("Z\(name)") {
                names.append("Z\(name)")
                values.append(.text(text))
            }
        }
        let places = (1...names.count).map { "?\($0)" }.joined(separator: ", ")
        let sql =
            "INSERT INTO \(SQLHistorySchema.transactionTable) (\(names.joined(separator: ", "))) VALUES (\(places))"
        try connection.withCached(sql) { statement in
            try statement.bind(values)
            try statement.run()
        }
        try setLastKey(key, SQLHistorySchema.transactionNumber, "TRANSACTION")
        return key
    }

    /// The key of a text in the table of strings, which has each text once.
    private func internedKey(_ text: String) throws -> Int64 {
        let table = SQLHistorySchema.stringTable
        let known = try connection.withCached("SELECT Z_PK FROM \(table) WHERE ZNAME = ?1") { statement in
            try statement.bind(text, at: 1)
            return try statement.step() ? statement.int64(0) : nil
        }
        if let known { return known }
        let key = try lastKey(SQLHistorySchema.stringNumber, table) + 1
        try connection.withCached("INSERT INTO \(table) (Z_PK, Z_ENT, ZNAME) VALUES (?1, ?2, ?3)") { statement in
            try statement.bind(key, at: 1)
            try statement.bind(Int64(SQLHistorySchema.stringNumber), at: 2)
            try statement.bind(text, at: 3)
            try statement.run()
        }
        try setLastKey(key, SQLHistorySchema.stringNumber, "TRANSACTIONSTRING")
        return key
    }

    /// Keys of history rows are never given twice, even after the rows are purged.
    func lastKey(_ number: Int32, _ table: String) throws -> Int64 {
        max(
            try connection.int64("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = \(number)") ?? 0,
            try connection.int64("SELECT max(Z_PK) FROM \(table)") ?? 0, 0)
    }

    func setLastKey(_ key: Int64, _ number: Int32, _ name: String) throws {
        try PrimaryKeys.setLast(key, number: number, name: name, connection)
    }

    // MARK: Changes

    private func changedColumns(_ update: ChangeSet.Update) -> Data? {
        let ordinal = update.new.layout.ordinal
        if let known = columns[ordinal] { return known.bits(of: update) }
        guard let entity = schema.entity(ordinal: ordinal) else { return nil }
        let made = ChangedColumns(entity)
        columns[ordinal] = made
        return made.bits(of: update)
    }

    /// Parameters: key, kind, entity, the record's key, transaction, bit map, then the tombstones.
    private var insertChange: String {
        var names = ["Z_PK", "Z_ENT", "ZCHANGETYPE", "ZENTITY", "ZENTITYPK", "ZTRANSACTIONID"]
        var values = ["?1", "\(SQLHistorySchema.changeNumber)", "?2", "?3", "?4", "?5"]
        if history.changeColumns.contains("ZCOLUMNS") {
            names.append("ZCOLUMNS")
            values.append("?6")
        }
        for (index, name) in history.tombstoneColumns.enumerated() {
            names.append(name)
            values.append("?\(index + 7)")
        }
        return "INSERT INTO \(SQLHistorySchema.changeTable) (\(names.joined(separator: ", ")))"
            + " VALUES (\(values.joined(separator: ", ")))"
    }

    private func bindTombstone(_ row: Row, _ entity: SQLEntity, _ statement: SQLiteStatement) throws {
        for (index, slot) in Tombstone.slots(of: entity).prefix(history.tombstoneColumns.count).enumerated() {
            try Tombstone.value(of: row, slot).bind(to: statement, at: index + 7)
        }
    }
}

/// What stays of a deleted record: the attributes that the model marks to be preserved.
enum Tombstone {
    /// The slots in the order of the columns `ZTOMBSTONE0`…: inherited attributes first, those of one entity by name.
    static func slots(of entity: SQLEntity) -> [Int] {
        let layout = entity.layout
        var chain: [NSEntityDescription] = []
        var current: NSEntityDescription? = entity.entity
        while let declaring = current {
            chain.insert(declaring, at: 0)
            current = declaring.superentity
        }
        return chain.flatMap { declaring in
            declaring.ownProperties.compactMap { $0 as? NSAttributeDescription }
                .filter { $0.preservesValueInHistoryOnDeletion && !$0.isTransient }
                .sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
                .compactMap { attribute -> Int? in
                    guard case .attribute(let slot)? = layout.entry(named: attribute.name)?.place else { return nil }
                    return slot
                }
        }
    }

    static func value(of row: Row, _ slot: Int) -> SQLValue {
        if row.isNull(slot) { return .null }
        switch row.layout.slots[slot].kind {
        case .integer, .boolean, .toOneKey, .toOneEntity: return .integer(row.integer(slot))
        case .double, .float, .date: return .double(row.double(slot))
        case .decimal: return .double(row.decimal(slot).nearestDouble)
        case .string, .uri: return .text(row.string(slot))
        case .uuid, .data, .transformable: return .blob(row.data(slot))
        case .transient: return .null
        }
    }
}
