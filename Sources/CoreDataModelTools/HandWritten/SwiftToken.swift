/// A piece of Swift source, as far as finding declarations needs telling them apart.
struct SwiftToken: Equatable {
    enum Kind: Equatable {
        /// A word: a keyword or an identifier. Of one in backticks, the name without them.
        case word
        /// A word in backticks, which is never a keyword.
        case quotedWord
        /// A number, string or regular expression; its text is that of the source.
        case literal
        /// One character, or the arrow `->`.
        case mark
        /// `if`, `elseif`, `else` or `endif`; a condition is in `condition`.
        case directive
    }

    let kind: Kind
    let text: String
    /// The first line is 1.
    let line: Int
    /// Whether it is the first on its line.
    var startsLine = false
    /// Whether it follows the token before without a space.
    var isAttached = false
    /// Of `#if` and `#elseif`.
    var condition = ""

    func isMark(_ mark: String) -> Bool { kind == .mark && text == mark }
    func isWord(_ word: String) -> Bool { kind == .word && text == word }
    var isName: Bool { kind == .word || kind == .quotedWord }
}
