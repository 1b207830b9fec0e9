import Foundation

extension NSManagedObjectContext {
    /// What a dictionary fetch selects and groups by.
    ///
    /// - Throws: `NSError` for an expression description without an expression.
    func dictionaryPlan(_ facts: FetchRequestFacts, _ entity: NSEntityDescription) throws -> DictionaryPlan {
        guard let properties = facts.propertiesToFetch, !properties.isEmpty else {
            let attributes = entity.slotLayout.entries.compactMap(\.attribute).filter { !$0.isTransient }
            return try grouped(DictionaryPlan(attributes.map { .init($0.name, .keyPath($0.name)) }), facts, entity)
        }
        var plan = DictionaryPlan(try properties.map { try column($0, entity, "propertiesToFetch") })
        plan.isDistinct = facts.returnsDistinctResults
        return try grouped(plan, facts, entity)
    }

    private func grouped(
        _ plan: DictionaryPlan, _ facts: FetchRequestFacts, _ entity: NSEntityDescription
    ) throws -> DictionaryPlan {
        var plan = plan
        plan.groups = try facts.propertiesToGroupBy?.map { try column($0, entity, "propertiesToGroupBy") } ?? []
        plan.having = facts.havingPredicate
        return plan
    }

    private func column(
        _ wanted: Any, _ entity: NSEntityDescription, _ list: String
    ) throws -> DictionaryPlan.Column {
        let name: String
        switch wanted {
        case let text as String: name = text
        case let computed as NSExpressionDescription:
            guard let expression = computed.expression else {
                guard computed.expressionResultType == .objectIDAttributeType else {
                    throw SQLRequestError.refused(
                        "The expression description '\(computed.name)' in \(list) has no expression.")
                }
                return .init(computed.name, .keyPath("objectID"))
            }
            return .init(computed.name, .expression(expression, computed.expressionResultType))
        case let property as NSPropertyDescription: name = property.name
        default:
            contextMisuse(
                "\(list) of entity '\(entity.name ?? "")' holds a \(type(of: wanted)): property names and descriptions are "
                    + "allowed")
        }
        // Paths are looked at by the stores, whose entities they lead over.
        if name.contains(".") || name == "objectID" || name == "self" { return .init(name, .keyPath(name)) }
        guard let property = entity.propertiesByName[name] else {
            contextMisuse("\(list): '\(name)' is no property of entity '\(entity.name ?? "")'")
        }
        if let relationship = property as? NSRelationshipDescription, relationship.isToMany {
            contextMisuse(
                "Invalid to-many relationship in setPropertiesToFetch: (\(name)) of entity '\(entity.name ?? "")': a column holds "
                    + "one value")
        }
        if property is NSFetchedPropertyDescription || property.isTransient {
            contextMisuse("\(list): '\(name)' of entity '\(entity.name ?? "")' is not stored")
        }
        return .init(name, .keyPath(name))
    }
}
