import Foundation
import FoundationBackfill

/// Decodes archived predicates, expressions, sort descriptors and fetch requests.
///
/// Each function returns nil for an object that it does not understand as a whole; the caller then keeps the object as it is.
struct ArchivedPredicateReader {
    let archive: KeyedArchive
    var values: ArchivedValueReader

    mutating func predicate(_ number: Int, depth: Int = 0) throws(NSError) -> NSPredicate? {
        guard let object = try object(number, depth: depth) else { return nil }
        let fields = object.fields
        switch object.className {
        case "NSComparisonPredicate":
            guard let left = try expression(fields["NSLeftExpression"], depth: depth + 1),
                let right = try expression(fields["NSRightExpression"], depth: depth + 1),
                let comparison = try comparison(fields["NSPredicateOperator"])
            else { return nil }
            return NSComparisonPredicate(
                leftExpression: left, rightExpression: right, modifier: comparison.modifier, type: comparison.type,
                options: comparison.options)
        case "NSCompoundPredicate":
            guard let raw = try archive.integer(fields["NSCompoundPredicateType"]).flatMap({ UInt(exactly: $0) }),
                let type = NSCompoundPredicate.LogicalType(rawValue: raw)
            else { return nil }
            var members: [NSPredicate] = []
            for member in try archive.list(fields["NSSubpredicates"]) ?? [] {
                guard let predicate = try predicate(member, depth: depth + 1) else { return nil }
                members.append(predicate)
            }
            // Foundation stops at a NOT of several.
            guard type != .not || members.count == 1 else { return nil }
            return NSPredicate.compound(type, members)
        case "NSTruePredicate": return NSPredicate(value: true)
        case "NSFalsePredicate": return NSPredicate(value: false)
        default: return nil
        }
    }

    /// The operator of a comparison: its class says the same as its number.
    private func comparison(
        _ number: Int?
    ) throws(NSError) -> (
        type: NSComparisonPredicate.Operator, modifier: NSComparisonPredicate.Modifier,
        options: NSComparisonPredicate.Options
    )? {
        guard let number, case .object(let index) = try archive.element(number) else { return nil }
        let object = try archive.object(at: index)
        guard object.className.hasSuffix("PredicateOperator"),
            let type = try archive.integer(object.fields["NSOperatorType"]).flatMap({ UInt(exactly: $0) })
                .flatMap({ NSComparisonPredicate.Operator(rawValue: $0) }), type != .customSelector,
            let modifier = UInt(exactly: try archive.integer(object.fields["NSModifier"]) ?? 0)
                .flatMap({ NSComparisonPredicate.Modifier(rawValue: $0) })
        else { return nil }
        // Operators on texts call the options flags.
        let options = try archive.integer(object.fields["NSOptions"] ?? object.fields["NSFlags"]) ?? 0
        return (type, modifier, NSComparisonPredicate.Options(rawValue: UInt(truncatingIfNeeded: options) & 15))
    }

    mutating func expression(_ number: Int?, depth: Int = 0) throws(NSError) -> NSExpression? {
        guard let number, let object = try object(number, depth: depth) else { return nil }
        let fields = object.fields
        switch object.className {
        case "NSSelfExpression": return NSExpression.expressionForEvaluatedObject()
        case "NSAnyKeyExpression": return NSExpression.expressionForAnyKey()
        case "NSVariableExpression":
            return try archive.string(fields["NSVariable"]).map { NSExpression(forVariable: $0) }
        case "NSConstantValueExpression": return try constant(fields)
        case "NSKeyPathExpression": return try keyPath(fields, depth: depth)
        case "NSFunctionExpression": return try function(fields, depth: depth)
        case "NSAggregateExpression":
            guard let members = try expressions(fields["NSCollection"], depth: depth) else { return nil }
            return NSExpression(forAggregate: members)
        case "NSSetExpression":
            guard let left = try expression(fields["NSLeftExpression"], depth: depth + 1),
                let right = try expression(fields["NSRightExpression"], depth: depth + 1)
            else { return nil }
            switch try archive.integer(fields["NSExpressionType"]) {
            case 5: return NSExpression(forUnionSet: left, with: right)
            case 6: return NSExpression(forIntersectSet: left, with: right)
            case 7: return NSExpression(forMinusSet: left, with: right)
            default: return nil
            }
        case "NSSubqueryExpression":
            guard let collection = try expression(fields["NSCollection"], depth: depth + 1),
                let variable = try archive.string(fields["NSVariable"]), let number = fields["NSPredicate"],
                let predicate = try predicate(number, depth: depth + 1)
            else { return nil }
            return NSExpression(forSubquery: collection, usingIteratorVariable: variable, predicate: predicate)
        case "NSTernaryExpression":
            guard let number = fields["NSPredicate"], let predicate = try predicate(number, depth: depth + 1),
                let first = try expression(fields["NSTrueExpression"], depth: depth + 1),
                let second = try expression(fields["NSFalseExpression"], depth: depth + 1)
            else { return nil }
            return NSExpression(forConditional: predicate, trueExpression: first, falseExpression: second)
        default: return nil
        }
    }

    private mutating func constant(_ fields: [String: Int]) throws(NSError) -> NSExpression? {
        guard let number = fields["NSConstantValue"] else {
            // A class as a constant is the target of a function; without a name the constant is nil.
            guard let name = fields["NSConstantValueClassName"], try archive.string(name) == nil else { return nil }
            return NSExpression(forConstantValue: nil)
        }
        let value = try values.value(number)
        return value is OpaqueArchivedObject ? nil : NSExpression(forConstantValue: value)
    }

    private mutating func keyPath(_ fields: [String: Int], depth: Int) throws(NSError) -> NSExpression? {
        guard let argument = try archive.list(fields["NSArguments"])?.first,
            let specifier = try object(argument, depth: depth + 1),
            specifier.className == "NSKeyPathSpecifierExpression",
            let path = try archive.string(specifier.fields["NSKeyPath"]),
            let operand = try expression(fields["NSOperand"], depth: depth + 1)
        else { return nil }
        if case .evaluatedObject = operand.node { return NSExpression(forKeyPath: path) }
        return NSExpression(node: .keyPath(path, operand: operand))
    }

    private mutating func function(_ fields: [String: Int], depth: Int) throws(NSError) -> NSExpression? {
        guard let name = try archive.string(fields["NSSelectorName"]),
            let arguments = try expressions(fields["NSArguments"], depth: depth),
            let operandNumber = fields["NSOperand"], let operand = try object(operandNumber, depth: depth + 1)
        else { return nil }
        if operand.className == "NSConstantValueExpression",
            let className = try archive.string(operand.fields["NSConstantValueClassName"])
        {
            guard className == Self.predefinedFunctionsClass,
                Self.argumentCount(of: name) == arguments.count
            else { return nil }
            return NSExpression(node: .function(name, operand: nil, arguments: arguments))
        }
        guard let target = try expression(operandNumber, depth: depth + 1) else { return nil }
        return NSExpression(node: .function(name, operand: target, arguments: arguments))
    }

    /// How many arguments a predefined function takes; nil if there is no such function.
    private static func argumentCount(of function: String) -> Int? {
        function == PredefinedFunction.canonical ? 1 : PredefinedFunction(rawValue: function)?.argumentCount
    }

    private mutating func expressions(_ number: Int?, depth: Int) throws(NSError) -> [NSExpression]? {
        var result: [NSExpression] = []
        for member in try archive.list(number) ?? [] {
            guard let expression = try expression(member, depth: depth + 1) else { return nil }
            result.append(expression)
        }
        return result
    }

    /// The object of a reference, counted against the bounds; nil for null or a plain value.
    private mutating func object(_ number: Int, depth: Int) throws(NSError) -> KeyedArchive.Object? {
        values.budget -= 1
        guard values.budget >= 0, depth <= ModelFileLimit.depth else {
            throw corruptModel("The archive's predicates are beyond the bounds.")
        }
        guard case .object(let index) = try archive.element(number) else { return nil }
        return try archive.object(at: index)
    }

    /// The class that archived calls of predefined functions name as their target.
    static let predefinedFunctionsClass = "_NSPredicateUtilities"
}

extension ArchivedPredicateReader {
    /// A fetch request for an entity of the model, by its entity's name; nil for one that holds something unknown.
    mutating func fetchRequest(
        _ number: Int, entityName: (Int?) throws(NSError) -> String?
    ) throws(NSError) -> NSFetchRequest<NSFetchRequestResult>? {
        guard case .object(let index) = try archive.element(number) else { return nil }
        let object = try archive.object(at: index)
        let fields = object.fields
        guard object.className == "NSFetchRequest" else { return nil }
        let facts = FetchRequestFacts()
        if let name = try entityName(fields["NSEntity"]) { facts.subject = .name(name) }
        if let field = fields["NSPredicate"], try !isNull(field) {
            guard let predicate = try predicate(field) else { return nil }
            facts.predicate = predicate
        }
        if let members = try archive.list(fields["NSSortDescriptors"]) {
            var descriptors: [NSSortDescriptor] = []
            for member in members {
                guard let descriptor = try sortDescriptor(member) else { return nil }
                descriptors.append(descriptor)
            }
            facts.sortDescriptors = descriptors
        }
        // Nothing here can say what these would hold.
        for key in ["NSValuesToFetch", "NSValuesToGroupBy", "NSHavingPredicate"] {
            if let field = fields[key], try !isNull(field) { return nil }
        }
        if let members = try archive.list(fields["NSRelationshipKeyPathsForPrefetching"]) {
            var paths: [String] = []
            for member in members { paths.append(try archive.string(member) ?? "") }
            facts.relationshipKeyPathsForPrefetching = paths
        }
        facts.fetchLimit = try archive.integer(fields["NSFetchLimit"]) ?? 0
        facts.fetchOffset = try archive.integer(fields["NSFetchOffset"]) ?? 0
        facts.fetchBatchSize = try archive.integer(fields["NSBatchSize"]) ?? 0
        let resultType = try archive.integer(fields["NSResultType"]) ?? 0
        facts.resultType = NSFetchRequestResultType(rawValue: UInt(truncatingIfNeeded: resultType))
        facts.includesSubentities = try !archive.boolean(fields[FetchRequestArchiveKey.excludesSubentities])
        facts.includesPropertyValues = try !archive.boolean(fields[FetchRequestArchiveKey.excludesPropertyValues])
        facts.returnsObjectsAsFaults = try !archive.boolean(fields[FetchRequestArchiveKey.returnsWholeObjects])
        facts.returnsDistinctResults = try archive.boolean(fields[FetchRequestArchiveKey.returnsDistinctResults])
        return NSFetchRequest(facts: facts)
    }

    private func isNull(_ number: Int) throws(NSError) -> Bool {
        if case .null = try archive.element(number) { return true }
        return false
    }

    private func sortDescriptor(_ number: Int) throws(NSError) -> NSSortDescriptor? {
        guard case .object(let index) = try archive.element(number) else { return nil }
        let object = try archive.object(at: index)
        guard object.className == "NSSortDescriptor", let key = try archive.string(object.fields["NSKey"]) else {
            return nil
        }
        let selector = try archive.string(object.fields["NSSelector"]) ?? SortOrder.compare.rawValue
        guard SortOrder(rawValue: selector) != nil else { return nil }
        let isAscending = try archive.boolean(object.fields["NSAscending"])
        return NSSortDescriptor(key: key, ascending: isAscending, selector: Selector(selector))
    }
}

/// Fields of our own in an archived fetch request, written only where a request differs from a new one: how the bits of
/// `NSFetchRequestFlags` stand for these is not known. Other readers pass over them.
enum FetchRequestArchiveKey {
    static let excludesSubentities = "OpenCoreDataExcludesSubentities"
    static let excludesPropertyValues = "OpenCoreDataExcludesPropertyValues"
    static let returnsWholeObjects = "OpenCoreDataReturnsWholeObjects"
    static let returnsDistinctResults = "OpenCoreDataReturnsDistinctResults"
}
