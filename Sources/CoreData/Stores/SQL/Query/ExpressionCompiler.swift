import Foundation

/// Turns the expressions of a predicate into SQL, in one scope.
struct ExpressionCompiler {
    let scope: SQLScope
    var query: SQLQuery { scope.query }

    /// What an expression means for a row of the scope.
    ///
    /// - Throws: `NSError` naming the part that a store cannot evaluate.
    func operand(_ expression: NSExpression) throws -> SQLOperand {
        switch expression.node {
        case .constant(let value): return .constant(ComparableValue(value))
        case .evaluatedObject: return try scope.operand("SELF")
        case .keyPath(let path, operand: let operand):
            if let operand, case .evaluatedObject = operand.node { return try scope.operand(path) }
            guard operand == nil else {
                throw SQLRequestError.unsupported("the key path \(path) of \(expression)")
            }
            return try scope.operand(path)
        case .aggregate(let members): return .list(try members.map(operand))
        case .variable(let name):
            throw SQLRequestError.refused("The variable $\(name) has no value: substitute it first.")
        case .block, .custom: throw SQLRequestError.unsupported("a block or an expression class of the program's own")
        case .function, .set, .subquery, .anyKey, .conditional, .fetch:
            throw SQLRequestError.unsupported("\(expression)")
        }
    }

    /// A term's SQL, or a parameter for a constant.
    /// - Parameter other: the term it is compared with, whose kind a constant takes on.
    /// - Returns: nil for a constant that no value of that kind can equal.
    func sql(_ operand: SQLOperand, like other: SQLTerm) throws -> String? {
        switch operand {
        case .term(let term): return term.sql
        case .constant(let constant):
            if constant.isNull { return "NULL" }
            return try other.value(for: constant, query).map(query.parameter)
        case .list, .toMany: throw SQLRequestError.refused("\(other.label) is compared with a collection.")
        }
    }
}
