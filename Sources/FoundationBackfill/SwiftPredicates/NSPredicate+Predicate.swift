import Foundation

extension _PredicateFormatInitializable where Self: NSPredicate {
    /// The predicate that Foundation's `#Predicate` macro made, in the form that fetch requests take.
    ///
    ///     request.predicate = NSPredicate(#Predicate<Person> { $0.age >= 18 && $0.name?.contains("a") ?? false })
    ///
    /// Taken are comparisons, logic, arithmetic, `??`, optional chaining, `flatMap`, `!`, the ternary operator, ranges, `contains`,
    /// `contains(where:)`, `allSatisfy`, `filter`, `count`, `isEmpty`, `min()` and `max()` of collections, and of texts `contains`,
    /// `starts(with:)`, `localizedStandardContains`, `caseInsensitiveCompare`, `localizedCompare`, `count` and `isEmpty`.
    ///
    /// - Returns: nil for what no format can say, such as casts to another class and regular expressions;
    ///   ``NSPredicate/converting(_:)`` tells the reason.
    /// - Precondition: the key paths to properties of objects are registered (see ``KeyPathNames``).
    public init?<Input: NSObject>(_ predicate: Predicate<Input>) {
        guard let converted = try? NSPredicate.converting(predicate) as? Self else { return nil }
        self = converted
    }
}

extension NSPredicate {
    /// As ``NSPredicate/init(_:)``, for a predicate that may be one that no format can express.
    ///
    /// - Throws: ``PredicateConversionError``, which says what cannot be expressed.
    public static func converting<Input: NSObject>(_ predicate: Predicate<Input>) throws -> NSPredicate {
        var conversion = PredicateConversion()
        conversion.bind(predicate.variable.key, to: .expression(NSExpression.expressionForEvaluatedObject()))
        return try conversion.convert(predicate.expression).asPredicate()
    }
}

/// Why a predicate of Foundation's `#Predicate` macro has no form as an `NSPredicate`.
public struct PredicateConversionError: Error, CustomStringConvertible {
    /// What cannot be expressed.
    public let description: String
}

/// The walk over an expression of Foundation's.
struct PredicateConversion {
    private var variables: [PredicateExpressions.VariableID: ConvertedExpression] = [:]
    private var memberCount = 0

    /// What a variable stands for from here on.
    mutating func bind(_ variable: PredicateExpressions.VariableID, to value: ConvertedExpression) {
        variables[variable] = value
    }

    func value(of variable: PredicateExpressions.VariableID) throws -> ConvertedExpression {
        guard let value = variables[variable] else {
            throw PredicateConversionError(description: "a variable is used outside of its closure")
        }
        return value
    }

    mutating func convert(_ expression: any PredicateExpression) throws -> ConvertedExpression {
        guard let convertible = expression as? any ConvertibleExpression else {
            throw PredicateConversionError(description: "\(Self.name(of: expression)) cannot be expressed")
        }
        return try convertible.convert(&self)
    }

    /// Of `PredicateExpressions.Equal<…>` just `Equal`.
    private static func name(of expression: any PredicateExpression) -> String {
        String("\(type(of: expression))".prefix { $0 != "<" })
    }

    mutating func expression(_ expression: any PredicateExpression) throws -> NSExpression {
        try convert(expression).asExpression()
    }

    mutating func predicate(_ expression: any PredicateExpression) throws -> NSPredicate {
        try convert(expression).asPredicate()
    }

    /// The members of a collection for which a test holds.
    mutating func members(
        of collection: any PredicateExpression, variable: PredicateExpressions.VariableID,
        where test: any PredicateExpression, isNegated: Bool = false
    ) throws -> NSExpression {
        let collection = try expression(collection)
        memberCount += 1
        let name = "member\(memberCount)"
        bind(variable, to: .expression(NSExpression(forVariable: name)))
        let predicate = try predicate(test)
        return NSExpression(
            forSubquery: collection, usingIteratorVariable: name,
            predicate: isNegated ? .not(predicate) : predicate)
    }
}

/// An expression of Foundation's predicates that a format can say.
protocol ConvertibleExpression {
    func convert(_ conversion: inout PredicateConversion) throws -> ConvertedExpression
}
