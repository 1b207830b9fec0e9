import Foundation

/// A difference between the schema text of an older generation and the newest one.
enum SchemaRewrite: String {
    /// Up to framework 752 an index is named after its table and columns, and has no collation or direction.
    case formerIndexNames = "former index names"
    /// At framework 637 a uniqueness constraint is part of the table's text.
    case constraintsInTables = "constraints in tables"
    /// At framework 851 a constraint over one attribute is part of its column's text.
    case uniqueColumns = "unique columns"
    /// At framework 851 the history keeps names in the transactions themselves.
    case historyWithoutStrings = "history without strings"
    /// Several `Z_FOK_` columns of one table stand in the order of a hash table.
    case orderKeysAsTheirs = "order keys in their order"
    /// Photos makes indexes, triggers and an R-tree of its own, and drops an index.
    case photosOwn = "statements of Photos itself"

    func apply(_ ours: [String], _ theirs: StoreText) -> [String] {
        switch self {
        case .formerIndexNames: ours.map(Self.formerIndex)
        case .constraintsInTables:
            Self.movingConstraints(ours) { table, columns in
                let names = columns.joined(separator: "_")
                let list = columns.joined(separator: ", ")
                return table.dropLast(2) + ", CONSTRAINT \(names) UNIQUE (\(list)))"
            }
        case .uniqueColumns:
            Self.movingConstraints(ours) { table, columns in
                columns.reduce(table) { table, column in
                    table.replacingOccurrences(
                        of: " \(column) ([A-Z]+)", with: " \(column) $1 UNIQUE", options: .regularExpression)
                }
            }
        case .historyWithoutStrings:
            ours.filter { !$0.contains("ATRANSACTIONSTRING") && !$0.contains("TS_INDEX") }.map { statement in
                ["ZAUTHORTS", "ZBUNDLEIDTS", "ZCONTEXTNAMETS", "ZPROCESSIDTS"].reduce(statement) {
                    $0.replacingOccurrences(of: " \($1) INTEGER,", with: "")
                }
            }
        case .orderKeysAsTheirs:
            ours.map { statement in
                let sorted = Self.sortedColumns(statement)
                return theirs.statements.first { Self.sortedColumns($0) == sorted } ?? statement
            }
        case .photosOwn:
            ours.filter { $0 != "CREATE INDEX ZGENERICASSET_Z_ENT_INDEX ON ZGENERICASSET (Z_ENT)" }
                + theirs.statements.filter { statement in
                    ["CREATE TRIGGER ZT_", "CREATE INDEX RADAR_", "CREATE UNIQUE INDEX RADAR_"].contains {
                        statement.hasPrefix($0)
                    } || statement.contains("Z_RT_GenericAsset_boundedByRect")
                }
        }
    }

    private static func formerIndex(_ statement: String) -> String {
        let pattern = "^CREATE INDEX Z_[A-Za-z]+_\\S+ ON (\\S+) \\((.* COLLATE BINARY ASC)\\)$"
        guard let match = match(statement, pattern) else { return statement }
        let columns = match[1].components(separatedBy: ", ").map {
            $0.replacingOccurrences(of: " COLLATE BINARY ASC", with: "")
        }
        let name = match[0] + "_" + (columns.count == 1 ? columns[0] + "_INDEX" : columns.joined(separator: "_"))
        return "CREATE INDEX \(name) ON \(match[0]) (\(columns.joined(separator: ", ")))"
    }

    private static func movingConstraints(
        _ ours: [String], _ rewrite: (_ table: String, _ columns: [String]) -> String
    ) -> [String] {
        var result = ours
        for statement in ours {
            guard let match = match(statement, "^CREATE UNIQUE INDEX Z_\\S+_UNIQUE_\\S+ ON (Z\\S+) \\((.*)\\)$") else {
                continue
            }
            let columns = match[1].components(separatedBy: ", ")
                .map { $0.replacingOccurrences(of: " COLLATE BINARY ASC", with: "") }
            result.removeAll { $0 == statement }
            result = result.map { $0.hasPrefix("CREATE TABLE \(match[0]) ") ? rewrite($0, columns) : $0 }
        }
        return result
    }

    private static func sortedColumns(_ statement: String) -> [String] {
        guard statement.hasPrefix("CREATE TABLE"), statement.contains("Z_FOK_") else { return [statement] }
        return statement.replacingOccurrences(of: " )", with: "").components(separatedBy: ", ").sorted()
    }

    private static func match(_ text: String, _ pattern: String) -> [String]? {
        guard let expression = try? NSRegularExpression(pattern: pattern),
            let match = expression.firstMatch(in: text, range: NSRange(text.startIndex..., in: text))
        else { return nil }
        return (1..<match.numberOfRanges).compactMap { Range(match.range(at: $0), in: text).map { String(text[$0]) } }
    }
}
