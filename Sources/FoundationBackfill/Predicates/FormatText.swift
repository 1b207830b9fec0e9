import Foundation

/// Writes predicates and expressions in the format language, as Apple's `predicateFormat` and `description` do.
enum FormatText {
    // MARK: Predicates

    static func text(of predicate: NSPredicate) -> String {
        switch predicate.form {
        case .constant(let value): value ? "TRUEPREDICATE" : "FALSEPREDICATE"
        case .comparison(let comparison): text(of: comparison)
        case .compound(.not, let members): "NOT " + (members.first.map(bracketed) ?? "FALSEPREDICATE")
        case .compound(let type, let members) where members.isEmpty:
            type == .and ? "TRUEPREDICATE" : "FALSEPREDICATE"
        case .compound(_, let members) where members.count == 1: text(of: members[0])
        case .compound(let type, let members):
            members.map(bracketed).joined(separator: type == .and ? " AND " : " OR ")
        case .opaque: (predicate as any SelfPrinting).predicateFormat
        }
    }

    private static func bracketed(_ predicate: NSPredicate) -> String {
        guard case .compound(let type, let members) = predicate.form, type != .not else { return text(of: predicate) }
        if members.count == 1 { return bracketed(members[0]) }
        return members.isEmpty ? text(of: predicate) : "(\(text(of: predicate)))"
    }

    private static func text(of comparison: NSComparisonPredicate) -> String {
        let modifier =
            switch comparison.comparisonPredicateModifier {
            case .direct: ""
            case .all: "ALL "
            case .any: "ANY "
            }
        let type =
            switch comparison.predicateOperatorType {
            case .lessThan: "<"
            case .lessThanOrEqualTo: "<="
            case .greaterThan: ">"
            case .greaterThanOrEqualTo: ">="
            case .equalTo: "=="
            case .notEqualTo: "!="
            case .matches: "MATCHES"
            case .like: "LIKE"
            case .beginsWith: "BEGINSWITH"
            case .endsWith: "ENDSWITH"
            case .in: "IN"
            case .customSelector: comparison.customSelector?.name ?? "CUSTOM"
            case .contains: "CONTAINS"
            case .between: "BETWEEN"
            }
        var options = ""
        if comparison.options.contains(.caseInsensitive) { options += "c" }
        if comparison.options.contains(.diacriticInsensitive) { options += "d" }
        if comparison.options.contains(.normalized) { options += "n" }
        if comparison.options.contains(.localeSensitive) { options += "l" }
        if !options.isEmpty { options = "[\(options)]" }
        return "\(modifier)\(text(of: comparison.leftExpression)) \(type)\(options) "
            + text(of: comparison.rightExpression)
    }

    // MARK: Expressions

    static func text(of expression: NSExpression) -> String {
        switch expression.node {
        case .constant(let value): return text(ofConstant: value)
        case .evaluatedObject: return "SELF"
        case .variable(let name): return "$\(name)"
        case .keyPath(let path, nil): return escaped(path)
        case .keyPath(let path, let operand?): return "\(atom(operand)).\(path)"
        case .function(let name, let operand?, let arguments):
            let parts = [text(of: operand), quoted(name)] + arguments.map(text)
            return "FUNCTION(\(parts.joined(separator: ", ")))"
        case .function(let name, nil, let arguments): return text(ofFunction: name, arguments)
        case .set(let operation, let left, let right):
            let leftText = precedence(left) < setOperationPrecedence ? "(\(text(of: left)))" : text(of: left)
            let rightText = precedence(right) <= setOperationPrecedence ? "(\(text(of: right)))" : text(of: right)
            return "\(leftText) \(operation.rawValue) \(rightText)"
        case .subquery(let collection, let variable, let predicate):
            return "SUBQUERY(\(text(of: collection)), $\(variable), \(text(of: predicate)))"
        case .aggregate(let members): return "{\(members.map(text).joined(separator: ", "))}"
        case .anyKey: return "ANYKEY"
        case .block(_, let arguments): return "BLOCK(\(arguments.map(text).joined(separator: ", ")))"
        case .conditional(let predicate, let first, let second):
            return "TERNARY(\(text(of: predicate)), \(text(of: first)), \(text(of: second)))"
        case .fetch(let request, let context, let countOnly):
            return "FETCH(\(text(of: request)), \(text(of: context)), \(countOnly ? "YES" : "NO"))"
        case .custom: return "\(Swift.type(of: expression))"
        }
    }

    private static func text(ofFunction name: String, _ arguments: [NSExpression]) -> String {
        let function = PredefinedFunction.named(name)
        if let function, let symbol = function.infixOperator, let binding = function.precedence, arguments.count == 2 {
            // The side on which operators of the same precedence do not group by themselves gets brackets.
            let isPower = function == .power
            let left = operand(arguments[0], binding: binding, isGrouped: !isPower)
            let right = operand(arguments[1], binding: binding, isGrouped: isPower)
            return "\(left) \(symbol) \(right)"
        }
        if function == .element, arguments.count == 2 {
            return "\(atom(arguments[0]))[\(index(arguments[1]))]"
        }
        if function == .cast, arguments.count == 2 {
            return "CAST(\(text(of: arguments[0])), \(text(of: arguments[1])))"
        }
        return "\(name)(\(arguments.map(text).joined(separator: ", ")))"
    }

    private static func operand(_ expression: NSExpression, binding: Int, isGrouped: Bool) -> String {
        let own = precedence(expression)
        let text = text(of: expression)
        return own > binding || (own == binding && isGrouped) ? text : "(\(text))"
    }

    /// How tightly the outermost operator of an expression's text binds.
    private static func precedence(_ expression: NSExpression) -> Int {
        switch expression.node {
        case .set: setOperationPrecedence
        case .function(let name, nil, let arguments) where arguments.count == 2:
            PredefinedFunction.named(name).flatMap { $0.infixOperator == nil ? nil : $0.precedence } ?? .max
        // The sign of a negative number binds less tightly than a power.
        case .constant(let number as NSNumber) where number.doubleValue < 0: 8
        // A word cannot be followed by a key.
        case .constant(let value) where ComparableValue(value).isNull: 8
        default: .max
        }
    }

    /// The text of something that a dot or an index follows.
    private static func atom(_ expression: NSExpression) -> String {
        precedence(expression) == .max ? text(of: expression) : "(\(text(of: expression)))"
    }

    /// The text of an index; a key that is called like a position gets a `#`.
    private static func index(_ expression: NSExpression) -> String {
        let text = text(of: expression)
        guard case .keyPath = expression.node, CollectionPosition(rawValue: text.uppercased()) != nil else {
            return text
        }
        return "#\(text)"
    }

    /// A key path whose first key is a word of the language gets a `#`.
    private static func escaped(_ path: String) -> String {
        let first = path.prefix { $0 != "." }
        return ReservedWords.all.contains(first.uppercased()) ? "#\(path)" : path
    }

    // MARK: Constants

    static func text(ofConstant value: Any?) -> String {
        if let position = value as? CollectionPosition { return position.rawValue }
        switch ComparableValue(value) {
        case .null: return "nil"
        case .integer(let value): return String(value)
        case .real(let value): return text(ofReal: value)
        case .decimal(let value): return text(ofDecimal: value)
        case .text(let text): return quoted(text)
        case .date(let seconds): return "CAST(\(sixDecimals(seconds)), \"NSDate\")"
        case .uuid(let uuid): return "CAST(\"\(uuid.uuidString)\", \"NSUUID\")"
        case .data(let data): return "CAST(\"\(data.base64EncodedString())\", \"NSData\")"
        case .url(let url): return "CAST(\(quoted(url)), \"NSURL\")"
        case .collection(let members, _): return "{\(members.map(text(ofConstant:)).joined(separator: ", "))}"
        case .identity: return value.map { "\($0)" } ?? "nil"
        case .object(let object): return object.description
        case .other(let value): return "\(value)"
        }
    }

    private static func text(ofReal value: Double) -> String {
        guard value.isFinite else { return "CAST(\"\(value)\", \"NSNumber\")" }
        if let whole = Int64(exactly: value), abs(value) < 0x1p53, !(value == 0 && value.sign == .minus) {
            return String(whole)
        }
        return "\(value)"
    }

    private static func text(ofDecimal value: Decimal) -> String {
        let text = "\(value)"
        if Int64(text) != nil || UInt64(text) != nil { return text }
        if let double = Double(text), "\(double)" == text { return text }
        return "CAST(\"\(text)\", \"NSDecimalNumber\")"
    }

    /// Six decimals as Apple writes dates; all digits if that would not be the same date.
    private static func sixDecimals(_ seconds: Double) -> String {
        let text = String(format: "%.6f", seconds)
        return Double(text) == seconds ? text : "\(seconds)"
    }

    static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case _ where scalar.value < 0x20 || scalar.value == 0x7F:
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}

/// Reaches a predicate's own text, which Linux's Foundation marks deprecated, without the warning.
private protocol SelfPrinting {
    var predicateFormat: String { get }
}

extension NSPredicate: SelfPrinting {}

extension NSPredicate {
    /// The predicate in the format language, whoever made it. Foundation's compound predicates do not print themselves.
    package var formatText: String { FormatText.text(of: self) }
}
