import Foundation

/// The predefined functions. A nil operand or one of the wrong kind gives nil, as in SQL.
package enum FunctionEvaluator {
    package static func value(of name: String, _ arguments: [Any?]) -> Any? {
        guard let function = PredefinedFunction.named(name) else {
            guard name == PredefinedFunction.canonical, arguments.count == 1 else { return nil }
            return text(arguments[0]).map {
                StringFolding.fold($0, options: [.caseInsensitive, .diacriticInsensitive])
            }
        }
        guard arguments.count == function.argumentCount else { return nil }
        switch function {
        case .average, .sum, .count, .min, .max, .median, .mode, .stddev:
            return Aggregate.value(of: function, over: Aggregate.members(arguments[0]))
        case .add, .subtract, .multiply, .divide, .modulus, .power:
            return Arithmetic.value(of: function, ComparableValue(arguments[0]), ComparableValue(arguments[1]))
        case .bitwiseAnd, .bitwiseOr, .bitwiseXor, .leftShift, .rightShift:
            guard let a = integer(arguments[0]), let b = integer(arguments[1]) else { return nil }
            return NSNumber(value: bits(function, a, b))
        case .onesComplement: return integer(arguments[0]).map { NSNumber(value: ~$0) }
        case .squareRoot, .log, .naturalLog, .exponential, .floor, .ceiling, .truncate, .absolute:
            return Arithmetic.value(of: function, ComparableValue(arguments[0]))
        case .random: return NSNumber(value: Double.random(in: 0..<1))
        case .randomBelow:
            guard let bound = integer(arguments[0]), bound > 0 else { return nil }
            return NSNumber(value: Int64.random(in: 0..<bound))
        case .now: return Date()
        case .uppercase: return text(arguments[0])?.uppercased()
        case .lowercase: return text(arguments[0])?.lowercased()
        // As NSString counts: UTF-16 units.
        case .length: return text(arguments[0]).map { NSNumber(value: $0.utf16.count) }
        case .noIndex: return arguments[0]
        case .cast:
            guard let value = arguments[0], let type = arguments[1] as? String else { return nil }
            return TypeCast.value(value, as: type)
        case .element: return element(of: arguments[0], at: arguments[1])
        }
    }

    private static func text(_ value: Any?) -> String? {
        if case .text(let text) = ComparableValue(value) { text } else { nil }
    }

    private static func integer(_ value: Any?) -> Int64? {
        switch ComparableValue(value) {
        case .integer(let value): value
        case .real(let value): Int64(exactly: value.rounded(.towardZero))
        case .decimal(let value): NSDecimalNumber(decimal: value).int64Value
        default: nil
        }
    }

    /// Shifts as in SQLite: by 64 or more nothing is left, a negative shift goes the other way.
    private static func bits(_ function: PredefinedFunction, _ a: Int64, _ b: Int64) -> Int64 {
        switch function {
        case .bitwiseAnd: a & b
        case .bitwiseOr: a | b
        case .bitwiseXor: a ^ b
        case .leftShift: a << b
        default: a >> b
        }
    }

    private static func element(of container: Any?, at index: Any?) -> Any? {
        guard let container, let index else { return nil }
        if let dictionary = container as? NSDictionary { return unwrapped(dictionary[index]) }
        if let dictionary = container as? [String: Any] {
            return (index as? String).flatMap { unwrapped(dictionary[$0]) }
        }
        guard let members = collectionElements(container) else { return nil }
        if let position = index as? CollectionPosition {
            switch position {
            case .first: return members.first
            case .last: return members.last
            case .size: return NSNumber(value: members.count)
            }
        }
        guard let index = integer(index).flatMap(Int.init(exactly:)), members.indices.contains(index) else {
            return nil
        }
        return members[index]
    }
}
