import CoreDataCSQLite

/// The statements around every transaction, prepared when first needed and kept beside the cache.
enum ControlStatement: Int, CaseIterable {
    case snapshot, beginWrite, commit, rollback, schemaVersion

    var sql: String {
        switch self {
        case .beginWrite: "BEGIN IMMEDIATE"
        case .commit: "COMMIT"
        case .rollback: "ROLLBACK"
        case .snapshot, .schemaVersion: "PRAGMA schema_version"
        }
    }

    static var none: [SQLiteStatement?] { [SQLiteStatement?](repeating: nil, count: allCases.count) }
}

extension SQLiteConnection {
    /// Runs `body` in one read transaction: everything it reads comes from the same snapshot, which is taken before
    /// `body` is called. `schemaVersion` is that snapshot's.
    ///
    /// - Throws: `SQLiteError`; code 21 inside of another transaction; what `body` throws.
    package func read<T>(_ body: () throws -> T) throws -> T {
        try refuseNesting()
        // A statement that is not at its end holds the snapshot it reads from, at a third of what BEGIN and COMMIT cost.
        let snapshot = try control(.snapshot)
        isInTransactionBlock = true
        defer {
            isInTransactionBlock = false
            snapshot.reset()
            // A statement that was left running keeps the snapshot, and with it the log file from being reused.
            if sqlite3_txn_state(handle, nil) != SQLITE_TXN_NONE { resetRunningStatements() }
        }
        if try snapshot.step() { schemaVersion = Int32(truncatingIfNeeded: snapshot.int64(0)) }
        return try body()
    }

    /// Runs `body` in one write transaction and commits it; rolls back if `body` or the commit throws. The write lock is
    /// taken before `body` is called, so that a transaction never fails half-way for want of it.
    ///
    /// - Parameter durable: the commit has reached the disk when this returns, also where the connection's
    ///   `synchronous` setting would leave that to a later checkpoint.
    /// - Throws: `SQLiteError`; code 5 if the lock was not to be had within `busyTimeout`; code 21 inside of another
    ///   transaction; code 4 (516) if SQLite itself rolled back and `body` went on regardless; what `body` throws.
    package func write<T>(durable: Bool = false, _ body: () throws -> T) throws -> T {
        guard durable, !isInMemory else { return try writeTransaction(body) }
        try refuseNesting()
        return try withDurableCommits { try writeTransaction(body) }
    }

    /// Calls `body` with `synchronous` raised so that each commit inside it survives a loss of power.
    func withDurableCommits<T>(_ body: () throws -> T) throws -> T {
        // EXTRA is FULL that also syncs the folder once a rollback journal is gone: without that the journal, and with it
        // the old contents, may be back after a power loss.
        try withSynchronous(3, body)
    }

    /// Calls `body` with the `synchronous` setting; nil leaves it as it is.
    func withSynchronous<T>(_ level: Int64?, _ body: () throws -> T) throws -> T {
        guard let level, let before = try pragma("synchronous"), before != level else { return try body() }
        try execute("PRAGMA synchronous=\(level)")
        defer { try? execute("PRAGMA synchronous=\(before)") }
        return try body()
    }

    private func writeTransaction<T>(_ body: () throws -> T) throws -> T {
        try refuseNesting()
        try control(.beginWrite).run()
        isInTransactionBlock = true
        defer { isInTransactionBlock = false }
        do {
            try readSchemaVersion()
            let value = try body()
            guard !isAutocommit else {
                throw SQLiteError(
                    extendedCode: SQLITE_ABORT | (2 << 8),
                    message: "SQLite rolled the transaction back before it was committed", path: path)
            }
            try commit()
            return value
        } catch {
            abandon()
            throw error
        }
    }

    /// Reads the schema cookie into `schemaVersion`. Well under a microsecond inside of a transaction.
    @discardableResult
    package func readSchemaVersion() throws -> Int32 {
        let statement = try control(.schemaVersion)
        defer { statement.reset() }
        if try statement.step() { schemaVersion = Int32(truncatingIfNeeded: statement.int64(0)) }
        return schemaVersion
    }

    private func refuseNesting() throws {
        guard !isInTransactionBlock, isAutocommit else {
            throw SQLiteError(
                extendedCode: SQLITE_MISUSE, message: "a transaction is open on this connection already", path: path)
        }
    }

    private func commit() throws {
        try control(.commit).run()
        // A statement that was left running keeps the snapshot, and with it the log file from being reused.
        if sqlite3_txn_state(handle, nil) != SQLITE_TXN_NONE { resetRunningStatements() }
    }

    /// Ends the transaction without its changes. Never fails: where ROLLBACK does, SQLite has rolled back by itself.
    private func abandon() {
        if !isAutocommit { try? control(.rollback).run() }
        if sqlite3_txn_state(handle, nil) != SQLITE_TXN_NONE { resetRunningStatements() }
    }

    private func resetRunningStatements() {
        var statement = sqlite3_next_stmt(handle, nil)
        while let running = statement {
            if sqlite3_stmt_busy(running) != 0 { sqlite3_reset(running) }
            statement = sqlite3_next_stmt(handle, running)
        }
    }

    private func control(_ which: ControlStatement) throws -> SQLiteStatement {
        if let statement = controls[which.rawValue] { return statement }
        let statement = try prepare(which.sql, flags: UInt32(SQLITE_PREPARE_PERSISTENT))
        controls[which.rawValue] = statement
        return statement
    }
}
