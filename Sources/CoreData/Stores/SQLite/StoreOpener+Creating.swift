import CoreDataSQLite
import Foundation

extension StoreOpener {
    /// Makes a new store in a file that is missing or holds no table.
    ///
    /// All of it is one transaction: whoever looks finds no store or a complete one. Where somebody else makes it at the same
    /// time, his stays.
    func createFile(_ path: String) throws {
        let isMissing = StoreInspection.size(path) == 0
        let connection = try makeFile(path)
        do {
            let isNew = try isMissing || Self.neverWasStore(connection)
            try Self.configureNew(connection, options, isNew: isNew)
            let storage = ExternalStorage(storePath: path)
            // A write-ahead log is synced as a whole by the checkpoint.
            let hasLog = try connection.journalMode == "wal"
            try storage.alone(timeout: options.timeout) {
                try connection.write(durable: !hasLog) {
                    guard try StoreFile.isEmpty(connection) else { return }
                    // Rows that referred to these files are gone with the store that a destruction left empty.
                    if !isNew { storage.removeAll() }
                    try makeStore(connection, decimalsAsText: false)
                }
            }
            if hasLog { try connection.execute("PRAGMA wal_checkpoint(PASSIVE)") }
            try connection.close()
            if isNew { try SQLiteFileGroup.syncFolder(of: path) }
        } catch {
            try? connection.close()
            throw error
        }
    }

    /// Whether an empty database is what is left of a creation that was cut short, rather than of a destroyed store: that one
    /// keeps its journal mode.
    private static func neverWasStore(_ connection: SQLiteConnection) throws -> Bool {
        try connection.read {
            try SQLiteReplace.generation(of: connection.schemaVersion) == 0 && StoreFile.isEmpty(connection)
        }
    }

    private func makeFile(_ path: String) throws -> SQLiteConnection {
        let parent = (path as NSString).deletingLastPathComponent
        var information = stat()
        if stat(parent, &information) != 0 || information.st_mode & S_IFMT != S_IFDIR {
            throw StoreError.cannotCreate(errno: stat(parent, &information) == 0 ? ENOTDIR : errno, url: url)
        }
        do {
            return try SQLiteConnection(path: path, access: .create, busyTimeout: options.timeout)
        } catch let error as SQLiteError where error.code == SQLITE_CANTOPEN {
            throw StoreError.cannotCreate(errno: access(parent, W_OK) == 0 ? EIO : errno, url: url)
        }
    }

    /// What a new file is given before its first page is written.
    static func configureNew(
        _ connection: SQLiteConnection, _ options: SQLiteStoreOptions, isNew: Bool
    ) throws {
        // Each counts only once, so that what the options say must come first.
        for (name, value) in [("page_size", "4096"), ("auto_vacuum", "2")] where isNew {
            try connection.setPragma(name, to: options.pragmas.first { $0.name == name }?.value ?? value)
        }
        try configure(connection, options, writes: true, isInMemory: false, nil)
        if isNew, options.journalMode == nil { try connection.setPragma("journal_mode", to: "wal") }
    }

    /// Writes tables, entity numbers, metadata and the cached model into an empty database.
    func makeStore(_ connection: SQLiteConnection, decimalsAsText: Bool) throws {
        let plan = SchemaPlan(model: model, configuration: configuration)
        var dialect = SchemaPlan.Dialect()
        if decimalsAsText { dialect.decimalType = "VARCHAR COLLATE \(StoreFunctions.decimalCollation)" }
        dialect.hasRTree = sqlite3_compileoption_used("ENABLE_RTREE") != 0
        for statement in plan.statements(dialect) { try connection.execute(statement) }
        try connection.withCached("INSERT INTO Z_PRIMARYKEY VALUES (?1, ?2, ?3, 0)") { insert in
            for entity in plan.entities {
                try insert.bind(Int64(entity.number), at: 1)
                try insert.bind(entity.entity.name ?? "", at: 2)
                try insert.bind(Int64(entity.parentNumber), at: 3)
                try insert.run()
            }
        }
        let identifier = UUID().uuidString
        let metadata = StoreMetadata.new(
            model: model, configuration: configuration, type: type, identifier: identifier)
        try connection.withCached("INSERT INTO Z_METADATA VALUES (1, ?1, ?2)") { insert in
            try insert.bind(identifier, at: 1)
            try insert.bind(StoreMetadata.encode(metadata, url: url), at: 2)
            try insert.run()
        }
        let cache = try model.storeCacheContents()
        try connection.withCached("INSERT INTO Z_MODELCACHE VALUES (?1)") { insert in
            try insert.bind(cache, at: 1)
            try insert.run()
        }
        if options.tracksHistory { try addHistory(connection, plan) }
    }

    /// Makes the tables of the history where they are missing.
    func addHistory(_ connection: SQLiteConnection, _ plan: SchemaPlan) throws {
        if try StoreFile.hasTable(connection, SQLHistorySchema.changeTable) { return }
        for statement in plan.historyStatements { try connection.execute(statement) }
        try connection.withCached("INSERT OR IGNORE INTO Z_PRIMARYKEY VALUES (?1, ?2, 0, 0)") { insert in
            for (number, name) in SQLHistorySchema.entityNames {
                try insert.bind(Int64(number), at: 1)
                try insert.bind(name, at: 2)
                try insert.run()
            }
        }
    }
}
