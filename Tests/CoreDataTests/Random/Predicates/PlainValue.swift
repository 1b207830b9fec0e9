import Foundation

/// A value as the naive evaluator knows it.
enum PlainValue: Equatable {
    case none
    case whole(Int64)
    case real(Double)
    case decimal(Decimal)
    case text(PlainText)
    /// Seconds since the reference date.
    case date(Double)
    case uuid(UUID)
    case data(Data)
    case link(String)
    case record(Int)
    case many([PlainValue])

    var isNone: Bool { self == .none }

    /// The members of a collection, those of collections in it included; a single value is its own only one.
    var members: [PlainValue] {
        switch self {
        case .none: []
        case .many(let values): values.flatMap { if case .many = $0 { $0.members } else { [$0] } }
        default: [self]
        }
    }
}

/// A text made of pieces whose folded forms are known from the Unicode tables, written down by hand.
struct PlainText: Equatable {
    struct Piece: Equatable {
        let text: String
        /// Under `[c]`, `[d]` and `[cd]`.
        let c: String
        let d: String
        let cd: String
    }

    var pieces: [Piece]

    static func piece(_ text: String, c: String? = nil, d: String? = nil, cd: String? = nil) -> Piece {
        Piece(text: text, c: c ?? text, d: d ?? text, cd: cd ?? c ?? d ?? text)
    }

    static let alphabet: [Piece] = [
        piece("a"), piece("A", c: "a"), piece("b"), piece("B", c: "b"), piece("s"), piece("S", c: "s"),
        piece("ß", c: "ss"), piece("ẞ", c: "ss"), piece("i"), piece("I", c: "i"), piece("ı"),
        piece("İ", c: "i\u{307}", d: "I", cd: "i"), piece("é", d: "e"), piece("É", c: "é", d: "E", cd: "e"),
        piece("e\u{301}", c: "é", d: "e", cd: "e"), piece("e"), piece("σ"), piece("ς", c: "σ"), piece("Σ", c: "σ"),
        piece("ä\u{323}", c: "ạ\u{308}", d: "a", cd: "a"), piece("👩‍👩‍👧"), piece("🇩🇪"), piece("%"), piece("_"), piece("*"),
        piece("?"),
        piece("\\"), piece("'"), piece("7"), piece("1"), piece(" "), piece("漢"), piece("й", d: "и"),
    ]

    init(_ pieces: [Piece]) { self.pieces = pieces }

    /// A text that no option changes.
    init(plain text: String) { pieces = [Self.piece(text)] }

    var text: String { pieces.map(\.text).joined() }

    func folded(_ options: Set<Character>) -> String {
        if options.contains("n") { return text }
        return switch (options.contains("c"), options.contains("d")) {
        case (true, true): pieces.map(\.cd).joined()
        case (true, false): pieces.map(\.c).joined()
        case (false, true): Self.composed(pieces.map(\.d).joined())
        case (false, false): text
        }
    }

    private static func composed(_ text: String) -> String { text.precomposedStringWithCanonicalMapping }

    static func == (a: PlainText, b: PlainText) -> Bool { a.text.utf8.elementsEqual(b.text.utf8) }
}

extension PlainValue {
    /// The value as an argument of a format.
    func argument(_ ids: [Int: Any]) -> Any {
        switch self {
        case .none: NSNull()
        case .whole(let value): NSNumber(value: value)
        case .real(let value): NSNumber(value: value)
        case .decimal(let value): value
        case .text(let text): text.text
        case .date(let seconds): Date(timeIntervalSinceReferenceDate: seconds)
        case .uuid(let uuid): uuid
        case .data(let data): data
        case .link(let text): URL(string: text) ?? NSNull()
        case .record(let number): ids[number] ?? NSNull()
        case .many(let values): values.map { $0.argument(ids) }
        }
    }

    var isNumber: Bool {
        switch self {
        case .whole, .real, .decimal: true
        default: false
        }
    }

    var asReal: Double? {
        switch self {
        case .whole(let value): Double(value)
        case .real(let value): value
        case .decimal(let value): NSDecimalNumber(decimal: value).doubleValue
        default: nil
        }
    }

    /// A value as text tests see it.
    var asText: PlainText? {
        switch self {
        case .text(let text): text
        case .whole(let value): PlainText(plain: "\(value)")
        case .real(let value): PlainText(plain: "\(value)")
        case .decimal(let value): PlainText(plain: "\(value)")
        case .link(let text): PlainText(plain: text)
        case .uuid(let uuid): PlainText(plain: uuid.uuidString)
        default: nil
        }
    }
}
