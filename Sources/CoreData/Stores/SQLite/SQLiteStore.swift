import CoreDataSQLite
import Foundation
import Synchronization

/// The engine behind SQLite stores: Apple's file format on SQLite, or the same in memory.
///
/// It owns the connections, the schema and the row cache. Reading and writing go through `read` and `write`, which give the
/// caller a connection inside a transaction whose store has been checked to be the one that was opened. All members may be
/// called from any thread.
final class SQLiteStore: @unchecked Sendable {
    let location: StoreLocation
    /// Where the store is, for errors and external files; nil for the type that lives in memory.
    let url: URL?
    /// `NSStoreUUIDKey`.
    let identifier: String
    /// The generation of the file's contents; see `SQLiteReplace.generation(of:)`.
    let generation: UInt16
    let options: SQLiteStoreOptions
    /// Tables and columns. They stay for as long as the store is open: another process that changes what it tells ends the
    /// store's use.
    let schema: SQLSchema
    /// The metadata as they were when the store was opened. What a coordinator sets later reaches the file with a save.
    let metadata: [String: Any]
    /// True if it was asked for, if the file cannot be written, or if it has a history and is opened without tracking it.
    let isReadOnly: Bool
    /// Why a store is read-only though it was not asked for.
    let readOnlyReason: String?
    let rowCache: RowCache
    let pool: SQLitePool
    /// How the rows of each entity are read and written.
    let rowPlans: SQLRowPlans
    /// What triggers changed in the write transaction that is running; empty at its start. For the writing thread only.
    let triggeredChanges: TriggeredChanges

    private let wasRemoved = Atomic<Bool>(false)
    private let lock = NSLock()
    private var removalHandler: (@Sendable () -> Void)?

    init(
        location: StoreLocation, url: URL?, identifier: String, generation: UInt16, options: SQLiteStoreOptions,
        schema: SQLSchema, metadata: [String: Any], readOnlyReason: String?, isReadOnly: Bool, pool: SQLitePool,
        triggeredChanges: TriggeredChanges
    ) {
        self.location = location
        self.url = url
        self.identifier = identifier
        self.generation = generation
        self.options = options
        self.schema = schema
        self.metadata = metadata
        self.isReadOnly = isReadOnly
        self.readOnlyReason = readOnlyReason
        self.pool = pool
        self.triggeredChanges = triggeredChanges
        rowCache = RowCache(entityCount: schema.model.entitiesByOrdinal.count)
        rowPlans = SQLRowPlans(schema)
    }

    var model: NSManagedObjectModel { schema.model }

    /// Whether saves and batch requests write history rows.
    var tracksHistory: Bool { options.tracksHistory && schema.history != nil }

    // MARK: Transactions

    /// Runs `body` in a read transaction, with the number of its snapshot for the row cache.
    ///
    /// Inside another transaction of the same thread it runs in that one, so that reading may be nested on every kind of store.
    ///
    /// - Throws: an `NSError` of `NSCocoaErrorDomain` (see `StoreError`); the removed-store error (134070).
    func read<T>(_ body: (SQLiteConnection, UInt64) throws -> T) throws -> T {
        let transactions = ThreadTransactions.current
        if let open = transactions.innermost(of: self) {
            return try translating(.read) { try body(open.connection, open.snapshot) }
        }
        return try run(.read) { snapshot in
            try pool.withReader { connection in
                try connection.read {
                    try checkIdentity(connection)
                    transactions.enter(self, connection, snapshot, isWriting: false)
                    defer { transactions.leave() }
                    return try body(connection, snapshot)
                }
            }
        }
    }

    /// Runs `body`, which steps one statement once, without a transaction around it: the statement is one by itself, which costs
    /// half of what `read` does.
    ///
    /// - Returns: nil if it must be done by `read` instead: inside another transaction, or where it cannot be told whether the
    ///   snapshot is this store's. `body` returns nil where its statement was prepared anew, since then the schema has changed.
    func readAlone<T>(_ body: (SQLiteConnection, UInt64) throws -> T?) throws -> T? {
        if ThreadTransactions.current.innermost(of: self) != nil { return nil }
        return try run(.read) { snapshot in
            try pool.withReader { connection in
                guard connection.acknowledgedSchemaVersion != nil,
                    connection.acknowledgedSchemaVersion == connection.schemaVersion
                else { return nil }
                if let value = try body(connection, snapshot) { return value }
                // Its statements fit the new schema now, and would not tell again.
                connection.acknowledgedSchemaVersion = nil
                return nil
            }
        }
    }

    /// Runs `body` in a write transaction and commits it.
    ///
    /// - Parameters:
    ///   - durable: whether the commit must have reached the disk: where files are removed after it, or were written before it.
    ///   - afterCommit: what belongs to the commit and must be done before somebody else writes, such as telling the row cache.
    /// - Throws: an `NSError` of `NSCocoaErrorDomain` (see `StoreError`), and nothing is written; the removed-store error
    ///   (134070).
    func write<T>(
        durable: Bool = false, _ body: (SQLiteConnection, UInt64) throws -> T,
        afterCommit: (T, SQLiteConnection) -> Void = { _, _ in }
    ) throws -> T {
        try requireWritable()
        let transactions = ThreadTransactions.current
        if let open = transactions.innermost(of: self), open.isWriting || !pool.isConcurrent {
            throw StoreError.make(
                NSPersistentStoreOperationError,
                "The store is written inside of \(open.isWriting ? "a write" : "a read") of the same thread, which must "
                    + "end first.", url: url)
        }
        return try run(.write) { snapshot in
            try pool.withWriter { connection in
                let result = try connection.write(durable: durable) {
                    try checkIdentity(connection)
                    triggeredChanges.removeAll()
                    transactions.enter(self, connection, snapshot, isWriting: true)
                    defer { transactions.leave() }
                    return try body(connection, snapshot)
                }
                afterCommit(result, connection)
                return result
            }
        }
    }

    /// - Throws: 513 for a read-only store.
    func requireWritable() throws {
        guard isReadOnly else { return }
        throw StoreError.make(
            CocoaError.Code.fileWriteNoPermission.rawValue,
            readOnlyReason ?? "The store was opened for reading only.", url: url)
    }

    private func run<T>(_ operation: StoreError.Operation, _ transaction: (UInt64) throws -> T) throws -> T {
        let snapshot = rowCache.beginSnapshot()
        defer { rowCache.endSnapshot(snapshot) }
        do {
            if isRemoved { throw StoreError.removed(url: url) }
            return try transaction(snapshot)
        } catch is RemovedStore {
            announceRemoval()
            throw StoreError.removed(url: url)
        } catch {
            throw StoreError.translated(error, operation, url: url)
        }
    }

    /// A connection that only reads leaves an empty log behind: one that may write takes it away.
    private func tidy(_ path: String) {
        guard SQLiteFileGroup(path: path + "-wal").exists, StoreInspection.size(path + "-wal") == 0,
            let connection = try? SQLiteConnection(path: path, access: .readWrite, busyTimeout: 0)
        else { return }
        _ = try? connection.read {}
        try? connection.close()
    }

    private func translating<T>(_ operation: StoreError.Operation, _ body: () throws -> T) throws -> T {
        do { return try body() } catch { throw StoreError.translated(error, operation, url: url) }
    }

    // MARK: Removal

    /// Calls `handler` once, outside of any transaction, when a transaction finds that the file is another store now.
    func onRemoval(_ handler: @escaping @Sendable () -> Void) {
        lock.withLock { removalHandler = handler }
    }

    /// Whether the file was found to be another store, or this store was destroyed.
    var isRemoved: Bool { wasRemoved.load(ordering: .acquiring) }

    private func announceRemoval() {
        wasRemoved.store(true, ordering: .releasing)
        let handler = lock.withLock {
            defer { removalHandler = nil }
            return removalHandler
        }
        rowCache.removeAll()
        handler?()
    }

    // MARK: Life

    /// Waits for what is running and closes all connections.
    ///
    /// - Throws: 256 with SQLite's code 5 where something is still running after the store's timeout; the store stays usable.
    func close() throws {
        try translating(.read) {
            switch location {
            case .memory: try pool.close()
            case .sharedMemory(let name): try SharedMemory.release(name)?.close()
            case .file(let path):
                try pool.close()
                if isReadOnly { tidy(path) }
            }
        }
        rowCache.removeAll()
    }
}
