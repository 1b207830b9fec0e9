import Foundation

extension NSExpression {
    /// The value for an object; see ``expressionValue(with:context:)``.
    package func evaluate(with object: Any?, bindings: Bindings) -> Any? {
        switch node {
        case .constant(let value):
            return value
        case .evaluatedObject:
            return object
        case .variable(let name):
            return unwrapped(bindings.variables[name])
        case .keyPath(let path, let operand):
            let base = operand.map { $0.evaluate(with: object, bindings: bindings) } ?? object
            return KeyPathReader.value(of: base, keyPath: path)
        case .function(let name, let operand?, let arguments):
            let values = arguments.map { $0.evaluate(with: object, bindings: bindings) }
            guard let target = operand.evaluate(with: object, bindings: bindings) else { return nil }
            if let target = target as? any FunctionCallable { return unwrapped(target.call(name, arguments: values)) }
            return values.isEmpty ? BuiltInKeys.value(of: target, key: name) : nil
        case .function(let name, nil, let arguments):
            let values = arguments.map { $0.evaluate(with: object, bindings: bindings) }
            return FunctionEvaluator.value(of: name, values)
        case .set(let operation, let left, let right):
            return Self.combine(
                operation, left.evaluate(with: object, bindings: bindings),
                right.evaluate(with: object, bindings: bindings))
        case .subquery(let collection, let variable, let predicate):
            let members: [Any]
            if case .keyPath(let path, let operand) = collection.node {
                let base = operand.map { $0.evaluate(with: object, bindings: bindings) } ?? object
                members = KeyPathReader.members(of: base, keyPath: path)
            } else {
                members = collection.evaluate(with: object, bindings: bindings).flatMap(collectionElements) ?? []
            }
            return members.filter { predicate.holds(for: object, bindings.binding(variable, to: $0)) }
        case .aggregate(let members):
            return members.map { $0.evaluate(with: object, bindings: bindings) ?? NSNull() }
        case .anyKey:
            return nil
        case .block(let block, let arguments):
            let values = arguments.map { $0.evaluate(with: object, bindings: bindings) ?? NSNull() }
            return unwrapped(block(object, values, bindings.context))
        case .conditional(let predicate, let first, let second):
            let chosen = predicate.holds(for: object, bindings) ? first : second
            return chosen.evaluate(with: object, bindings: bindings)
        case .fetch(let request, let context, let countOnly):
            guard let request = request.evaluate(with: object, bindings: bindings),
                let context = context.evaluate(with: object, bindings: bindings) as? any FetchExpressionContext
            else { return nil }
            return try? context.evaluateFetch(request, countOnly: countOnly)
        case .custom:
            return expressionValue(with: object, context: bindings.context)
        }
    }

    /// A set if the left side is one, else an array.
    private static func combine(_ operation: SetOperation, _ left: Any?, _ right: Any?) -> Any? {
        guard let left, let members = collectionElements(left), let others = right.flatMap(collectionElements) else {
            return nil
        }
        let result: [Any]
        switch operation {
        case .intersect:
            let others = MemberSet(others)
            result = members.filter { others.contains($0) }
        case .minus:
            let others = MemberSet(others)
            result = members.filter { !others.contains($0) }
        case .union:
            let known = MemberSet(members)
            result = members + others.filter { !known.contains($0) }
        }
        return isSet(left) ? hashedSet(of: result) : result
    }
}

extension NSPredicate {
    /// Whether the predicate holds for an object, with variables.
    func holds(for object: Any?, _ bindings: Bindings) -> Bool {
        if let comparison = self as? NSComparisonPredicate {
            return comparison.evaluate(with: object, bindings: bindings)
        }
        return evaluate(with: object, substitutionVariables: bindings.variables)
    }
}
