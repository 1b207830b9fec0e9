import Foundation

/// Equality of predicates and expressions by what they consist of.
enum StructuralEquality {
    static func areEqual(_ a: NSPredicate, _ b: NSPredicate) -> Bool {
        if a === b { return true }
        switch (a.form, b.form) {
        case (.constant(let a), .constant(let b)): return a == b
        case (.comparison(let a), .comparison(let b)):
            return a.predicateOperatorType == b.predicateOperatorType && a.options == b.options
                && a.comparisonPredicateModifier == b.comparisonPredicateModifier
                && a.customSelector == b.customSelector
                && areEqual(a.leftExpression, b.leftExpression) && areEqual(a.rightExpression, b.rightExpression)
        case (.compound(let aType, let a), .compound(let bType, let b)):
            return aType == bType && a.count == b.count && zip(a, b).allSatisfy { areEqual($0, $1) }
        // Subclasses of a client's may know; a block equals itself only.
        case (.opaque, .opaque): return a.isEqual(b)
        default: return false
        }
    }

    static func areEqual(_ a: NSExpression, _ b: NSExpression) -> Bool {
        if a === b { return true }
        switch (a.node, b.node) {
        case (.constant(let a), .constant(let b)): return areEqualConstants(a, b)
        case (.evaluatedObject, .evaluatedObject), (.anyKey, .anyKey): return true
        case (.variable(let a), .variable(let b)): return a == b
        case (.keyPath(let aPath, let a), .keyPath(let bPath, let b)): return aPath == bPath && areEqual(a, b)
        case (.function(let aName, let aOperand, let a), .function(let bName, let bOperand, let b)):
            return aName == bName && areEqual(aOperand, bOperand) && areEqual(a, b)
        case (.set(let aOperation, let aLeft, let aRight), .set(let bOperation, let bLeft, let bRight)):
            return aOperation == bOperation && areEqual(aLeft, bLeft) && areEqual(aRight, bRight)
        case (.subquery(let aCollection, let aName, let a), .subquery(let bCollection, let bName, let b)):
            return aName == bName && areEqual(aCollection, bCollection) && areEqual(a, b)
        case (.aggregate(let a), .aggregate(let b)): return areEqual(a, b)
        case (.conditional(let a, let aTrue, let aFalse), .conditional(let b, let bTrue, let bFalse)):
            return areEqual(a, b) && areEqual(aTrue, bTrue) && areEqual(aFalse, bFalse)
        case (.fetch(let a, let aContext, let aCount), .fetch(let b, let bContext, let bCount)):
            return aCount == bCount && areEqual(a, b) && areEqual(aContext, bContext)
        // A collection written out is the same as one given as an argument.
        case (.aggregate(let members), .constant(let value)), (.constant(let value), .aggregate(let members)):
            guard let constants = constants(members) else { return false }
            return areEqualConstants(constants, value)
        default: return false
        }
    }

    private static func areEqual(_ a: NSExpression?, _ b: NSExpression?) -> Bool {
        guard let a, let b else { return a == nil && b == nil }
        return areEqual(a, b)
    }

    private static func areEqual(_ a: [NSExpression], _ b: [NSExpression]) -> Bool {
        a.count == b.count && zip(a, b).allSatisfy { areEqual($0, $1) }
    }

    /// The values of expressions that are all constant (nil as null), nil if one is not.
    static func constants(_ members: [NSExpression]) -> [Any]? {
        var values: [Any] = []
        values.reserveCapacity(members.count)
        for member in members {
            switch member.node {
            case .constant(let value): values.append(value ?? NSNull())
            case .aggregate(let members):
                guard let inner = constants(members) else { return nil }
                values.append(inner)
            default: return nil
            }
        }
        return values
    }

    private static func areEqualConstants(_ a: Any?, _ b: Any?) -> Bool {
        if let a = a as? CollectionPosition { return a == b as? CollectionPosition }
        let a = ComparableValue(a)
        let b = ComparableValue(b)
        switch (a, b) {
        case (.real(let x), .real(let y)) where x.isNaN: return y.isNaN
        case (.date, .date): break
        case (.date, _), (_, .date): return false
        case (.text, .text), (.uuid, .uuid), (.url, .url): break
        case (.text, _), (_, .text), (.uuid, _), (_, .uuid), (.url, _), (_, .url): return false
        case (.other(let a), .other(let b)): if !(a is AnyHashable) { return "\(a)" == "\(b)" }
        default: break
        }
        return a.isEqual(to: b)
    }

    // MARK: Hashing

    static func hash(_ predicate: NSPredicate, into hasher: inout Hasher) {
        switch predicate.form {
        case .constant(let value): hasher.combine(value)
        case .comparison(let comparison):
            hasher.combine(comparison.predicateOperatorType)
            hash(comparison.leftExpression, into: &hasher)
            hash(comparison.rightExpression, into: &hasher)
        case .compound(let type, let members):
            hasher.combine(type.rawValue)
            for member in members { hash(member, into: &hasher) }
        case .opaque: hasher.combine(ObjectIdentifier(predicate))
        }
    }

    /// Constants count by kind only where equal ones may be of different types.
    static func hash(_ expression: NSExpression, into hasher: inout Hasher) {
        switch expression.node {
        case .constant(let value):
            if case .text(let text) = ComparableValue(value) { hasher.combine(text) }
        case .keyPath(let path, _): hasher.combine(path)
        case .variable(let name): hasher.combine(name)
        case .function(let name, _, let arguments):
            hasher.combine(name)
            for argument in arguments { hash(argument, into: &hasher) }
        case .set(let operation, _, _): hasher.combine(operation)
        case .subquery(_, let name, _): hasher.combine(name)
        case .block: hasher.combine(ObjectIdentifier(expression))
        default: break
        }
    }
}

extension NSPredicate {
    /// Whether two predicates have the same structure, whoever made them. Foundation's compound predicates all equal
    /// each other.
    package func isSame(as other: NSPredicate) -> Bool { StructuralEquality.areEqual(self, other) }

    var structuralHash: Int {
        var hasher = Hasher()
        StructuralEquality.hash(self, into: &hasher)
        return hasher.finalize()
    }
}
