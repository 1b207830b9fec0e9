import CoreDataCSQLite

extension SQLiteConnection {
    /// Makes statements fail with error 9 once they have together taken more than so many of the steps of SQLite's virtual
    /// machine; nil takes the limit away. For files of strangers: a forged tree of pages can have more branches than anybody
    /// can visit, and a forged schema can count for ever.
    ///
    /// Counted in thousands; steps inside one instruction are not counted.
    package func limitWork(toSteps steps: Int64?) {
        guard let database else { return }
        workLimit = steps.map { SQLiteWorkLimit(thousands: $0 / 1000 + 1) }
        guard let workLimit else { return sqlite3_progress_handler(database, 0, nil, nil) }
        sqlite3_progress_handler(
            database, 1000,
            { limit in
                guard let limit else { return 0 }
                return Unmanaged<SQLiteWorkLimit>.fromOpaque(limit).takeUnretainedValue().isExceeded() ? 1 : 0
            }, Unmanaged.passUnretained(workLimit).toOpaque())
    }

    /// Makes statements fail with error 18 that would make or read a value of more bytes, for the life of the connection.
    package func limitValues(toBytes bytes: Int64) {
        sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, Int32(clamping: bytes))
    }
}

/// What is left of a limit.
final class SQLiteWorkLimit {
    private var thousands: Int64

    init(thousands: Int64) {
        self.thousands = thousands
    }

    func isExceeded() -> Bool {
        thousands -= 1
        return thousands < 0
    }
}
