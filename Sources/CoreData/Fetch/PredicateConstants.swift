import Foundation

/// Exchanges constants of a predicate: managed objects for their ids before a store sees it, and back before it is evaluated in
/// memory. A predicate without such constants comes back as it is.
struct PredicateConstants: Sendable {
    /// The value to take instead, nil to leave the value.
    let replacement: @Sendable (Any) -> Any?

    func replaced(in predicate: NSPredicate) -> NSPredicate { changed(predicate) ?? predicate }

    private func changed(_ predicate: NSPredicate) -> NSPredicate? {
        switch predicate.form {
        case .constant, .opaque: return nil
        case .comparison(let comparison):
            let left = changed(comparison.leftExpression)
            let right = changed(comparison.rightExpression)
            guard left != nil || right != nil else { return nil }
            return NSComparisonPredicate(
                leftExpression: left ?? comparison.leftExpression, rightExpression: right ?? comparison.rightExpression,
                modifier: comparison.comparisonPredicateModifier, type: comparison.predicateOperatorType,
                options: comparison.options)
        case .compound(let type, let parts):
            var parts = parts
            var isChanged = false
            for index in parts.indices {
                guard let part = changed(parts[index]) else { continue }
                parts[index] = part
                isChanged = true
            }
            return isChanged ? NSCompoundPredicate(type: type, subpredicates: parts) : nil
        }
    }

    private func changed(_ expression: NSExpression) -> NSExpression? {
        switch expression.node {
        case .evaluatedObject, .variable, .anyKey, .custom, .fetch: return nil
        case .constant(let value):
            return value.flatMap(changedConstant).map { NSExpression(forConstantValue: $0) }
        case .keyPath(let path, let operand):
            guard let operand, let new = changed(operand) else { return nil }
            return NSExpression(node: .keyPath(path, operand: new))
        case .function(let name, let operand, let arguments):
            let newOperand = operand.flatMap(changed)
            let newArguments = changed(arguments)
            guard newOperand != nil || newArguments != nil else { return nil }
            return NSExpression(
                node: .function(name, operand: newOperand ?? operand, arguments: newArguments ?? arguments))
        case .set(let operation, let left, let right):
            guard let new = changed([left, right]) else { return nil }
            return NSExpression(node: .set(operation, new[0], new[1]))
        case .subquery(let collection, let variable, let predicate):
            let newCollection = changed(collection)
            let newPredicate = changed(predicate)
            guard newCollection != nil || newPredicate != nil else { return nil }
            return NSExpression(
                node: .subquery(newCollection ?? collection, variable: variable, predicate: newPredicate ?? predicate))
        case .aggregate(let parts):
            return changed(parts).map { NSExpression(node: .aggregate($0)) }
        case .block(let block, let arguments):
            return changed(arguments).map { NSExpression(node: .block(block, arguments: $0)) }
        case .conditional(let condition, let first, let second):
            let newCondition = changed(condition)
            let new = changed([first, second])
            guard newCondition != nil || new != nil else { return nil }
            return NSExpression(
                node: .conditional(newCondition ?? condition, new?[0] ?? first, new?[1] ?? second))
        }
    }

    private func changed(_ expressions: [NSExpression]) -> [NSExpression]? {
        var result = expressions
        var isChanged = false
        for index in result.indices {
            guard let new = changed(result[index]) else { continue }
            result[index] = new
            isChanged = true
        }
        return isChanged ? result : nil
    }

    private func changedConstant(_ value: Any) -> Any? {
        if let new = replacement(value) { return new }
        // Strings and numbers, the usual constants, are told first.
        guard !(value is String), !(value is NSNumber), let members = collectionElements(value) else { return nil }
        guard members.contains(where: { replacement($0) != nil }) else { return nil }
        return members.map { replacement($0) ?? $0 }
    }
}
