import Foundation
import FoundationBackfill
import Testing

/// Formats that a person may have typed wrongly: an error that shows the place, never a stop.
@Suite struct ParserFaultTests {
    @Test(arguments: [
        ("", 0, "expected a value"), ("name ==", 7, "expected a value"),
        ("name == 'x", 8, "the text has no closing quote"),
        ("name = = 3", 7, "expected a value"), ("name", 4, "expected a comparison operator"),
        ("a == 1 AND", 10, "expected a value"), ("a == 1 b == 2", 7, "unexpected text after the end"),
        ("(a == 1", 7, "expected )"), ("a == 1)", 6, "unexpected text after the end"),
        ("a ==[x] 1", 5, "the options of a comparison are c, d, n and l"),
        ("a == %@", 5, "there is no argument for this specifier"),
        ("a == %y", 5, "no such specifier"), ("a == 3x", 5, "a name cannot begin with a digit"),
        ("SUBQUERY(a, b, c == 1).@count > 0", 12, "expected a variable such as $x"), ("a. == 1", 3, "expected a key"),
        ("a == $", 6, "expected a name after $"), ("a ? 1", 2, "unexpected character"), ("{1, 2", 5, "expected }"),
        ("sum:(a, b) == 1", 0, "sum: takes 1 value"), ("a + (b == 1) == 2", 4, "expected a value, not a predicate"),
        ("a == 0xFFFFFFFFFFFFFFFFF", 5, "not a whole number of 64 bits"),
        ("add:to:(a) == 1", 0, "add:to: takes 2 values"),
        ("FUNCTION(a, b) == 1", 12, "expected the method's name as a text"),
        ("ANY (a == 1)", 12, "expected a comparison of a collection's members"),
    ])
    func faultsAreShownWhereTheyAre(format: String, offset: Int, reason: String) throws {
        let error = try #require(throws: PredicateFormatError.self) { try NSPredicate.parse(format: format) }
        #expect(error.utf8Offset == offset)
        #expect(error.reason == reason)
    }

    /// A word of the language in the place of a key, alone, with a comparison or with more of a path behind it.
    @Test(arguments: [
        ("contains == 1", 0), ("in.x == 1", 0), ("a == any.x", 5), ("none.@count > 0", 0), ("all[0] == 1", 0),
        ("Some == 1", 0), ("any IN {1}", 0), ("not == 1", 0), ("not.x == 1", 0), ("a == 1 AND not[0] == 1", 11),
        ("truepredicate == 1", 0), ("falsepredicate.x == 1", 0), ("true.x == 1", 0), ("a == nil[0]", 5),
        ("and == 1", 0), ("union.x == 1", 0),
    ])
    func reservedWordsAreNamedInTheError(format: String, offset: Int) throws {
        let error = try #require(throws: PredicateFormatError.self) { try NSPredicate.parse(format: format) }
        let word = format.dropFirst(offset).prefix { $0.isLetter }
        #expect(error.utf8Offset == offset)
        #expect(
            error.reason == "expected a value (\(word) is a reserved word: write #\(word) for a key of that name)")
        let escaped = format.prefix(offset) + "#" + format.dropFirst(offset)
        #expect(throws: Never.self) { try NSPredicate.parse(format: String(escaped)) }
    }

    @Test func theDescriptionPutsACaretUnderTheFault() throws {
        let error = try #require(throws: PredicateFormatError.self) {
            try NSPredicate.parse(format: "é == 1 AND\nb == == 2")
        }
        #expect(
            error.description == """
                Unable to parse the format string "é == 1 AND
                b == == 2": expected a value
                    b == == 2
                         ^
                """)
        #expect((error as NSError).domain == PredicateFormatError.errorDomain)
        #expect((error as NSError).localizedDescription == error.description)
    }

    @Test func argumentsOfTheWrongKindAreErrors() {
        #expect(throws: PredicateFormatError.self) { try NSPredicate.parse(format: "%K == 1", arguments: [3]) }
        #expect(throws: PredicateFormatError.self) { try NSPredicate.parse(format: "a == %d", arguments: ["x"]) }
        #expect(throws: PredicateFormatError.self) { try NSPredicate.parse(format: "a == %f", arguments: [Date()]) }
        #expect(throws: PredicateFormatError.self) { try NSPredicate.parse(format: "a == %s", arguments: [1]) }
        #expect(throws: PredicateFormatError.self) { try NSPredicate.parse(format: "%K == 1", arguments: [""]) }
    }

    @Test(arguments: [
        "(", "NOT ", "-", "~", "{", "a[", "sum:(", "TERNARY(a == ", "SUBQUERY(", "a ** ", "!", "ANY ", "CAST(",
    ])
    func deepNestingIsAnError(piece: String) {
        let format = String(repeating: piece, count: 20_000) + "1 == 1"
        #expect(throws: PredicateFormatError.self) { try NSPredicate.parse(format: format) }
    }

    @Test(arguments: [" + 1", "[0]", " MINUS b", " - 2"])
    func longChainsOfOperatorsAreAnError(piece: String) {
        let format = "a" + String(repeating: piece, count: 20_000) + " == 1"
        #expect(throws: PredicateFormatError.self) { try NSPredicate.parse(format: format) }
    }

    @Test func whatIsAllowedAtMostIsEvaluatedPrintedAndReadAgain() throws {
        let formats = [
            String(repeating: "(", count: 45) + "1 == 1" + String(repeating: ")", count: 45),
            "1" + String(repeating: " + 1", count: 250) + " == 251",
            "1 == 1" + String(repeating: " AND 1 == 1", count: 10_000),
            "1 IN {" + (0..<10_000).map(String.init).joined(separator: ",") + "}",
        ]
        for format in formats {
            let predicate = try NSPredicate.parse(format: format)
            #expect(predicate.evaluate(with: nil))
            #expect(try NSPredicate.parse(format: predicate.formatText) == predicate)
        }
    }

    @Test func theDeepestFormatFitsASmallStack() {
        // Optimised, half a megabyte is enough (the least that threads have anywhere); unoptimised frames are larger.
        let done = DispatchSemaphore(value: 0)
        let thread = Thread {
            let pieces = ["(", "NOT ", "-", "{", "TERNARY(1 == 1, 1, ", "SUBQUERY(a, $x, 1 == ", "sum:("]
            for piece in pieces {
                for count in [40, 90, 200] {
                    let format = String(repeating: piece, count: count) + "1 == 1"
                    _ = try? NSPredicate.parse(format: format)
                }
            }
            let chain = "1" + String(repeating: " + 1", count: 250) + " == 251"
            if let predicate = try? NSPredicate.parse(format: chain) {
                _ = predicate.evaluate(with: nil)
                _ = predicate.formatText
            }
            let brackets = String(repeating: "(1 + ", count: 30) + "1" + String(repeating: ")", count: 30) + " == 31"
            #expect((try? NSPredicate.parse(format: brackets))?.evaluate(with: nil) == true)
            done.signal()
        }
        thread.stackSize = 1 << 21
        thread.start()
        done.wait()
    }

    @Test func anyBytesParseOrFail() {
        // Pieces of the language at random: seldom a predicate, never a stop.
        let pieces = [
            "a", "b.c", "(", ")", "{", "}", "[", "]", ",", "==", "<", "AND", "OR", "NOT", "ANY", "IN", "BETWEEN", "'x'",
            "\"", "'",
            "\\", "1", "-", "2.5", "0x", "%@", "%K", "%d", "%", "$v", "$", "#in", "#", "@count", "@", ".", "+", "**",
            "SUBQUERY(",
            "TERNARY(", "CAST(", "FUNCTION(", "FETCH(", "sum:", "add:to:(", "TRUEPREDICATE", "nil", "SELF", "é",
            "\u{1F600}", "[cd]",
            "LIKE", "MATCHES", "FIRST", "\n", "\u{0}", " ", ":", ":=", "~", "&", "|", "!", "UNION",
        ]
        var generator = SeededGenerator(state: 42)
        var parsed = 0
        for _ in 0..<20_000 {
            let count = Int.random(in: 1...12, using: &generator)
            let format = (0..<count).map { _ in pieces.randomElement(using: &generator) ?? "" }.joined(separator: " ")
            guard let predicate = try? NSPredicate.parse(format: format, arguments: ["x", "y", 3]) else { continue }
            parsed += 1
            _ = predicate.evaluate(with: ["a": 1, "x": "y"])
            let text = predicate.formatText
            let again = try? NSPredicate.parse(format: text)
            #expect(again == predicate, "\(format) printed as \(text)")
        }
        #expect(parsed > 20)
    }
}

/// The same numbers in every run.
struct SeededGenerator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
