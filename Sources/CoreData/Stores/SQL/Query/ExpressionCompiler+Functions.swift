import Foundation

extension ExpressionCompiler {
    /// A call of one of the predefined functions.
    ///
    /// SQL's own operators and functions stand where they mean exactly what `FunctionEvaluator` computes; else a function
    /// registered with SQLite calls that.
    func function(_ name: String, _ arguments: [NSExpression], _ expression: NSExpression) throws -> SQLOperand {
        guard let function = PredefinedFunction.named(name) else {
            guard name == PredefinedFunction.canonical, arguments.count == 1 else {
                throw SQLRequestError.unsupported("the function \(name), which is not known")
            }
            return try text(name, arguments[0], expression, kind: .string)
        }
        guard arguments.count == function.argumentCount else {
            throw SQLRequestError.refused("\(name) takes \(function.argumentCount) values, not \(arguments.count).")
        }
        switch function {
        case .count, .sum, .average, .min, .max, .median, .mode, .stddev:
            return try aggregate(function, arguments[0], expression)
        case .add, .subtract, .multiply, .divide, .modulus, .power, .bitwiseAnd, .bitwiseOr, .bitwiseXor, .leftShift,
            .rightShift:
            let operands = try arguments.map(operand)
            if let constant = foldedIfConstant(operands, expression) { return constant }
            let terms = try zip(operands, arguments).map { try number($0, $1, function) }
            return .term(try arithmetic(function, terms[0], terms[1], "\(expression)"))
        case .squareRoot, .log, .naturalLog, .exponential, .floor, .ceiling, .truncate, .absolute, .onesComplement:
            let operand = try operand(arguments[0])
            if let constant = foldedIfConstant([operand], expression) { return constant }
            return .term(try arithmetic(function, number(operand, arguments[0], function), "\(expression)"))
        case .uppercase, .lowercase: return try text(name, arguments[0], expression, kind: .string)
        case .length: return try text(name, arguments[0], expression, kind: .integer)
        case .now: return folded(expression)
        case .random:
            return .term(SQLTerm(sql: "coredata_random()", kind: .value(.double), label: name))
        case .randomBelow:
            let bound = try number(operand(arguments[0]), arguments[0], function)
            return .term(.integer("coredata_random(\(bound.exactNumber.sql))", "\(expression)"))
        case .noIndex:
            let operand = try operand(arguments[0])
            guard case .term(let term) = operand else { return operand }
            // SQLite uses no index for it, and knows its affinity and collation no less.
            return .term(SQLTerm(sql: "+\(term.sql)", kind: term.kind, label: term.label, isNarrow: term.isNarrow))
        case .cast: return try cast(arguments[0], arguments[1], expression)
        case .element:
            if case .constant(let position as CollectionPosition) = arguments[1].node, position == .size,
                case .toMany(let members) = try operand(arguments[0])
            {
                return .term(members.count("\(expression)"))
            }
            throw SQLRequestError.unsupported("the index in \(expression): the members of a collection have no places")
        }
    }

    private func foldedIfConstant(_ operands: [SQLOperand], _ expression: NSExpression) -> SQLOperand? {
        for operand in operands {
            guard case .constant = operand else { return nil }
        }
        return folded(expression)
    }

    private func number(
        _ operand: SQLOperand, _ argument: NSExpression, _ function: PredefinedFunction
    ) throws -> SQLTerm {
        let term = try term(operand, "\(argument)")
        guard term.numberClass != nil else {
            throw SQLRequestError.refused("\(argument) is no number: \(function.rawValue) cannot calculate with it.")
        }
        return term
    }

    private func text(
        _ name: String, _ argument: NSExpression, _ expression: NSExpression, kind: SlotKind
    ) throws -> SQLOperand {
        let operand = try operand(argument)
        if let constant = foldedIfConstant([operand], expression) { return constant }
        let term = try term(operand, "\(argument)")
        guard term.isValue(.string) else {
            throw SQLRequestError.refused("\(argument) is no text: \(name) cannot be applied to it.")
        }
        return .term(SQLTerm(sql: call(name, [term]), kind: .value(kind), label: "\(expression)"))
    }

    /// `coredata_call('name', value, code, …)`: the function as predicates in memory know it.
    func call(_ name: String, _ arguments: [SQLTerm]) -> String {
        let values = arguments.map { ", \($0.sql), \(($0.code ?? .number).rawValue)" }
        return "coredata_call('\(name)'\(values.joined()))"
    }

    // MARK: Aggregates

    private func aggregate(
        _ function: PredefinedFunction, _ argument: NSExpression, _ expression: NSExpression
    ) throws -> SQLOperand {
        switch try operand(argument) {
        case .toMany(let members): return .term(try members.aggregate(function, "\(expression)"))
        case .list(let members): return .term(try aggregate(function, members, expression))
        case .constant: return folded(expression)
        case .term(let term):
            guard aggregatesRows else {
                throw SQLRequestError.unsupported(
                    "the function expression \(expression): \(argument) is one value, not a collection")
            }
            return .term(try SQLAggregate.term(function, over: term, "\(expression)", query))
        }
    }

    /// A function over members that are written out.
    func aggregate(
        _ function: PredefinedFunction, _ members: [SQLOperand], _ expression: NSExpression
    ) throws -> SQLTerm {
        let (terms, kind) = try uniform(members, expression)
        let alias = query.makeAlias()
        let value = SQLTerm(sql: "\(alias).v", kind: kind, label: "\(expression)")
        let aggregate = try SQLAggregate.term(function, over: value, "\(expression)", query)
        let rows = terms.map { "(\($0.sql))" }.joined(separator: ", ")
        let source = rows.isEmpty ? "SELECT NULL WHERE 0" : "VALUES \(rows)"
        return SQLTerm(
            sql: "(WITH \(alias)(v) AS (\(source)) SELECT \(aggregate.sql) FROM \(alias))", kind: aggregate.kind,
            label: "\(expression)")
    }

    // MARK: Casts

    /// `CAST(value, "type")`, with the rules of `TypeCast`.
    private func cast(_ argument: NSExpression, _ type: NSExpression, _ expression: NSExpression) throws -> SQLOperand {
        let operand = try operand(argument)
        guard case .constant(let name as String) = type.node else {
            throw SQLRequestError.unsupported("\(expression), whose type is not written out")
        }
        if let constant = foldedIfConstant([operand], expression) { return constant }
        let term = try term(operand, "\(argument)")
        func made(_ sql: String, _ kind: SQLTerm.Kind) -> SQLOperand {
            .term(SQLTerm(sql: sql, kind: kind, label: "\(expression)"))
        }
        func called(_ type: String, _ kind: SQLTerm.Kind) throws -> SQLOperand {
            guard let code = term.code else { throw SQLRequestError.unsupported("\(expression)") }
            return made("coredata_cast(\(term.sql), \(code.rawValue), '\(type)')", kind)
        }
        let isNumber = term.numberClass != nil && term.numberClass != .date
        switch name {
        case "NSDate", "Date":
            if term.numberClass == .date { return .term(term) }
            if isNumber, term.numberClass != .decimal { return made("CAST(\(term.sql) AS REAL)", .value(.date)) }
        case "NSNumber":
            if term.numberClass == .date { return made("CAST(\(term.sql) AS REAL)", .value(.double)) }
            if isNumber { return .term(term) }
            if term.isFoldable { return try called("NSNumber", .number(mayBeDecimal: false)) }
        case "NSDecimalNumber":
            if isNumber || term.isText { return try called("NSDecimalNumber", .number(mayBeDecimal: true)) }
        case "NSString", "NSConstantString", "String":
            if term.isFoldable { return .term(term) }
            if term.isText { return made(term.sql, .value(.string)) }
            if term.numberClass != nil || term.isValue(.uuid) { return try called("NSString", .value(.string)) }
        case "NSUUID", "UUID":
            if term.isValue(.uuid) { return .term(term) }
            if term.isText { return try called("NSUUID", .value(.uuid)) }
        case "NSURL", "URL":
            if term.isText { return try called("NSURL", .value(.uri)) }
        case "NSData", "Data":
            if term.isValue(.data) { return .term(term) }
            if term.isFoldable { return try called("NSData", .value(.data)) }
        default: break
        }
        throw SQLRequestError.unsupported("\(expression): \(argument) cannot be turned into \(name)")
    }
}
