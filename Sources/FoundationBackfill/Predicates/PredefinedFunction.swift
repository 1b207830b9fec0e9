import Foundation

/// The functions that a format or `NSExpression(forFunction:arguments:)` may call, by Apple's names.
package enum PredefinedFunction: String, CaseIterable, Sendable {
    case average = "average:"
    case sum = "sum:"
    case count = "count:"
    case min = "min:"
    case max = "max:"
    case median = "median:"
    case mode = "mode:"
    case stddev = "stddev:"
    case add = "add:to:"
    case subtract = "from:subtract:"
    case multiply = "multiply:by:"
    case divide = "divide:by:"
    case modulus = "modulus:by:"
    case power = "raise:toPower:"
    case squareRoot = "sqrt:"
    case log = "log:"
    case naturalLog = "ln:"
    case exponential = "exp:"
    case floor = "floor:"
    case ceiling = "ceiling:"
    case absolute = "abs:"
    case truncate = "trunc:"
    case random = "random"
    case randomBelow = "random:"
    case now = "now"
    case bitwiseAnd = "bitwiseAnd:with:"
    case bitwiseOr = "bitwiseOr:with:"
    case bitwiseXor = "bitwiseXor:with:"
    case leftShift = "leftshift:by:"
    case rightShift = "rightshift:by:"
    case onesComplement = "onesComplement:"
    case uppercase = "uppercase:"
    case lowercase = "lowercase:"
    case length = "length:"
    case noIndex = "noindex:"
    case cast = "castObject:toType:"
    case element = "objectFrom:withIndex:"

    /// `canonical:`, lower case without accents. The format knows it; `NSExpression(forFunction:arguments:)` does not, as
    /// on Apple's platforms.
    package static let canonical = "canonical:"

    private static let byName = Dictionary(uniqueKeysWithValues: allCases.map { ($0.rawValue, $0) })

    /// The function of that name. (The initialiser by raw value compares one name after the other.)
    package static func named(_ name: String) -> PredefinedFunction? { byName[name] }

    /// How many arguments it takes.
    package var argumentCount: Int { rawValue.utf8.count { $0 == UInt8(ascii: ":") } }

    /// How many arguments a function that the format knows takes; nil for any other name.
    static func argumentCount(of name: String) -> Int? { name == canonical ? 1 : named(name)?.argumentCount }

    /// The operator that the format writes it with.
    package var infixOperator: String? {
        switch self {
        case .add: "+"
        case .subtract: "-"
        case .multiply: "*"
        case .divide: "/"
        case .power: "**"
        case .bitwiseAnd: "&"
        case .bitwiseOr: "|"
        case .bitwiseXor: "^"
        case .leftShift: "<<"
        case .rightShift: ">>"
        default: nil
        }
    }

    /// How tightly its operator binds: larger numbers bind tighter.
    package var precedence: Int? {
        switch self {
        case .bitwiseOr: 2
        case .bitwiseXor: 3
        case .bitwiseAnd: 4
        case .leftShift, .rightShift: 5
        case .add, .subtract: 6
        case .multiply, .divide, .modulus: 7
        case .power: 9
        default: nil
        }
    }

    /// The function of an operator of the format.
    static func infix(_ symbol: String) -> PredefinedFunction? {
        switch symbol {
        case "+": .add
        case "-": .subtract
        case "*": .multiply
        case "/": .divide
        case "%": .modulus
        case "**": .power
        case "&": .bitwiseAnd
        case "|": .bitwiseOr
        case "^": .bitwiseXor
        case "<<": .leftShift
        case ">>": .rightShift
        default: nil
        }
    }
}

/// The precedence of `UNION`, `INTERSECT` and `MINUS`: looser than any arithmetic.
let setOperationPrecedence = 1
