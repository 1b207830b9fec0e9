import CoreData
import CoreDataSQLite
import Foundation

/// Empties the history of a store.
enum HistoryClearing {
    private static let tables = ["ACHANGE", "ATRANSACTION", "ATRANSACTIONSTRING"]

    /// In one transaction. The last numbers stay, so that no token of before fits a transaction to come.
    static func clear(_ store: StoreSnapshot, _ timeout: Double) throws {
        let connection = try SQLiteConnection(path: store.path.path, access: .readWrite, busyTimeout: timeout)
        defer { try? connection.close() }
        try connection.write(durable: true) {
            for table in tables where try StoreFile.hasTable(connection, table) {
                try connection.execute("DELETE FROM \(table)")
            }
        }
        try connection.close()
    }
}
