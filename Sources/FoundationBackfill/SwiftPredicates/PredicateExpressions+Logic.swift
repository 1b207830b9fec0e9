import Foundation

extension PredicateExpressions.Conjunction: ConvertibleExpression {
    func convert(_ conversion: inout PredicateConversion) throws -> ConvertedExpression {
        .predicate(.and([try conversion.predicate(lhs), try conversion.predicate(rhs)]))
    }
}

extension PredicateExpressions.Disjunction: ConvertibleExpression {
    func convert(_ conversion: inout PredicateConversion) throws -> ConvertedExpression {
        .predicate(.or([try conversion.predicate(lhs), try conversion.predicate(rhs)]))
    }
}

extension PredicateExpressions.Negation: ConvertibleExpression {
    func convert(_ conversion: inout PredicateConversion) throws -> ConvertedExpression {
        .predicate(.not(try conversion.predicate(wrapped)))
    }
}

extension PredicateExpressions.Equal: ConvertibleExpression {
    func convert(_ conversion: inout PredicateConversion) throws -> ConvertedExpression {
        .predicate(try ConvertedExpression.equal(conversion.convert(lhs), conversion.convert(rhs)))
    }
}

extension PredicateExpressions.NotEqual: ConvertibleExpression {
    func convert(_ conversion: inout PredicateConversion) throws -> ConvertedExpression {
        .predicate(try ConvertedExpression.unequal(conversion.convert(lhs), conversion.convert(rhs)))
    }
}

extension PredicateExpressions.Comparison: ConvertibleExpression {
    func convert(_ conversion: inout PredicateConversion) throws -> ConvertedExpression {
        let type: NSComparisonPredicate.Operator =
            switch op {
            case .lessThan: .lessThan
            case .lessThanOrEqual: .lessThanOrEqualTo
            case .greaterThan: .greaterThan
            case .greaterThanOrEqual: .greaterThanOrEqualTo
            @unknown default: throw PredicateConversionError(description: "this comparison cannot be expressed")
            }
        return .predicate(
            ConvertedExpression.comparison(try conversion.expression(lhs), type, try conversion.expression(rhs)))
    }
}

extension PredicateExpressions.Conditional: ConvertibleExpression {
    func convert(_ conversion: inout PredicateConversion) throws -> ConvertedExpression {
        let test = try conversion.predicate(test)
        let (first, second) = (try conversion.convert(trueBranch), try conversion.convert(falseBranch))
        if If.Output.self == Bool.self {
            return .predicate(
                .or([.and([test, try first.asPredicate()]), .and([.not(test), try second.asPredicate()])]))
        }
        return .expression(
            NSExpression(
                forConditional: test, trueExpression: try first.asExpression(),
                falseExpression: try second.asExpression()))
    }
}

// MARK: Arithmetic

extension PredicateConversion {
    fileprivate mutating func call(
        _ function: PredefinedFunction, _ left: any PredicateExpression, _ right: any PredicateExpression
    ) throws -> ConvertedExpression {
        .expression(
            NSExpression(
                forFunction: function.rawValue, arguments: [try expression(left), try expression(right)]))
    }
}

extension PredicateExpressions.Arithmetic: ConvertibleExpression {
    func convert(_ conversion: inout PredicateConversion) throws -> ConvertedExpression {
        switch op {
        case .add: try conversion.call(.add, lhs, rhs)
        case .subtract: try conversion.call(.subtract, lhs, rhs)
        case .multiply: try conversion.call(.multiply, lhs, rhs)
        @unknown default: throw PredicateConversionError(description: "this operator cannot be expressed")
        }
    }
}

extension PredicateExpressions.IntDivision: ConvertibleExpression {
    func convert(_ conversion: inout PredicateConversion) throws -> ConvertedExpression {
        try conversion.call(.divide, lhs, rhs)
    }
}

extension PredicateExpressions.FloatDivision: ConvertibleExpression {
    func convert(_ conversion: inout PredicateConversion) throws -> ConvertedExpression {
        try conversion.call(.divide, lhs, rhs)
    }
}

extension PredicateExpressions.IntRemainder: ConvertibleExpression {
    func convert(_ conversion: inout PredicateConversion) throws -> ConvertedExpression {
        try conversion.call(.modulus, lhs, rhs)
    }
}

extension PredicateExpressions.UnaryMinus: ConvertibleExpression {
    func convert(_ conversion: inout PredicateConversion) throws -> ConvertedExpression {
        let value = try conversion.expression(wrapped)
        return .expression(
            NSExpression(
                forFunction: PredefinedFunction.multiply.rawValue,
                arguments: [value, NSExpression(forConstantValue: -1)]))
    }
}
