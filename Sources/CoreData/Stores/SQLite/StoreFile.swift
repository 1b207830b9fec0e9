import CoreDataSQLite
import Foundation

/// What a store file says about itself, read through a connection that is in a transaction.
package enum StoreFile {
    /// More entities than any model has; a file that claims more is refused.
    private static let maximumEntityCount: Int64 = 1 << 20

    package static func hasTable(_ connection: SQLiteConnection, _ name: String) throws -> Bool {
        try connection.withCached("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?1") { statement in
            try statement.bind(name, at: 1)
            return try statement.step()
        }
    }

    /// Whether the database holds nothing at all.
    static func isEmpty(_ connection: SQLiteConnection) throws -> Bool {
        try connection.int64("SELECT COUNT(*) FROM sqlite_master") == 0
    }

    /// Whether a history was ever recorded and is still there.
    static func hasHistoryRows(_ connection: SQLiteConnection) throws -> Bool {
        for table in [SQLHistorySchema.changeTable, SQLHistorySchema.transactionTable]
        where try hasTable(connection, table) {
            if try connection.int64("SELECT EXISTS (SELECT 1 FROM \(table))") == 1 { return true }
        }
        return false
    }

    /// `Z_UUID`; nil where there is no store in the database.
    static func identifier(_ connection: SQLiteConnection) throws -> String? {
        guard try hasTable(connection, "Z_METADATA") else { return nil }
        return try connection.text("SELECT Z_UUID FROM Z_METADATA ORDER BY Z_VERSION LIMIT 1")
    }

    /// The metadata with type and identifier; nil where there is no store in the database.
    ///
    /// A store whose property list is missing has just these two.
    package static func metadata(_ connection: SQLiteConnection, url: URL?) throws -> [String: Any] {
        guard let identifier = try identifier(connection) else { throw notAStore(url) }
        let sql = "SELECT Z_PLIST FROM Z_METADATA ORDER BY Z_VERSION LIMIT 1"
        var metadata = try connection.withCached(sql) { statement -> [String: Any] in
            guard try statement.step(), let bytes = statement.blobBytes(0) else { return [:] }
            return try StoreMetadata.decode(Data(bytes), url: url)
        }
        metadata[NSStoreUUIDKey] = identifier
        if metadata[NSStoreTypeKey] == nil { metadata[NSStoreTypeKey] = NSSQLiteStoreType }
        return metadata
    }

    /// Replaces the metadata; the identifier stays.
    static func write(_ metadata: [String: Any], _ connection: SQLiteConnection, url: URL?) throws {
        let data = try StoreMetadata.encode(metadata, url: url)
        try connection.withCached("UPDATE Z_METADATA SET Z_PLIST = ?1") { update in
            try update.bind(data, at: 1)
            try update.run()
        }
    }

    /// `Z_ENT` by entity name.
    static func entityNumbers(_ connection: SQLiteConnection) throws -> [String: Int32] {
        var numbers: [String: Int32] = [:]
        try connection.withCached("SELECT Z_ENT, Z_NAME FROM Z_PRIMARYKEY ORDER BY Z_ENT") { statement in
            try statement.forEachRow { row in
                let number = row.int64(0)
                guard let name = row.text(1), number > 0, number < SQLHistorySchema.changeNumber,
                    number <= maximumEntityCount
                else { return }
                numbers[name] = Int32(number)
            }
        }
        return numbers
    }

    static func tables(_ connection: SQLiteConnection) throws -> FileTables {
        var tables = FileTables()
        let sql = "SELECT m.name, p.name FROM sqlite_master m, pragma_table_info(m.name) p WHERE m.type = 'table'"
        try connection.prepare(sql).forEachRow { row in
            if let table = row.text(0), let column = row.text(1) { tables.add(table: table, column: column) }
        }
        return tables
    }

    // MARK: Errors

    static func notAStore(_ url: URL?) -> NSError {
        StoreError.make(
            CocoaError.Code.fileReadCorruptFile.rawValue,
            "The file is a SQLite database, but no Core Data store: it has no table Z_METADATA.", url: url)
    }

    static func damaged(_ reason: String, _ url: URL?) -> NSError {
        StoreError.make(CocoaError.Code.fileReadCorruptFile.rawValue, reason, url: url)
    }

    /// - Throws: 134010 for a store of another type.
    static func requireType(_ metadata: [String: Any], is expected: String = NSSQLiteStoreType, url: URL?) throws {
        let type = metadata[NSStoreTypeKey] as? String
        guard type != expected else { return }
        throw StoreError.make(
            NSPersistentStoreTypeMismatchError, "The store is of the type \(type ?? "?"), not \(expected).", url: url,
            ["metadata": metadata])
    }

    /// Whether a store with this metadata fits a model, by the version hashes or, where their rule is not known, by the model
    /// that is cached in the store.
    static func isCompatible(
        _ metadata: [String: Any], _ connection: SQLiteConnection, model: NSManagedObjectModel, configuration: String?
    ) throws -> Bool {
        try model.isConfiguration(withName: configuration, compatibleWithStoreMetadata: metadata) {
            try cachedModel(connection)
        }
    }

    /// The model cached in the store; nil where there is none that can be read.
    private static func cachedModel(_ connection: SQLiteConnection) throws -> NSManagedObjectModel? {
        guard try hasTable(connection, "Z_MODELCACHE") else { return nil }
        return try connection.withCached("SELECT Z_CONTENT FROM Z_MODELCACHE LIMIT 1") { statement in
            guard try statement.step(), let bytes = statement.blobBytes(0) else { return nil }
            return try? NSManagedObjectModel.model(fromStoreCache: Data(bytes))
        }
    }

    /// Whether a store fits a model.
    ///
    /// - Throws: 134010 for a store of another type; 134100 with the metadata, naming the entities that differ.
    static func requireCompatible(
        _ metadata: [String: Any], _ connection: SQLiteConnection, model: NSManagedObjectModel,
        configuration: String?, type: String = NSSQLiteStoreType, url: URL?
    ) throws {
        try requireType(metadata, is: type, url: url)
        if try isCompatible(metadata, connection, model: model, configuration: configuration) { return }
        let stored = metadata[NSStoreModelVersionHashesKey] as? [String: Any] ?? [:]
        let expected = model.versionHashes(forConfigurationName: configuration) ?? [:]
        let changed = expected.filter { name, hash in stored[name] != nil && stored[name] as? Data != hash }.keys
        let missing = expected.keys.filter { stored[$0] == nil }
        let unknown = stored.keys.filter { expected[$0] == nil }
        let details = [("changed", Array(changed)), ("only in the model", missing), ("only in the store", unknown)]
            .filter { !$0.1.isEmpty }
            .map { "\($0.0): \($0.1.sorted().joined(separator: ", "))" }
        throw StoreError.make(
            NSPersistentStoreIncompatibleVersionHashError,
            "The model used to open the store is incompatible with the one used to create the store", url: url,
            [
                "metadata": metadata,
                NSLocalizedRecoverySuggestionErrorKey: "Entities that differ: " + details.joined(separator: "; ") + ".",
                "entities": (changed + missing + unknown).sorted(),
            ])
    }
}
