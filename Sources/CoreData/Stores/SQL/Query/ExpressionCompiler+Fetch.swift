import Foundation

/// A fetch request of any result type, as the compiler sees it.
protocol FetchFactsHolder {
    var facts: FetchRequestFacts { get }
}

extension NSFetchRequest: FetchFactsHolder {}

extension ExpressionCompiler {
    /// `FETCH(request, context, countOnly)`: the records of another request in the same store, or their number.
    func fetch(_ request: NSExpression, countOnly: Bool, _ expression: NSExpression) throws -> SQLOperand {
        guard case .constant = try operand(request),
            let facts = (request.expressionValue(with: nil, context: nil) as? any FetchFactsHolder)?.facts
        else { throw SQLRequestError.unsupported("\(expression), which names no fetch request") }
        let description: NSEntityDescription? =
            switch facts.subject {
            case .entity(let entity): query.schema.model.entitiesByName[entity.name ?? ""]
            case .name(let name): query.schema.model.entitiesByName[name]
            case .none: nil
            }
        guard let description else {
            throw SQLRequestError.refused("\(expression): the request's entity is not in the store's model.")
        }
        var records = try records(description, facts)
        if facts.fetchLimit > 0 || facts.fetchOffset > 0 {
            // Further conditions must not move the window.
            let window = try window(facts, records)
            let scope = SQLScope(query, records.entity)
            records = (scope, records.entity, ["\(scope.alias).Z_PK IN (\(window))"])
        }
        let all = SQLCollection(records.scope, where: records.conditions, label: "\(expression)")
        if countOnly || facts.resultType == .countResultType { return .term(all.count("\(expression)")) }
        guard facts.resultType == .dictionaryResultType else { return .toMany(all) }
        guard facts.propertiesToFetch?.count == 1, let path = facts.propertiesToFetch?.first.flatMap(Self.keyPath)
        else {
            throw SQLRequestError.unsupported("\(expression), whose request has not just one property to fetch")
        }
        return .toMany(try all.extended(by: SQLScope.keys(path), path))
    }

    private static func keyPath(_ property: Any) -> String? {
        switch property {
        case let path as String: path
        case is NSExpressionDescription: nil
        case let property as NSPropertyDescription: property.name
        default: nil
        }
    }

    private func records(
        _ description: NSEntityDescription, _ facts: FetchRequestFacts
    ) throws -> (scope: SQLScope, entity: SQLEntity, conditions: [String]) {
        let entity = try query.entity(description)
        let scope = SQLScope(query, entity)
        var conditions: [String] = []
        if let rows = entity.rowCondition(scope.alias, includesSubentities: facts.includesSubentities) {
            conditions.append(rows)
        }
        if let predicate = facts.predicate {
            // Variables and SELF mean the other request's own records there.
            var inner = ExpressionCompiler(scope: scope)
            inner.continueDepth(of: self)
            let condition = try PredicateCompiler(expressions: inner).condition(predicate)
            if condition != PredicateCompiler.isTrue { conditions.append("(\(condition))") }
        }
        return (scope, entity, conditions)
    }

    private func window(
        _ facts: FetchRequestFacts, _ records: (scope: SQLScope, entity: SQLEntity, conditions: [String])
    ) throws -> String {
        let order = try SortCompiler(scope: records.scope).terms(facts.sortDescriptors ?? [])
        var sql = "SELECT \(records.scope.alias).Z_PK FROM \(records.scope.from)"
        if !records.conditions.isEmpty { sql += " WHERE \(records.conditions.joined(separator: " AND "))" }
        if let order { sql += " ORDER BY \(order)" }
        let limit = query.parameter(.integer(facts.fetchLimit > 0 ? Int64(facts.fetchLimit) : -1))
        return sql + " LIMIT \(limit) OFFSET \(query.parameter(.integer(Int64(max(facts.fetchOffset, 0)))))"
    }
}
