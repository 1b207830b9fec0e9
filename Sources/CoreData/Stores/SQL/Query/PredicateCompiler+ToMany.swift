import Foundation

extension PredicateCompiler {
    /// `ANY path OP value` and `ALL path OP value`.
    func quantified(
        _ comparison: NSComparisonPredicate, _ left: SQLOperand, _ right: SQLOperand
    ) throws -> String {
        guard case .toMany(let path) = left else {
            throw SQLRequestError.refused("\(comparison.formatText): ANY and ALL need a to-many key on the left.")
        }
        if case .toMany(let other) = right {
            throw SQLRequestError.refused(
                "to-many key not allowed here: \(other.label) on the right of \(comparison.formatText).")
        }
        let type = comparison.predicateOperatorType
        let options = comparison.options
        switch comparison.comparisonPredicateModifier {
        case .all:
            // It holds where no member fails; a member for which nothing is known fails too.
            let exception = try exists(path) { "(\(try relation(type, options, $0, right))) IS NOT TRUE" }
            return "NOT \(exception)"
        case .any, .direct:
            return try exists(path) { "(\(try relation(type, options, $0, right)))" }
        }
    }

    /// `path CONTAINS value`, `value IN path`.
    func member(of path: SQLToManyPath, equals value: SQLOperand) throws -> String {
        try exists(path) { "(\(try relation(.equalTo, [], $0, value)))" }
    }

    private func exists(_ path: SQLToManyPath, where test: (SQLOperand) throws -> String) throws -> String {
        try path.exists(query) { operand in
            if case .toMany(let inner) = operand {
                throw SQLRequestError.refused(
                    "to-many key not allowed here: \(inner.label) has more than one to-many step.")
            }
            return try test(operand)
        }
    }
}
