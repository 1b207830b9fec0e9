import Foundation

extension NSExpression {
    /// The kind of the expression.
    public var expressionType: ExpressionType {
        switch node {
        case .constant: .constantValue
        case .evaluatedObject: .evaluatedObject
        case .variable: .variable
        case .keyPath: .keyPath
        case .function: .function
        case .set(.union, _, _): .unionSet
        case .set(.intersect, _, _): .intersectSet
        case .set(.minus, _, _): .minusSet
        case .subquery: .subquery
        case .aggregate: .aggregate
        case .anyKey: .anyKey
        case .block: .block
        case .conditional: .conditional
        case .fetch: .fetchRequest
        case .custom(let type): type
        }
    }
}

extension NSExpression {
    /// The value of a constant expression.
    public var constantValue: Any? {
        guard case .constant(let value) = node else { mismatch("constantValue") }
        return value
    }

    /// The key path of a key-path expression.
    public var keyPath: String {
        guard case .keyPath(let path, _) = node else { mismatch("keyPath") }
        return path
    }

    /// The name of the function of a function expression, with colons.
    public var function: String {
        guard case .function(let name, _, _) = node else { mismatch("function") }
        return name
    }

    /// The name of a variable expression, without `$`.
    public var variable: String {
        switch node {
        case .variable(let name), .subquery(_, let name, _): return name
        default: mismatch("variable")
        }
    }

    /// What a method is called on or a key path is read from: `SELF` for a plain key path.
    public var operand: NSExpression {
        switch node {
        case .keyPath(_, let operand): return operand ?? NSExpression(node: .evaluatedObject)
        case .function(_, let operand?, _): return operand
        default: mismatch("operand")
        }
    }

    /// The arguments of a function or block expression.
    public var arguments: [NSExpression]? {
        switch node {
        case .function(_, _, let arguments), .block(_, let arguments): return arguments
        default: mismatch("arguments")
        }
    }

    /// The expressions of an aggregate (an array), or the collection expression of a subquery.
    public var collection: Any {
        switch node {
        case .aggregate(let members): return members
        case .subquery(let collection, _, _): return collection
        case .constant(let value?) where collectionElements(value) != nil: return value
        default: mismatch("collection")
        }
    }

    /// The left operand of a set expression.
    public var left: NSExpression {
        guard case .set(_, let left, _) = node else { mismatch("left") }
        return left
    }

    /// The right operand of a set expression.
    public var right: NSExpression {
        guard case .set(_, _, let right) = node else { mismatch("right") }
        return right
    }

    /// The predicate of a subquery or of a conditional expression.
    public var predicate: NSPredicate {
        switch node {
        case .subquery(_, _, let predicate), .conditional(let predicate, _, _): return predicate
        default: mismatch("predicate")
        }
    }

    /// What a conditional expression gives if its predicate holds.
    public var `true`: NSExpression {
        guard case .conditional(_, let value, _) = node else { mismatch("true") }
        return value
    }

    /// What a conditional expression gives if its predicate does not hold.
    public var `false`: NSExpression {
        guard case .conditional(_, _, let value) = node else { mismatch("false") }
        return value
    }

    /// The closure of a block expression.
    public var expressionBlock: Block {
        guard case .block(let block, _) = node else { mismatch("expressionBlock") }
        return block
    }

    private func mismatch(_ property: String) -> Never {
        programmerError("NSExpression: \(property) is not a property of the expression \(self)")
    }
}
