import Foundation

extension PredicateParser {
    /// The next argument's value as an operand.
    mutating func argument(_ kind: PredicateArgument) throws -> Phrase {
        switch kind {
        case .keyPath:
            let path = try keyPathArgument()
            let isSelf = path.uppercased() == "SELF"
            return .expression(isSelf ? NSExpression(node: .evaluatedObject) : NSExpression(forKeyPath: path))
        case .object:
            switch try nextArgument() {
            case let expression as NSExpression: return .expression(expression)
            case let predicate as NSPredicate: return .predicate(predicate)
            case let value: return .expression(NSExpression(forConstantValue: value is NSNull ? nil : value))
            }
        case .integer:
            return try number { number in
                switch ComparableValue(number) {
                case .integer(let value): NSNumber(value: value)
                case .real(let value): Int64(exactly: value.rounded(.towardZero)).map(NSNumber.init(value:)) ?? number
                default: number
                }
            }
        case .real:
            return try number { $0 is NSDecimalNumber ? $0 : NSNumber(value: $0.doubleValue) }
        case .text:
            switch try nextArgument() {
            case let text as String: return .expression(NSExpression(forConstantValue: text))
            case let pointer as UnsafePointer<CChar>:
                return .expression(NSExpression(forConstantValue: String(cString: pointer)))
            default: throw failure("the argument of this specifier is not a text", at: previousOffset)
            }
        }
    }

    /// The next argument as a key path.
    mutating func keyPathArgument() throws -> String {
        guard let path = try nextArgument() as? String, !path.isEmpty else {
            throw failure("the argument of %K is not a key path", at: previousOffset)
        }
        return path
    }

    private mutating func number(_ convert: (NSNumber) -> NSNumber) throws -> Phrase {
        let value = try nextArgument()
        guard let number = value as? NSNumber ?? ComparableValue(value).number else {
            throw failure("the argument of this specifier is not a number", at: previousOffset)
        }
        return .expression(NSExpression(forConstantValue: ComparableValue(convert(number)).numericValue))
    }

    private mutating func nextArgument() throws -> Any? {
        guard argumentIndex < arguments.count else { throw failure("there is no argument for this specifier") }
        defer {
            argumentIndex += 1
            advance()
        }
        return unwrapped(arguments[argumentIndex])
    }

    private var previousOffset: Int { tokens[max(position - 1, 0)].range.lowerBound }
}
