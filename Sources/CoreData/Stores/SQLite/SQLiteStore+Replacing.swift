import CoreDataSQLite
import Foundation

extension SQLiteStore {
    /// Takes everything out of a store: an empty database stays in its place, in which a new store may be made at once.
    ///
    /// It happens in one transaction under SQLite's locks. Whoever has the file open goes on reading what he was reading, and
    /// finds with his next transaction that the store is gone. External files go once that is durable.
    ///
    /// With `NSPersistentStoreForceDestroyOption` a file that is no readable database, or that stays locked, is set aside by
    /// renaming it and all that belongs to it to `NAME.damaged-TIME`.
    ///
    /// - Throws: NSCocoaErrorDomain 260 where there is no file; 256 with SQLite's code 5 where somebody is writing, or with a
    ///   rollback journal reading, for longer than the store's timeout; 259 for a file that is no store; 513 for one that cannot
    ///   be written. The store is then as it was.
    static func destroy(_ location: StoreLocation, url: URL, options: [AnyHashable: Any]?) throws {
        // Without a table that was there once the database would have no pages to copy.
        try clear(location, url: url, options: options) { try $0.execute("CREATE TABLE t (a); DROP TABLE t; VACUUM") }
    }

    /// Puts a new store without records in the place of a store, in the same way: whoever opens the file finds the old store or
    /// the new one.
    ///
    /// - Throws: as `destroy(_:url:options:)`.
    static func reset(
        _ location: StoreLocation, type: String, url: URL, model: NSManagedObjectModel, configuration: String?,
        options: [AnyHashable: Any]?
    ) throws {
        let opener = StoreOpener(
            url: url, type: type, model: model, configuration: configuration, options: try SQLiteStoreOptions(options))
        try clear(location, url: url, options: options) { template in
            // Indexes name the collation of decimals.
            try StoreFunctions.register(on: template, changes: nil)
            try opener.makeStore(template, decimalsAsText: location.isInMemory)
        }
    }

    /// - Parameter fill: makes, in an empty database, what is to be in the place of the old contents.
    private static func clear(
        _ location: StoreLocation, url: URL, options: [AnyHashable: Any]?, _ fill: (SQLiteConnection) throws -> Void
    ) throws {
        do {
            let options = try SQLiteStoreOptions(options)
            switch location {
            case .memory: return
            case .sharedMemory(let name):
                try SharedMemory.pool(name)?.withWriter { try clear($0, options.timeout, fill) }
            case .file(let path):
                guard SQLiteFileGroup(path: path).exists else { throw StoreError.noFile(url) }
                try forced(path, options) {
                    let storage = ExternalStorage(storePath: path)
                    try storage.alone(timeout: options.timeout) {
                        try removing(storage.promiseRemoval(of: storage.names)) {
                            try replaceFile(path, url, options, isCreating: false) {
                                try clear($0, options.timeout, fill)
                            }
                        }
                        storage.removeEmptyFolders()
                    }
                }
            }
        } catch {
            throw locked(error, url) ?? StoreError.translated(error, .write, url: url)
        }
    }

    /// Puts a copy of another store in the place of a store, or where there is none yet, in the same way. The copy has the
    /// identifier of its source.
    ///
    /// - Throws: NSCocoaErrorDomain 260 where there is no source; 259 where either is no store; else as `destroy(_:url:options:)`.
    static func replace(
        _ destination: StoreLocation, url: URL, options: [AnyHashable: Any]?, from source: StoreLocation,
        sourceURL: URL, sourceOptions: [AnyHashable: Any]?
    ) throws {
        do {
            let options = try SQLiteStoreOptions(options)
            if destination == source { return }
            try withTemplate(source, sourceURL, SQLiteStoreOptions(sourceOptions)) { template in
                switch destination {
                case .memory:
                    throw StoreError.make(
                        NSPersistentStoreOperationError, "A store in memory that nobody shares cannot be replaced.",
                        url: url)
                case .sharedMemory(let name):
                    guard let pool = SharedMemory.pool(name) else { throw StoreError.noFile(url) }
                    _ = try pool.withWriter {
                        try SQLiteReplace.replaceContents(of: $0, with: template, timeout: options.timeout)
                    }
                case .file(let path):
                    let wasSetAside = try forced(path, options) {
                        try replaceFile(path, source, url, options, template)
                    }
                    if wasSetAside { try replaceFile(path, source, url, options, template) }
                }
            }
        } catch {
            throw locked(error, url) ?? StoreError.translated(error, .write, url: url)
        }
    }

    // MARK: Steps

    private static func replaceFile(
        _ path: String, _ source: StoreLocation, _ url: URL, _ options: SQLiteStoreOptions,
        _ template: SQLiteConnection
    ) throws {
        let mine = ExternalStorage(storePath: path)
        var theirs: ExternalStorage?
        if case .file(let sourcePath) = source {
            let storage = ExternalStorage(storePath: sourcePath)
            if storage.folderPath != mine.folderPath { theirs = storage }
        }
        let theirNames = Set(theirs?.names ?? [])
        if !theirNames.isEmpty { try mine.createFolders() }
        try mine.alone(timeout: options.timeout) {
            let myNames = Set(mine.names)
            let coming = Array(theirNames.subtracting(myNames))
            // Stores whose names differ in the extension only have the folder in common.
            let going = theirs == nil ? [] : Array(myNames.subtracting(theirNames))
            // What the new rows refer to is there before them; what only the old ones did goes when they are gone for good.
            let arrival = try mine.promiseRemoval(ofPresentOrComing: coming)
            do {
                if let theirs { try mine.copy(coming, from: theirs) }
                try removing(mine.promiseRemoval(of: going)) {
                    let isNew = StoreInspection.size(path) == 0
                    try replaceFile(path, url, options, isCreating: true) { destination in
                        try SQLiteReplace.replaceContents(of: destination, with: template, timeout: options.timeout)
                        if isNew { try destination.setPragma("journal_mode", to: options.journalMode ?? "wal") }
                    }
                    if isNew { try SQLiteFileGroup.syncFolder(of: path) }
                }
            } catch {
                if !ExternalRemoval.isOfDisk(error) { arrival?.carryOut() }
                throw error
            }
            arrival?.withdraw()
            mine.removeEmptyFolders()
        }
    }

    /// Removes files once `body` has committed; they stay if it fails.
    private static func removing(_ removal: ExternalRemoval?, _ body: () throws -> Void) throws {
        do {
            try body()
        } catch {
            removal?.withdraw(after: error)
            throw error
        }
        removal?.carryOut()
    }

    /// Opens the file to be replaced and calls `body`, unless it holds a database of somebody else's.
    private static func replaceFile(
        _ path: String, _ url: URL, _ options: SQLiteStoreOptions, isCreating: Bool,
        _ body: (SQLiteConnection) throws -> Void
    ) throws {
        if SQLiteFileGroup(path: path).exists {
            // A file that cannot be read is not even opened for writing: SQLite would tidy up beside it.
            let isStore = try StoreInspection.read(path: path, timeout: options.timeout) {
                try StoreFile.isEmpty($0) || StoreFile.hasTable($0, "Z_METADATA")
            }
            guard isStore || options.isForced else { throw StoreFile.notAStore(url) }
        }
        let connection: SQLiteConnection
        do {
            connection = try SQLiteConnection(
                path: path, access: isCreating ? .create : .readWrite, busyTimeout: options.timeout)
        } catch let error as SQLiteError where error.code == SQLITE_CANTOPEN && isCreating {
            let parent = (path as NSString).deletingLastPathComponent
            throw StoreError.cannotCreate(errno: access(parent, W_OK) == 0 ? EIO : errno, url: url)
        }
        defer { try? connection.close() }
        try body(connection)
        try connection.close()
    }

    /// Replaces the contents by what `fill` makes in an empty database of the same kind.
    private static func clear(
        _ connection: SQLiteConnection, _ timeout: Double, _ fill: (SQLiteConnection) throws -> Void
    ) throws {
        if try connection.pragma("page_count") == 0 { return }
        let template = try SQLiteConnection(path: SQLiteConnection.memoryPath)
        defer { try? template.close() }
        let encoding = try connection.textPragma("encoding") ?? "UTF-8"
        try template.execute("PRAGMA encoding=\(SQLiteConnection.quoted(text: encoding))")
        try template.setPragma("page_size", to: String(connection.pragma("page_size") ?? 4096))
        try template.setPragma("auto_vacuum", to: String(connection.pragma("auto_vacuum") ?? 0))
        try fill(template)
        try SQLiteReplace.replaceContents(of: connection, with: template, timeout: timeout)
    }

    private static func withTemplate(
        _ location: StoreLocation, _ url: URL, _ options: SQLiteStoreOptions,
        _ body: (SQLiteConnection) throws -> Void
    ) throws {
        func checked(_ connection: SQLiteConnection) throws {
            guard try connection.read({ try StoreFile.hasTable(connection, "Z_METADATA") }) else {
                throw StoreFile.notAStore(url)
            }
            try body(connection)
        }
        switch location {
        case .memory: throw StoreError.noFile(url)
        case .sharedMemory(let name):
            guard let pool = SharedMemory.pool(name) else { throw StoreError.noFile(url) }
            try pool.withWriter(checked)
        case .file(let path):
            guard SQLiteFileGroup(path: path).exists else { throw StoreError.noFile(url) }
            try StoreInspection.withConnection(path: path, timeout: options.timeout, checked)
        }
    }

    /// Runs `body`; if the file is damaged or stays locked, and force was asked for, the file is set aside instead.
    ///
    /// - Returns: whether it was.
    @discardableResult
    private static func forced(_ path: String, _ options: SQLiteStoreOptions, _ body: () throws -> Void) throws -> Bool
    {
        do {
            try body()
            return false
        } catch let error as SQLiteError where options.isForced && (error.isDamage || error.isBusy) {
            let moves = try SQLiteFileGroup(path: path).setAside(
                extraPaths: [ExternalStorage(storePath: path).supportPath])
            CoreDataLog.warning(
                "The store was set aside (\(error)): " + moves.map(\.to).joined(separator: ", "))
            return true
        }
    }

    private static func locked(_ error: any Error, _ url: URL) -> NSError? {
        guard let error = error as? SQLiteError, error.isBusy else { return nil }
        return StoreError.make(
            CocoaError.Code.fileReadUnknown.rawValue,
            "The store is in use: somebody else is writing to it, or reading it in a rollback-journal mode. It was left as "
                + "it is.", url: url, path: error.path, sqlite: error.extendedCode)
    }
}
