import Foundation

/// Functions over the values that a term has in the rows of a `SELECT`. They follow `Aggregate`, which serves predicates in
/// memory: NULL does not count; of nothing the sum is 0, the number 0 and everything else NULL.
enum SQLAggregate {
    static func term(
        _ function: PredefinedFunction, over term: SQLTerm, isDistinct: Bool = false, _ label: String, _ query: SQLQuery
    ) throws -> SQLTerm {
        let distinct = isDistinct ? "DISTINCT " : ""
        func made(_ sql: String, _ kind: SQLTerm.Kind) -> SQLTerm { SQLTerm(sql: sql, kind: kind, label: label) }
        switch function {
        case .count: return .integer("COUNT(\(distinct)\(term.sql))", label)
        case .min, .max: return try extreme(function, term, label, query)
        case .sum, .average, .median, .stddev: break
        default:
            throw SQLRequestError.unsupported("the function \(function.rawValue) over the members of \(term.label)")
        }
        guard let numbers = term.numberClass, numbers != .date else {
            throw SQLRequestError.refused("\(term.label) is no number: \(function.rawValue) cannot calculate with it.")
        }
        let values = distinct + term.exactNumber.sql
        let isPlain = numbers == .real || (numbers == .integer && term.isNarrow)
        switch function {
        case .sum:
            // SQLite's own sum stops with an error where whole numbers overflow.
            if isPlain {
                return made(
                    "COALESCE(SUM(\(values)), 0)", numbers == .integer ? .value(.integer) : .number(mayBeDecimal: false)
                )
            }
            return made("coredata_sum(\(values))", .number(mayBeDecimal: numbers == .decimal))
        case .average:
            if isPlain { return made("AVG(\(values))", .value(.double)) }
            return made(
                "coredata_average(\(values))", numbers == .decimal ? .number(mayBeDecimal: true) : .value(.double))
        case .median: return made("coredata_median(\(values))", .value(.double))
        default: return made("coredata_deviation(\(values))", .value(.double))
        }
    }

    private static func extreme(
        _ function: PredefinedFunction, _ term: SQLTerm, _ label: String, _ query: SQLQuery
    ) throws -> SQLTerm {
        let isLeast = function == .min
        switch term.kind {
        case .value(.transformable), .key, .entity, .externalData:
            throw SQLRequestError.refused("\(term.label): \(function.rawValue) needs values that have an order.")
        case .value(.decimal) where query.schema.storesDecimalsAsText, .number(mayBeDecimal: true):
            // Decimals are texts there: only their values have the right order, and a subquery has no collation.
            return SQLTerm(
                sql: "coredata_\(isLeast ? "least" : "greatest")(\(term.sql))", kind: .number(mayBeDecimal: true),
                label: label)
        default:
            return SQLTerm(
                sql: "\(isLeast ? "MIN" : "MAX")(\(term.sql))", kind: term.kind, label: label, isNarrow: term.isNarrow)
        }
    }
}

extension SQLTerm {
    /// The term with decimals in their exact form, which is a text; other terms as they are.
    var exactNumber: SQLTerm {
        guard isValue(.decimal) else { return self }
        return SQLTerm(sql: "coredata_decimal(\(sql))", kind: .number(mayBeDecimal: true), label: label)
    }
}
