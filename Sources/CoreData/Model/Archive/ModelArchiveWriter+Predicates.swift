import Foundation
import FoundationBackfill

// The classes and fields of archived predicates and expressions are those observed in cached models. For those never
// observed (operators on texts other than CONTAINS, aggregates, subqueries, sets, conditionals) the names are the likely
// ones; our own reader understands what is written here.

extension ModelArchiveWriter {
    /// Writes a predicate; nil for one that holds a closure or a client's own class.
    mutating func predicate(_ predicate: NSPredicate) -> PropertyListValue? {
        switch predicate.form {
        case .constant(let value):
            return archive.object([value ? "NSTruePredicate" : "NSFalsePredicate", "NSPredicate", "NSObject"], [])
        case .compound(let type, let members):
            var references: [PropertyListValue] = []
            for member in members {
                guard let reference = self.predicate(member) else { return nil }
                references.append(reference)
            }
            let list = archive.array(references)
            return archive.object(
                ["NSCompoundPredicate", "NSPredicate", "NSObject"],
                [("NSCompoundPredicateType", .integer(Int64(type.rawValue))), ("NSSubpredicates", list)])
        case .comparison(let comparison):
            guard comparison.predicateOperatorType != .customSelector,
                let left = expression(comparison.leftExpression),
                let right = expression(comparison.rightExpression)
            else { return nil }
            let comparisonOperator = self.comparisonOperator(of: comparison)
            return archive.object(
                ["NSComparisonPredicate", "NSPredicate", "NSObject"],
                [
                    ("NSLeftExpression", left), ("NSRightExpression", right),
                    ("NSPredicateOperator", comparisonOperator),
                ])
        case .opaque: return nil
        }
    }

    private mutating func comparisonOperator(of comparison: NSComparisonPredicate) -> PropertyListValue {
        let type = comparison.predicateOperatorType
        let options = PropertyListValue.integer(Int64(comparison.options.rawValue))
        var fields: [(key: String, value: PropertyListValue)] = [
            ("NSOperatorType", .integer(Int64(type.rawValue))),
            ("NSModifier", .integer(Int64(comparison.comparisonPredicateModifier.rawValue))),
        ]
        let className: String
        switch type {
        case .lessThan, .lessThanOrEqualTo, .greaterThan, .greaterThanOrEqualTo:
            className = "NSComparisonPredicateOperator"
            fields += [("NSVariant", .integer(Int64(type.rawValue))), ("NSOptions", options)]
        case .equalTo, .notEqualTo:
            className = "NSEqualityPredicateOperator"
            fields += [("NSNegate", .boolean(type == .notEqualTo)), ("NSOptions", options)]
        case .in, .contains:
            className = "NSInPredicateOperator"
            fields.append(("NSFlags", options))
        case .between: className = "NSBetweenPredicateOperator"
        case .matches:
            className = "NSMatchingPredicateOperator"
            fields.append(("NSFlags", options))
        case .like:
            className = "NSLikePredicateOperator"
            fields.append(("NSFlags", options))
        case .beginsWith, .endsWith:
            className = "NSSubstringPredicateOperator"
            fields += [("NSPosition", .integer(type == .beginsWith ? 0 : 1)), ("NSFlags", options)]
        case .customSelector: className = "NSCustomPredicateOperator"
        }
        return archive.object([className, "NSPredicateOperator", "NSObject"], fields)
    }

    /// Writes an expression; nil for one that holds a closure, a request or a client's own class.
    mutating func expression(_ expression: NSExpression) -> PropertyListValue? {
        switch expression.node {
        case .evaluatedObject: return expressionObject("NSSelfExpression", type: 1, [])
        case .anyKey: return expressionObject("NSAnyKeyExpression", type: 15, [])
        case .variable(let name):
            let name = archive.string(name)
            return expressionObject("NSVariableExpression", type: 2, [("NSVariable", name)])
        case .constant(nil):
            return expressionObject(
                "NSConstantValueExpression", type: 0, [("NSConstantValueClassName", KeyedArchiveWriter.null)])
        case .constant(let value?):
            let reference = archive.value(value)
            if reference == KeyedArchiveWriter.null { return nil }
            return expressionObject("NSConstantValueExpression", type: 0, [("NSConstantValue", reference)])
        case .keyPath(let path, let operand): return keyPath(path, operand: operand)
        case .function(let name, let operand, let arguments):
            return function(name, operand: operand, arguments: arguments)
        case .aggregate(let members):
            guard let list = expressions(members) else { return nil }
            return expressionObject("NSAggregateExpression", type: 14, [("NSCollection", list)])
        case .set(_, let left, let right):
            guard let left = self.expression(left), let right = self.expression(right) else { return nil }
            return expressionObject(
                "NSSetExpression", type: Int64(expression.expressionType.rawValue),
                [("NSLeftExpression", left), ("NSRightExpression", right)])
        case .subquery(let collection, let variable, let predicate):
            guard let collection = self.expression(collection), let predicate = self.predicate(predicate) else {
                return nil
            }
            let name = archive.string(variable)
            return expressionObject(
                "NSSubqueryExpression", type: 13,
                [("NSCollection", collection), ("NSVariable", name), ("NSPredicate", predicate)])
        case .conditional(let predicate, let first, let second):
            guard let predicate = self.predicate(predicate), let first = self.expression(first),
                let second = self.expression(second)
            else { return nil }
            return expressionObject(
                "NSTernaryExpression", type: 20,
                [("NSPredicate", predicate), ("NSTrueExpression", first), ("NSFalseExpression", second)])
        case .block, .fetch, .custom: return nil
        }
    }

    private mutating func keyPath(_ path: String, operand: NSExpression?) -> PropertyListValue? {
        guard let target = expression(operand ?? NSExpression.expressionForEvaluatedObject()) else { return nil }
        let name = archive.string(path)
        let specifier = expressionObject("NSKeyPathSpecifierExpression", type: 10, [("NSKeyPath", name)])
        let arguments = archive.array([specifier], className: "NSMutableArray")
        // One key of the object itself is read with valueForKey:, which counts as a key path; all else as a function.
        let isPlain = operand == nil
        let selector = archive.string(isPlain && !path.contains(".") ? "valueForKey:" : "valueForKeyPath:")
        return archive.object(
            ["NSKeyPathExpression", "NSFunctionExpression", "NSExpression", "NSObject"],
            [
                ("NSExpressionType", .integer(isPlain ? 3 : 4)), ("NSOperand", target), ("NSSelectorName", selector),
                ("NSArguments", arguments),
            ])
    }

    private mutating func function(
        _ name: String, operand: NSExpression?, arguments: [NSExpression]
    ) -> PropertyListValue? {
        guard let list = expressions(arguments) else { return nil }
        let target: PropertyListValue?
        if let operand {
            target = expression(operand)
        } else {
            let className = archive.string(ArchivedPredicateReader.predefinedFunctionsClass)
            target = expressionObject("NSConstantValueExpression", type: 0, [("NSConstantValueClassName", className)])
        }
        guard let target else { return nil }
        let selector = archive.string(name)
        return expressionObject(
            "NSFunctionExpression", type: 4,
            [("NSOperand", target), ("NSSelectorName", selector), ("NSArguments", list)])
    }

    private mutating func expressions(_ members: [NSExpression]) -> PropertyListValue? {
        var references: [PropertyListValue] = []
        for member in members {
            guard let reference = expression(member) else { return nil }
            references.append(reference)
        }
        return archive.array(references)
    }

    private mutating func expressionObject(
        _ className: String, type: Int64, _ fields: [(key: String, value: PropertyListValue)]
    ) -> PropertyListValue {
        archive.object(
            [className, "NSExpression", "NSObject"], fields + [("NSExpressionType", .integer(type))])
    }

    /// Writes a fetch request; nil for one whose predicate, order or columns cannot be written.
    mutating func fetchRequest(
        _ request: NSFetchRequest<NSFetchRequestResult>, entity: NSEntityDescription?
    ) -> PropertyListValue? {
        let facts = request.facts
        var predicate = KeyedArchiveWriter.null
        if let own = facts.predicate {
            guard let written = self.predicate(own) else { return nil }
            predicate = written
        }
        var sorting = KeyedArchiveWriter.null
        if let descriptors = facts.sortDescriptors {
            var members: [PropertyListValue] = []
            for descriptor in descriptors {
                guard let key = descriptor.key, let order = descriptor.sortOrder else { return nil }
                let fields: [(key: String, value: PropertyListValue)] = [
                    ("NSKey", archive.string(key)), ("NSAscending", .boolean(descriptor.ascending)),
                    ("NSSelector", archive.string(order.rawValue)), ("NSReverseNullOrder", .boolean(false)),
                ]
                members.append(archive.object(["NSSortDescriptor", "NSObject"], fields))
            }
            sorting = archive.array(members)
        }
        var prefetching = KeyedArchiveWriter.null
        if let paths = facts.relationshipKeyPathsForPrefetching {
            let members = paths.map { archive.string($0) }
            prefetching = archive.array(members)
        }
        if facts.propertiesToFetch != nil { return nil }
        var fields: [(key: String, value: PropertyListValue)] = [
            ("NSEntity", reference(to: entity)), ("NSPredicate", predicate), ("NSSortDescriptors", sorting),
            ("NSValuesToFetch", KeyedArchiveWriter.null), ("NSValuesToGroupBy", KeyedArchiveWriter.null),
            ("NSHavingPredicate", KeyedArchiveWriter.null), ("NSRelationshipKeyPathsForPrefetching", prefetching),
            ("NSFetchLimit", .integer(Int64(facts.fetchLimit))), ("NSFetchOffset", .integer(Int64(facts.fetchOffset))),
            ("NSBatchSize", .integer(Int64(facts.fetchBatchSize))),
            ("NSResultType", .integer(Int64(facts.resultType.rawValue))), ("NSAllocationType", .integer(0)),
            // What every archived request was seen to have.
            ("NSHasFetchRequestFlags", .boolean(true)), ("NSFetchRequestFlags", .integer(30)),
        ]
        for (key, isSet) in [
            (FetchRequestArchiveKey.excludesSubentities, !facts.includesSubentities),
            (FetchRequestArchiveKey.excludesPropertyValues, !facts.includesPropertyValues),
            (FetchRequestArchiveKey.returnsWholeObjects, !facts.returnsObjectsAsFaults),
            (FetchRequestArchiveKey.returnsDistinctResults, facts.returnsDistinctResults),
        ] where isSet {
            fields.append((key, .boolean(true)))
        }
        return archive.object(["NSFetchRequest", "NSPersistentStoreRequest", "NSObject"], fields)
    }
}
