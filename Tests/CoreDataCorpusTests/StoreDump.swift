import Foundation

/// All rows of a file, to be compared with a later state of it.
struct StoreDump {
    struct Table {
        let columns: [String]
        /// By `Z_PK`.
        let rows: [Int64: [RawValue]]

        func value(_ key: Int64, _ column: String) -> RawValue? {
            guard let row = rows[key], let index = columns.firstIndex(of: column) else { return nil }
            return row[index]
        }
    }

    /// The tables with a primary key: those of entities and of the history.
    private(set) var records: [String: Table] = [:]
    /// The rows of all other tables, and how often each is there.
    private(set) var others: [String: [[RawValue]: Int]] = [:]
    /// `Z_PRIMARYKEY` by name.
    private(set) var lastKeys: [String: (number: Int64, parent: Int64, last: Int64)] = [:]

    init(_ database: RawDatabase) throws {
        let sql =
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB 'sqlite_*' AND name NOT GLOB 'Z_RT_*'"
        for table in try database.column(sql).compactMap(\.text) {
            let columns = try database.columnNames(table)
            let rows = try database.rows("SELECT \(columns.joined(separator: ", ")) FROM \(table)")
            if let key = columns.firstIndex(of: "Z_PK") {
                var byKey: [Int64: [RawValue]] = [:]
                for row in rows { byKey[row[key].integer ?? -1] = row }
                records[table] = Table(columns: columns, rows: byKey)
            } else if table == "Z_PRIMARYKEY" {
                for row in rows {
                    lastKeys[row[1].text ?? ""] = (row[0].integer ?? -1, row[2].integer ?? -1, row[3].integer ?? -1)
                }
            } else {
                others[table] = Dictionary(rows.map { ($0, 1) }, uniquingKeysWith: +)
            }
        }
    }

    /// The columns that triggers of the file set, as `TABLE.COLUMN`.
    static func triggerColumns(_ database: RawDatabase) throws -> Set<String> {
        var result: Set<String> = []
        for sql in try database.column("SELECT sql FROM sqlite_master WHERE type = 'trigger'").compactMap(\.text) {
            let words = sql.split(separator: " ").map(String.init)
            for index in words.indices.dropLast(3)
            where words[index] == "UPDATE" && words[index + 2] == "SET" && words[index + 1] != "OF" {
                result.insert(words[index + 1] + "." + words[index + 3])
            }
        }
        return result
    }
}
