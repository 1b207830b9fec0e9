/// The types Core Data declares its columns with.
enum SQLColumnType: String, Sendable {
    case integer = "INTEGER"
    case float = "FLOAT"
    case timestamp = "TIMESTAMP"
    case decimal = "DECIMAL"
    case text = "VARCHAR"
    case blob = "BLOB"

    /// The type of the column behind a slot; nil for a transient attribute, which has none.
    init?(_ kind: SlotKind) {
        switch kind {
        case .integer, .boolean, .toOneKey, .toOneEntity: self = .integer
        case .double, .float: self = .float
        case .date: self = .timestamp
        case .decimal: self = .decimal
        case .string, .uri: self = .text
        case .uuid, .transformable, .data: self = .blob
        case .transient: return nil
        }
    }
}

/// A column of a store's table.
struct SQLColumn: Sendable {
    /// The name as it stands in the table.
    let name: String
    /// The name as an SQL identifier, quoted where it has to be.
    let sql: String
    let type: SQLColumnType

    init(_ name: String, _ type: SQLColumnType) {
        self.name = name
        self.type = type
        sql = SQLIdentifier.sql(name)
    }
}

/// How names become identifiers in SQL text.
enum SQLIdentifier {
    /// The name, in double quotes unless it is a plain word. Plain words stay bare: SQLite reads an unknown *quoted* name as
    /// a text, so that a mistake would go unnoticed. None of Core Data's names is a keyword: they begin with `Z` or `A`.
    static func sql(_ name: String) -> String {
        isPlain(name)
            ? name
            : "\""
                + name.split(separator: "\"", omittingEmptySubsequences: false)
                .joined(separator: "\"\"") + "\""
    }

    private static func isPlain(_ name: String) -> Bool {
        guard let first = name.utf8.first, !(0x30...0x39).contains(first) else { return false }
        return name.utf8.allSatisfy { byte in
            byte >= 0x80 || byte == 0x5F || (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte)
                || (0x61...0x7A).contains(byte)
        }
    }
}
