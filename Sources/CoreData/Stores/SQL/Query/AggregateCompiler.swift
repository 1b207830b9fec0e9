import Foundation
import FoundationBackfill

/// Turns the expressions of a dictionary fetch into SQL. Other than in a predicate, an aggregate function over one value of a
/// record (`sum:(price)`, `@sum.price`) is meant over all records, or over those of a group.
struct AggregateCompiler {
    let scope: SQLScope

    struct Value {
        let term: SQLTerm
        /// Whether it is computed over several records.
        var isAggregate = false
        var isConstant = false
    }

    /// - Throws: `NSError` naming the part that a store cannot evaluate.
    func value(_ expression: NSExpression) throws -> Value {
        if case .keyPath(let path, operand: nil) = expression.node, path.hasPrefix("@") {
            return Value(term: try aggregate(path), isAggregate: true)
        }
        switch try expressions(scope).operand(expression) {
        case .term(let term): return Value(term: term, isAggregate: try isAggregate(expression))
        case .constant(let value):
            return Value(term: try expressions(scope).term(value, "\(expression)"), isConstant: true)
        case .list, .toMany:
            throw SQLRequestError.refused("\(expression) has many values: a column holds one value.")
        }
    }

    private func expressions(_ scope: SQLScope) -> ExpressionCompiler {
        var compiler = ExpressionCompiler(scope: scope)
        compiler.aggregatesRows = true
        return compiler
    }

    /// `@sum.price`; `@count` alone counts the records.
    private func aggregate(_ path: String) throws -> SQLTerm {
        let parts = path.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        let function: PredefinedFunction
        switch parts[0] {
        case "@sum": function = .sum
        case "@count": function = .count
        case "@min": function = .min
        case "@max": function = .max
        case "@avg", "@average": function = .average
        default: throw SQLRequestError.unsupported("the operator \(parts[0]) in the key path \(path)")
        }
        guard parts.count == 2 else {
            guard function == .count else { throw SQLRequestError.refused("\(path) needs a key: \(path).KEY.") }
            return .integer("COUNT(*)", path)
        }
        guard case .term(let term) = try scope.operand(String(parts[1])) else {
            throw SQLRequestError.refused("to-many key not allowed here: \(path).")
        }
        return try SQLAggregate.term(function, over: term, path, scope.query)
    }

    /// Whether an aggregate function in the expression is over records, rather than over a collection that each record has.
    private func isAggregate(_ expression: NSExpression) throws -> Bool {
        switch expression.node {
        case .function(let name, operand: nil, let arguments):
            switch PredefinedFunction.named(name) {
            case .sum, .count, .min, .max, .average, .median, .mode, .stddev:
                // Tried out in a statement of its own, so that no parameter is made twice.
                let query = SQLQuery(schema: scope.query.schema, storeIdentifier: scope.query.storeIdentifier)
                let trial = expressions(SQLScope(query, scope.entity))
                if let argument = arguments.first, case .term = try trial.operand(argument) { return true }
                return false
            default: return try arguments.contains(where: isAggregate)
            }
        case .function(_, operand: _?, let arguments): return try arguments.contains(where: isAggregate)
        case .conditional(_, let first, let second): return try isAggregate(first) || isAggregate(second)
        default: return false
        }
    }
}
