import Foundation

/// One operand of a predicate, or a value computed for a record: a constant, a key path, a function call and so on.
///
/// Linux's Foundation declares the name but can make none, so this is a class of its own with Apple's interface. An
/// expression never changes once made. Reading a property that its kind does not have (`keyPath` of a constant) stops
/// the program, as the exception does on Apple's platforms.
open class NSExpression: NSObject, NSCopying {
    /// The kinds of expression, with Apple's numbers.
    public enum ExpressionType: UInt, Sendable {
        /// A fixed value.
        case constantValue = 0
        /// The object the expression is evaluated with, `SELF`.
        case evaluatedObject = 1
        /// `$NAME`, looked up in the context of the evaluation.
        case variable = 2
        /// A key path, read from the evaluated object or from an operand.
        case keyPath = 3
        /// A function call.
        case function = 4
        /// `a UNION b`.
        case unionSet = 5
        /// `a INTERSECT b`.
        case intersectSet = 6
        /// `a MINUS b`.
        case minusSet = 7
        /// `SUBQUERY(collection, $x, predicate)`.
        case subquery = 13
        /// `{a, b, c}`.
        case aggregate = 14
        /// Any key of the evaluated object (Spotlight); evaluates to nothing here.
        case anyKey = 15
        /// A closure.
        case block = 19
        /// `TERNARY(predicate, a, b)`.
        case conditional = 20
        /// `FETCH(request, context, countOnly)`: the value of Core Data's `NSFetchRequestExpressionType`.
        case fetchRequest = 50
    }

    /// What the expression consists of. The SQL compiler switches over it.
    package indirect enum Node {
        case constant(Any?)
        case evaluatedObject
        case variable(String)
        /// `operand` nil: the evaluated object.
        case keyPath(String, operand: NSExpression?)
        /// `operand` nil: one of the predefined functions.
        case function(String, operand: NSExpression?, arguments: [NSExpression])
        case set(SetOperation, NSExpression, NSExpression)
        case subquery(NSExpression, variable: String, predicate: NSPredicate)
        case aggregate([NSExpression])
        case anyKey
        case block(Block, arguments: [NSExpression])
        case conditional(NSPredicate, NSExpression, NSExpression)
        case fetch(request: NSExpression, context: NSExpression, countOnly: Bool)
        /// A client's subclass made with `init(expressionType:)`.
        case custom(ExpressionType)
    }

    /// The operations on two collections.
    package enum SetOperation: String {
        case union = "UNION"
        case intersect = "INTERSECT"
        case minus = "MINUS"
    }

    /// The closure of a block expression: evaluated object, the values of the arguments, the evaluation's context.
    public typealias Block = (Any?, [Any], NSMutableDictionary?) -> Any

    package let node: Node

    package init(node: Node) {
        self.node = node
        super.init()
    }

    /// For subclasses that compute their value themselves (override `expressionValue(with:context:)`).
    public init(expressionType type: ExpressionType) {
        switch type {
        case .evaluatedObject: node = .evaluatedObject
        case .anyKey: node = .anyKey
        default: node = .custom(type)
        }
        super.init()
    }

    /// A fixed value: a number, text, date, collection, managed object, object id, or nil.
    public convenience init(forConstantValue obj: Any?) {
        self.init(node: .constant(unwrapped(obj)))
    }

    /// The value bound to the name (without `$`) in the context of the evaluation.
    public convenience init(forVariable string: String) {
        self.init(node: .variable(string))
    }

    /// The value the evaluated object gives for a key path.
    public convenience init(forKeyPath keyPath: String) {
        self.init(node: .keyPath(keyPath, operand: nil))
    }

    /// A call of one of the predefined functions, by its name with colons (`sum:`, `add:to:`, `now`).
    ///
    /// Arguments that are no expressions count as constants. A name that is not predefined stops the program.
    public convenience init(forFunction name: String, arguments parameters: [Any]) {
        guard PredefinedFunction.named(name) != nil else {
            programmerError(
                "NSExpression(forFunction:arguments:): \"\(name)\" is not one of the predefined functions")
        }
        self.init(node: .function(name, operand: nil, arguments: parameters.map(NSExpression.wrapping)))
    }

    /// A call of a method of an object by name; the object must adopt ``FunctionCallable``.
    public convenience init(forFunction target: NSExpression, selectorName name: String, arguments parameters: [Any]?) {
        self.init(
            node: .function(name, operand: target, arguments: (parameters ?? []).map(NSExpression.wrapping)))
    }

    /// A collection of the values of several expressions. Members that are no expressions count as constants.
    public convenience init(forAggregate subexpressions: [Any]) {
        self.init(node: .aggregate(subexpressions.map(NSExpression.wrapping)))
    }

    /// The members of either collection.
    public convenience init(forUnionSet left: NSExpression, with right: NSExpression) {
        self.init(node: .set(.union, left, right))
    }

    /// The members that both collections have.
    public convenience init(forIntersectSet left: NSExpression, with right: NSExpression) {
        self.init(node: .set(.intersect, left, right))
    }

    /// The members of the left collection that the right one does not have.
    public convenience init(forMinusSet left: NSExpression, with right: NSExpression) {
        self.init(node: .set(.minus, left, right))
    }

    /// The members of a collection for which a predicate holds; the predicate names the member by the variable.
    public convenience init(
        forSubquery expression: NSExpression, usingIteratorVariable variable: String, predicate: NSPredicate
    ) {
        self.init(node: .subquery(expression, variable: variable, predicate: predicate))
    }

    /// One of two values, chosen by a predicate.
    public convenience init(
        forConditional predicate: NSPredicate, trueExpression: NSExpression, falseExpression: NSExpression
    ) {
        self.init(node: .conditional(predicate, trueExpression, falseExpression))
    }

    /// A value computed by a closure. No store can evaluate it.
    public convenience init(
        block: @escaping (_ evaluatedObject: Any?, _ arguments: [Any], _ context: NSMutableDictionary?) -> Any,
        arguments: [NSExpression]?
    ) {
        self.init(node: .block(block, arguments: arguments ?? []))
    }

    /// The evaluated object itself, `SELF`.
    open class func expressionForEvaluatedObject() -> NSExpression {
        NSExpression(node: .evaluatedObject)
    }

    /// Any key of the evaluated object, `ANYKEY`.
    open class func expressionForAnyKey() -> NSExpression {
        NSExpression(node: .anyKey)
    }

    /// An expression as it is; anything else as a constant.
    package static func wrapping(_ value: Any) -> NSExpression {
        value as? NSExpression ?? NSExpression(forConstantValue: value)
    }

    /// The value of the expression for an object.
    ///
    /// The context holds the values of variables by name. A variable that is not bound, a key that an object does not
    /// have, a division by zero and an operation on the wrong kind of value give nil. An expression made with
    /// `init(expressionType:)` must override this.
    open func expressionValue(with object: Any?, context: NSMutableDictionary?) -> Any? {
        evaluate(with: object, bindings: Bindings(context: context))
    }

    /// The expression in the format language.
    open override var description: String { FormatText.text(of: self) }

    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSExpression else { return false }
        return self === other || StructuralEquality.areEqual(self, other)
    }

    open override var hash: Int {
        var hasher = Hasher()
        StructuralEquality.hash(self, into: &hasher)
        return hasher.finalize()
    }

    /// An expression never changes: the copy is the expression itself.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    open override func copy() -> Any { self }
}
