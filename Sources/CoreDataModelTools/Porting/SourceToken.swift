/// A piece of Swift source and where it stands, so that the source around it can be left as it is.
struct SourceToken {
    enum Kind {
        /// A keyword or an identifier.
        case word
        /// An identifier in backticks; its text is without them.
        case quotedWord
        /// A number, a regular expression, or the part of a string between its ends and interpolations.
        case literal
        /// One character.
        case mark
        /// `#if`, `#elseif`, `#else` or `#endif`, with what stands behind it on the line.
        case directive
        /// Another word behind a number sign, as in `#keyPath`.
        case pound
    }

    let kind: Kind
    /// The word without its sign or backticks; empty for a literal.
    let text: String
    /// The bytes in the file.
    let range: Range<Int>
    /// Whether it is the first on its line.
    var startsLine = false
    /// Of `#if` and `#elseif`: what stands behind.
    var condition = ""

    func isMark(_ mark: String) -> Bool { kind == .mark && text == mark }
    func isWord(_ word: String) -> Bool { kind == .word && text == word }
    var isName: Bool { kind == .word || kind == .quotedWord }
}
