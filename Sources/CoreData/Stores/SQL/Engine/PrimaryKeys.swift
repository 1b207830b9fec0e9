import CoreDataSQLite
import Foundation

/// Hands out primary keys: `Z_PRIMARYKEY` remembers the last one of each table, and a key is never given twice.
enum PrimaryKeys {
    /// Reserves consecutive keys for rows of a hierarchy, inside of a write transaction.
    ///
    /// - Parameter entity: any entity of the hierarchy.
    /// - Returns: the first of them.
    /// - Throws: `NSError` (134060) where the store holds nothing of the entity, or when a table has used up its keys.
    static func reserve(
        _ count: Int, of entity: NSEntityDescription, _ schema: SQLSchema, _ connection: SQLiteConnection
    ) throws -> Int64 {
        guard let table = schema.branch(entity)?.table else {
            throw SQLRequestError.refused("The store holds no entity \(entity.name ?? "").")
        }
        // A file that was written by something else may have a mark that is too low, or none.
        let last = max(
            try connection.int64("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = \(table.rootNumber)") ?? 0,
            try connection.int64("SELECT max(Z_PK) FROM \(table.sql)") ?? 0, 0)
        guard count > 0 else { return last + 1 }
        let (end, overflow) = last.addingReportingOverflow(Int64(count))
        guard !overflow else { throw SQLRequestError.refused("Table \(table.name) has no primary keys left.") }
        let holder = schema.ordinal(number: Int64(table.rootNumber)).flatMap(schema.entity(ordinal:))
        try setLast(end, number: table.rootNumber, name: holder?.name ?? "", connection)
        return last + 1
    }

    /// Notes the last key given out under a number of `Z_PRIMARYKEY`.
    static func setLast(_ last: Int64, number: Int32, name: String, _ connection: SQLiteConnection) throws {
        try connection.withCached("UPDATE Z_PRIMARYKEY SET Z_MAX = ?1 WHERE Z_ENT = ?2") { statement in
            try statement.bind(last, at: 1)
            try statement.bind(Int64(number), at: 2)
            try statement.run()
        }
        guard connection.changes == 0 else { return }
        let sql = "INSERT INTO Z_PRIMARYKEY (Z_ENT, Z_NAME, Z_SUPER, Z_MAX) VALUES (?1, ?2, 0, ?3)"
        try connection.withCached(sql) { statement in
            try statement.bind(Int64(number), at: 1)
            try statement.bind(name, at: 2)
            try statement.bind(last, at: 3)
            try statement.run()
        }
    }
}
