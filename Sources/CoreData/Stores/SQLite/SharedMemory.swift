import CoreDataSQLite
import Foundation

/// The databases in memory that stores of this process share by name. Each lives as long as a store uses it.
final class SharedMemory: @unchecked Sendable {
    struct Database {
        let pool: SQLitePool
        let changes: TriggeredChanges
        fileprivate var users: Int
    }

    private static let shared = SharedMemory()
    private let lock = NSLock()
    private var databases: [String: Database] = [:]

    /// The database of that name, made if there is none; to be given back with `release`.
    static func database(
        _ name: String, make: (TriggeredChanges) throws -> SQLitePool
    ) throws -> Database {
        try shared.lock.withLock {
            if var database = shared.databases[name] {
                database.users += 1
                shared.databases[name] = database
                return database
            }
            let changes = TriggeredChanges()
            let database = Database(pool: try make(changes), changes: changes, users: 1)
            shared.databases[name] = database
            return database
        }
    }

    /// The pool of a database that stores are using.
    static func pool(_ name: String) -> SQLitePool? { shared.lock.withLock { shared.databases[name]?.pool } }

    /// - Returns: the pool to close, if nobody uses the database any more.
    @discardableResult
    static func release(_ name: String) -> SQLitePool? {
        shared.lock.withLock {
            guard var database = shared.databases[name] else { return nil }
            database.users -= 1
            shared.databases[name] = database.users > 0 ? database : nil
            return database.users > 0 ? nil : database.pool
        }
    }
}
