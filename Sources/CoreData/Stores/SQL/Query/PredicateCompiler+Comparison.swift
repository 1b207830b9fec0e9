import Foundation

extension PredicateCompiler {
    typealias Operator = NSComparisonPredicate.Operator
    typealias Options = NSComparisonPredicate.Options

    func condition(_ comparison: NSComparisonPredicate) throws -> String {
        var left = try operand(comparison.leftExpression)
        let right = try operand(comparison.rightExpression)
        let type = comparison.predicateOperatorType
        let options = comparison.options
        if comparison.comparisonPredicateModifier != .direct {
            return try quantified(comparison, left, right)
        }
        switch (left, right) {
        case (.constant, .constant):
            // Without a row in it, the comparison has one answer.
            return comparison.evaluate(with: nil) ? Self.isTrue : Self.isFalse
        case (.toMany(let collection), _) where type == .contains:
            return try member(of: collection, equals: right, options)
        case (_, .toMany(let collection)) where type == .in:
            return try member(of: collection, equals: left, options)
        case (.toMany(let collection), _), (_, .toMany(let collection)):
            throw SQLRequestError.refused(
                "to-many key not allowed here: \(collection.label) in \(comparison.formatText) needs ANY, ALL, NONE or @count."
            )
        case (.constant(let constant), .term) where constant.parameter != nil && !constant.isNull:
            // Only a constant that is written out takes on the kind of what it is compared with.
            if case .constant = comparison.leftExpression.node { break }
            left = .term(try expressions.term(constant, "\(comparison.leftExpression)"))
        default: break
        }
        return try relation(type, options, left, right)
    }

    /// A nil that came out of a calculation is not asked for, as one that is written out is.
    private func operand(_ expression: NSExpression) throws -> SQLOperand {
        let operand = try expressions.operand(expression)
        guard case .constant(.null) = operand else { return operand }
        if case .constant = expression.node { return operand }
        return .term(try expressions.term(.null, "\(expression)"))
    }

    private static var ownSelector: NSError {
        SQLRequestError.unsupported("a comparison by a selector of the program's own")
    }

    /// A comparison of single values: text that is true, false or NULL.
    func relation(_ type: Operator, _ options: Options, _ left: SQLOperand, _ right: SQLOperand) throws -> String {
        switch (left, right) {
        case (.term(let term), _):
            switch type {
            case .equalTo, .notEqualTo, .lessThan, .lessThanOrEqualTo, .greaterThan, .greaterThanOrEqualTo:
                return try compared(type, term, right, options)
            case .between: return try between(left, right, options)
            case .in: return try membership(term, right, options)
            case .beginsWith, .endsWith, .contains, .like, .matches:
                return try textTest(type, options, of: term, right)
            case .customSelector: throw Self.ownSelector
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
            case .between: throw SQLRequestError.unsupported("\(term.label) on the right of BETWEEN")
            case .customSelector: throw Self.ownSelector
            }
        case (.constant, .list) where type == .between: return try between(left, right, options)
        case (.constant(let constant), .list(let members)) where type == .in && constant.elements == nil:
            return try Self.any(members.map { try relation(.equalTo, options, left, $0) })
        case (.list, .constant(let constant)) where type == .contains && constant.elements == nil:
            return try relation(.in, options, right, left)
        case (.constant(let left), .constant(let right)):
            let comparison = NSComparisonPredicate(
                leftExpression: left.expression, rightExpression: right.expression, modifier: .direct, type: type,
                options: options)
            return comparison.evaluate(with: nil) ? Self.isTrue : Self.isFalse
        case (.list, _), (_, .list), (.toMany, _), (_, .toMany):
            throw SQLRequestError.unsupported("a comparison of two collections")
        }
    }

    static func any(_ conditions: [String]) -> String { joined(conditions[...], " OR ", empty: isFalse) }

    // MARK: Equality and order

    private func compared(
        _ type: Operator, _ term: SQLTerm, _ right: SQLOperand, _ options: Options
    ) throws -> String {
        switch right {
        case .constant(let constant): try compared(type, term, constant, options)
        case .term(let other): try compared(type, term, other, options)
        case .list, .toMany: throw SQLRequestError.refused("\(term.label) is compared with a collection.")
        }
    }

    private func compared(
        _ type: Operator, _ term: SQLTerm, _ constant: ComparableValue, _ options: Options
    ) throws -> String {
        let isOrder = type != .equalTo && type != .notEqualTo
        if isOrder { try requireOrder(term) }
        if constant.isNull {
            return isOrder ? "NULL" : "\(term.sql) IS \(type == .notEqualTo ? "NOT " : "")NULL"
        }
        if Self.folds(options), term.isFoldable, case .text(let text) = constant {
            if type == .equalTo { return matches(term, .equals, text, options) }
            if type == .notEqualTo { return "NOT \(matches(term, .equals, text, options))" }
            let matcher = query.parameter(.matcher(TextMatcher(.equals, text, options: options)))
            return "coredata_order(\(term.sql), \(matcher)) \(Self.symbol(type)) 0"
        }
        switch try term.counterpart(of: constant, query) {
        case .value(let value, let relation):
            guard let symbol = Self.symbol(type, valueIs: relation) else { break }
            return "\(term.sql) \(symbol) \(query.parameter(value))"
        case .none: break
        case .byFunction:
            guard let code = term.code, let (value, kind) = constant.parameter,
                let constantCode = SQLTerm(sql: "", kind: kind, label: "").code
            else { throw SQLRequestError.unsupported("\(term.label) compared with the constant of this kind") }
            return "coredata_relation(\(term.sql), \(code.rawValue), \(type.rawValue), \(query.parameter(value)),"
                + " \(constantCode.rawValue))"
        }
        return type == .notEqualTo ? "(\(term.sql) IS NOT NULL OR NULL)" : "(\(term.sql) IS NULL AND NULL)"
    }

    private func compared(_ type: Operator, _ left: SQLTerm, _ right: SQLTerm, _ options: Options) throws -> String {
        if type != .equalTo && type != .notEqualTo {
            try requireOrder(left)
            try requireOrder(right)
        }
        if Self.folds(options), left.isFoldable, right.isFoldable {
            return "coredata_text_order(\(left.sql), \(right.sql), \(options.rawValue)) \(Self.symbol(type)) 0"
        }
        if left.comparesNatively(with: right) { return "\(left.sql) \(Self.symbol(type)) \(right.sql)" }
        if case .key(let leftEntity) = left.kind, case .key(let rightEntity) = right.kind {
            // Keys of different tables may be the same numbers.
            if leftEntity.table === rightEntity.table { return "\(left.sql) \(Self.symbol(type)) \(right.sql)" }
            return type == .notEqualTo
                ? "(\(left.sql) IS NOT NULL AND \(right.sql) IS NOT NULL OR NULL)"
                : "((\(left.sql) IS NULL OR \(right.sql) IS NULL) AND NULL)"
        }
        guard let leftCode = left.code, let rightCode = right.code else {
            throw SQLRequestError.unsupported("\(left.label) compared with \(right.label)")
        }
        return "coredata_relation(\(left.sql), \(leftCode.rawValue), \(type.rawValue), \(right.sql),"
            + " \(rightCode.rawValue))"
    }

    private func requireOrder(_ term: SQLTerm) throws {
        switch term.kind {
        case .key, .entity, .externalData, .value(.transformable):
            throw SQLRequestError.unsupported("the order of \(term.label), whose values have none")
        case .value, .number: break
        }
    }

    static func symbol(_ type: Operator) -> String { symbol(type, valueIs: .orderedSame) ?? "=" }

    /// The operator for a stored form that stands below or above the constant meant, with no other form between them; nil where
    /// no stored value can equal the constant.
    static func symbol(_ type: Operator, valueIs relation: ComparisonResult) -> String? {
        switch (type, relation) {
        case (.lessThan, .orderedAscending), (.lessThanOrEqualTo, .orderedSame),
            (.lessThanOrEqualTo, .orderedAscending):
            "<="
        case (.lessThan, _), (.lessThanOrEqualTo, _): "<"
        case (.greaterThan, .orderedDescending), (.greaterThanOrEqualTo, .orderedSame),
            (.greaterThanOrEqualTo, .orderedDescending):
            ">="
        case (.greaterThan, _), (.greaterThanOrEqualTo, _): ">"
        case (.notEqualTo, .orderedSame): "<>"
        case (_, .orderedSame): "="
        default: nil
        }
    }

    private func between(_ value: SQLOperand, _ right: SQLOperand, _ options: Options) throws -> String {
        let bounds: [SQLOperand]
        switch right {
        case .list(let members): bounds = members
        case .constant(.collection(let members, isUnordered: false)):
            bounds = members.map { .constant(ComparableValue($0)) }
        default: bounds = []
        }
        guard bounds.count == 2 else {
            throw SQLRequestError.refused("BETWEEN needs two values, the lower and the upper one.")
        }
        let low = try relation(.greaterThanOrEqualTo, options, value, bounds[0])
        return "(\(low) AND \(try relation(.lessThanOrEqualTo, options, value, bounds[1])))"
    }

    // MARK: IN

    /// `x IN {…}`, or `x IN "text"`: a part of the text.
    private func membership(_ term: SQLTerm, _ right: SQLOperand, _ options: Options) throws -> String {
        switch right {
        case .constant(.collection(let members, _)):
            if let keys = term.keys(of: members, query), keys.count > 1 {
                let list = query.parameter(.list(SQLValueList(keys: keys)))
                return "\(term.sql) IN (SELECT value FROM coredata_values(\(list)))"
            }
            return try membership(term, members.map { ComparableValue($0) }, options)
        case .list(let members):
            var constants: [ComparableValue] = []
            var tests: [String] = []
            for member in members {
                if case .constant(let value) = member {
                    constants.append(value)
                } else {
                    tests.append(try relation(.equalTo, options, .term(term), member))
                }
            }
            if !constants.isEmpty || tests.isEmpty { tests.append(try membership(term, constants, options)) }
            return Self.any(tests)
        case .constant(let constant):
            guard let text = constant.text else {
                throw SQLRequestError.refused("\(term.label) IN needs a collection on its right.")
            }
            return matches(try textual(term, .in), .isPart, text, options)
        case .term(let other):
            guard term.isText, other.isText else {
                throw SQLRequestError.refused("\(term.label) IN needs a collection on its right.")
            }
            return textTest(.contains, options, of: other.sql, term.sql)
        case .toMany: throw SQLRequestError.unsupported("a comparison of two collections")
        }
    }

    /// NULL in a list would make `NOT x IN {…}` hold for no row at all: it is left out.
    private func membership(_ term: SQLTerm, _ members: [ComparableValue], _ options: Options) throws -> String {
        var values: [SQLValue] = []
        var folded: Set<String> = []
        var tests: [String] = []
        let folds = term.isFoldable && Self.folds(options)
        for member in members where !member.isNull {
            if folds, case .text(let text) = member {
                if options.contains(.localeSensitive) {
                    tests.append(matches(term, .equals, text, options))
                } else {
                    folded.insert(StringFolding.fold(text, options: options))
                }
                continue
            }
            switch try term.counterpart(of: member, query) {
            case .value(let value, .orderedSame): values.append(value)
            case .value, .none: break
            case .byFunction: tests.append(try compared(.equalTo, term, member, options))
            }
        }
        if !folded.isEmpty { tests.append(matches(term, .member(folded), "", options)) }
        if values.count == 1 {
            tests.append("\(term.sql) = \(query.parameter(values[0]))")
        } else if !values.isEmpty {
            let list = query.parameter(.list(SQLValueList(values)))
            tests.append("\(term.sql) IN (SELECT value FROM coredata_values(\(list)))")
        }
        if tests.isEmpty { return members.isEmpty ? Self.isFalse : "(\(term.sql) IS NULL AND NULL)" }
        return Self.any(tests)
    }
}

extension ComparableValue {
    /// The members of a collection, nil for a single value.
    var elements: [Any]? {
        if case .collection(let members, _) = self { members } else { nil }
    }

    /// The value as a constant again.
    fileprivate var expression: NSExpression {
        switch self {
        case .null: NSExpression(forConstantValue: nil)
        case .integer(let value): NSExpression(forConstantValue: value)
        case .real(let value): NSExpression(forConstantValue: value)
        case .decimal(let value): NSExpression(forConstantValue: value)
        case .text(let text): NSExpression(forConstantValue: text)
        case .date(let seconds): NSExpression(forConstantValue: Date(timeIntervalSinceReferenceDate: seconds))
        case .uuid(let uuid): NSExpression(forConstantValue: uuid)
        case .data(let data): NSExpression(forConstantValue: data)
        case .url(let text): NSExpression(forConstantValue: URL(string: text))
        case .identity(let identity): NSExpression(forConstantValue: identity.base)
        case .collection(let members, _): NSExpression(forConstantValue: members)
        case .object(let object): NSExpression(forConstantValue: object)
        case .other(let value): NSExpression(forConstantValue: value)
        }
    }
}
