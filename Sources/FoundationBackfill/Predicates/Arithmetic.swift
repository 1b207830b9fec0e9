import Foundation

/// Calculation with the rules of SQLite: whole numbers stay whole (7 / 2 is 3) and become real where they overflow; a
/// division by zero is nil. Decimals stay exact.
enum Arithmetic {
    static func value(of function: PredefinedFunction, _ a: ComparableValue, _ b: ComparableValue) -> Any? {
        switch (a, b) {
        case (.date(let a), .date(let b)):
            return function == .subtract ? NSNumber(value: a - b) : nil
        case (.date(let seconds), _):
            guard let difference = real(b), function == .add || function == .subtract else { return nil }
            let sum = function == .add ? seconds + difference : seconds - difference
            return Date(timeIntervalSinceReferenceDate: sum)
        case (_, .date(let seconds)):
            guard let difference = real(a), function == .add else { return nil }
            return Date(timeIntervalSinceReferenceDate: seconds + difference)
        case (.integer(let a), .integer(let b)): return integers(function, a, b)
        case (.decimal(let a), .decimal(let b)): return decimals(function, a, b)
        case (.decimal(let a), .integer(let b)): return decimals(function, a, Decimal(b))
        case (.integer(let a), .decimal(let b)): return decimals(function, Decimal(a), b)
        default:
            guard let a = real(a), let b = real(b) else { return nil }
            return reals(function, a, b)
        }
    }

    static func value(of function: PredefinedFunction, _ operand: ComparableValue) -> Any? {
        if case .integer(let value) = operand {
            switch function {
            case .floor, .ceiling, .truncate: return NSNumber(value: value)
            case .absolute: return value == .min ? NSNumber(value: -Double(value)) : NSNumber(value: abs(value))
            default: break
            }
        }
        guard let value = real(operand) else { return nil }
        let result: Double =
            switch function {
            case .squareRoot: value.squareRoot()
            case .log: log10(value)
            case .naturalLog: log(value)
            case .exponential: exp(value)
            case .floor: value.rounded(.down)
            case .ceiling: value.rounded(.up)
            case .truncate: value.rounded(.towardZero)
            default: abs(value)
            }
        return result.isNaN ? nil : NSNumber(value: result)
    }

    static func real(_ value: ComparableValue) -> Double? {
        switch value {
        case .integer(let value): Double(value)
        case .real(let value): value
        case .decimal(let value): NSDecimalNumber(decimal: value).doubleValue
        default: nil
        }
    }

    private static func integers(_ function: PredefinedFunction, _ a: Int64, _ b: Int64) -> NSNumber? {
        let (value, overflows): (Int64, Bool)
        switch function {
        case .add: (value, overflows) = a.addingReportingOverflow(b)
        case .subtract: (value, overflows) = a.subtractingReportingOverflow(b)
        case .multiply: (value, overflows) = a.multipliedReportingOverflow(by: b)
        case .divide:
            guard b != 0 else { return nil }
            (value, overflows) = a.dividedReportingOverflow(by: b)
        case .modulus:
            guard b != 0 else { return nil }
            return NSNumber(value: b == -1 ? 0 : a % b)
        default: return reals(function, Double(a), Double(b))
        }
        return overflows ? reals(function, Double(a), Double(b)) : NSNumber(value: value)
    }

    private static func reals(_ function: PredefinedFunction, _ a: Double, _ b: Double) -> NSNumber? {
        let result: Double
        switch function {
        case .add: result = a + b
        case .subtract: result = a - b
        case .multiply: result = a * b
        case .divide:
            guard b != 0 else { return nil }
            result = a / b
        case .modulus:
            guard b != 0 else { return nil }
            result = a.truncatingRemainder(dividingBy: b)
        default: result = pow(a, b)
        }
        return result.isNaN ? nil : NSNumber(value: result)
    }

    private static func decimals(_ function: PredefinedFunction, _ a: Decimal, _ b: Decimal) -> Any? {
        let result: Decimal
        switch function {
        case .add: result = a + b
        case .subtract: result = a - b
        case .multiply: result = a * b
        case .divide:
            guard !b.isZero else { return nil }
            result = a / b
        default:
            return reals(function, NSDecimalNumber(decimal: a).doubleValue, NSDecimalNumber(decimal: b).doubleValue)
        }
        return result.isNaN ? nil : result
    }
}
