import Foundation

/// A predicate that compares the values of two expressions.
///
/// Linux's Foundation declares the name but can make none, so this is a class of its own with Apple's interface. It is
/// one of Foundation's predicates and may be used wherever Foundation takes an `NSPredicate`. It never changes once made.
open class NSComparisonPredicate: NSPredicate {
    /// How a comparison with a collection on its left side is meant.
    public enum Modifier: UInt, Sendable {
        /// The two values are compared as they are.
        case direct = 0
        /// The comparison must hold for every member of the left side (it holds for an empty one).
        case all = 1
        /// The comparison must hold for at least one member of the left side.
        case any = 2
    }

    /// The comparisons, with Apple's numbers.
    public enum Operator: UInt, Sendable {
        case lessThan = 0
        case lessThanOrEqualTo = 1
        case greaterThan = 2
        case greaterThanOrEqualTo = 3
        case equalTo = 4
        case notEqualTo = 5
        /// The right side is a regular expression (ICU's) for the whole of the left text.
        case matches = 6
        /// The right side is a pattern for the whole of the left text: `*` any text, `?` one character.
        case like = 7
        case beginsWith = 8
        case endsWith = 9
        /// The left value is a member of the right collection, or a part of the right text.
        case `in` = 10
        /// A method of the left value decides, which gets the right one: see ``FunctionCallable``.
        case customSelector = 11
        /// The left collection has the right value as a member, or the left text has it as a part.
        case contains = 99
        /// The left value lies between the two values on the right, or is one of them.
        case between = 100
    }

    /// What a comparison of texts takes no notice of.
    public struct Options: OptionSet, Sendable, Hashable {
        public let rawValue: UInt

        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// `[c]`: upper and lower case are the same.
        public static let caseInsensitive = Options(rawValue: 1)
        /// `[d]`: a letter with an accent is the same as one without.
        public static let diacriticInsensitive = Options(rawValue: 2)
        /// `[n]`: the texts are known to be normalised; they are compared code by code.
        public static let normalized = Options(rawValue: 4)
        /// `[l]`: the order of the texts is that of the current locale.
        public static let localeSensitive = Options(rawValue: 8)
    }

    /// What stands on the left of the operator.
    open var leftExpression: NSExpression { left }
    /// What stands on the right of the operator.
    open var rightExpression: NSExpression { right }
    /// Whether the members of the left side are meant instead of itself.
    open var comparisonPredicateModifier: Modifier { modifier }
    /// The comparison made.
    open var predicateOperatorType: Operator { type }
    /// The method that a comparison of the type `customSelector` calls, else nil.
    open var customSelector: Selector? { selector }
    /// What the comparison takes no notice of.
    open var options: Options { comparisonOptions }

    let left: NSExpression
    let right: NSExpression
    let modifier: Modifier
    let type: Operator
    /// Set once, while the predicate is made.
    private var selector: Selector?
    let comparisonOptions: Options
    /// The right side if it is constant, so that it is not looked into for each object.
    let constantRight: ComparableValue?
    /// The members of a constant collection on the right of IN, made when first needed.
    let constantMembers: ConstantMembers?

    /// A comparison of two expressions.
    public init(
        leftExpression lhs: NSExpression, rightExpression rhs: NSExpression, modifier: Modifier,
        type: Operator, options: Options = []
    ) {
        left = lhs
        right = rhs
        self.modifier = modifier
        self.type = type
        comparisonOptions = options
        if case .constant(let value) = rhs.node {
            constantRight = Self.prepared(ComparableValue(value), type, options)
        } else {
            constantRight = nil
        }
        constantMembers = type == .in ? constantRight.flatMap { ConstantMembers($0, options: options) } : nil
        super.init(value: false)
    }

    /// A comparison by a method of the left value, which gets the right one and says whether it holds.
    public convenience init(
        leftExpression lhs: NSExpression, rightExpression rhs: NSExpression, customSelector selector: Selector
    ) {
        self.init(leftExpression: lhs, rightExpression: rhs, modifier: .direct, type: .customSelector)
        self.selector = selector
    }

    /// The same comparison of other expressions.
    package func comparing(_ left: NSExpression, _ right: NSExpression) -> NSComparisonPredicate {
        let comparison = NSComparisonPredicate(
            leftExpression: left, rightExpression: right, modifier: comparisonPredicateModifier,
            type: predicateOperatorType, options: options)
        comparison.selector = customSelector
        return comparison
    }

    /// A constant text folded once instead of for each object. Patterns are made ready elsewhere.
    private static func prepared(_ value: ComparableValue, _ type: Operator, _ options: Options) -> ComparableValue {
        guard case .text(let text) = value, type != .like, type != .matches, !options.contains(.localeSensitive) else {
            return value
        }
        return .text(StringFolding.fold(text, options: options))
    }

    /// Whether the comparison holds for an object, with values for the variables it names.
    open override func evaluate(with object: Any?, substitutionVariables bindings: [String: Any]?) -> Bool {
        evaluate(with: object, bindings: Bindings(variables: bindings ?? [:]))
    }

    open override func evaluate(with object: Any?) -> Bool {
        evaluate(with: object, substitutionVariables: nil)
    }

    /// The comparison in the format language.
    open override var predicateFormat: String { formatText }

    open override var description: String { formatText }

    open override var hash: Int { structuralHash }

    open override func isEqual(_ object: Any?) -> Bool {
        (object as? NSPredicate).map(isSame) ?? false
    }

    /// A predicate never changes: the copy is the predicate itself.
    open override func copy(with zone: NSZone? = nil) -> Any { self }

    open override func copy() -> Any { self }

    /// What archives call it.
    open override var classForCoder: AnyClass { NSPredicate.self }
}
