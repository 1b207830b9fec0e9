import Foundation

/// Turns expressions into SQL, for the rows of one scope.
struct ExpressionCompiler {
    /// What a variable stands for: the member of a `SUBQUERY`, or a column of a grouped fetch.
    enum Variable {
        case record(SQLScope, SQLScope.Place)
        case term(SQLTerm)
    }

    let scope: SQLScope
    var query: SQLQuery { scope.query }
    /// By name, without `$`.
    var variables: [String: Variable] = [:]
    /// Whether `sum:(x)` means all rows of the statement, as in the columns of a fetch; else it needs a collection.
    var aggregatesRows = false
    /// The fetch whose groups a `HAVING` tests: key paths name what it groups by.
    var grouping: DictionaryPlan?
    /// How many expressions and predicates stand around.
    private(set) var depth = 0

    private static let deepest = 200

    init(scope: SQLScope) { self.scope = scope }

    /// This compiler for what stands inside an expression or predicate.
    func inside() throws -> ExpressionCompiler {
        guard depth < Self.deepest else {
            throw SQLRequestError.refused("The predicate is nested more than \(Self.deepest) levels deep.")
        }
        var copy = self
        copy.depth += 1
        return copy
    }

    /// Stands as deep as another one.
    mutating func continueDepth(of other: ExpressionCompiler) { depth = other.depth }

    func binding(_ name: String, to variable: Variable) -> ExpressionCompiler {
        var copy = self
        copy.variables[name] = variable
        return copy
    }

    /// An expression that has one value for each row; a constant is a parameter.
    ///
    /// - Throws: `NSError` (134060) naming the part that a store cannot evaluate.
    func term(_ expression: NSExpression) throws -> SQLTerm {
        try term(operand(expression), "\(expression)")
    }

    /// What an expression means for a row of the scope.
    ///
    /// - Throws: `NSError` (134060) naming the part that a store cannot evaluate.
    func operand(_ expression: NSExpression) throws -> SQLOperand {
        let inner = try inside()
        let operand: SQLOperand
        switch expression.node {
        case .constant(let value): return .constant(ComparableValue(value))
        case .evaluatedObject: return try property("SELF")
        case .keyPath(let path, operand: nil): return try property(path)
        case .keyPath(let path, operand: let base?): operand = try inner.keyPath(path, of: base, expression)
        case .variable(let name): return try variable(name)
        case .aggregate(let members): operand = .list(try members.map(inner.operand))
        case .function(let name, operand: nil, let arguments):
            operand = try inner.function(name, arguments, expression)
        case .function(let name, operand: let object?, let arguments):
            operand = try inner.method(name, of: object, arguments, expression)
        case .subquery(let collection, let variable, let predicate):
            operand = .toMany(try inner.subquery(collection, variable, predicate, expression))
        case .conditional(let condition, let first, let second):
            operand = .term(try inner.conditional(condition, first, second, expression))
        case .fetch(let request, _, let countOnly):
            operand = try inner.fetch(request, countOnly: countOnly, expression)
        case .set(_, let left, let right):
            guard case .constant = try inner.operand(left), case .constant = try inner.operand(right) else {
                throw SQLRequestError.unsupported("\(expression)")
            }
            return folded(expression)
        case .block, .custom: throw SQLRequestError.unsupported("a block or an expression class of the program's own")
        case .anyKey: throw SQLRequestError.unsupported("ANYKEY")
        }
        if case .term(let term) = operand { try query.check(term.sql) }
        return operand
    }

    /// One value for each row.
    func term(_ operand: SQLOperand, _ label: String) throws -> SQLTerm {
        switch operand {
        case .term(let term): return term
        case .constant(let constant): return try term(constant, label)
        case .list, .toMany: throw SQLRequestError.refused("\(label) is a collection where one value is needed.")
        }
    }

    /// A constant as a parameter.
    func term(_ constant: ComparableValue, _ label: String) throws -> SQLTerm {
        guard let (value, kind) = constant.parameter else {
            throw SQLRequestError.unsupported("the constant \(label) in this place")
        }
        if case .null = value { return SQLTerm(sql: "NULL", kind: kind, label: label) }
        return SQLTerm(sql: query.parameter(value), kind: kind, label: label)
    }

    /// The value of an expression that depends on no row.
    func folded(_ expression: NSExpression) -> SQLOperand {
        .constant(ComparableValue(expression.expressionValue(with: nil, context: nil)))
    }

    // MARK: Kinds of expressions

    private func property(_ path: String) throws -> SQLOperand {
        let operand = try scope.operand(path)
        try grouping?.requireGroup(path, "havingPredicate")
        return operand
    }

    private func variable(_ name: String) throws -> SQLOperand {
        switch variables[name] {
        case .record(let scope, let place): return .term(scope.identity(place, "$\(name)"))
        case .term(let term): return .term(term)
        case nil: throw SQLRequestError.refused("The variable $\(name) has no value: substitute it first.")
        }
    }

    private func keyPath(_ path: String, of base: NSExpression, _ expression: NSExpression) throws -> SQLOperand {
        switch base.node {
        case .evaluatedObject: return try property(path)
        case .variable(let name):
            guard case .record(let scope, let place) = variables[name] else { break }
            return try scope.operand(SQLScope.keys(path), at: place, "$\(name).\(path)")
        default: break
        }
        switch try operand(base) {
        case .toMany(let collection): return try collection.appending(SQLScope.keys(path), "\(expression)")
        case .list(let members):
            guard let function = Self.aggregate(ofOperator: path) else { break }
            return .term(try aggregate(function, members, expression))
        case .constant(let constant):
            // Records are the context's affair: it has replaced what it can read of them.
            if constant.isRecord { break }
            return folded(expression)
        case .term: break
        }
        throw SQLRequestError.unsupported("the key path \(path) of \(expression)")
    }

    private static func aggregate(ofOperator name: String) -> PredefinedFunction? {
        switch name {
        case "@count": .count
        case "@sum": .sum
        case "@avg", "@average": .average
        case "@min": .min
        case "@max": .max
        default: nil
        }
    }

    /// A method of an object of the program: none of a row's values has any, but a constant may.
    private func method(
        _ name: String, of object: NSExpression, _ arguments: [NSExpression], _ expression: NSExpression
    ) throws -> SQLOperand {
        for part in [object] + arguments {
            guard case .constant = try operand(part) else {
                throw SQLRequestError.unsupported("the method \(name) in \(expression)")
            }
        }
        guard object.expressionValue(with: nil, context: nil) is any FunctionCallable else {
            throw SQLRequestError.unsupported("the method \(name) in \(expression)")
        }
        return folded(expression)
    }

    private func subquery(
        _ collection: NSExpression, _ variable: String, _ predicate: NSPredicate, _ expression: NSExpression
    ) throws -> SQLCollection {
        guard case .toMany(let members) = try operand(collection) else {
            throw SQLRequestError.unsupported("SUBQUERY over \(collection), which is no to-many key")
        }
        let inner = binding(variable, to: members.member)
        return members.filtered(try PredicateCompiler(expressions: inner).condition(predicate))
    }

    private func conditional(
        _ condition: NSPredicate, _ first: NSExpression, _ second: NSExpression, _ expression: NSExpression
    ) throws -> SQLTerm {
        let test = try PredicateCompiler(expressions: self).condition(condition)
        let (values, kind) = try uniform([operand(first), operand(second)], expression)
        return SQLTerm(
            sql: "CASE WHEN \(test) THEN \(values[0].sql) ELSE \(values[1].sql) END", kind: kind,
            label: "\(expression)")
    }

    /// Values of one kind, so that what comes out of them has one.
    func uniform(
        _ operands: [SQLOperand], _ expression: NSExpression
    ) throws -> (terms: [SQLTerm], kind: SQLTerm.Kind) {
        let terms = try operands.map { try term($0, "\(expression)") }
        let known = terms.filter { $0.sql != "NULL" }
        guard let first = known.first else { return (terms, .number(mayBeDecimal: false)) }
        if known.allSatisfy({ $0.numberClass != nil && $0.numberClass != .date }) {
            if known.allSatisfy({ $0.numberClass == first.numberClass }), first.numberClass != .decimal {
                return (terms, first.kind)
            }
            let exact = terms.map(\.exactNumber)
            return (exact, .number(mayBeDecimal: known.contains { $0.numberClass == .decimal }))
        }
        guard let code = first.code, known.allSatisfy({ $0.code == code }) else {
            throw SQLRequestError.unsupported("\(expression), whose values are of different kinds")
        }
        return (terms, first.kind)
    }
}
