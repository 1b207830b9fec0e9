import Foundation

extension PredicateCompiler {
    typealias Operator = NSComparisonPredicate.Operator
    typealias Options = NSComparisonPredicate.Options

    func condition(_ comparison: NSComparisonPredicate) throws -> String {
        let left = try expressions.operand(comparison.leftExpression)
        let right = try expressions.operand(comparison.rightExpression)
        let type = comparison.predicateOperatorType
        let options = comparison.options
        if comparison.comparisonPredicateModifier != .direct {
            return try quantified(comparison, left, right)
        }
        switch (left, right) {
        case (.constant, .constant):
            // Without a row in it, the comparison has one answer.
            return comparison.evaluate(with: nil) ? Self.isTrue : Self.isFalse
        case (.toMany(let path), _) where type == .contains: return try member(of: path, equals: right)
        case (_, .toMany(let path)) where type == .in: return try member(of: path, equals: left)
        case (.toMany(let path), _), (_, .toMany(let path)):
            throw SQLRequestError.refused(
                "to-many key not allowed here: \(path.label) in \(comparison.formatText) needs ANY, ALL, NONE or @count."
            )
        default: return try relation(type, options, left, right)
        }
    }

    /// A comparison of single values: text that is true, false or NULL.
    func relation(_ type: Operator, _ options: Options, _ left: SQLOperand, _ right: SQLOperand) throws -> String {
        switch (left, right) {
        case (.term(let term), _):
            switch type {
            case .equalTo: return try equality(term, right, options, negated: false)
            case .notEqualTo: return try equality(term, right, options, negated: true)
            case .lessThan: return try order("<", term, right, options)
            case .lessThanOrEqualTo: return try order("<=", term, right, options)
            case .greaterThan: return try order(">", term, right, options)
            case .greaterThanOrEqualTo: return try order(">=", term, right, options)
            case .between: return try between(term, right, options)
            case .in: return try membership(term, right, options)
            case .beginsWith, .endsWith, .contains, .like, .matches:
                return try textTest(type, options, of: term, right)
            case .customSelector: throw SQLRequestError.unsupported("a comparison by a selector of the program's own")
            }
        case (_, .term(let term)):
            switch type {
            case .equalTo, .notEqualTo: return try relation(type, options, right, left)
            case .lessThan: return try relation(.greaterThan, options, right, left)
            case .lessThanOrEqualTo: return try relation(.greaterThanOrEqualTo, options, right, left)
            case .greaterThan: return try relation(.lessThan, options, right, left)
            case .greaterThanOrEqualTo: return try relation(.lessThanOrEqualTo, options, right, left)
            // `{…} CONTAINS x` is `x IN {…}`; of texts likewise.
            case .contains: return try relation(.in, options, right, left)
            case .in: return try relation(.contains, options, right, left)
            case .beginsWith, .endsWith, .like, .matches: return try textTest(type, options, of: left, term)
            case .between, .customSelector:
                throw SQLRequestError.unsupported("the collection \(term.label) on the right of an operator")
            }
        case (.list, _), (_, .list), (.constant, .constant), (.toMany, _), (_, .toMany):
            throw SQLRequestError.unsupported("a comparison of two collections")
        }
    }

    // MARK: The operators

    private func equality(
        _ term: SQLTerm, _ right: SQLOperand, _ options: Options, negated: Bool
    ) throws -> String {
        if case .constant(let constant) = right {
            if constant.isNull { return "\(term.sql) IS \(negated ? "NOT " : "")NULL" }
            if term.isText, Self.folds(options), let text = constant.text {
                let test = matches(term, .equals, text, options)
                return negated ? "NOT \(test)" : test
            }
        }
        if case .term(let other) = right, term.isText, other.isText, Self.folds(options) {
            return "coredata_text_order(\(term.sql), \(other.sql), \(options.rawValue)) \(negated ? "<>" : "=") 0"
        }
        guard let value = try expressions.sql(right, like: term) else { return never(term, negated: negated) }
        return "\(term.sql) \(negated ? "<>" : "=") \(value)"
    }

    private func order(
        _ symbol: String, _ term: SQLTerm, _ right: SQLOperand, _ options: Options
    ) throws -> String {
        switch term.kind {
        case .key, .entity, .externalData:
            throw SQLRequestError.unsupported("the order of \(term.label), whose values have none")
        case .value: break
        }
        if term.isText, Self.folds(options) {
            if case .constant(let constant) = right, let text = constant.text {
                let matcher = query.parameter(.matcher(TextMatcher(.equals, text, options: options)))
                return "coredata_order(\(term.sql), \(matcher)) \(symbol) 0"
            }
            if case .term(let other) = right, other.isText {
                return "coredata_text_order(\(term.sql), \(other.sql), \(options.rawValue)) \(symbol) 0"
            }
        }
        guard let value = try expressions.sql(right, like: term) else { return never(term, negated: false) }
        return "\(term.sql) \(symbol) \(value)"
    }

    private func between(_ term: SQLTerm, _ right: SQLOperand, _ options: Options) throws -> String {
        let bounds: [SQLOperand]
        switch right {
        case .list(let members): bounds = members
        case .constant(.collection(let members, isUnordered: false)):
            bounds = members.map { .constant(ComparableValue($0)) }
        default: bounds = []
        }
        guard bounds.count == 2 else {
            throw SQLRequestError.refused("\(term.label) BETWEEN needs two values, the lower and the upper one.")
        }
        let low = try order(">=", term, bounds[0], options)
        return "(\(low) AND \(try order("<=", term, bounds[1], options)))"
    }

    /// `x IN {…}`, or `x IN "text"`: a part of the text.
    private func membership(_ term: SQLTerm, _ right: SQLOperand, _ options: Options) throws -> String {
        switch right {
        case .constant(.collection(let members, _)):
            return try membership(term, members.map { ComparableValue($0) }, options)
        case .list(let members):
            let constants = members.compactMap { member -> ComparableValue? in
                if case .constant(let value) = member { value } else { nil }
            }
            if constants.count == members.count { return try membership(term, constants, options) }
            let tests = try members.map { try equality(term, $0, options, negated: false) }
            return "(" + tests.joined(separator: " OR ") + ")"
        case .constant(let constant):
            guard term.isText, let text = constant.text else {
                throw SQLRequestError.refused("\(term.label) IN needs a collection on its right.")
            }
            return matches(term, .isPart, text, options)
        case .term(let other):
            guard term.isText, other.isText else {
                throw SQLRequestError.refused("\(term.label) IN needs a collection on its right.")
            }
            return textTest(.contains, options, of: other.sql, term.sql)
        case .toMany: throw SQLRequestError.unsupported("a comparison of two collections")
        }
    }

    private func membership(_ term: SQLTerm, _ members: [ComparableValue], _ options: Options) throws -> String {
        if term.isText, Self.folds(options) {
            let folded = members.compactMap(\.text).map { StringFolding.fold($0, options: options) }
            return matches(term, .member(Set(folded)), "", options)
        }
        // NULL in a list would make `NOT x IN {…}` hold for no row at all.
        let values = try members.filter { !$0.isNull }.compactMap { try term.value(for: $0, query) }
        switch values.count {
        case 0: return members.isEmpty ? Self.isFalse : never(term, negated: false)
        case 1: return "\(term.sql) = \(query.parameter(values[0]))"
        default:
            return "\(term.sql) IN (SELECT value FROM coredata_values(\(query.parameter(.list(SQLValueList(values))))))"
        }
    }

    /// A comparison that no value passes, or that each one does; rows without a value pass neither.
    private func never(_ term: SQLTerm, negated: Bool) -> String {
        negated ? "\(term.sql) IS NOT NULL" : "(\(term.sql) IS NULL AND NULL)"
    }
}
