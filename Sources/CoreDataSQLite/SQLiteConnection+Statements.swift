import CoreDataCSQLite

extension SQLiteConnection {
    /// Prepares the one statement in `sql`.
    ///
    /// - Throws: `SQLiteError`; code 21 if `sql` holds no statement, or more than one.
    package func prepare(_ sql: String) throws -> SQLiteStatement {
        try prepare(sql, flags: 0)
    }

    /// The statement for `sql` from the connection's cache, reset and without bindings; prepared if it is not there.
    ///
    /// As long as somebody holds the statement it is in use, and a second call with the same text gets a statement of its
    /// own, which is not cached. Let go of it when done, after `reset()` unless it was stepped to its end. The cache
    /// keeps the latest `statementCacheCapacity` texts.
    package func cached(_ sql: String) throws -> SQLiteStatement {
        if let statement = statements.idleStatement(for: sql) {
            statement.reset()
            statement.clearBindings()
            return statement
        }
        let statement = try prepare(sql, flags: UInt32(SQLITE_PREPARE_PERSISTENT))
        statements.insert(statement, for: sql)
        return statement
    }

    /// The statement of a small number, for texts that are run so often that looking them up would cost. One number always
    /// means the same text on this connection. The rules of `cached(_:)` hold, except that bindings stay as they are.
    package func numbered(_ number: Int, _ sql: @autoclosure () -> String) throws -> SQLiteStatement {
        while numberedStatements.count <= number { numberedStatements.append(nil) }
        if isKnownUniquelyReferenced(&numberedStatements[number]), let statement = numberedStatements[number] {
            return statement
        }
        let statement = try prepare(sql(), flags: UInt32(SQLITE_PREPARE_PERSISTENT))
        if numberedStatements[number] == nil { numberedStatements[number] = statement }
        return statement
    }

    /// Calls `body` with the cached statement for `sql`, and resets it afterwards whatever happens.
    package func withCached<T>(_ sql: String, _ body: (SQLiteStatement) throws -> T) throws -> T {
        let statement = try cached(sql)
        defer { statement.reset() }
        return try body(statement)
    }

    /// How many statements the cache keeps; the least recently used go first.
    package var statementCacheCapacity: Int {
        get { statements.capacity }
        set { statements.capacity = newValue }
    }

    package var cachedStatementCount: Int { statements.count }

    func prepare(_ sql: String, flags: UInt32) throws -> SQLiteStatement {
        let database = handle
        var prepared: OpaquePointer?
        var isSingle = true
        var text = sql
        let result = text.withUTF8 { bytes -> Int32 in
            bytes.withMemoryRebound(to: CChar.self) { characters in
                guard let start = characters.baseAddress else { return SQLITE_OK }
                var tail: UnsafePointer<CChar>?
                let result = sqlite3_prepare_v3(
                    database, start, Int32(clamping: characters.count), flags, &prepared, &tail)
                if result == SQLITE_OK, let tail {
                    isSingle = characters[(tail - start)...].allSatisfy { Self.isBlank($0) }
                }
                return result
            }
        }
        guard result == SQLITE_OK else { throw SQLiteError(result, on: database, sql: sql, path: path) }
        guard let prepared, isSingle else {
            sqlite3_finalize(prepared)
            throw SQLiteError(
                extendedCode: SQLITE_MISUSE, message: "exactly one SQL statement is expected", sql: sql, path: path)
        }
        return SQLiteStatement(handle: prepared)
    }

    private static func isBlank(_ character: CChar) -> Bool {
        switch character {
        case 0x20, 0x09, 0x0A, 0x0D, 0x3B: true  // blanks and the semicolon
        default: false
        }
    }

    // MARK: Single values

    /// The first column of the first row, or `nil` without a row or with NULL there.
    package func int64(_ sql: String) throws -> Int64? {
        try withCached(sql) { try $0.step() && !$0.isNull(0) ? $0.int64(0) : nil }
    }

    /// The first column of the first row as text, or `nil` without a row or with NULL there.
    package func text(_ sql: String) throws -> String? {
        try withCached(sql) { try $0.step() ? $0.text(0) : nil }
    }
}
