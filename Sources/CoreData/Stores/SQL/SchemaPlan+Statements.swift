extension SchemaPlan {
    /// How a schema is written.
    struct Dialect {
        /// The declared type of decimals; Apple's files use `DECIMAL`, which keeps 15 digits.
        var decimalType = SQLColumnType.decimal.rawValue
        /// Whether the database can have R-trees.
        var hasRTree = true
    }

    /// The statements that make the tables, indexes and triggers of a new store, in the order of Core Data's newest
    /// generation, without those of the history.
    func statements(_ dialect: Dialect = Dialect()) -> [String] {
        var result: [String] = []
        for index in tables.indices {
            result.append(createTable(tables[index], dialect))
            result += ownedJoins(index).map(createTable)
        }
        for index in tables.indices {
            result += indexes(index)
        }
        for index in tables.indices {
            result += derivedAttributeTriggers(index)
        }
        if dialect.hasRTree {
            for index in tables.indices {
                result += spatialIndexes(index)
            }
        }
        return result + Self.fixedTables
    }

    /// The tables that every store has.
    static let fixedTables = [
        "CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER)",
        "CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB)",
        "CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB)",
    ]

    // MARK: Tables

    /// The joins that stand behind a family's table, because the table is named after one of its entities.
    func ownedJoins(_ table: Int) -> [PlannedJoin] {
        joins.filter { $0.relationship.declaringEntity?.rootEntity === tables[table].root }
            .sorted {
                $0.number == $1.number
                    ? $0.relationship.name.utf8.lexicographicallyPrecedes($1.relationship.name.utf8)
                    : $0.number < $1.number
            }
    }

    private func createTable(_ table: PlannedTable, _ dialect: Dialect) -> String {
        var text = "CREATE TABLE \(id(table.name)) ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER"
        for column in table.columns {
            let type = column.type == .decimal ? dialect.decimalType : column.type.rawValue
            text += ", \(id(column.name)) \(type)"
        }
        return text + " )"
    }

    private func createTable(_ join: PlannedJoin) -> String {
        let keys = [join.first, join.second].map(id)
        let columns = keys + [join.firstOrder, join.secondOrder].compactMap { $0 }.map(id)
        return "CREATE TABLE \(id(join.name)) ( " + columns.map { $0 + " INTEGER" }.joined(separator: ", ")
            + ", PRIMARY KEY (\(keys.joined(separator: ", "))) )"
    }

    func id(_ name: String) -> String { SQLIdentifier.sql(name) }
}
