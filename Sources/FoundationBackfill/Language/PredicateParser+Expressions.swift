import Foundation

extension PredicateParser {
    /// An operator between two expressions.
    private enum Infix {
        case function(PredefinedFunction)
        case set(NSExpression.SetOperation)

        var precedence: Int {
            switch self {
            case .function(let function): function.precedence ?? 0
            case .set: setOperationPrecedence
            }
        }
    }

    /// An expression; a predicate in its place is an error.
    mutating func expression(precedence: Int = 0) throws -> NSExpression {
        let start = token.range.lowerBound
        guard case .expression(let expression) = try phrase(precedence: precedence) else {
            throw failure("expected a value, not a predicate", at: start)
        }
        return expression
    }

    /// An operand and the operators after it that bind at least as tightly as the precedence given.
    mutating func phrase(precedence: Int) throws -> Phrase {
        try nested { parser in
            let first = try parser.unary()
            guard case .expression(var left) = first else { return first }
            while let infix = parser.infix, infix.precedence >= precedence {
                parser.advance()
                try parser.lengthenChain()
                switch infix {
                case .function(let function):
                    // Powers group from the right, everything else from the left.
                    let next = function == .power ? infix.precedence : infix.precedence + 1
                    left = NSExpression(function, [left, try parser.expression(precedence: next)])
                case .set(let operation):
                    let right = try parser.expression(precedence: infix.precedence + 1)
                    left = NSExpression(node: .set(operation, left, right))
                }
            }
            return .expression(left)
        }
    }

    private var infix: Infix? {
        if case .symbol(let symbol) = token.kind { return PredefinedFunction.infix(symbol).map(Infix.function) }
        return keyword.flatMap(NSExpression.SetOperation.init(rawValue:)).map(Infix.set)
    }

    private mutating func unary() throws -> Phrase {
        if takeSymbol("-") {
            let operand = try expression(precedence: PredefinedFunction.power.precedence ?? 0)
            if case .constant(let number as NSNumber) = operand.node {
                return .expression(NSExpression(forConstantValue: number.negated))
            }
            return .expression(
                NSExpression(.subtract, [NSExpression(forConstantValue: NSNumber(value: 0)), operand]))
        }
        if takeSymbol("~") {
            let operand = try expression(precedence: PredefinedFunction.power.precedence ?? 0)
            return .expression(NSExpression(.onesComplement, [operand]))
        }
        let first = try primary()
        guard case .expression(var operand) = first else { return first }
        while true {
            if takeSymbol(".") {
                operand = operand.appending(key: try keyPathComponent())
            } else if takeSymbol("[") {
                try lengthenChain()
                operand = NSExpression(.element, [operand, try index()])
            } else {
                return .expression(operand)
            }
        }
    }

    /// What may stand after a dot: a name (keywords too), a collection operator, or `%K`.
    private mutating func keyPathComponent() throws -> String {
        switch token.kind {
        case .word(let name), .escapedWord(let name), .operatorName(let name):
            advance()
            return name
        case .argument(.keyPath):
            return try keyPathArgument()
        default:
            throw failure("expected a key")
        }
    }

    private mutating func index() throws -> NSExpression {
        let result: NSExpression
        if let position = keyword.flatMap(CollectionPosition.init(rawValue:)), following.kind == .symbol("]") {
            advance()
            result = NSExpression(forConstantValue: position)
        } else {
            result = try expression()
        }
        try expectSymbol("]")
        return result
    }

    // MARK: Operands

    private mutating func primary() throws -> Phrase {
        switch token.kind {
        case .number(let number):
            advance()
            return constant(ComparableValue(number).numericValue)
        case .text(let text):
            advance()
            return constant(text)
        case .variable(let name):
            advance()
            return .expression(NSExpression(forVariable: name))
        case .argument(let kind):
            return try argument(kind)
        case .escapedWord(let name), .operatorName(let name):
            advance()
            return .expression(NSExpression(forKeyPath: name))
        case .word(let name):
            return try word(name)
        case .symbol("("):
            advance()
            let phrase = try disjunction()
            try expectSymbol(")")
            return phrase
        case .symbol("{"):
            advance()
            return .expression(NSExpression(node: .aggregate(try list(until: "}"))))
        case .symbol, .end:
            throw failure("expected a value")
        }
    }

    private func constant(_ value: Any?) -> Phrase {
        .expression(NSExpression(forConstantValue: value))
    }

    /// Expressions between commas up to the closing bracket, which is taken too.
    private mutating func list(until end: String) throws -> [NSExpression] {
        if takeSymbol(end) { return [] }
        var members = [try expression()]
        while takeSymbol(",") { members.append(try expression()) }
        try expectSymbol(end)
        return members
    }

    private mutating func word(_ name: String) throws -> Phrase {
        if following.kind == .symbol("(") || following.kind == .symbol(":") {
            return .expression(try call(name))
        }
        let keyword = name.uppercased()
        let isReserved = ReservedWords.all.contains(keyword)
        if isReserved, continuesKey, keyword != "SELF" { throw reservedWord(name) }
        switch keyword {
        case "NULL", "NIL": advance(); return constant(nil)
        case "TRUE", "YES": advance(); return constant(NSNumber(value: true))
        case "FALSE", "NO": advance(); return constant(NSNumber(value: false))
        case "SELF": advance(); return .expression(NSExpression(node: .evaluatedObject))
        case "ANYKEY": advance(); return .expression(NSExpression(node: .anyKey))
        default:
            if isReserved { throw reservedWord(name) }
            advance()
            return .expression(NSExpression(forKeyPath: name))
        }
    }

    private mutating func call(_ name: String) throws -> NSExpression {
        if following.kind == .symbol("(") {
            switch name.uppercased() {
            case "SUBQUERY": return try subquery()
            case "TERNARY": return try conditional()
            case "CAST": return try cast()
            case "FUNCTION": return try method()
            case "FETCH": return try fetch()
            case let keyword where ReservedWords.all.contains(keyword):
                throw failure("expected a value")
            default: break
            }
        }
        let start = token.range.lowerBound
        var function = try functionName(name)
        let arguments = try list(until: ")")
        var expected = PredefinedFunction.argumentCount(of: function)
        // The colon of a function of one argument may be left out.
        if expected == nil || arguments.count == 1, PredefinedFunction.argumentCount(of: function + ":") == 1 {
            function += ":"
            expected = 1
        }
        // A function that is not known here is kept: it evaluates to nil, and a store refuses it by name.
        if let expected, arguments.count != expected {
            throw failure("\(function) takes \(expected) \(expected == 1 ? "value" : "values")", at: start)
        }
        return NSExpression(node: .function(function, operand: nil, arguments: arguments))
    }

    /// `name(`, `name:(`, `name:name:(`.
    private mutating func functionName(_ first: String) throws -> String {
        var name = first
        advance()
        while takeSymbol(":") {
            name += ":"
            if case .word(let part) = token.kind {
                name += part
                advance()
                guard isSymbol(":") else { throw failure("expected :") }
            }
        }
        try expectSymbol("(")
        return name
    }

    private mutating func openCall() throws {
        advance()
        try expectSymbol("(")
    }

    private mutating func subquery() throws -> NSExpression {
        try openCall()
        let collection = try expression()
        try expectSymbol(",")
        guard case .variable(let variable) = token.kind else { throw failure("expected a variable such as $x") }
        advance()
        try expectSymbol(",")
        let predicate = try predicate()
        try expectSymbol(")")
        return NSExpression(node: .subquery(collection, variable: variable, predicate: predicate))
    }

    private mutating func conditional() throws -> NSExpression {
        try openCall()
        let predicate = try predicate()
        try expectSymbol(",")
        let first = try expression()
        try expectSymbol(",")
        let second = try expression()
        try expectSymbol(")")
        return NSExpression(node: .conditional(predicate, first, second))
    }

    private mutating func cast() throws -> NSExpression {
        try openCall()
        let value = try expression()
        try expectSymbol(",")
        let type = try expression()
        try expectSymbol(")")
        // A constant's cast is a constant, so that dates and the like read back as what they were.
        if case .constant(let value?) = value.node, case .constant(let type as String) = type.node,
            let result = TypeCast.value(value, as: type)
        {
            return NSExpression(forConstantValue: result)
        }
        return NSExpression(.cast, [value, type])
    }

    private mutating func method() throws -> NSExpression {
        try openCall()
        let operand = try expression()
        try expectSymbol(",")
        let start = token.range.lowerBound
        guard case .constant(let name as String) = try expression().node else {
            throw failure("expected the method's name as a text", at: start)
        }
        let arguments: [NSExpression]
        if takeSymbol(",") {
            arguments = try list(until: ")")
        } else {
            try expectSymbol(")")
            arguments = []
        }
        return NSExpression(node: .function(name, operand: operand, arguments: arguments))
    }

    private mutating func fetch() throws -> NSExpression {
        try openCall()
        let request = try expression()
        try expectSymbol(",")
        let context = try expression()
        try expectSymbol(",")
        let start = token.range.lowerBound
        guard case .constant(let countOnly as NSNumber) = try expression().node else {
            throw failure("expected YES or NO", at: start)
        }
        try expectSymbol(")")
        return NSFetchRequestExpression(request: request, context: context, countOnly: countOnly.boolValue)
    }
}

extension NSExpression {
    /// A call of a predefined function.
    package convenience init(_ function: PredefinedFunction, _ arguments: [NSExpression]) {
        self.init(node: .function(function.rawValue, operand: nil, arguments: arguments))
    }

    /// This expression with one more key behind it.
    func appending(key: String) -> NSExpression {
        switch node {
        case .evaluatedObject: NSExpression(forKeyPath: key)
        case .keyPath(let path, let operand): NSExpression(node: .keyPath("\(path).\(key)", operand: operand))
        default: NSExpression(node: .keyPath(key, operand: self))
        }
    }
}

extension NSNumber {
    fileprivate var negated: Any {
        switch ComparableValue(self) {
        case .integer(let value): return value == .min ? NSNumber(value: -Double(value)) : NSNumber(value: -value)
        // 2^63 as a whole number is written -9223372036854775808 once the sign is there.
        case .decimal(let value): return value == -Decimal(Int64.min) ? NSNumber(value: Int64.min) : -value
        default: return NSNumber(value: -doubleValue)
        }
    }
}
