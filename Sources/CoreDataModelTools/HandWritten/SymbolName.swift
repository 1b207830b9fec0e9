/// A type whose declaration is known: what a symbol's name says of it.
indirect enum KnownType: Hashable, Sendable {
    /// A class, structure, enumeration or protocol.
    struct Nominal: Hashable, Sendable {
        enum Kind: String, Sendable {
            case `class` = "C", `struct` = "V", `enum` = "O", `protocol` = "P"
        }

        let module: String
        /// The types it stands in, the outermost first, and itself.
        let path: [Level]

        struct Level: Hashable, Sendable {
            let name: String
            let kind: Kind
        }

        var kind: Kind { path[path.count - 1].kind }
        var name: String { path[path.count - 1].name }
        /// `Outer.Inner`
        var fullName: String { path.map(\.name).joined(separator: ".") }

        init(module: String, path: [Level]) {
            self.module = module
            self.path = path
        }

        init(_ module: String, _ name: String, _ kind: Kind) {
            self.init(module: module, path: [Level(name: name, kind: kind)])
        }
    }

    case nominal(Nominal)
    case generic(Nominal, [KnownType])
    case optional(KnownType)
    case any
    case anyObject
}

/// Composes the name by which the linker knows a getter, a setter or a method: the documented scheme of Swift's ABI
/// (docs/ABI/Mangling.rst), as far as members of classes that are not generic need it.
///
/// What was named once in a symbol is referred to afterwards: whole names and types by number, words of names by letter.
struct SymbolName {
    private var text = "$s"
    /// What can be referred to, in order.
    private var references: [Reference: Int] = [:]
    /// Words of the names so far.
    private var words: [[UInt8]] = []
    /// The reference that ends the text so far, which a following one is joined with.
    private var lastReference: LastReference?

    private enum Reference: Hashable {
        case name(String)
        case nominal(KnownType.Nominal)
        case type(KnownType)
    }

    private struct LastReference {
        /// Length of the text before it and behind it.
        let start: Int
        let end: Int
        let letter: Character
        let count: Int
        let isStandard: Bool
    }

    private init() {}

    // MARK: Symbols

    /// Where a member is declared.
    struct Place {
        let owner: KnownType.Nominal
        /// The module that declares the member; another than the class' for an extension.
        let module: String
        /// For members that only their file sees: what tells it from others; see ``discriminator(module:file:)``.
        let file: String?
    }

    static func getter(of property: String, _ type: KnownType, in place: Place) -> String {
        accessor(property, type, place) + "g"
    }

    static func setter(of property: String, _ type: KnownType, in place: Place) -> String {
        accessor(property, type, place) + "s"
    }

    private static func accessor(_ name: String, _ type: KnownType, _ place: Place) -> String {
        var symbol = SymbolName()
        symbol.append(place)
        symbol.append(name: name)
        symbol.append(file: place.file)
        symbol.append(type)
        return symbol.text + "v"
    }

    /// A method without a result. It has parameters.
    static func method(
        _ name: String, _ parameters: [(label: String?, type: KnownType)], in place: Place
    ) -> String {
        var symbol = SymbolName()
        symbol.append(place)
        symbol.append(name: name)
        symbol.append(file: place.file)
        if parameters.allSatisfy({ $0.label == nil }) {
            symbol.text += "y"
        } else {
            for parameter in parameters {
                if let label = parameter.label { symbol.append(name: label) } else { symbol.text += "_" }
            }
        }
        symbol.text += "y"
        if parameters.count == 1, parameters[0].label == nil {
            symbol.append(parameters[0].type)
        } else {
            for (index, parameter) in parameters.enumerated() {
                symbol.append(parameter.type)
                if index == 0 { symbol.text += "_" }
            }
            symbol.text += "t"
        }
        return symbol.text + "F"
    }

    /// How symbols of a file's private members tell the file: its name, never its folder, counts.
    static func discriminator(module: String, file: String) -> String {
        "_" + MD5.hexadecimal(of: module + file)
    }

    private mutating func append(_ place: Place) {
        append(place.owner)
        guard place.module != place.owner.module else { return }
        append(name: place.module)
        text += "E"
    }

    private mutating func append(file: String?) {
        guard let file else { return }
        append(name: file)
        text += "LL"
    }

    // MARK: Types

    private mutating func append(_ type: KnownType) {
        switch type {
        case .any: text += "yp"
        case .anyObject: text += "yXl"
        case .nominal(let nominal):
            append(nominal)
            if nominal.kind == .protocol { text += "_p" }
        case .optional(let inner):
            if appendReference(.type(type)) { return }
            append(inner)
            text += "Sg"
            note(.type(type))
        case .generic(let nominal, let arguments):
            if appendReference(.type(type)) { return }
            append(nominal)
            text += "y"
            for argument in arguments { append(argument) }
            text += "G"
            note(.type(type))
        }
    }

    /// The letters of the standard library's commonest types.
    private static let standard: [String: Character] = [
        "Array": "a", "Bool": "b", "Dictionary": "D", "Double": "d", "Float": "f", "Set": "h", "Int": "i",
        "Character": "J",
        "ClosedRange": "N", "Range": "n", "String": "S", "Substring": "s", "UInt": "u", "Optional": "q",
        "ObjectIdentifier": "O",
    ]

    private mutating func append(_ nominal: KnownType.Nominal) {
        if nominal.module == "Swift", nominal.path.count == 1, let letter = Self.standard[nominal.name] {
            return appendStandard(letter)
        }
        if appendReference(.nominal(nominal)) { return }
        if nominal.path.count > 1 {
            append(KnownType.Nominal(module: nominal.module, path: nominal.path.dropLast()))
        } else if nominal.module == "Swift" {
            text += "s"
        } else {
            append(name: nominal.module)
        }
        append(name: nominal.name)
        if nominal.kind != .protocol { text += nominal.kind.rawValue }
        note(.nominal(nominal))
    }

    // MARK: References

    private mutating func note(_ reference: Reference) {
        if references[reference] == nil { references[reference] = references.count }
    }

    private mutating func appendReference(_ reference: Reference) -> Bool {
        guard let number = references[reference] else { return false }
        if number >= 26 {
            // 26 is `A_`, 27 `A0_`.
            text += "A" + (number == 26 ? "" : String(number - 27)) + "_"
            lastReference = nil
        } else {
            appendLetter(Character(UnicodeScalar(UInt8(ascii: "A") + UInt8(number))), isStandard: false)
        }
        return true
    }

    private mutating func appendStandard(_ letter: Character) { appendLetter(letter, isStandard: true) }

    /// References that follow each other are written as one: `AB` and `AC` as `AbC`, `Si` and `Si` as `S2i`.
    private mutating func appendLetter(_ letter: Character, isStandard: Bool) {
        if let last = lastReference, last.end == text.utf8.count, last.isStandard == isStandard {
            if last.letter == letter, last.count < 2048 {
                text = String(text.prefix(last.start)) + String(last.count + 1) + String(letter)
                lastReference = LastReference(
                    start: last.start, end: text.utf8.count, letter: letter, count: last.count + 1,
                    isStandard: isStandard)
                return
            }
            if !isStandard {
                text.removeLast()
                text += last.letter.lowercased()
                let start = text.utf8.count
                text.append(letter)
                lastReference = LastReference(
                    start: start, end: text.utf8.count, letter: letter, count: 1, isStandard: false)
                return
            }
        }
        text += isStandard ? "S" : "A"
        let start = text.utf8.count
        text.append(letter)
        lastReference = LastReference(
            start: start, end: text.utf8.count, letter: letter, count: 1, isStandard: isStandard)
    }

    // MARK: Names

    /// A name with its length before it. One that was there before is a reference, and so are its words.
    private mutating func append(name: String) {
        if appendReference(.name(name)) { return }
        defer { note(.name(name)) }
        let bytes = Array(name.utf8)
        guard bytes.allSatisfy({ $0 < 0x80 }) else {
            let encoded = Punycode.encode(name)
            text += "00" + String(encoded.utf8.count)
            if let first = encoded.utf8.first, Self.isDigit(first) || first == UInt8(ascii: "_") { text += "_" }
            text += encoded
            return
        }
        let pieces = split(bytes)
        if pieces.contains(where: { $0.isWord }) { text += "0" }
        for (index, piece) in pieces.enumerated() {
            switch piece {
            case .plain(let range):
                text += String(range.count) + String(decoding: bytes[range], as: UTF8.self)
            case .word(let number):
                let isLast = !pieces[(index + 1)...].contains { $0.isWord }
                let letter = UInt8(ascii: isLast ? "A" : "a") + UInt8(number)
                text.append(Character(UnicodeScalar(letter)))
                if isLast, index == pieces.count - 1 { text += "0" }
            }
        }
    }

    private enum Piece {
        case plain(Range<Int>)
        case word(Int)

        var isWord: Bool {
            if case .word = self { true } else { false }
        }
    }

    /// Cuts a name at the words that are known, and notes its other words. A word ends before an underscore or a capital that
    /// follows something else than a capital.
    private mutating func split(_ bytes: [UInt8]) -> [Piece] {
        var pieces: [Piece] = []
        var done = 0
        var start: Int?
        for index in 0...bytes.count {
            let byte = index < bytes.count ? bytes[index] : 0
            if let first = start, byte == 0 || byte == UInt8(ascii: "_") || isWordEnd(bytes, index) {
                let word = Array(bytes[first..<index])
                if word.count >= 2 {
                    if let known = words.firstIndex(of: word) {
                        if done < first { pieces.append(.plain(done..<first)) }
                        pieces.append(.word(known))
                        done = index
                    } else if words.count < 26 {
                        words.append(word)
                    }
                }
                start = nil
            }
            if start == nil, byte != 0, byte != UInt8(ascii: "_"), !Self.isDigit(byte) { start = index }
        }
        if done < bytes.count { pieces.append(.plain(done..<bytes.count)) }
        return pieces
    }

    private func isWordEnd(_ bytes: [UInt8], _ index: Int) -> Bool {
        Self.isCapital(bytes[index]) && !Self.isCapital(bytes[index - 1])
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
    private static func isCapital(_ byte: UInt8) -> Bool { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) }
}
