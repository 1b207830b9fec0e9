import Foundation

/// Turns a predicate into a condition on the rows of a scope.
///
/// Conditions follow SQL's logic of three values: a comparison with NULL is neither true nor false, so that `a != 1` and
/// `NOT a == 1` leave out rows without a value, as on Apple's platforms.
struct PredicateCompiler {
    let expressions: ExpressionCompiler
    var query: SQLQuery { expressions.query }

    static let isTrue = "1"
    static let isFalse = "0"

    init(scope: SQLScope) { expressions = ExpressionCompiler(scope: scope) }

    init(expressions: ExpressionCompiler) { self.expressions = expressions }

    /// - Throws: `NSError` (134060) naming the part that a store cannot evaluate.
    func condition(_ predicate: NSPredicate) throws -> String {
        let inner = PredicateCompiler(expressions: try expressions.inside())
        switch predicate.form {
        case .constant(let value): return value ? Self.isTrue : Self.isFalse
        case .comparison(let comparison):
            let condition = try inner.condition(comparison)
            try query.check(condition)
            return condition
        case .compound(let type, let parts):
            let conditions = try parts.map(inner.condition)
            switch type {
            case .and: return Self.joined(conditions[...], " AND ", empty: Self.isTrue)
            case .or: return Self.joined(conditions[...], " OR ", empty: Self.isFalse)
            case .not:
                guard conditions.count == 1 else {
                    throw SQLRequestError.refused("NOT takes one predicate, not \(conditions.count).")
                }
                return "NOT (\(conditions[0]))"
            @unknown default: throw SQLRequestError.unsupported("a compound predicate of an unknown type")
            }
        case .opaque: throw SQLRequestError.unsupported("a block or a predicate class of the program's own")
        }
    }

    /// Joins conditions as a balanced tree: SQLite refuses expressions that are more than 1,000 operators deep.
    static func joined(_ conditions: ArraySlice<String>, _ word: String, empty: String) -> String {
        switch conditions.count {
        case 0: return empty
        case 1: return conditions[conditions.startIndex]
        case 2...16: return "(" + conditions.joined(separator: word) + ")"
        default:
            let middle = conditions.startIndex + conditions.count / 2
            return "(" + joined(conditions[..<middle], word, empty: empty) + word
                + joined(conditions[middle...], word, empty: empty) + ")"
        }
    }
}
