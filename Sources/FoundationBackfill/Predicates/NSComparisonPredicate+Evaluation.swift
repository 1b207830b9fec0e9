import Foundation

extension NSComparisonPredicate {
    func evaluate(with object: Any?, bindings: Bindings) -> Bool {
        let left = leftExpression.evaluate(with: object, bindings: bindings)
        if predicateOperatorType == .customSelector {
            return holds(left, rightExpression.evaluate(with: object, bindings: bindings))
        }
        let right = constantRight ?? ComparableValue(rightExpression.evaluate(with: object, bindings: bindings))
        switch comparisonPredicateModifier {
        case .direct: return compare(ComparableValue(left), right)
        case .any: return members(left).contains { compare(ComparableValue($0), right) }
        case .all: return members(left).allSatisfy { compare(ComparableValue($0), right) }
        }
    }

    /// Whether the left value's method says so.
    private func holds(_ left: Any?, _ right: Any?) -> Bool {
        guard let name = customSelector?.name, let left = left as? any FunctionCallable else { return false }
        return ComparableValue(left.call(name, arguments: [right])).number?.boolValue ?? false
    }

    /// The members that ANY and ALL mean: nested collections (a path over two to-many relationships) opened, none of nil.
    private func members(_ value: Any?) -> [Any] {
        guard let value, !(value is NSNull) else { return [] }
        guard let members = collectionElements(value) else { return [value] }
        // With CONTAINS, each member is a collection or text of its own.
        guard predicateOperatorType != .contains else { return members }
        return opened(members)
    }

    private func opened(_ members: [Any]) -> [Any] {
        members.flatMap { member in collectionElements(member).map(opened) ?? [member] }
    }

    private func compare(_ a: ComparableValue, _ b: ComparableValue) -> Bool {
        switch predicateOperatorType {
        case .equalTo: return areEqual(a, b)
        case .notEqualTo: return !areEqual(a, b)
        case .lessThan: return order(a, b) == .orderedAscending
        case .lessThanOrEqualTo: return order(a, b).map { $0 != .orderedDescending } ?? false
        case .greaterThan: return order(a, b) == .orderedDescending
        case .greaterThanOrEqualTo: return order(a, b).map { $0 != .orderedAscending } ?? false
        case .between: return isBetween(a, b)
        case .in: return constantMembers?.contains(a) ?? isMember(a, of: b, rightExpression)
        case .contains: return isMember(b, of: a, leftExpression)
        case .beginsWith: return texts(a, b).map { StringFolding.begins($0, with: $1, options: options) } ?? false
        case .endsWith: return texts(a, b).map { StringFolding.ends($0, with: $1, options: options) } ?? false
        case .like: return texts(a, b).map { StringFolding.like($0, pattern: $1, options: options) } ?? false
        case .matches:
            return texts(a, b).map { (try? StringFolding.matches($0, pattern: $1, options: options)) ?? false } ?? false
        case .customSelector: return false
        }
    }

    private func areEqual(_ a: ComparableValue, _ b: ComparableValue) -> Bool {
        if case .text(let a) = a, case .text(let b) = b { return StringFolding.areEqual(a, b, options: options) }
        // A constant takes the kind of the value it is compared with.
        return isConstant(leftExpression) ? b.isEqual(to: a) : a.isEqual(to: b)
    }

    private func order(_ a: ComparableValue, _ b: ComparableValue) -> ComparisonResult? {
        if case .text(let a) = a, case .text(let b) = b { return StringFolding.compare(a, b, options: options) }
        return isConstant(leftExpression) ? b.compare(to: a)?.reversed : a.compare(to: b)
    }

    private func isConstant(_ expression: NSExpression) -> Bool {
        if case .constant = expression.node { true } else { false }
    }

    private func isBetween(_ value: ComparableValue, _ bounds: ComparableValue) -> Bool {
        guard case .collection(let bounds, _) = bounds, bounds.count == 2,
            let lower = order(value, ComparableValue(bounds[0])), let upper = order(value, ComparableValue(bounds[1]))
        else { return false }
        return lower != .orderedAscending && upper != .orderedDescending
    }

    /// A member of a collection, or a part of a text.
    private func isMember(
        _ value: ComparableValue, of container: ComparableValue, _ expression: NSExpression
    ) -> Bool {
        switch container {
        case .collection(let members, _):
            if case .keyPath = expression.node {
                // A path over two to-many relationships gives the members for each of the first.
                return opened(members).contains { areEqual(value, ComparableValue($0)) }
            }
            return members.contains { areEqual(value, ComparableValue($0)) }
        case .object(let dictionary as NSDictionary):
            return dictionary.allValues.contains { areEqual(value, ComparableValue($0)) }
        default:
            return texts(container, value).map { StringFolding.contains($0, $1, options: options) } ?? false
        }
    }

    /// Both values as texts; a number counts as its digits. Nil if one of them has no text.
    private func texts(_ a: ComparableValue, _ b: ComparableValue) -> (String, String)? {
        guard let a = a.text, let b = b.text else { return nil }
        return (a, b)
    }
}
