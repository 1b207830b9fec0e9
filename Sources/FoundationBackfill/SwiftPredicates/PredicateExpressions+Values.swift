import Foundation

extension PredicateExpressions.Variable: ConvertibleExpression {
    func convert(_ conversion: inout PredicateConversion) throws -> ConvertedExpression {
        try conversion.value(of: key)
    }
}

extension PredicateExpressions.Value: ConvertibleExpression {
    func convert(_ conversion: inout PredicateConversion) throws -> ConvertedExpression {
        if let range = value as? any ConstantRange { return range.converted }
        guard let constant = unwrapped(value) else { return .null }
        return .expression(NSExpression(forConstantValue: rawValue(constant)))
    }

    /// What a property of an enumeration's type holds.
    private func rawValue(_ constant: Any) -> Any {
        guard !(constant is NSObject), let constant = constant as? any RawRepresentable else { return constant }
        return constant.rawValue
    }
}

extension PredicateExpressions.NilLiteral: ConvertibleExpression {
    func convert(_ conversion: inout PredicateConversion) throws -> ConvertedExpression { .null }
}

extension PredicateExpressions.KeyPath: ConvertibleExpression {
    func convert(_ conversion: inout PredicateConversion) throws -> ConvertedExpression {
        let root = try conversion.expression(root)
        let path = keyPath as AnyKeyPath
        if let name = KeyPathNames.name(of: path) { return .expression(root.appending(key: name)) }
        if let paths = Root.Output.self as? any SizedCollection.Type {
            if path == paths.countPath { return .expression(paths.count(of: root)) }
            if path == paths.isEmptyPath {
                return .predicate(
                    ConvertedExpression.comparison(
                        paths.count(of: root), .equalTo, NSExpression(forConstantValue: 0)))
            }
        }
        guard Root.Output.self is NSObject.Type else {
            throw PredicateConversionError(description: "the property \(path.debugDescription) cannot be expressed")
        }
        return .expression(root.appending(key: KeyPathNames.require(path, "NSPredicate(#Predicate)")))
    }
}

/// Collections whose size can be asked for.
private protocol SizedCollection {
    static var countPath: AnyKeyPath { get }
    static var isEmptyPath: AnyKeyPath? { get }
    static func count(of expression: NSExpression) -> NSExpression
}

extension SizedCollection {
    static var isEmptyPath: AnyKeyPath? { nil }
    static func count(of expression: NSExpression) -> NSExpression { expression.appending(key: "@count") }
}

extension Set: SizedCollection {
    fileprivate static var countPath: AnyKeyPath { \Self.count }
    fileprivate static var isEmptyPath: AnyKeyPath? { \Self.isEmpty }
}

extension Array: SizedCollection {
    fileprivate static var countPath: AnyKeyPath { \Self.count }
    fileprivate static var isEmptyPath: AnyKeyPath? { \Self.isEmpty }
}

extension NSSet: SizedCollection {
    fileprivate static var countPath: AnyKeyPath { \NSSet.count }
}

extension NSOrderedSet: SizedCollection {
    fileprivate static var countPath: AnyKeyPath { \NSOrderedSet.count }
}

extension String: SizedCollection {
    fileprivate static var countPath: AnyKeyPath { \String.count }
    fileprivate static var isEmptyPath: AnyKeyPath? { \String.isEmpty }
    fileprivate static func count(of expression: NSExpression) -> NSExpression {
        NSExpression(forFunction: PredefinedFunction.length.rawValue, arguments: [expression])
    }
}

// MARK: Optionals

extension PredicateExpressions.OptionalFlatMap: ConvertibleExpression {
    func convert(_ conversion: inout PredicateConversion) throws -> ConvertedExpression {
        let value = try conversion.convert(wrapped)
        conversion.bind(variable.key, to: value)
        return try value.mapped(conversion.convert(transform))
    }
}

extension PredicateExpressions.NilCoalesce: ConvertibleExpression {
    func convert(_ conversion: inout PredicateConversion) throws -> ConvertedExpression {
        try conversion.convert(lhs).coalesced(conversion.convert(rhs))
    }
}

extension PredicateExpressions.ForcedUnwrap: ConvertibleExpression {
    func convert(_ conversion: inout PredicateConversion) throws -> ConvertedExpression {
        try conversion.convert(inner)
    }
}

// MARK: Casts

extension PredicateExpressions.ConditionalCast: ConvertibleExpression {
    func convert(_ conversion: inout PredicateConversion) throws -> ConvertedExpression {
        throw PredicateConversionError(cast: "as? \(Desired.self)")
    }
}

extension PredicateExpressions.ForceCast: ConvertibleExpression {
    func convert(_ conversion: inout PredicateConversion) throws -> ConvertedExpression {
        throw PredicateConversionError(cast: "as! \(Desired.self)")
    }
}

extension PredicateExpressions.TypeCheck: ConvertibleExpression {
    func convert(_ conversion: inout PredicateConversion) throws -> ConvertedExpression {
        throw PredicateConversionError(cast: "is \(Desired.self)")
    }
}

extension PredicateConversionError {
    fileprivate init(cast: String) {
        description = "the cast '\(cast)' cannot be expressed; fetch that entity, or compare a property"
    }
}
