import Foundation

extension NSManagedObjectContext {
    /// What a dictionary fetch selects and groups by.
    ///
    /// - Throws: `NSError` for an expression description without an expression.
    func dictionaryPlan(_ facts: FetchRequestFacts, _ entity: NSEntityDescription) throws -> DictionaryPlan {
        guard let properties = facts.propertiesToFetch, !properties.isEmpty else {
            let attributes = entity.slotLayout.entries.compactMap(\.attribute).filter { !$0.isTransient }
            return try grouped(DictionaryPlan(attributes.map { .init($0.name, .keyPath($0.name)) }), facts)
        }
        var plan = DictionaryPlan(try properties.map { try column($0, "propertiesToFetch") })
        plan.isDistinct = facts.returnsDistinctResults
        return try grouped(plan, facts)
    }

    private func grouped(_ plan: DictionaryPlan, _ facts: FetchRequestFacts) throws -> DictionaryPlan {
        var plan = plan
        plan.groups = try facts.propertiesToGroupBy?.map { try column($0, "propertiesToGroupBy") } ?? []
        plan.having = facts.havingPredicate
        return plan
    }

    /// Names and paths are looked at by the stores, whose entities they lead over.
    private func column(_ wanted: Any, _ list: String) throws -> DictionaryPlan.Column {
        switch wanted {
        case let name as String: return .init(name, .keyPath(name))
        case let computed as NSExpressionDescription:
            if let expression = computed.expression {
                return .init(computed.name, .expression(expression, computed.expressionResultType))
            }
            guard computed.expressionResultType == .objectIDAttributeType else {
                throw SQLRequestError.refused(
                    "The expression description '\(computed.name)' in \(list) has no expression.")
            }
            return .init(computed.name, .keyPath("objectID"))
        case let property as NSPropertyDescription: return .init(property.name, .keyPath(property.name))
        default:
            throw SQLRequestError.refused(
                "\(list) holds a \(type(of: wanted)): property names and descriptions are allowed.")
        }
    }
}
