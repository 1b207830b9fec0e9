import Foundation

/// A piece of a predicate format.
struct PredicateToken {
    enum Kind: Equatable {
        /// A name or a keyword.
        case word(String)
        /// `#name`: a name, never a keyword.
        case escapedWord(String)
        /// `$name`, without the dollar sign.
        case variable(String)
        /// `@name`, with the at sign: a collection operator in a key path.
        case operatorName(String)
        case number(NSNumber)
        case text(String)
        /// `%@`, `%K`, `%ld` and so on: a value from the arguments.
        case argument(PredicateArgument)
        /// An operator or a bracket.
        case symbol(String)
        case end
    }

    let kind: Kind
    /// The bytes of the format that the token takes.
    let range: Range<Int>
}

/// What a specifier makes of its argument.
enum PredicateArgument: Equatable {
    /// `%@`
    case object
    /// `%K`
    case keyPath
    /// `%d`, `%lu`, `%c` …
    case integer
    /// `%f`, `%g` …
    case real
    /// `%s`
    case text
}
