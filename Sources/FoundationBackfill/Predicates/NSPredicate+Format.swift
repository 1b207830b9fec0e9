import Foundation

/// What lets an initialiser of `NSPredicate` return one of our subclasses: only a protocol's initialiser may assign
/// `self` in a class.
public protocol _PredicateFormatInitializable {}

extension NSPredicate: _PredicateFormatInitializable {}

extension _PredicateFormatInitializable where Self: NSPredicate {
    /// The predicate that a format describes, with arguments for its specifiers.
    ///
    ///     NSPredicate(format: "name BEGINSWITH[cd] %@ AND age >= %d", prefix, 18)
    ///
    /// A format that cannot be read stops the program; for a text typed by a person use
    /// ``NSPredicate/parse(format:arguments:)``.
    public init(format predicateFormat: String, _ args: any CVarArg...) {
        self = Self.trapping(predicateFormat, args)
    }

    /// The predicate that a format describes, with arguments for its specifiers.
    public init(format predicateFormat: String, argumentArray arguments: [Any]?) {
        self = Self.trapping(predicateFormat, arguments ?? [])
    }

    /// The predicate that a format describes, with the arguments of a C argument list (`withVaList`).
    public init(format predicateFormat: String, arguments argList: CVaListPointer) {
        do {
            self = Self.trapping(predicateFormat, try CArguments.values(of: argList, for: predicateFormat))
        } catch {
            programmerError("\(error)")
        }
    }

    private static func trapping(_ format: String, _ arguments: [Any]) -> Self {
        do {
            let predicate = try NSPredicate.parse(format: format, arguments: arguments)
            guard let result = predicate as? Self else {
                programmerError("\(Self.self)(format:): \"\(format)\" describes no \(Self.self)")
            }
            return result
        } catch {
            programmerError("\(error)")
        }
    }
}

extension NSPredicate {
    /// The predicate that a format describes, for formats that may be faulty.
    ///
    /// Throws ``PredicateFormatError``, whose description shows the place of the fault.
    public static func parse(format: String, arguments: [Any] = []) throws -> NSPredicate {
        try PredicateParser.predicate(format: format, arguments: arguments)
    }
}

/// What lets an initialiser of `NSExpression` return one of our subclasses.
public protocol _ExpressionFormatInitializable {}

extension NSExpression: _ExpressionFormatInitializable {}

extension _ExpressionFormatInitializable where Self: NSExpression {
    /// The expression that a format describes, with arguments for its specifiers.
    ///
    ///     NSExpression(format: "price * %d", 2)
    ///
    /// A format that cannot be read stops the program; for a text typed by a person use
    /// ``NSExpression/parse(format:arguments:)``.
    public init(format expressionFormat: String, _ args: any CVarArg...) {
        self = Self.trapping(expressionFormat, args)
    }

    /// The expression that a format describes, with arguments for its specifiers.
    public init(format expressionFormat: String, argumentArray arguments: [Any]) {
        self = Self.trapping(expressionFormat, arguments)
    }

    /// The expression that a format describes, with the arguments of a C argument list (`withVaList`).
    public init(format expressionFormat: String, arguments argList: CVaListPointer) {
        do {
            self = Self.trapping(expressionFormat, try CArguments.values(of: argList, for: expressionFormat))
        } catch {
            programmerError("\(error)")
        }
    }

    private static func trapping(_ format: String, _ arguments: [Any]) -> Self {
        do {
            let expression = try NSExpression.parse(format: format, arguments: arguments)
            guard let result = expression as? Self else {
                programmerError("\(Self.self)(format:): \"\(format)\" describes no \(Self.self)")
            }
            return result
        } catch {
            programmerError("\(error)")
        }
    }
}

extension NSExpression {
    /// The expression that a format describes, for formats that may be faulty.
    ///
    /// Throws ``PredicateFormatError``, whose description shows the place of the fault.
    public static func parse(format: String, arguments: [Any] = []) throws -> NSExpression {
        try PredicateParser.expression(format: format, arguments: arguments)
    }
}
