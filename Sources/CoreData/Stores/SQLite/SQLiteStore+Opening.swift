import CoreDataSQLite
import Foundation

extension SQLiteStore {
    /// Opens a store, or makes it where there is none: no file, an empty one, or a database that a destroyed store left.
    ///
    /// A store that cannot be used is not touched: its file and the files beside it stay as they are, byte by byte.
    ///
    /// - Parameters:
    ///   - type: `NSSQLiteStoreType` or `NSInMemoryStoreType`, for the metadata.
    ///   - url: for errors and logs.
    ///   - model: is frozen.
    ///   - configuration: a name the model has; nil for all its entities.
    /// - Throws: NSCocoaErrorDomain 134060 for an option that cannot be used; 260 for a read-only store that is missing; 512 and
    ///   513 for a file that cannot be made; 259 for a file that is no store; 134010 for a store of another type; 134100 for
    ///   one of another model; 256 with SQLite's code 5 for one that stays locked.
    static func open(
        _ location: StoreLocation, type: String, url: URL?, model: NSManagedObjectModel, configuration: String?,
        options: [AnyHashable: Any]?
    ) throws -> SQLiteStore {
        model.freeze()
        let opener = StoreOpener(
            url: url, type: type, model: model, configuration: configuration, options: try SQLiteStoreOptions(options))
        do {
            switch location {
            case .file(let path): return try opener.openFile(path)
            case .memory: return try opener.openInMemory(location)
            case .sharedMemory(let name): return try opener.openShared(name)
            }
        } catch {
            throw StoreError.translated(error, .open, url: url)
        }
    }
}

/// Opens or makes one store.
struct StoreOpener {
    let url: URL?
    let type: String
    let model: NSManagedObjectModel
    let configuration: String?
    let options: SQLiteStoreOptions

    // MARK: Memory

    func openInMemory(_ location: StoreLocation) throws -> SQLiteStore {
        let changes = TriggeredChanges()
        let pool = try makePool(SQLiteConnection.memoryPath, .create, changes, isInMemory: true)
        try pool.withWriter { connection in
            try connection.write { try makeStore(connection, decimalsAsText: true) }
        }
        return try finish(location, pool, changes)
    }

    func openShared(_ name: String) throws -> SQLiteStore {
        let database = try SharedMemory.database(name) { changes in
            try makePool(SQLiteConnection.memoryPath, .create, changes, isInMemory: true)
        }
        do {
            try database.pool.withWriter { connection in
                try connection.write {
                    if try StoreFile.isEmpty(connection) { try makeStore(connection, decimalsAsText: true) }
                }
            }
            return try finish(.sharedMemory(name), database.pool, database.changes)
        } catch {
            SharedMemory.release(name)
            throw error
        }
    }

    // MARK: Files

    func openFile(_ path: String) throws -> SQLiteStore {
        let found = try SQLiteFileGroup(path: path).exists ? inspect(path) : .nothing
        switch found {
        case .nothing:
            if options.isReadOnly { throw StoreError.noFile(url) }
            try createFile(path)
        case .empty:
            if options.isReadOnly { throw StoreFile.notAStore(url) }
            try createFile(path)
        case .store(let readOnlyReason):
            return try openExisting(path, readOnlyReason: readOnlyReason)
        }
        return try openExisting(path, readOnlyReason: nil)
    }

    private enum Found {
        case nothing
        /// A database without any table.
        case empty
        /// A store that fits; why it can only be read though that was not asked for.
        case store(readOnlyReason: String?)
    }

    /// Looks at an existing file without changing it.
    private func inspect(_ path: String) throws -> Found {
        var information = stat()
        if stat(path, &information) == 0, information.st_mode & S_IFMT == S_IFDIR {
            throw StoreError.make(
                CocoaError.Code.fileReadUnknown.rawValue, "The URL names a folder, not a file.", url: url)
        }
        return try StoreInspection.read(path: path, timeout: options.timeout) { connection in
            if try StoreFile.isEmpty(connection) { return .empty }
            let metadata = try StoreFile.metadata(connection, url: url)
            if options.ignoresVersioning {
                try StoreFile.requireType(metadata, url: url)
            } else {
                try StoreFile.requireCompatible(
                    metadata, connection, model: model, configuration: configuration, url: url)
            }
            _ = try schema(connection, isInMemory: false)
            guard try !options.tracksHistory && StoreFile.hasHistoryRows(connection) else {
                return .store(readOnlyReason: nil)
            }
            return .store(
                readOnlyReason:
                    "Store opened without NSPersistentHistoryTrackingKey but previously had been opened with "
                    + "NSPersistentHistoryTrackingKey - Forcing into Read Only mode store at '\(url?.absoluteString ?? path)'"
            )
        }
    }

    private func openExisting(_ path: String, readOnlyReason: String?) throws -> SQLiteStore {
        let isReading = options.isReadOnly || readOnlyReason != nil
        if let readOnlyReason { CoreDataLog.warning(readOnlyReason) }
        let changes = TriggeredChanges()
        let pool: SQLitePool
        if isReading {
            pool = try readingPool(path, changes)
        } else {
            pool = try makePool(path, .readWrite, changes, isInMemory: false)
        }
        do {
            return try finish(.file(path), pool, changes, readOnlyReason: readOnlyReason)
        } catch {
            try? pool.close()
            throw error
        }
    }

    /// Where the folder cannot be written SQLite cannot share a log: a store nobody can change is then read without locks.
    private func readingPool(_ path: String, _ changes: TriggeredChanges) throws -> SQLitePool {
        do {
            return try makePool(path, .readOnly, changes, isInMemory: false)
        } catch let error as SQLiteError where error.code == SQLITE_CANTOPEN || error.code == SQLITE_READONLY {
            guard StoreInspection.size(path + "-wal") == 0, StoreInspection.size(path + "-journal") == 0 else {
                throw error
            }
            return try makePool(path, .immutable, changes, isInMemory: false)
        }
    }

    /// Reads what the open database holds, does what the options ask for, and makes the store.
    private func finish(
        _ location: StoreLocation, _ pool: SQLitePool, _ changes: TriggeredChanges, readOnlyReason: String? = nil
    ) throws -> SQLiteStore {
        try pool.withWriter { connection in
            let isReadOnly = connection.isReadOnly
            if !isReadOnly { try prepareForWriting(connection, location) }
            return try connection.read {
                let metadata = try StoreFile.metadata(connection, url: url)
                if !options.ignoresVersioning {
                    try StoreFile.requireCompatible(
                        metadata, connection, model: model, configuration: configuration, type: type, url: url)
                }
                let schema = try schema(connection, isInMemory: location.isInMemory)
                connection.acknowledgedSchemaVersion = connection.schemaVersion
                let unwritable = isReadOnly && !options.isReadOnly && readOnlyReason == nil
                if unwritable { CoreDataLog.warning("The store cannot be written: \(pool.path)") }
                return SQLiteStore(
                    location: location, url: url, identifier: metadata[NSStoreUUIDKey] as? String ?? "",
                    generation: SQLiteReplace.generation(of: connection.schemaVersion),
                    options: options, schema: schema, metadata: metadata,
                    readOnlyReason: unwritable ? "The file cannot be written." : readOnlyReason,
                    isReadOnly: isReadOnly || options.isReadOnly, pool: pool, triggeredChanges: changes)
            }
        }
    }

    private func prepareForWriting(_ connection: SQLiteConnection, _ location: StoreLocation) throws {
        if case .file(let path) = location { ExternalStorage(storePath: path).finishRemovals(connection) }
        if options.vacuums { try connection.execute("VACUUM") }
        if options.analyzes { try connection.execute("ANALYZE") }
        guard options.tracksHistory || options.ignoresVersioning else { return }
        try connection.write {
            if options.tracksHistory {
                try addHistory(connection, SchemaPlan(model: model, configuration: configuration))
            }
            guard options.ignoresVersioning else { return }
            var metadata = try StoreFile.metadata(connection, url: url)
            if try StoreFile.isCompatible(metadata, connection, model: model, configuration: configuration) { return }
            StoreMetadata.setVersion(of: model, configuration: configuration, in: &metadata)
            try StoreFile.write(metadata, connection, url: url)
        }
    }

    private func schema(_ connection: SQLiteConnection, isInMemory: Bool) throws -> SQLSchema {
        let plan = SchemaPlan(
            model: model, configuration: configuration, fileNumbers: try StoreFile.entityNumbers(connection))
        return try SQLSchema(plan, file: StoreFile.tables(connection), storesDecimalsAsText: isInMemory)
    }

    private func makePool(
        _ path: String, _ access: SQLiteConnection.Access, _ changes: TriggeredChanges, isInMemory: Bool
    ) throws -> SQLitePool {
        let options = options
        return try SQLitePool(path: path, access: access, readers: options.readers, timeout: options.timeout) {
            connection, role in
            try Self.configure(
                connection, options, writes: role == .writer && (access == .readWrite || access == .create),
                isInMemory: isInMemory, changes)
        }
    }

    /// What every connection of a store is given before it is used.
    static func configure(
        _ connection: SQLiteConnection, _ options: SQLiteStoreOptions, writes: Bool, isInMemory: Bool,
        _ changes: TriggeredChanges?
    ) throws {
        SQLDebug.observe(connection)
        try StoreFunctions.register(on: connection, changes: writes ? changes : nil)
        try connection.registerRequestFunctions()
        if !isInMemory {
            // A commit in WAL mode then reaches the disk with the next checkpoint; the file is never damaged.
            try connection.setPragma("synchronous", to: "NORMAL")
        }
        for (name, value) in options.pragmas { try connection.setPragma(name, to: value) }
        guard writes, !isInMemory, let mode = options.journalMode, try connection.journalMode != mode else { return }
        guard try connection.setPragma("journal_mode", to: mode)?.lowercased() == mode else {
            throw SQLiteError(
                extendedCode: SQLITE_BUSY, message: "the journal mode cannot be changed to \(mode) now",
                path: connection.path)
        }
    }
}
