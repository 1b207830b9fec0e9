/// The table of a root entity and all entities below it.
final class SQLTable: Sendable {
    /// The name as it stands in the file, such as `ZBOOK`.
    let name: String
    /// The name as an SQL identifier.
    let sql: String
    /// `NSEntityDescription.ordinal` of the root entity.
    let rootOrdinal: Int32
    /// The root entity's `Z_ENT`, or that of the first entity of the table where the configuration does not hold the root: the row
    /// of `Z_PRIMARYKEY` that keeps the table's last key.
    let rootNumber: Int32
    /// Whether rows of several entities stand in it, so that `Z_ENT` tells them apart.
    let isShared: Bool

    init(name: String, rootOrdinal: Int32, rootNumber: Int32, isShared: Bool) {
        self.name = name
        sql = SQLIdentifier.sql(name)
        self.rootOrdinal = rootOrdinal
        self.rootNumber = rootNumber
        self.isShared = isShared
    }

    /// The columns every table begins with.
    static let primaryKey = SQLColumn("Z_PK", .integer)
    static let entity = SQLColumn("Z_ENT", .integer)
    static let version = SQLColumn("Z_OPT", .integer)
}

/// The table of a pair of to-many relationships that are each other's inverse.
final class SQLJoinTable: Sendable {
    let name: String
    let sql: String
    /// Holds keys of the entity the table is named after; first part of its primary key.
    let first: SQLColumn
    let second: SQLColumn
    /// The order keys of the records named in `first`, where the relationship that leads to them is ordered.
    let firstOrder: SQLColumn?
    let secondOrder: SQLColumn?
    /// A relationship that is its own inverse: each pair stands in it twice, once for either side.
    let isReflexive: Bool

    init(
        name: String, first: SQLColumn, second: SQLColumn, firstOrder: SQLColumn?, secondOrder: SQLColumn?,
        isReflexive: Bool
    ) {
        self.name = name
        sql = SQLIdentifier.sql(name)
        self.first = first
        self.second = second
        self.firstOrder = firstOrder
        self.secondOrder = secondOrder
        self.isReflexive = isReflexive
    }
}
