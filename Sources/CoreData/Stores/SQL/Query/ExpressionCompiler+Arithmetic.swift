import Foundation

/// Calculation. Whole numbers and reals follow SQLite's own rules, in memory too (`Arithmetic`); decimals stay exact, which
/// SQL's cannot.
extension ExpressionCompiler {
    func arithmetic(
        _ function: PredefinedFunction, _ left: SQLTerm, _ right: SQLTerm, _ label: String
    ) throws -> SQLTerm {
        guard let leftClass = left.numberClass, let rightClass = right.numberClass else {
            throw SQLRequestError.refused("\(label): one of the two is no number.")
        }
        func made(_ sql: String, _ kind: SQLTerm.Kind) -> SQLTerm { SQLTerm(sql: sql, kind: kind, label: label) }
        if leftClass == .date || rightClass == .date {
            return try dates(function, left, leftClass, right, rightClass, label)
        }
        let areWhole = leftClass == .integer && rightClass == .integer
        switch function {
        case .add, .subtract, .multiply, .divide:
            if leftClass == .decimal || rightClass == .decimal {
                return made(call(function.rawValue, [left, right]), .number(mayBeDecimal: true))
            }
            let isReal = leftClass == .real || rightClass == .real
            return made(
                "(\(left.sql) \(function.infixOperator ?? "") \(right.sql))",
                isReal ? .value(.double) : .number(mayBeDecimal: false))
        case .modulus:
            // SQLite cuts reals before it divides.
            if areWhole { return made("(\(left.sql) % \(right.sql))", .value(.integer)) }
            return made(call(function.rawValue, [left, right]), .number(mayBeDecimal: false))
        case .power: return made(call(function.rawValue, [left, right]), .value(.double))
        default:
            guard areWhole, function != .bitwiseXor else {
                return made(call(function.rawValue, [left, right]), .value(.integer))
            }
            return made("(\(left.sql) \(function.infixOperator ?? "") \(right.sql))", .value(.integer))
        }
    }

    /// A date is its seconds: they can be counted on and off, and the distance of two dates is a number.
    private func dates(
        _ function: PredefinedFunction, _ left: SQLTerm, _ leftClass: SQLTerm.NumberClass, _ right: SQLTerm,
        _ rightClass: SQLTerm.NumberClass, _ label: String
    ) throws -> SQLTerm {
        let kind: SQLTerm.Kind
        switch (function, leftClass, rightClass) {
        case (.subtract, .date, .date): kind = .value(.double)
        case (.add, _, _) where leftClass != rightClass, (.subtract, .date, _): kind = .value(.date)
        default:
            throw SQLRequestError.refused("\(label): \(function.rawValue) cannot calculate with a date in this place.")
        }
        if leftClass == .decimal || rightClass == .decimal {
            return SQLTerm(sql: call(function.rawValue, [left, right]), kind: kind, label: label)
        }
        // The column keeps whole seconds as whole numbers, which would divide as such.
        let symbol = function == .add ? "+" : "-"
        return SQLTerm(
            sql: "(CAST(\(left.sql) AS REAL) \(symbol) CAST(\(right.sql) AS REAL))", kind: kind, label: label)
    }

    func arithmetic(_ function: PredefinedFunction, _ term: SQLTerm, _ label: String) throws -> SQLTerm {
        guard let numbers = term.numberClass, numbers != .date else {
            throw SQLRequestError.refused("\(term.label) is no number: \(function.rawValue) cannot calculate with it.")
        }
        let kind: SQLTerm.Kind
        switch function {
        case .floor, .ceiling, .truncate:
            if numbers == .integer { return term }
            kind = numbers == .mixed || numbers == .decimal ? .number(mayBeDecimal: false) : .value(.double)
        case .absolute: kind = numbers == .real ? .value(.double) : .number(mayBeDecimal: false)
        case .onesComplement:
            if numbers == .integer { return .integer("(~\(term.sql))", label) }
            kind = .value(.integer)
        default: kind = .value(.double)
        }
        return SQLTerm(sql: call(function.rawValue, [term]), kind: kind, label: label)
    }
}
