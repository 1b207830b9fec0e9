import Foundation

/// A sum that grows number by number; what is no number does not count.
///
/// Whole numbers are added exactly whatever their order, and the total is real only if it does not fit. Decimals stay exact
/// unless there are reals among the numbers.
package struct NumberSum {
    private var whole: Int128 = 0
    private var decimal: Decimal?
    private var real: Double?
    private var count: Int64 = 0

    package init() {}

    package mutating func add(_ value: ComparableValue) {
        switch value {
        case .integer(let value): whole += Int128(value)
        case .decimal(let value): decimal = (decimal ?? 0) + value
        case .real(let value): real = (real ?? 0) + value
        default: return
        }
        count += 1
    }

    /// 0 of nothing.
    package var total: ComparableValue {
        if let real {
            let sum = real + Double(whole) + (decimal.map { NSDecimalNumber(decimal: $0).doubleValue } ?? 0)
            return sum.isNaN ? .null : .real(sum)
        }
        if let decimal {
            let sum = whole == 0 ? decimal : decimal + (Decimal(string: whole.description) ?? .nan)
            return sum.isNaN ? .null : .decimal(sum)
        }
        return Int64(exactly: whole).map(ComparableValue.integer) ?? .real(Double(whole))
    }

    /// nil of nothing.
    package var average: ComparableValue {
        switch total {
        case _ where count == 0: .null
        case .integer(let sum): .real(Double(sum) / Double(count))
        case let sum: ComparableValue(Arithmetic.value(of: .divide, sum, .integer(count)))
        }
    }
}
