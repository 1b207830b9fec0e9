import Foundation

/// Turns a fetch plan into the text and the values of one statement.
struct FetchCompiler {
    let query: SQLQuery
    let scope: SQLScope
    let plan: FetchPlan

    init(_ plan: FetchPlan, _ schema: SQLSchema, storeIdentifier: String) throws {
        self.plan = plan
        query = SQLQuery(schema: schema, storeIdentifier: storeIdentifier)
        scope = SQLScope(query, try query.entity(plan.entity))
    }

    struct Statement {
        let sql: String
        let values: [SQLValue]
    }

    /// - Parameter selection: what to select.
    func select(_ selection: String) throws -> Statement {
        let condition = try condition
        var sort = SortCompiler(scope: scope)
        sort.findsRowsByKey = condition == nil && findsRowsByKey
        let order = try sort.terms(plan.sort)
        var sql = "SELECT \(selection) FROM \(scope.from)"
        if let condition { sql += " WHERE \(condition)" }
        if let order { sql += " ORDER BY \(order)" }
        sql += window
        return Statement(sql: sql, values: query.values)
    }

    /// Selects the columns of a dictionary fetch.
    func select(_ columns: [DictionaryColumn], _ dictionaries: DictionaryPlan) throws -> Statement {
        let sort = SortCompiler(
            scope: scope, columns: Dictionary(columns.map { ($0.name, $0) }) { first, _ in first },
            isGrouped: !dictionaries.groups.isEmpty || columns.contains(where: \.isAggregate))
        let order = try sort.terms(plan.sort)
        if !dictionaries.groups.isEmpty {
            for key in plan.sort.compactMap(\.key) where sort.columns[key] == nil {
                try dictionaries.requireGroup(key, "a sort descriptor")
            }
        }
        return try statement(columns, dictionaries, order: order)
    }

    /// The columns of a dictionary fetch, compiled.
    ///
    /// - Throws: `NSError` for a column that no store can show, and for one that has no one value in a group.
    func columns(_ dictionaries: DictionaryPlan) throws -> [DictionaryColumn] {
        guard !dictionaries.columns.isEmpty else {
            throw SQLRequestError.refused("A dictionary fetch needs at least one property.")
        }
        let columns = try (dictionaries.columns + dictionaries.hidden).map { try DictionaryColumn($0, scope) }
        if dictionaries.isShared, !dictionaries.groups.isEmpty || columns.contains(where: \.isAggregate) {
            throw SQLRequestError.refused(
                "Several stores hold entity \(scope.entity.name), and none of them can group or aggregate the records of all: "
                    + "set the request's affectedStores to one store.")
        }
        return columns
    }

    private func statement(
        _ columns: [DictionaryColumn], _ dictionaries: DictionaryPlan, order: String?
    ) throws -> Statement {
        let condition = try condition
        let groups = try groups(dictionaries, columns)
        try requireGroups(columns, groups)
        let having = try having(columns, dictionaries, groups)
        let selection = columns.flatMap(\.selection).joined(separator: ", ")
        var sql = "SELECT \(dictionaries.isDistinct ? "DISTINCT " : "")\(selection) FROM \(scope.from)"
        if let condition { sql += " WHERE \(condition)" }
        if !groups.isEmpty { sql += " GROUP BY " + groups.flatMap(\.selection).joined(separator: ", ") }
        if let having { sql += " HAVING \(having)" }
        if let order { sql += " ORDER BY \(order)" }
        sql += window
        return Statement(sql: sql, values: query.values)
    }

    /// The rows that a plan's limit and offset leave.
    func count() throws -> Statement {
        if case .dictionaries(let dictionaries) = plan.shape {
            let columns = try columns(dictionaries)
            if dictionaries.isDistinct || !dictionaries.groups.isEmpty || columns.contains(where: \.isAggregate) {
                let rows = try statement(columns, dictionaries, order: nil)
                return Statement(sql: "SELECT COUNT(*) FROM (\(rows.sql))", values: rows.values)
            }
        }
        return try countRows()
    }

    private func countRows() throws -> Statement {
        let condition = try condition
        let filter = condition.map { " WHERE \($0)" } ?? ""
        let window = window
        if window.isEmpty {
            return Statement(sql: "SELECT COUNT(*) FROM \(scope.from)\(filter)", values: query.values)
        }
        return Statement(
            sql: "SELECT COUNT(*) FROM (SELECT 1 FROM \(scope.from)\(filter)\(window))", values: query.values)
    }

    /// Whether whole rows of a table without conditions are sorted by a column that no index of the model begins with, up to a
    /// limit. (Keys alone might be found by an index that has all that is asked for.)
    private var findsRowsByKey: Bool {
        guard case .rows = plan.shape, plan.limit > 0, let key = plan.sort.first?.key,
            plan.sort.allSatisfy({ scope.entity.layout.entry(named: $0.key ?? "")?.attribute != nil })
        else { return false }
        let root = scope.entity.entity.rootEntity
        for entity in query.schema.model.entities where entity.rootEntity === root {
            if entity.indexes.contains(where: { $0.elements.first?.propertyName == key }) { return false }
            if entity.uniquenessConstraints.contains(where: { $0.first as? String == key }) { return false }
        }
        return true
    }

    // MARK: Groups

    private func groups(_ dictionaries: DictionaryPlan, _ columns: [DictionaryColumn]) throws -> [DictionaryColumn] {
        try dictionaries.groups.map { group in
            // A computed column must be the same text with the same parameters.
            let place = dictionaries.columns.firstIndex { $0.source == group.source && !$0.measuresBytes }
            return try place.map { columns[$0] } ?? DictionaryColumn(group, scope)
        }
    }

    /// In a group, only what it is grouped by and what is computed over it has one value.
    private func requireGroups(_ columns: [DictionaryColumn], _ groups: [DictionaryColumn]) throws {
        guard !groups.isEmpty else { return }
        let grouped = Set(groups.flatMap(\.selection))
        for column in columns where !column.isAggregate && !column.isConstant {
            guard column.selection.allSatisfy(grouped.contains) else {
                throw SQLRequestError.refused(
                    "SELECT clauses in queries with GROUP BY components can only contain properties named in the GROUP BY or "
                        + "aggregate functions (\(column.name) is neither).")
            }
        }
    }

    private func having(
        _ columns: [DictionaryColumn], _ dictionaries: DictionaryPlan, _ groups: [DictionaryColumn]
    ) throws -> String? {
        guard let predicate = dictionaries.having else { return nil }
        guard !groups.isEmpty else {
            throw SQLRequestError.refused("Invalid fetch request: HAVING without GROUP BY (propertiesToGroupBy).")
        }
        var expressions = ExpressionCompiler(scope: scope)
        for column in columns { expressions.variables[column.name] = column.term.map { .term($0) } }
        expressions.grouping = dictionaries
        return try PredicateCompiler(expressions: expressions).condition(predicate)
    }

    /// The rows the plan means; nil: all rows of the table.
    var condition: String? {
        get throws {
            var parts: [String] = []
            // Those of other entities may stand in the table.
            if let rows = scope.entity.rowCondition(scope.alias, includesSubentities: plan.includesSubentities) {
                parts.append(rows)
            }
            if let predicate = plan.predicate {
                let condition = try PredicateCompiler(scope: scope).condition(predicate)
                if condition != PredicateCompiler.isTrue { parts.append("(\(condition))") }
            }
            return parts.isEmpty ? nil : parts.joined(separator: " AND ")
        }
    }

    private var window: String {
        guard plan.limit > 0 || plan.offset > 0 else { return "" }
        let limit = query.parameter(.integer(plan.limit > 0 ? Int64(plan.limit) : -1))
        guard plan.offset > 0 else { return " LIMIT \(limit)" }
        return " LIMIT \(limit) OFFSET \(query.parameter(.integer(Int64(plan.offset))))"
    }
}

extension DictionaryPlan {
    /// Stops a key path that may have another value in each record of a group. What follows a to-one that is grouped by has one.
    func requireGroup(_ path: String, _ user: String) throws {
        for group in groups {
            guard let known = group.source.keyPath else { continue }
            if path == known || path.hasPrefix(known + ".") || ["objectID", "self", "SELF"].contains(known) { return }
        }
        throw SQLRequestError.refused("\(path) in \(user) is neither grouped by (propertiesToGroupBy) nor a column.")
    }
}

extension DictionaryPlan.Column.Source {
    /// nil for what is computed.
    fileprivate var keyPath: String? {
        switch self {
        case .keyPath(let path): path
        case .expression(let expression, _):
            if case .keyPath(let path, operand: nil) = expression.node { path } else { nil }
        }
    }
}
