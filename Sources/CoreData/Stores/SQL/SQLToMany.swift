/// How the members of a to-many relationship are found.
enum SQLToMany {
    /// The members' rows hold the owner's key.
    case foreignKey(SQLForeignKey)
    /// A table of its own holds pairs of keys.
    case join(SQLJoin)
}

/// A to-many relationship whose members hold the owner's key: the inverse is a to-one, or there is no inverse.
struct SQLForeignKey {
    /// The table of the members.
    let table: SQLTable
    /// The column of `table` with the owner's key.
    let key: SQLColumn
    /// The column of `table` with the owner's `Z_ENT`, where the inverse leads to an entity that has subentities.
    let entity: SQLColumn?
    /// The column of `table` with the member's order key, where the relationship is ordered.
    let order: SQLColumn?
    /// The slot of the inverse in the members' rows; nil for a relationship without inverse, whose key no property shows.
    let inverseSlot: Int?
}

/// A many-to-many relationship as seen from one of its two sides.
struct SQLJoin {
    let table: SQLJoinTable
    /// The column with the owner's key.
    let owner: SQLColumn
    /// The column with the member's key.
    let member: SQLColumn
    /// The order key of the member in this relationship, where it is ordered.
    let memberOrder: SQLColumn?
    /// The order key of the owner in the inverse relationship, where that is ordered.
    let ownerOrder: SQLColumn?
    /// The table of the members.
    let members: SQLTable
}
