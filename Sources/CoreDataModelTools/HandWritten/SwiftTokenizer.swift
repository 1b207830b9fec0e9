/// Cuts Swift source into tokens: comments (nested ones too) go, strings of every form are one token each, whatever is interpolated
/// into them.
///
/// It knows no grammar. What is no Swift at all gives some tokens or others, never a fault.
struct SwiftTokenizer {
    private let bytes: [UInt8]
    private var place = 0
    private var line = 1
    private var tokens: [SwiftToken] = []
    /// Whether a token was made on this line.
    private var lineHasToken = false
    /// Where the last token ended.
    private var lastEnd = -1

    /// The tokens of a source, in order. O(n) in its length.
    static func tokens(of source: String) -> [SwiftToken] {
        var tokenizer = SwiftTokenizer(bytes: Array(source.utf8))
        tokenizer.run()
        return tokenizer.tokens
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    private mutating func run() {
        if starts("#!") { skipLine() }
        while place < bytes.count { step() }
    }

    private mutating func step() {
        let byte = bytes[place]
        switch byte {
        case UInt8(ascii: "\n"): newLine()
        case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"), 0: place += 1
        case UInt8(ascii: "/") where starts("//"): skipLine()
        case UInt8(ascii: "/") where starts("/*"): skipComment()
        case UInt8(ascii: "/") where isRegexStart(): readRegex(hashes: 0)
        case UInt8(ascii: "\""): readString(hashes: 0)
        case UInt8(ascii: "#"): readHash()
        case UInt8(ascii: "`"): readQuotedWord()
        case UInt8(ascii: "-") where starts("->"): add(.mark, to: place + 2)
        case UInt8(ascii: "0")...UInt8(ascii: "9"): readNumber()
        case _ where Self.isWordByte(byte): readWord()
        default: add(.mark, to: place + 1)
        }
    }

    // MARK: Places

    private func starts(_ text: String, at offset: Int = 0) -> Bool {
        let utf8 = text.utf8
        guard place + offset + utf8.count <= bytes.count else { return false }
        return zip(utf8, bytes[(place + offset)...]).allSatisfy { $0 == $1 }
    }

    private func byte(_ offset: Int) -> UInt8? {
        let index = place + offset
        return index >= 0 && index < bytes.count ? bytes[index] : nil
    }

    private mutating func newLine() {
        place += 1
        line += 1
        lineHasToken = false
    }

    private mutating func skipLine() {
        while place < bytes.count, bytes[place] != UInt8(ascii: "\n") { place += 1 }
    }

    private mutating func skipComment() {
        var depth = 0
        repeat {
            if starts("/*") {
                depth += 1
                place += 2
            } else if starts("*/") {
                depth -= 1
                place += 2
            } else if bytes[place] == UInt8(ascii: "\n") {
                newLine()
            } else {
                place += 1
            }
        } while depth > 0 && place < bytes.count
    }

    // MARK: Tokens

    private mutating func add(_ kind: SwiftToken.Kind, to end: Int, text: String? = nil, at start: (Int, Int)? = nil) {
        let end = min(end, bytes.count)
        let (first, firstLine) = start ?? (place, line)
        var token = SwiftToken(
            kind: kind, text: text ?? String(decoding: bytes[first..<end], as: UTF8.self), line: firstLine)
        token.startsLine = !lineHasToken
        token.isAttached = lastEnd == first
        tokens.append(token)
        lineHasToken = true
        place = end
        lastEnd = end
    }

    private static func isWordByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"), 0x80...: true
        default: false
        }
    }

    private mutating func readWord() {
        var end = place
        while end < bytes.count, Self.isWordByte(bytes[end]) { end += 1 }
        add(.word, to: end)
    }

    private mutating func readNumber() {
        var end = place
        while end < bytes.count {
            let isFraction =
                bytes[end] == UInt8(ascii: ".") && end + 1 < bytes.count
                && (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[end + 1])
            guard Self.isWordByte(bytes[end]) || isFraction else { break }
            end += 1
        }
        add(.literal, to: end)
    }

    private mutating func readQuotedWord() {
        var end = place + 1
        while end < bytes.count, bytes[end] != UInt8(ascii: "`"), bytes[end] != UInt8(ascii: "\n") { end += 1 }
        let name = String(decoding: bytes[(place + 1)..<end], as: UTF8.self)
        add(.quotedWord, to: end + 1, text: name)
    }

    /// `#if` and its kin, a raw string, an extended regular expression, or just the mark.
    private mutating func readHash() {
        var hashes = 0
        while byte(hashes) == UInt8(ascii: "#") { hashes += 1 }
        if byte(hashes) == UInt8(ascii: "\"") { return readString(hashes: hashes) }
        if byte(hashes) == UInt8(ascii: "/") { return readRegex(hashes: hashes) }
        for name in ["if", "elseif", "else", "endif"] where starts("#" + name) {
            if let next = byte(name.utf8.count + 1), Self.isWordByte(next) { continue }
            return readDirective(name)
        }
        add(.mark, to: place + 1)
    }

    private mutating func readDirective(_ name: String) {
        add(.directive, to: place + 1 + name.utf8.count, text: name)
        guard name == "if" || name == "elseif" else { return }
        let index = tokens.count - 1
        var condition: [String] = []
        repeat {
            let (text, _) = restOfLine()
            condition.append(text)
            // An operator at the end of the line goes on in the next.
            guard text.hasSuffix("&&") || text.hasSuffix("||"), place < bytes.count else { break }
            newLine()
        } while true
        tokens[index].condition = condition.joined(separator: " ")
    }

    /// The text up to the end of the line, without comments and spaces around it.
    private mutating func restOfLine() -> (String, Int) {
        var text: [UInt8] = []
        while place < bytes.count, bytes[place] != UInt8(ascii: "\n") {
            if starts("//") {
                skipLine()
            } else if starts("/*") {
                skipComment()
            } else {
                text.append(bytes[place])
                place += 1
            }
        }
        let trimmed = String(decoding: text, as: UTF8.self).split { $0 == " " || $0 == "\t" || $0 == "\r" }
        return (trimmed.joined(separator: " "), text.count)
    }

    // MARK: Strings

    private mutating func readString(hashes: Int) {
        let start = (place, line)
        place += hashes
        let isMultiline = starts("\"\"\"")
        place += isMultiline ? 3 : 1
        let fence = String(repeating: "#", count: hashes)
        let end = (isMultiline ? "\"\"\"" : "\"") + fence
        while place < bytes.count {
            if starts(end) {
                place += end.utf8.count
                break
            }
            if bytes[place] == UInt8(ascii: "\n") {
                // A string of one line ends there, closed or not.
                guard isMultiline else { break }
                place += 1
                line += 1
            } else if starts("\\" + fence + "(") {
                place += 2 + hashes
                skipInterpolation()
            } else if starts("\\" + fence) {
                place += 1 + hashes
                // The escaped character, unless it is the end of a line.
                if place < bytes.count, bytes[place] != UInt8(ascii: "\n") { place += 1 }
            } else {
                place += 1
            }
        }
        add(.literal, to: place, at: start)
    }

    /// Goes behind the bracket that ends an interpolation. What stands in it makes no tokens.
    private mutating func skipInterpolation() {
        let (count, hadToken, end) = (tokens.count, lineHasToken, lastEnd)
        var depth = 1
        while place < bytes.count, depth > 0 {
            switch bytes[place] {
            case UInt8(ascii: "("):
                depth += 1
                place += 1
            case UInt8(ascii: ")"):
                depth -= 1
                place += 1
            default: step()
            }
        }
        tokens.removeSubrange(count...)
        (lineHasToken, lastEnd) = (hadToken, end)
    }

    // MARK: Regular expressions

    /// Whether a slash begins a regular expression: where a value is expected, and with another slash on its line.
    private func isRegexStart() -> Bool {
        guard let next = byte(1), next != UInt8(ascii: " "), next != UInt8(ascii: "\t") else { return false }
        if let last = tokens.last {
            switch last.kind {
            case .literal, .quotedWord: return false
            case .word where !["return", "in", "case", "where", "try", "await", "else", "throw"].contains(last.text):
                return false
            case .mark where [")", "]", "}", ">", "?", "!", ".", "/", "*", "&", "|"].contains(last.text): return false
            default: break
            }
        }
        var index = place + 1
        while index < bytes.count, bytes[index] != UInt8(ascii: "\n") {
            if bytes[index] == UInt8(ascii: "\\") {
                index += 1
            } else if bytes[index] == UInt8(ascii: "/") {
                return true
            }
            index += 1
        }
        return false
    }

    private mutating func readRegex(hashes: Int) {
        let start = (place, line)
        let end = "/" + String(repeating: "#", count: hashes)
        place += hashes + 1
        while place < bytes.count, !starts(end) {
            if bytes[place] == UInt8(ascii: "\n") {
                guard hashes > 0 else { break }
                line += 1
            } else if bytes[place] == UInt8(ascii: "\\") {
                place += 1
            }
            place += 1
        }
        if starts(end) { place += end.utf8.count }
        add(.literal, to: place, at: start)
    }
}
