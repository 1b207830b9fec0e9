extension SQLSchema {
    /// Whether statements made for one schema are right for the other: same tables, columns and entity numbers.
    func hasSameNames(as other: SQLSchema) -> Bool {
        guard tables.map(\.name) == other.tables.map(\.name), joins.count == other.joins.count,
            entitiesInOrder.count == other.entitiesInOrder.count
        else { return false }
        for (mine, theirs) in zip(joins, other.joins) {
            guard mine.name == theirs.name, mine.first.name == theirs.first.name,
                mine.second.name == theirs.second.name, mine.firstOrder?.name == theirs.firstOrder?.name,
                mine.secondOrder?.name == theirs.secondOrder?.name
            else { return false }
        }
        for (mine, theirs) in zip(entitiesInOrder, other.entitiesInOrder) {
            guard mine.ordinal == theirs.ordinal, mine.number == theirs.number,
                mine.columns.elementsEqual(theirs.columns, by: { $0?.name == $1?.name }),
                mine.orderColumns.elementsEqual(theirs.orderColumns, by: { $0?.name == $1?.name }),
                mine.toMany.elementsEqual(theirs.toMany, by: { $0?.keyName == $1?.keyName })
            else { return false }
        }
        return true
    }
}

extension SQLToMany {
    /// The column with the owner's key.
    var keyName: String {
        switch self {
        case .foreignKey(let key): key.key.name
        case .join(let join): join.owner.name
        }
    }
}
