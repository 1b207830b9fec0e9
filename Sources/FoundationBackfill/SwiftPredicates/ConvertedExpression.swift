import Foundation

/// An expression of Foundation's predicates in our terms.
enum ConvertedExpression {
    case expression(NSExpression)
    case predicate(NSPredicate)
    /// A `Bool?`: what holds if it is nil, and what it says otherwise.
    case optional(isNil: NSPredicate, NSPredicate)
    /// The order of two texts.
    case order(NSExpression, NSExpression, NSComparisonPredicate.Options)
    case range(lower: NSExpression?, upper: NSExpression?, includesUpper: Bool)

    static var null: ConvertedExpression { .expression(NSExpression(forConstantValue: nil)) }

    /// - Throws: ``PredicateConversionError`` for what is neither true nor false.
    func asPredicate() throws -> NSPredicate {
        switch self {
        case .predicate(let predicate): return predicate
        case .expression(let expression):
            if case .constant(let value as Bool) = expression.node { return NSPredicate(value: value) }
            return Self.comparison(expression, .equalTo, NSExpression(forConstantValue: true))
        case .optional(let isNil, let value): return .and([.not(isNil), value])
        case .order, .range: throw PredicateConversionError(description: "this value is no truth value")
        }
    }

    /// - Throws: ``PredicateConversionError`` for what is no value of a property.
    func asExpression() throws -> NSExpression {
        switch self {
        case .expression(let expression): return expression
        case .predicate(let predicate):
            return NSExpression(
                forConditional: predicate, trueExpression: NSExpression(forConstantValue: true),
                falseExpression: NSExpression(forConstantValue: false))
        case .optional(let isNil, let value):
            return NSExpression(
                forConditional: isNil, trueExpression: NSExpression(forConstantValue: nil),
                falseExpression: try ConvertedExpression.predicate(value).asExpression())
        case .order:
            throw PredicateConversionError(
                description: "the order of two texts can only be compared with a ComparisonResult")
        case .range: throw PredicateConversionError(description: "a range can only be asked what it contains")
        }
    }

    /// What holds if the value is nil; nil if it never is, or nobody has to know.
    private var isNil: NSPredicate? {
        switch self {
        case .optional(let isNil, _): isNil
        case .expression(let expression): Self.comparison(expression, .equalTo, NSExpression(forConstantValue: nil))
        default: nil
        }
    }

    /// The value apart from nil, which must be a truth value.
    private func truth() throws -> NSPredicate {
        if case .optional(_, let value) = self { return value }
        return try asPredicate()
    }

    private var constant: Any?? {
        if case .expression(let expression) = self, case .constant(let value) = expression.node { return .some(value) }
        return nil
    }

    private var isTruthValue: Bool {
        switch self {
        case .predicate, .optional: true
        default: false
        }
    }

    // MARK: Comparisons

    static func comparison(
        _ left: NSExpression, _ type: NSComparisonPredicate.Operator, _ right: NSExpression,
        options: NSComparisonPredicate.Options = []
    ) -> NSPredicate {
        NSComparisonPredicate(
            leftExpression: left, rightExpression: right, modifier: .direct, type: type, options: options)
    }

    /// Whether two values are the same.
    static func equal(_ left: ConvertedExpression, _ right: ConvertedExpression) throws -> NSPredicate {
        if case .order(let a, let b, let options) = left { return try order(a, b, options, is: right) }
        if case .order(let a, let b, let options) = right { return try order(a, b, options, is: left) }
        guard left.isTruthValue || right.isTruthValue else {
            return comparison(try left.asExpression(), .equalTo, try right.asExpression())
        }
        let (value, other) = right.isTruthValue ? (right, left) : (left, right)
        switch other.constant {
        case .some(.none): return value.isNil ?? NSPredicate(value: false)
        case .some(.some(let constant)):
            guard let constant = constant as? Bool else { break }
            let truth = try value.truth()
            let isNil: NSPredicate? = if case .optional(let isNil, _) = value { isNil } else { nil }
            return .and([isNil.map(NSPredicate.not), constant ? truth : .not(truth)].compactMap { $0 })
        case .none: break
        }
        let (a, b) = (try value.truth(), try other.truth())
        let same = NSPredicate.or([.and([a, b]), .and([.not(a), .not(b)])])
        switch (value.isNil, other.isNil) {
        case (nil, nil): return same
        case (let a?, nil), (nil, let a?): return .and([.not(a), same])
        case (let a?, let b?): return .or([.and([a, b]), .and([.not(a), .not(b), same])])
        }
    }

    /// Whether two values are not the same.
    static func unequal(_ left: ConvertedExpression, _ right: ConvertedExpression) throws -> NSPredicate {
        if case .expression(let a) = left, case .expression(let b) = right { return comparison(a, .notEqualTo, b) }
        return .not(try equal(left, right))
    }

    private static func order(
        _ left: NSExpression, _ right: NSExpression, _ options: NSComparisonPredicate.Options,
        is result: ConvertedExpression
    ) throws -> NSPredicate {
        guard case .some(.some(let number as Int)) = result.constant, let order = ComparisonResult(rawValue: number)
        else { throw PredicateConversionError(description: "the order of two texts must be compared with a constant") }
        let type: NSComparisonPredicate.Operator =
            switch order {
            case .orderedAscending: .lessThan
            case .orderedSame: .equalTo
            case .orderedDescending: .greaterThan
            }
        return comparison(left, type, right, options: options)
    }

    /// This value, or another where it is nil.
    func coalesced(_ other: ConvertedExpression) throws -> ConvertedExpression {
        guard let isNil else { return self }
        if isTruthValue || other.isTruthValue {
            let value = try truth()
            let fallback = try other.asPredicate()
            return .predicate(.or([.and([.not(isNil), value]), .and([isNil, fallback])]))
        }
        return .expression(
            NSExpression(
                forConditional: isNil, trueExpression: try other.asExpression(), falseExpression: try asExpression()))
    }

    /// The value of a transformation of this value, nil where this is nil.
    func mapped(_ result: ConvertedExpression) throws -> ConvertedExpression {
        guard let isNil else { return result }
        switch result {
        case .predicate(let predicate): return .optional(isNil: isNil, predicate)
        case .optional(let inner, let value): return .optional(isNil: .or([isNil, inner]), value)
        // A path that leads over nil is nil, and so is what is calculated from nil; no text comes before or after nil.
        case .expression, .order: return result
        case .range: throw PredicateConversionError(description: "a range in an optional cannot be expressed")
        }
    }
}

extension NSPredicate {
    static func and(_ members: [NSPredicate]) -> NSPredicate {
        members.count == 1 ? members[0] : .compound(.and, members)
    }

    static func or(_ members: [NSPredicate]) -> NSPredicate {
        members.count == 1 ? members[0] : .compound(.or, members)
    }

    static func not(_ member: NSPredicate) -> NSPredicate {
        .compound(.not, [member])
    }
}
