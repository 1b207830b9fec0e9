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

    func replaced(in predicate: NSPredicate) -> NSPredicate { predicate.replacingParts(replaced, replaced) }

    private func replaced(_ expression: NSExpression) -> NSExpression {
        switch expression.node {
        case .fetch(let request, let context, let countOnly):
            return fetched?(request, context, countOnly).map { NSExpression(forConstantValue: $0) } ?? expression
        case .constant(let value):
            return value.flatMap(changedConstant).map { NSExpression(forConstantValue: $0) } ?? expression
        case .keyPath where readsKeyPaths:
            guard let value = constantValue(expression) else { break }
            return NSExpression(forConstantValue: value.flatMap(changedConstant) ?? value)
        default: break
        }
        return expression.replacingParts(replaced, replaced)
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
