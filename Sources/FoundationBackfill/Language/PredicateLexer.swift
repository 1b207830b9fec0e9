import Foundation

/// Cuts a predicate format into tokens.
struct PredicateLexer {
    private let format: String
    private let bytes: [UInt8]
    private var position = 0

    /// All tokens of a format, the last one ``PredicateToken/Kind/end``.
    static func tokens(of format: String) throws -> [PredicateToken] {
        var lexer = PredicateLexer(format: format)
        var tokens: [PredicateToken] = []
        while true {
            let token = try lexer.next()
            tokens.append(token)
            if token.kind == .end { return tokens }
        }
    }

    private init(format: String) {
        self.format = format
        bytes = Array(format.utf8)
    }

    private func byte(_ ahead: Int = 0) -> UInt8? {
        let index = position + ahead
        return index < bytes.count ? bytes[index] : nil
    }

    private func failure(_ reason: String, at offset: Int? = nil) -> PredicateFormatError {
        PredicateFormatError(format: format, utf8Offset: offset ?? position, reason: reason)
    }

    private mutating func next() throws -> PredicateToken {
        while let byte = byte(), byte == 0x20 || (0x09...0x0D).contains(byte) { position += 1 }
        let start = position
        let kind = try nextKind()
        return PredicateToken(kind: kind, range: start..<position)
    }

    private mutating func nextKind() throws -> PredicateToken.Kind {
        guard let first = byte() else { return .end }
        switch first {
        case _ where first.isWordStart:
            return .word(word())
        case _ where first.isDigit, UInt8(ascii: ".") where byte(1)?.isDigit == true && !followsOperand:
            return .number(try number())
        case UInt8(ascii: "\""), UInt8(ascii: "'"):
            return .text(try quotedText(quote: first))
        case UInt8(ascii: "$"):
            return .variable(try name(after: "$"))
        case UInt8(ascii: "#"):
            return .escapedWord(try name(after: "#"))
        case UInt8(ascii: "@"):
            return .operatorName("@" + (try name(after: "@")))
        case UInt8(ascii: "%"):
            return try specifier()
        default:
            return .symbol(try symbol())
        }
    }

    /// Whether the byte before could end an operand, so that a dot continues a key path.
    private var followsOperand: Bool {
        guard position > 0 else { return false }
        let before = bytes[position - 1]
        return before.isWordPart || before == UInt8(ascii: ")") || before == UInt8(ascii: "]")
    }

    private mutating func word() -> String {
        let start = position
        while let byte = byte(), byte.isWordPart { position += 1 }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    private mutating func name(after mark: String) throws -> String {
        position += 1
        // A key that begins with a digit could not be written again without the mark.
        guard let byte = byte(), mark == "#" ? byte.isWordStart : byte.isWordPart else {
            throw failure("expected a name after \(mark)")
        }
        return word()
    }

    private static let symbols: Set<String> = [
        "=", "==", "=>", "=<", ">", ">=", ">>", "<", "<=", "<>", "<<", "!", "!=", "&", "&&", "|", "||", "+", "-", "*",
        "**",
        "/", "^", "~", "(", ")", "{", "}", "[", "]", ",", ".", ":",
    ]

    private mutating func symbol() throws -> String {
        for length in [2, 1] where position + length <= bytes.count {
            let text = String(decoding: bytes[position..<position + length], as: UTF8.self)
            if Self.symbols.contains(text) {
                position += length
                return text
            }
        }
        throw failure("unexpected character")
    }
}

// MARK: - Literals

extension PredicateLexer {
    private mutating func number() throws -> NSNumber {
        let start = position
        if byte() == UInt8(ascii: "0"), let mark = byte(1), let radix = Self.radix(mark), byte(2)?.isWordPart == true {
            position += 2
            let digits = word()
            guard let value = UInt64(digits, radix: radix) else {
                throw failure("not a whole number of 64 bits", at: start)
            }
            return Int64(exactly: value).map(NSNumber.init(value:)) ?? NSNumber(value: value)
        }
        skipDigits()
        var isReal = false
        if byte() == UInt8(ascii: "."), byte(1)?.isDigit == true {
            isReal = true
            position += 1
            skipDigits()
        }
        if let mark = byte(), mark | 0x20 == UInt8(ascii: "e") {
            let signed = byte(1) == UInt8(ascii: "+") || byte(1) == UInt8(ascii: "-")
            if byte(signed ? 2 : 1)?.isDigit == true {
                isReal = true
                position += signed ? 2 : 1
                skipDigits()
            }
        }
        if byte()?.isWordPart == true { throw failure("a name cannot begin with a digit", at: start) }
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        if !isReal, let value = Int64(text) { return NSNumber(value: value) }
        if !isReal, let value = UInt64(text) { return NSNumber(value: value) }
        // More digits than a double holds: keep them all.
        if text.utf8.count(where: \.isDigit) > 17, let value = Decimal(string: text) {
            return NSDecimalNumber(decimal: value)
        }
        guard let value = Double(text) else { throw failure("not a number", at: start) }
        return NSNumber(value: value)
    }

    private static func radix(_ mark: UInt8) -> Int? {
        switch mark | 0x20 {
        case UInt8(ascii: "x"): 16
        case UInt8(ascii: "o"): 8
        case UInt8(ascii: "b"): 2
        default: nil
        }
    }

    private mutating func skipDigits() {
        while byte()?.isDigit == true { position += 1 }
    }

    private mutating func quotedText(quote: UInt8) throws -> String {
        let start = position
        position += 1
        var content: [UInt8] = []
        while let byte = byte() {
            position += 1
            switch byte {
            case quote: return String(decoding: content, as: UTF8.self)
            case UInt8(ascii: "\\"): try content.append(contentsOf: escape())
            default: content.append(byte)
            }
        }
        throw failure("the text has no closing quote", at: start)
    }

    /// What stands after a backslash: C's escapes; any other character stands for itself.
    private mutating func escape() throws -> [UInt8] {
        guard let byte = byte() else { throw failure("the text has no closing quote") }
        position += 1
        switch byte {
        case UInt8(ascii: "n"): return [0x0A]
        case UInt8(ascii: "t"): return [0x09]
        case UInt8(ascii: "r"): return [0x0D]
        case UInt8(ascii: "b"): return [0x08]
        case UInt8(ascii: "f"): return [0x0C]
        case UInt8(ascii: "v"): return [0x0B]
        case UInt8(ascii: "a"): return [0x07]
        case UInt8(ascii: "x"): return try hexadecimalEscape(digits: 2)
        case UInt8(ascii: "u"): return try hexadecimalEscape(digits: 4)
        case UInt8(ascii: "U"): return try hexadecimalEscape(digits: 8)
        case UInt8(ascii: "0")...UInt8(ascii: "7"):
            position -= 1
            return Array(String(try scalar(maximum: 3, radix: 8)).utf8)
        default: return [byte]
        }
    }

    private mutating func hexadecimalEscape(digits: Int) throws -> [UInt8] {
        Array(String(try scalar(maximum: digits, radix: 16)).utf8)
    }

    private mutating func scalar(maximum: Int, radix: Int) throws -> Character {
        let start = position
        var value: UInt32 = 0
        while position - start < maximum, let byte = byte(),
            let digit = Character(UnicodeScalar(byte)).hexDigitValue, digit < radix
        {
            value = value &* UInt32(radix) &+ UInt32(digit)
            position += 1
        }
        guard position > start, let scalar = UnicodeScalar(value) else {
            throw failure("not the code of a character", at: start)
        }
        return Character(scalar)
    }

    private mutating func specifier() throws -> PredicateToken.Kind {
        let start = position
        position += 1
        if byte() == UInt8(ascii: "%") {
            position += 1
            return .symbol("%")
        }
        while let byte = byte(), byte.isDigit || Self.flagsAndLengths.contains(byte) { position += 1 }
        guard let conversion = byte() else { throw failure("the specifier has no letter", at: start) }
        position += 1
        switch UnicodeScalar(conversion) {
        case "@": return .argument(.object)
        case "K": return .argument(.keyPath)
        case "d", "D", "i", "u", "U", "x", "X", "o", "O", "c", "C": return .argument(.integer)
        case "f", "F", "e", "E", "g", "G", "a", "A": return .argument(.real)
        case "s", "S": return .argument(.text)
        default: throw failure("no such specifier", at: start)
        }
    }

    private static let flagsAndLengths = Array("hlqLztj-+.".utf8)
}

extension UInt8 {
    fileprivate var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }

    /// A letter, an underscore or a part of a character beyond ASCII.
    fileprivate var isWordStart: Bool {
        self >= 0x80 || self == UInt8(ascii: "_")
            || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20)
    }

    fileprivate var isWordPart: Bool { isWordStart || isDigit }
}
