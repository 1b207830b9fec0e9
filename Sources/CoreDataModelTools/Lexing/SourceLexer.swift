/// Cuts Swift source into tokens that know their places. Comments are passed over; what is interpolated into a string gives
/// tokens like any other code.
///
/// It knows no grammar. What is no Swift at all gives some tokens or others, never a fault.
struct SourceLexer {
    /// A string that is open around an interpolation.
    private struct OpenString {
        let hashes: Int
        let isMultiline: Bool
        /// Brackets open in the interpolation.
        var depth = 0
    }

    private let bytes: [UInt8]
    private var place = 0
    private var tokens: [SourceToken] = []
    private var strings: [OpenString] = []

    /// The tokens of a source, in order. O(n) in its length.
    static func tokens(of bytes: [UInt8]) -> [SourceToken] {
        var lexer = SourceLexer(bytes: bytes)
        lexer.run()
        return lexer.tokens
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    private mutating func run() {
        if starts("\u{FEFF}") { place = 3 }
        if starts("#!") { skipLine() }
        while place < bytes.count { step() }
        addPlaces()
    }

    /// Tells each token where it stands among lines and other tokens.
    private mutating func addPlaces() {
        var end = 0
        var line = 1
        for index in tokens.indices {
            let range = tokens[index].range
            let between = lineBreaks(in: end..<range.lowerBound)
            line += between
            tokens[index].line = line
            tokens[index].startsLine = index == 0 || between > 0
            tokens[index].isAttached = index > 0 && range.lowerBound == end
            line += lineBreaks(in: range)
            end = range.upperBound
        }
    }

    /// Ends of lines, however they are written.
    private func lineBreaks(in range: Range<Int>) -> Int {
        range.count { index in
            switch bytes[index] {
            case UInt8(ascii: "\n"): true
            case UInt8(ascii: "\r"): index + 1 == bytes.count || bytes[index + 1] != UInt8(ascii: "\n")
            default: false
            }
        }
    }

    private mutating func step() {
        switch bytes[place] {
        case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"), UInt8(ascii: "\n"), 0: place += 1
        case UInt8(ascii: "/") where starts("//"): skipLine()
        case UInt8(ascii: "/") where starts("/*"): skipComment()
        case UInt8(ascii: "/") where startsRegex(): readRegex(hashes: 0)
        case UInt8(ascii: "\""): readString(hashes: 0)
        case UInt8(ascii: "#"): readHash()
        case UInt8(ascii: "`"): readQuotedWord()
        case UInt8(ascii: "-") where starts("->"): add(.mark, to: place + 2)
        case UInt8(ascii: "0")...UInt8(ascii: "9"): readNumber()
        case UInt8(ascii: "(") where !strings.isEmpty:
            strings[strings.count - 1].depth += 1
            add(.mark, to: place + 1)
        case UInt8(ascii: ")") where !strings.isEmpty: closeBracket()
        case let byte where Self.isWordByte(byte): add(.word, to: endOfWord(from: place))
        default: add(.mark, to: place + 1)
        }
    }

    private static func isWordByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"), 0x80...: true
        default: false
        }
    }

    private func starts(_ text: StaticString, at start: Int? = nil) -> Bool {
        let start = start ?? place
        return text.withUTF8Buffer { bytes[min(start, bytes.count)...].starts(with: $0) }
    }

    private mutating func add(_ kind: SourceToken.Kind, from start: Int? = nil, to end: Int) {
        let range = (start ?? place)..<min(end, bytes.count)
        tokens.append(SourceToken(kind: kind, text: String(decoding: bytes[range], as: UTF8.self), range: range))
        place = range.upperBound
    }

    private func endOfWord(from start: Int) -> Int {
        var end = start
        while end < bytes.count, Self.isWordByte(bytes[end]) { end += 1 }
        return end
    }

    private func endOfLine(from start: Int) -> Int {
        var end = start
        while end < bytes.count, bytes[end] != UInt8(ascii: "\n"), bytes[end] != UInt8(ascii: "\r") { end += 1 }
        return end
    }

    // MARK: Comments, words, directives

    private mutating func skipLine() { place = endOfLine(from: place) }

    private mutating func skipComment() {
        var depth = 0
        repeat {
            if starts("/*") {
                depth += 1
                place += 2
            } else if starts("*/") {
                depth -= 1
                place += 2
            } else {
                place += 1
            }
        } while depth > 0 && place < bytes.count
    }

    private mutating func readNumber() {
        var end = endOfWord(from: place)
        if end + 1 < bytes.count, bytes[end] == UInt8(ascii: "."),
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[end + 1])
        {
            end = endOfWord(from: end + 1)
        }
        add(.literal, to: end)
    }

    private mutating func readQuotedWord() {
        let end = endOfWord(from: place + 1)
        guard end < bytes.count, bytes[end] == UInt8(ascii: "`") else { return add(.mark, to: place + 1) }
        tokens.append(
            SourceToken(
                kind: .quotedWord, text: String(decoding: bytes[place + 1..<end], as: UTF8.self),
                range: place..<end + 1))
        place = end + 1
    }

    private mutating func readHash() {
        var hashes = 0
        while place + hashes < bytes.count, bytes[place + hashes] == UInt8(ascii: "#") { hashes += 1 }
        let next = place + hashes
        if next < bytes.count, bytes[next] == UInt8(ascii: "\"") { return readString(hashes: hashes) }
        if next < bytes.count, bytes[next] == UInt8(ascii: "/") { return readRegex(hashes: hashes) }
        let end = endOfWord(from: place + 1)
        guard end > place + 1 else { return add(.mark, to: place + 1) }
        let word = String(decoding: bytes[place + 1..<end], as: UTF8.self)
        let isDirective = ["if", "elseif", "else", "endif"].contains(word)
        var token = SourceToken(kind: isDirective ? .directive : .pound, text: word, range: place..<end)
        place = end
        if isDirective { token.condition = readCondition() }
        tokens.append(token)
    }

    /// What stands behind a directive, without comments. An operator at the end of a line goes on in the next.
    private mutating func readCondition() -> String {
        var text: [UInt8] = []
        while place < bytes.count {
            if starts("//") {
                skipLine()
            } else if starts("/*") {
                skipComment()
            } else if bytes[place] == UInt8(ascii: "\n") {
                while let last = text.last, [UInt8(ascii: " "), UInt8(ascii: "\r")].contains(last) { text.removeLast() }
                guard text.suffix(2).elementsEqual("&&".utf8) || text.suffix(2).elementsEqual("||".utf8) else { break }
                place += 1
            } else {
                text.append(bytes[place])
                place += 1
            }
        }
        return String(decoding: text, as: UTF8.self).split { $0 == " " || $0 == "\t" }.joined(separator: " ")
    }

    // MARK: Strings

    private mutating func readString(hashes: Int) {
        let start = place
        let isMultiline = starts("\"\"\"", at: place + hashes)
        strings.append(OpenString(hashes: hashes, isMultiline: isMultiline))
        place += hashes + (isMultiline ? 3 : 1)
        readText(from: start)
    }

    private mutating func closeBracket() {
        guard strings[strings.count - 1].depth == 0 else {
            strings[strings.count - 1].depth -= 1
            return add(.mark, to: place + 1)
        }
        let start = place
        place += 1
        readText(from: start)
    }

    /// Reads on in the innermost string, to its end or to the next interpolation.
    private mutating func readText(from start: Int) {
        let string = strings[strings.count - 1]
        let quotes = string.isMultiline ? 3 : 1
        func hasHashes(at index: Int) -> Bool {
            index + string.hashes <= bytes.count
                && bytes[index..<index + string.hashes].allSatisfy { $0 == UInt8(ascii: "#") }
        }
        while place < bytes.count {
            let isQuote = string.isMultiline ? starts("\"\"\"") : bytes[place] == UInt8(ascii: "\"")
            if isQuote, hasHashes(at: place + quotes) {
                place += quotes + string.hashes
                break
            }
            if bytes[place] == UInt8(ascii: "\\"), hasHashes(at: place + 1) {
                place += 1 + string.hashes
                guard place < bytes.count else { break }
                if bytes[place] == UInt8(ascii: "(") {
                    place += 1
                    return add(.literal, from: start, to: place)
                }
                // The escaped character, unless it is the end of a line.
                if bytes[place] != UInt8(ascii: "\n") { place += 1 }
                continue
            }
            // A string of one line ends there, closed or not.
            if bytes[place] == UInt8(ascii: "\n"), !string.isMultiline { break }
            place += 1
        }
        strings.removeLast()
        add(.literal, from: start, to: place)
    }

    // MARK: Regular expressions

    /// Whether a slash begins a regular expression: where a value is due, and with another slash on its line.
    private func startsRegex() -> Bool {
        guard place + 1 < bytes.count, ![UInt8(ascii: " "), UInt8(ascii: "\t")].contains(bytes[place + 1]) else {
            return false
        }
        if let last = tokens.last {
            switch last.kind {
            case .literal, .quotedWord, .pound: return false
            case .word where !["return", "in", "case", "where", "try", "await", "else", "throw"].contains(last.text):
                return false
            case .mark where [")", "]", "}", ">", "?", "!", ".", "/", "*", "&", "|"].contains(last.text): return false
            default: break
            }
        }
        var index = place + 1
        while index < bytes.count, bytes[index] != UInt8(ascii: "\n") {
            if bytes[index] == UInt8(ascii: "/") { return true }
            index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        return false
    }

    private mutating func readRegex(hashes: Int) {
        let start = place
        place += hashes + 1
        while place < bytes.count {
            if bytes[place] == UInt8(ascii: "/") {
                let end = place + 1
                let closing = bytes[end...].prefix(hashes)
                if closing.count == hashes, closing.allSatisfy({ $0 == UInt8(ascii: "#") }) {
                    place = end + hashes
                    break
                }
            }
            if bytes[place] == UInt8(ascii: "\n"), hashes == 0 { break }
            place += bytes[place] == UInt8(ascii: "\\") ? 2 : 1
        }
        add(.literal, from: start, to: place)
    }
}
