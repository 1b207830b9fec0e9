import CoreData
import CoreDataSQLite
import Foundation

extension StoreSnapshot {
    /// Reads a store. Nobody who uses it is disturbed, and no byte or directory entry changes.
    ///
    /// - Throws: `ToolError`
    static func read(_ given: String, timeout: Double) throws -> StoreSnapshot {
        let path = try StoreFilePath(given)
        do {
            return try StoreInspection.withConnection(path: path.path, timeout: timeout) { connection in
                try connection.readUntrusted(within: { $0.limitWork(toThatOf: path.path) }) {
                    var reader = try StoreReader(path, connection)
                    return try reader.read()
                }
            }
        } catch {
            throw ToolError.explaining(error, given)
        }
    }
}

extension SQLiteConnection {
    /// Calls `body` in a read transaction of a file that may be forged, within bounds.
    func readUntrusted<T>(within setBounds: (SQLiteConnection) -> Void, _ body: () throws -> T) throws -> T {
        try setPragma("trusted_schema", to: "OFF")
        try setPragma("cell_size_check", to: "ON")
        setBounds(self)
        defer { limitWork(toSteps: nil) }
        return try read(body)
    }

    /// Sets bounds that no file of this size can need: no row takes less than four bytes, and counting or checking it less than
    /// a hundred steps; and no value is longer than the file.
    func limitWork(toThatOf path: String) {
        let bytes = StoreFilePath.size(path) + StoreFilePath.size(path + "-wal")
        limitWork(toSteps: 2_000_000 + bytes * 25)
        limitValues(toBytes: max(bytes, 1 << 20))
    }
}

/// Reads one store inside a read transaction.
private struct StoreReader {
    /// More than any model has: more is a forgery.
    private static let maximumEntityCount = 1 << 16

    let path: StoreFilePath
    let connection: SQLiteConnection
    private let storeTables: StoreTables
    private var tables: [String: String] { storeTables.names }
    private var problems: [String] = []

    init(_ path: StoreFilePath, _ connection: SQLiteConnection) throws {
        self.path = path
        self.connection = connection
        storeTables = try StoreTables(connection)
    }

    mutating func read() throws -> StoreSnapshot {
        try storeTables.requireStore(path)
        let metadata = try readMetadata()
        let model = try readModel()
        var names: StoreNames?
        if case .cached(let model) = model {
            do {
                names = try StoreNames(model, connection, url: path.url)
            } catch let error as NSError where !(error is SQLiteError) {
                problems.append("The cached model does not fit the tables: \(error.localizedFailureReason ?? "?")")
            }
        }
        let entities = try readEntities(names, model)
        let joins = try joinTables(names).map { try count($0) }
        let mirroring = try tables.filter { $0.key.hasPrefix("ANSCK") }.map(\.value).sorted().map { try count($0) }
        return StoreSnapshot(
            path: path, sizes: FileGroupSizes(storePath: path.path), layout: try layout(), metadata: metadata,
            model: model, entities: entities, joinTables: joins, history: try history(), mirroringTables: mirroring,
            names: names, problems: problems)
    }

    private func layout() throws -> StoreSnapshot.Layout {
        StoreSnapshot.Layout(
            pageSize: try connection.pragma("page_size") ?? 0, pages: try connection.pragma("page_count") ?? 0,
            freePages: try connection.pragma("freelist_count") ?? 0,
            autoVacuum: try connection.pragma("auto_vacuum") ?? 0)
    }

    // MARK: Metadata and model

    private mutating func readMetadata() throws -> [String: Any] {
        do {
            return try StoreFile.metadata(connection, url: path.url)
        } catch let error as NSError where !(error is SQLiteError) {
            problems.append(error.localizedFailureReason ?? error.localizedDescription)
            return [:]
        }
    }

    private mutating func readModel() throws -> StoreSnapshot.Model {
        let model = try StoreSnapshot.Model(storeTables, connection)
        if case .unreadable(let reason) = model { problems.append("The cached model cannot be read: \(reason)") }
        return model
    }

    // MARK: Rows

    private mutating func readEntities(
        _ names: StoreNames?, _ model: StoreSnapshot.Model
    ) throws -> [StoreSnapshot.Entity] {
        var tree = EntityTree()
        let sql = "SELECT Z_ENT, Z_NAME, Z_SUPER, Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT < 16000 ORDER BY Z_ENT"
        try connection.prepare(sql).forEachRow { row in
            guard tree.count < Self.maximumEntityCount else {
                throw ToolError(
                    .damaged, path.given, "Z_PRIMARYKEY names more entities than any model has.",
                    advice: ToolError.recoveryAdvice)
            }
            tree.add(number: row.int64(0), name: row.text(1) ?? "?", parent: row.int64(2), lastKey: row.int64(3))
        }
        // An entity that was renamed by a migration keeps its old name in Z_PRIMARYKEY.
        let known = Dictionary((names?.entities ?? []).map { (Int64($0.number), $0) }) { first, _ in first }
        var entities = tree.inOrder()
        for index in entities.indices {
            if let entity = known[entities[index].number] {
                entities[index].name = entity.name
                entities[index].table = tables[entity.table.uppercased()]
                if case .cached(let model) = model {
                    entities[index].isAbstract = model.entitiesByName[entity.name]?.isAbstract
                }
            } else if let parent = entities[index].parent {
                entities[index].table = entities[parent].table
            } else {
                entities[index].table = tables["Z" + entities[index].name.uppercased()]
            }
        }
        try countRows(&entities)
        return entities
    }

    private mutating func countRows(_ entities: inout [StoreSnapshot.Entity]) throws {
        let indexes = Dictionary(entities.indices.map { (entities[$0].number, $0) }) { first, _ in first }
        for table in Set(entities.compactMap(\.table)).sorted() {
            var strangers: Int64 = 0
            let sql = "SELECT Z_ENT, COUNT(*) FROM \(SQLiteConnection.quoted(identifier: table)) GROUP BY Z_ENT"
            try connection.prepare(sql).forEachRow { row in
                if let index = indexes[row.int64(0)], entities[index].table == table {
                    entities[index].rows = row.int64(1)
                } else {
                    strangers += row.int64(1)
                }
            }
            if strangers > 0 {
                problems.append(
                    "\(Quantity.count(strangers, "row")) of \(table) belong to no entity of Z_PRIMARYKEY.")
            }
        }
        for index in entities.indices { entities[index].rowsWithSubentities = entities[index].rows }
        for index in entities.indices.reversed() {
            guard let parent = entities[index].parent else { continue }
            entities[parent].rowsWithSubentities += entities[index].rowsWithSubentities
        }
    }

    /// With a model its tables; without, those whose names are made like theirs: `Z_12TAGS`.
    private func joinTables(_ names: StoreNames?) -> [String] {
        if let names { return names.joinTables.filter { tables[$0.uppercased()] != nil }.sorted() }
        return tables.filter { name, _ in
            let rest = name.dropFirst(2).drop { $0.isASCII && $0.isNumber }
            return name.hasPrefix("Z_") && rest.count < name.count - 2 && !rest.isEmpty
        }.map(\.value).sorted()
    }

    private func count(_ table: String) throws -> StoreSnapshot.Table {
        let sql = "SELECT COUNT(*) FROM \(SQLiteConnection.quoted(identifier: table))"
        return StoreSnapshot.Table(name: table, rows: try connection.int64(sql) ?? 0)
    }

    private func history() throws -> StoreSnapshot.History? {
        guard let transactions = tables["ATRANSACTION"], let changes = tables["ACHANGE"] else { return nil }
        let sql = "SELECT COUNT(*), MIN(ZTIMESTAMP), MAX(ZTIMESTAMP) FROM "
        return try connection.withCached(sql + SQLiteConnection.quoted(identifier: transactions)) { statement in
            guard try statement.step() else { return nil }
            func date(_ column: Int) -> Date? {
                statement.isNull(column) ? nil : Date(timeIntervalSinceReferenceDate: statement.double(column))
            }
            return StoreSnapshot.History(
                transactions: statement.int64(0), changes: try count(changes).rows, first: date(1), last: date(2))
        }
    }
}
