import FoundationBackfill
import TestSupport
import Testing

/// Forged formats: pieces of real ones cut, joined and changed byte by byte. None may stop the program or never end, and what
/// parses must print as what it is. `COREDATA_FUZZ_SECONDS` says how long (`make soak`), two seconds otherwise;
/// `COREDATA_FUZZ_SEED` repeats a run.
@Suite struct PredicateFuzzTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let seconds = environment["COREDATA_FUZZ_SECONDS"].flatMap(Double.init) ?? 2

    private static let formats = [
        "name BEGINSWITH[cd] %@ AND age BETWEEN {1, %d}", "SUBQUERY(items, $x, $x.price > 3).@count > 0",
        "ANY tags.name IN %@ OR NOT (a.b[FIRST] == nil)", "TERNARY(a > 1, 'x', \"y\\u00e9\") LIKE '*?'",
        "CAST(1.5, 'NSDate') < now() && FUNCTION(a, 'b:', 1) != -2 ** 3", "x == 0x1F + 0b101 - 0o17 * 1.5e-3 / $v",
        "{1, 'a', nil} UNION b MINUS c == SELF.@distinctUnionOfObjects.k",
        "#and.or MATCHES '.*[a-z]+' || TRUEPREDICATE",
    ]

    @Test(.timeLimit(.minutes(30))) func noFormatStopsTheProgram() throws {
        let real = RealFormats.isPresent ? try RealFormats.lines() : []
        let seeds = (Self.formats + real).map { Array($0.utf8) }
        let seed = Self.environment["COREDATA_FUZZ_SEED"].flatMap(UInt64.init) ?? UInt64.random(in: 0...UInt64.max)
        var generator = SeededGenerator(state: seed)
        let end = Date(timeIntervalSinceNow: Self.seconds)
        var (tried, parsed) = (0, 0)
        while Date() < end {
            for _ in 0..<100 {
                tried += 1
                let format = Self.forged(seeds, &generator)
                if try Self.check(format) { parsed += 1 }
            }
        }
        #expect(parsed > 0 && parsed < tried, "seed \(seed)")
        print("Forged formats: \(tried), of which \(parsed) are predicates; seed \(seed)")
    }

    /// What a forged format taught.
    @Test(arguments: [
        "\"\\u\" == 1", "\"\\uD800\" == a", "a == 0x", "a == 0b2", "a == 1e", "a == 1e999", "a == 99999999999999999999",
        "a == #10", "#1a == 1", "%", "%K", "%%", "a[", "a[FIRST", "SUBQUERY(a, b, c)", "SUBQUERY(a, $b, )", "CAST(",
        "FUNCTION()", "{",
        "a == {,}",
        "a == '\u{0}'", "\u{FEFF}a == 1", "a LIKE[x] 'b'", "a ==[ccdd] b", "$ == 1", "@ == 1", "a.@.b == 1", ".a == 1",
        "a. == 1", "a..b == 1", "NOT", "NOT NOT", "()", "(a", "a == 1 AND", "AND a == 1", "a BETWEEN {1}",
        "a BETWEEN 1", "1 == 1 == 1", "a == b c",
    ])
    func strangeFormats(format: String) throws { _ = try Self.check(format) }

    private static func check(_ format: String) throws -> Bool {
        let predicate: NSPredicate
        do {
            predicate = try NSPredicate.parse(format: format, arguments: ["x", "y", 3, ["z"], 1.5])
        } catch {
            // The error can be shown whatever the format is.
            #expect(error is PredicateFormatError && !"\(error)".isEmpty, "\(format.debugDescription)")
            return false
        }
        let text = predicate.formatText
        let again = try? NSPredicate.parse(format: text)
        #expect(again == predicate, "\(format.debugDescription) printed as \(text.debugDescription)")
        _ = predicate.evaluate(with: ["a": 1, "name": "x", "items": [["price": 4]], "b": ["x", "y"]])
        return true
    }

    private static func forged(_ seeds: [[UInt8]], _ generator: inout SeededGenerator) -> String {
        var bytes = seeds.randomElement(using: &generator) ?? []
        for _ in 0..<Int.random(in: 1...4, using: &generator) {
            let place = Int.random(in: 0...bytes.count, using: &generator)
            switch Int.random(in: 0..<6, using: &generator) {
            case 0 where !bytes.isEmpty: bytes.remove(at: min(place, bytes.count - 1))
            case 1: bytes.insert(UInt8.random(in: 0...255, using: &generator), at: place)
            case 2: bytes = Array(bytes[..<place])
            case 3: bytes.insert(contentsOf: seeds.randomElement(using: &generator) ?? [], at: place)
            case 4:
                let other = seeds.randomElement(using: &generator) ?? []
                bytes = Array(bytes[..<place] + other[(other.count / 2)...])
            default:
                let end = Int.random(in: place...bytes.count, using: &generator)
                bytes.insert(contentsOf: bytes[place..<end], at: place)
            }
        }
        return String(decoding: bytes.prefix(2000), as: UTF8.self)
    }
}
