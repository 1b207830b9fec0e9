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
    func select(_ selection: String, distinct: Bool = false) throws -> Statement {
        let condition = try condition
        let order = try SortCompiler(scope: scope).terms(plan.sort)
        var sql = "SELECT \(distinct ? "DISTINCT " : "")\(selection) FROM \(scope.from)"
        if let condition { sql += " WHERE \(condition)" }
        if let order { sql += " ORDER BY \(order)" }
        sql += window
        return Statement(sql: sql, values: query.values)
    }

    /// How many rows there are, after limit and offset.
    func count() throws -> Statement {
        let condition = try condition
        let filter = condition.map { " WHERE \($0)" } ?? ""
        let window = window
        if window.isEmpty {
            return Statement(sql: "SELECT COUNT(*) FROM \(scope.from)\(filter)", values: query.values)
        }
        return Statement(
            sql: "SELECT COUNT(*) FROM (SELECT 1 FROM \(scope.from)\(filter)\(window))", values: query.values)
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
