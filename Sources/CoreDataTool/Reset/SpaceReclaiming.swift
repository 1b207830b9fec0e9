import CoreDataSQLite
import Foundation

/// Gives the space of deleted rows back to the file system.
enum SpaceReclaiming {
    private static let pagesAtOnce: Int64 = 20_000

    /// Where the file was made for it (`auto_vacuum` 2, as Core Data's are), in steps between which others may write. What
    /// somebody hinders is left to later: free pages do no harm.
    static func reclaim(_ store: StoreSnapshot) {
        guard let connection = try? SQLiteConnection(path: store.path.path, access: .readWrite, busyTimeout: 0.5) else {
            return
        }
        defer { try? connection.close() }
        guard (try? connection.pragma("auto_vacuum")) == 2 else { return }
        var free = freePages(connection)
        while free > 0 {
            let statement = try? connection.prepare("PRAGMA incremental_vacuum(\(min(free, pagesAtOnce)))")
            guard let statement, (try? statement.run()) != nil else { return }
            let left = freePages(connection)
            if left >= free { return }
            free = left
        }
    }

    private static func freePages(_ connection: SQLiteConnection) -> Int64 {
        ((try? connection.pragma("freelist_count")) ?? nil) ?? 0
    }
}
