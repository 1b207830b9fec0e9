import Foundation

/// Exchanges constants of a predicate: managed objects for their ids before a store sees it, and back before it is evaluated in
/// memory. A predicate without such constants comes back as it is.
struct PredicateConstants: Sendable {
    /// The value to take instead, nil to leave the value.
    let replacement: @Sendable (Any) -> Any?
    /// Whether key paths of constants are read, as `$FETCH_SOURCE.name` is once an object stands for the variable: a store
    /// has no use for the object.
    var readsKeyPaths = false
    /// The value to take instead of `FETCH(request, context, countOnly)`; nil leaves the expression.
    var fetched: (@Sendable (_ request: NSExpression, _ context: NSExpression, _ countOnly: Bool) -> Any?)?

    func replaced(in predicate: NSPredicate) -> NSPredicate { changed(predicate) ?? predicate }

    private func changed(_ predicate: NSPredicate) -> NSPredicate? {
        switch predicate.form {
        case .constant, .opaque: return nil
        case .comparison(let comparison):
            let left = changed(comparison.leftExpression)
            let right = changed(comparison.rightExpression)
            guard left != nil || right != nil else { return nil }
            return comparison.comparing(left ?? comparison.leftExpression, right ?? comparison.rightExpression)
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
        case .evaluatedObject, .variable, .anyKey, .custom: return nil
        case .fetch(let request, let context, let countOnly):
            return fetched?(request, context, countOnly).map { NSExpression(forConstantValue: $0) }
        case .constant(let value):
            return value.flatMap(changedConstant).map { NSExpression(forConstantValue: $0) }
        case .keyPath(let path, let operand):
            if readsKeyPaths, let value = constantValue(expression) {
                return NSExpression(forConstantValue: value.flatMap(changedConstant) ?? value)
            }
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

    /// The value of a key path of a constant; nil for what depends on more, and for keys that an object does not have.
    private func constantValue(_ expression: NSExpression) -> Any?? {
        switch expression.node {
        case .constant(let value): return .some(value)
        case .keyPath(let path, let operand?):
            guard let base = constantValue(operand), Self.knows(path, base) else { return nil }
            return .some(KeyPathReader.value(of: base, keyPath: path))
        default: return nil
        }
    }

    /// Whether managed objects can be asked for a key path: an unknown key would stop the program.
    private static func knows(_ path: String, _ base: Any?) -> Bool {
        guard let base else { return true }
        if let object = base as? NSManagedObject {
            return object.layout.entity.knows(path.split(separator: ".", omittingEmptySubsequences: false)[...])
        }
        if base is any KeyValueCoding || base is String { return true }
        return collectionElements(base)?.allSatisfy { knows(path, $0) } ?? true
    }

    private func changedConstant(_ value: Any) -> Any? {
        if let new = replacement(value) { return new }
        // Strings and numbers, the usual constants, are told first.
        guard !(value is String), !(value is NSNumber), let members = collectionElements(value) else { return nil }
        guard members.contains(where: { replacement($0) != nil }) else { return nil }
        return members.map { replacement($0) ?? $0 }
    }
}

extension NSEntityDescription {
    /// Whether a key path leads through properties of the model. What follows an attribute is the value's affair.
    fileprivate func knows(_ keys: ArraySlice<Substring>) -> Bool {
        guard let key = keys.first else { return true }
        if key.hasPrefix("@") { return keys.count == 1 || knows(keys.dropFirst()) }
        guard let property = propertiesByName[String(key)] else {
            return ["self", "SELF"].contains(key) ? knows(keys.dropFirst()) : ["objectID", "entity"].contains(key)
        }
        let destination =
            (property as? NSRelationshipDescription)?.destinationEntity
            ?? (property as? NSFetchedPropertyDescription)?.keptRequest?.entityName
            .flatMap { owningModel?.entitiesByName[$0] }
        return destination?.knows(keys.dropFirst()) ?? true
    }
}
