/// A piece of Swift source and where it stands, so that the source around it can be left as it is.
struct SourceToken {
    enum Kind {
        /// A keyword or an identifier.
        case word
        /// An identifier in backticks; its text is without them.
        case quotedWord
        /// A number, a regular expression, or the part of a string between its ends and interpolations.
        case literal
        /// One character, or the arrow `->`.
        case mark
        /// `#if`, `#elseif`, `#else` or `#endif`, with what stands behind it on the line.
        case directive
        /// Another word behind a number sign, as in `#keyPath`.
        case pound
    }

    let kind: Kind
    /// The word without its sign or backticks; of anything else, the text of the source.
    let text: String
    /// The bytes in the file.
    let range: Range<Int>
    /// The line on which it begins; the first is 1.
    var line = 1
    /// Whether it is the first on its line.
    var startsLine = false
    /// Whether it follows the token before without a space.
    var isAttached = false
    /// Of `#if` and `#elseif`: what stands behind, without comments, a space between its words.
    var condition = ""

    func isMark(_ mark: String) -> Bool { kind == .mark && text == mark }
    func isWord(_ word: String) -> Bool { kind == .word && text == word }
    var isName: Bool { kind == .word || kind == .quotedWord }
}
