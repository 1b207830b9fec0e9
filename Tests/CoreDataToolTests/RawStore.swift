import Foundation
import TestSupport

extension Corpus {
    /// Copies a store, its log included, into a folder of the test's.
    static func copy(_ path: String, to folder: TemporaryDirectory, as name: String = "copy.sqlite") throws -> URL {
        let copy = folder.url(name)
        try FileGroup.copy(from: url(path), to: copy)
        return copy
    }
}

/// What the `sqlite3` shell says about a store.
struct RawStore {
    let url: URL

    func lines(_ sql: String) throws -> [String] {
        try sqlite3(url, sql).split(separator: "\n", omittingEmptySubsequences: false).map(String.init).filter {
            !$0.isEmpty
        }
    }

    /// Rows by `Z_ENT`, worked out from `Z_PRIMARYKEY` and the tables that are named after the root entities.
    func rowsByEntityNumber() throws -> [Int: Int] {
        let tables = try entityTables()
        if tables.isEmpty { return [:] }
        let sql = tables.map { "SELECT Z_ENT, count(*) FROM \($0) GROUP BY 1" }.joined(separator: " UNION ALL ")
        var rows: [Int: Int] = [:]
        for line in try lines(sql) {
            let parts = line.split(separator: "|").compactMap { Int($0) }
            if parts.count == 2 { rows[parts[0], default: 0] += parts[1] }
        }
        return rows
    }

    /// The tables of root entities.
    func entityTables() throws -> [String] {
        try lines(
            """
            SELECT m.name FROM Z_PRIMARYKEY p, sqlite_master m
            WHERE p.Z_SUPER = 0 AND p.Z_ENT < 16000 AND m.type = 'table' AND m.name = 'Z' || upper(p.Z_NAME)
            """)
    }

    func joinTables() throws -> [String] {
        try lines("SELECT name FROM sqlite_master WHERE type = 'table' AND name GLOB 'Z_[0-9]*[A-Z]*'")
    }

    func count(_ table: String) throws -> Int { Int(try sqlite3(url, "SELECT count(*) FROM \"\(table)\"")) ?? -1 }
}
