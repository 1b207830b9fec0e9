import Foundation

extension PredicateExpressions.SequenceContains: ConvertibleExpression {
    func convert(_ conversion: inout PredicateConversion) throws -> ConvertedExpression {
        .predicate(
            ConvertedExpression.comparison(
                try conversion.expression(element), .in, try conversion.expression(sequence)))
    }
}

extension PredicateExpressions.SequenceContainsWhere: ConvertibleExpression {
    func convert(_ conversion: inout PredicateConversion) throws -> ConvertedExpression {
        let members = try conversion.members(of: sequence, variable: variable.key, where: test)
        return .predicate(
            ConvertedExpression.comparison(members.count, .greaterThan, NSExpression(forConstantValue: 0)))
    }
}

extension PredicateExpressions.SequenceAllSatisfy: ConvertibleExpression {
    func convert(_ conversion: inout PredicateConversion) throws -> ConvertedExpression {
        let members = try conversion.members(of: sequence, variable: variable.key, where: test, isNegated: true)
        return .predicate(ConvertedExpression.comparison(members.count, .equalTo, NSExpression(forConstantValue: 0)))
    }
}

extension PredicateExpressions.Filter: ConvertibleExpression {
    func convert(_ conversion: inout PredicateConversion) throws -> ConvertedExpression {
        .expression(try conversion.members(of: sequence, variable: variable.key, where: filter))
    }
}

extension NSExpression {
    fileprivate var count: NSExpression { NSExpression(node: .keyPath("@count", operand: self)) }
}

extension PredicateExpressions.SequenceMinimum: ConvertibleExpression {
    func convert(_ conversion: inout PredicateConversion) throws -> ConvertedExpression {
        .expression(
            NSExpression(
                forFunction: PredefinedFunction.min.rawValue, arguments: [try conversion.expression(elements)]))
    }
}

extension PredicateExpressions.SequenceMaximum: ConvertibleExpression {
    func convert(_ conversion: inout PredicateConversion) throws -> ConvertedExpression {
        .expression(
            NSExpression(
                forFunction: PredefinedFunction.max.rawValue, arguments: [try conversion.expression(elements)]))
    }
}

extension PredicateExpressions.CollectionIndexSubscript: ConvertibleExpression {
    func convert(_ conversion: inout PredicateConversion) throws -> ConvertedExpression {
        guard Index.Output.self == Int.self else {
            throw PredicateConversionError(description: "a subscript by \(Index.Output.self) cannot be expressed")
        }
        return .expression(
            NSExpression(
                forFunction: PredefinedFunction.element.rawValue,
                arguments: [try conversion.expression(wrapped), try conversion.expression(index)]))
    }
}

// MARK: Texts

extension PredicateExpressions.CollectionContainsCollection: ConvertibleExpression {
    func convert(_ conversion: inout PredicateConversion) throws -> ConvertedExpression {
        guard Base.Output.self == String.self else {
            throw PredicateConversionError(description: "contains of a sequence can only be expressed for texts")
        }
        return .predicate(
            ConvertedExpression.comparison(try conversion.expression(base), .contains, try conversion.expression(other))
        )
    }
}

extension PredicateExpressions.SequenceStartsWith: ConvertibleExpression {
    func convert(_ conversion: inout PredicateConversion) throws -> ConvertedExpression {
        guard Base.Output.self == String.self else {
            throw PredicateConversionError(description: "starts(with:) can only be expressed for texts")
        }
        return .predicate(
            ConvertedExpression.comparison(
                try conversion.expression(base), .beginsWith, try conversion.expression(prefix)))
    }
}

// MARK: Ranges

/// A range that a predicate was made with.
protocol ConstantRange {
    var converted: ConvertedExpression { get }
}

extension Range: ConstantRange {
    var converted: ConvertedExpression { .between(lowerBound, upperBound, includesUpper: false) }
}

extension ClosedRange: ConstantRange {
    var converted: ConvertedExpression { .between(lowerBound, upperBound, includesUpper: true) }
}

extension PartialRangeFrom: ConstantRange {
    var converted: ConvertedExpression { .between(lowerBound, nil, includesUpper: true) }
}

extension PartialRangeThrough: ConstantRange {
    var converted: ConvertedExpression { .between(nil, upperBound, includesUpper: true) }
}

extension PartialRangeUpTo: ConstantRange {
    var converted: ConvertedExpression { .between(nil, upperBound, includesUpper: false) }
}

extension ConvertedExpression {
    fileprivate static func between(_ lower: Any?, _ upper: Any?, includesUpper: Bool) -> ConvertedExpression {
        .range(
            lower: lower.map { NSExpression(forConstantValue: $0) },
            upper: upper.map { NSExpression(forConstantValue: $0) },
            includesUpper: includesUpper)
    }
}

extension PredicateExpressions.Range: ConvertibleExpression {
    func convert(_ conversion: inout PredicateConversion) throws -> ConvertedExpression {
        .range(
            lower: try conversion.expression(lower), upper: try conversion.expression(upper), includesUpper: false)
    }
}

extension PredicateExpressions.ClosedRange: ConvertibleExpression {
    func convert(_ conversion: inout PredicateConversion) throws -> ConvertedExpression {
        .range(lower: try conversion.expression(lower), upper: try conversion.expression(upper), includesUpper: true)
    }
}

extension PredicateExpressions.RangeExpressionContains: ConvertibleExpression {
    func convert(_ conversion: inout PredicateConversion) throws -> ConvertedExpression {
        guard case .range(let lower, let upper, let includesUpper) = try conversion.convert(range) else {
            throw PredicateConversionError(description: "a range that is a property cannot be expressed")
        }
        let value = try conversion.expression(element)
        let bounds = [
            lower.map { ConvertedExpression.comparison(value, .greaterThanOrEqualTo, $0) },
            upper.map { ConvertedExpression.comparison(value, includesUpper ? .lessThanOrEqualTo : .lessThan, $0) },
        ]
        return .predicate(.and(bounds.compactMap { $0 }))
    }
}
