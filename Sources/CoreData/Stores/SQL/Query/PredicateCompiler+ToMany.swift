import Foundation

extension PredicateCompiler {
    /// `ANY path OP value` and `ALL path OP value`.
    func quantified(
        _ comparison: NSComparisonPredicate, _ left: SQLOperand, _ right: SQLOperand
    ) throws -> String {
        let type = comparison.predicateOperatorType
        let options = comparison.options
        if case .toMany(let other) = right, type != .in {
            throw SQLRequestError.refused(
                "to-many key not allowed here: \(other.label) on the right of \(comparison.formatText).")
        }
        let isAll = comparison.comparisonPredicateModifier == .all
        switch left {
        case .toMany(let collection):
            if type == .contains, collection.steps > 1 {
                return try nestedContains(collection, right, isAll: isAll, comparison)
            }
            // It holds where no member fails; a member for which nothing is known fails too.
            if isAll {
                return "NOT \(try collection.exists { "(\(try test(type, options, $0, right))) IS NOT TRUE" })"
            }
            return try collection.exists { "(\(try test(type, options, $0, right)))" }
        case .list(let members):
            return try quantified(comparison, members, right, isAll: isAll)
        case .constant(.collection(let members, _)):
            return try quantified(
                comparison, members.map { .constant(ComparableValue($0)) }, right, isAll: isAll)
        case .constant, .term:
            // What is no collection is its only member, as in memory.
            return try quantified(comparison, [left], right, isAll: isAll)
        }
    }

    private func test(_ type: Operator, _ options: Options, _ member: SQLTerm, _ right: SQLOperand) throws -> String {
        if type == .in, case .toMany(let others) = right {
            return try self.member(of: others, equals: .term(member), options)
        }
        return try relation(type, options, .term(member), right)
    }

    /// A quantifier over members that are written out.
    private func quantified(
        _ comparison: NSComparisonPredicate, _ members: [SQLOperand], _ right: SQLOperand, isAll: Bool
    ) throws -> String {
        if case .constant = right {
            let isConstant = members.allSatisfy { if case .constant = $0 { true } else { false } }
            if isConstant { return comparison.evaluate(with: nil) ? Self.isTrue : Self.isFalse }
        }
        let terms = try members.map { try expressions.term($0, comparison.formatText) }
        let tests = try terms.map {
            "((\(try test(comparison.predicateOperatorType, comparison.options, $0, right))) IS TRUE)"
        }
        return isAll ? Self.joined(tests[...], " AND ", empty: Self.isTrue) : Self.any(tests)
    }

    /// `ANY groups.members CONTAINS x`: each group's members are a collection of their own.
    private func nestedContains(
        _ collection: SQLCollection, _ right: SQLOperand, isAll: Bool, _ comparison: NSComparisonPredicate
    ) throws -> String {
        guard !isAll, case .key = collection.value.kind else {
            throw SQLRequestError.unsupported(
                "CONTAINS over more than one to-many relationship in \(comparison.formatText)")
        }
        return try member(of: collection, equals: right, comparison.options)
    }

    /// `path CONTAINS value`, `value IN path`.
    func member(of collection: SQLCollection, equals value: SQLOperand, _ options: Options) throws -> String {
        switch value {
        case .list, .toMany, .constant(.collection):
            throw SQLRequestError.unsupported("a test whether \(collection.label) has a collection as its member")
        case .constant, .term: break
        }
        // What does not depend on the row is computed once.
        if collection.isIndependent, case .term(let term) = value, !Self.folds(options) {
            if case .key(let left) = term.kind, case .key(let right) = collection.value.kind, left.table === right.table
            {
                return isIn(term, collection)
            }
            if term.comparesNatively(with: collection.value), !collection.value.isValue(.decimal) {
                return isIn(term, collection)
            }
        }
        return try collection.exists { "(\(try relation(.equalTo, options, value, .term($0))))" }
    }

    private func isIn(_ term: SQLTerm, _ collection: SQLCollection) -> String {
        let value = collection.value.sql
        return "\(term.sql) IN (\(collection.select(value, where: "\(value) IS NOT NULL")))"
    }
}
