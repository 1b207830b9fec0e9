extension SQLToManyPath {
    /// How many members there are, as a subquery.
    func count(_ query: SQLQuery) -> SQLTerm {
        let alias = query.makeAlias()
        let sql =
            switch members {
            case .foreignKey(let link):
                "(SELECT COUNT(*) FROM \(link.table.sql) \(alias) WHERE \(alias).\(link.key.sql) = \(owner))"
            case .join(let link):
                "(SELECT COUNT(*) FROM \(link.table.sql) \(alias) WHERE \(alias).\(link.owner.sql) = \(owner))"
            }
        return .integer(sql, label)
    }

    /// `EXISTS (…)` over the members for which a condition holds.
    ///
    /// - Parameter condition: gets what the rest of the path means for a member, and returns SQL.
    func exists(_ query: SQLQuery, where condition: (SQLOperand) throws -> String) throws -> String {
        switch members {
        case .foreignKey(let link):
            let scope = SQLScope(query, destination)
            let test = try condition(scope.operand(rest, label))
            return "EXISTS (SELECT 1 FROM \(scope.from) WHERE \(scope.alias).\(link.key.sql) = \(owner) AND \(test))"
        case .join(let link):
            let pairs = query.makeAlias()
            if rest.isEmpty {
                // The members' keys stand in the pairs: their own table is not needed.
                let key = SQLTerm(sql: "\(pairs).\(link.member.sql)", kind: .key(destination), label: label)
                let test = try condition(.term(key))
                return "EXISTS (SELECT 1 FROM \(link.table.sql) \(pairs) WHERE \(pairs).\(link.owner.sql) = \(owner)"
                    + " AND \(test))"
            }
            let scope = SQLScope(query, destination)
            let test = try condition(scope.operand(rest, label))
            return "EXISTS (SELECT 1 FROM \(link.table.sql) \(pairs) JOIN \(scope.from) WHERE"
                + " \(pairs).\(link.owner.sql) = \(owner) AND \(scope.alias).Z_PK = \(pairs).\(link.member.sql)"
                + " AND \(test))"
        }
    }
}
