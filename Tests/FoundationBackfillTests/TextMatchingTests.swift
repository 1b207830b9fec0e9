import Foundation
import FoundationBackfill
import Testing

/// Folding and matching of texts, which memory and SQL share.
@Suite struct TextMatchingTests {
    @Test(arguments: [
        ("HELLO", "hello"), ("É", "é"), ("e\u{301}", "é"), ("ß", "ss"), ("ẞ", "ss"), ("Σίσυφος", "σίσυφοσ"), ("ı", "ı"),
        ("ǅ", "ǆ"),
        ("ﬁ", "fi"), ("😀", "😀"), ("", ""),
    ])
    func caseFolding(text: String, expected: String) {
        let folded = StringFolding.fold(text, options: .caseInsensitive)
        #expect(folded.utf8.elementsEqual(expected.utf8))
    }

    @Test(arguments: [
        ("Café", "cafe"), ("Cafe\u{301}", "cafe"), ("ÅÄÖ", "aao"), ("Ñandú", "nandu"), ("İ", "i"), ("ữ", "u"),
        ("مَرْحَبًا", "مرحبا"),
        ("が", "か"),
    ])
    func foldingCaseAndAccents(text: String, expected: String) {
        let folded = StringFolding.fold(text, options: [.caseInsensitive, .diacriticInsensitive])
        #expect(folded.utf8.elementsEqual(expected.utf8))
    }

    @Test func foldingAccentsKeepsCase() {
        #expect(StringFolding.fold("Élan", options: .diacriticInsensitive) == "Elan")
        #expect(StringFolding.fold("ı", options: .diacriticInsensitive) == "ı")
    }

    @Test func withoutOptionsTextsAreComparedCodeByCode() {
        #expect(!StringFolding.areEqual("é", "e\u{301}"))
        #expect(StringFolding.areEqual("é", "e\u{301}", options: .caseInsensitive))
        #expect(StringFolding.fold("É", options: []) == "É")
    }

    @Test func theOrderIsThatOfCodePoints() {
        #expect(StringFolding.compare("a", "B") == .orderedDescending)
        #expect(StringFolding.compare("a", "B", options: .caseInsensitive) == .orderedAscending)
        #expect(StringFolding.compare("\u{FFFD}", "\u{1F600}") == .orderedAscending)
        #expect(StringFolding.compare("a", "ab") == .orderedAscending)
        #expect(StringFolding.compare("", "") == .orderedSame)
    }

    @Test func partsOfTexts() {
        #expect(StringFolding.contains("abcabd", "abd"))
        #expect(!StringFolding.contains("abc", "abcd"))
        #expect(StringFolding.contains("abc", ""))
        #expect(StringFolding.contains("", ""))
        #expect(StringFolding.begins("abc", with: "ab") && !StringFolding.begins("abc", with: "b"))
        #expect(StringFolding.ends("abc", with: "bc") && !StringFolding.ends("abc", with: "b"))
        #expect(StringFolding.contains("STRASSE", "straße", options: .caseInsensitive))
        #expect(!StringFolding.contains("é", "e"))
        #expect(StringFolding.contains("é", "e", options: .diacriticInsensitive))
    }

    @Test(arguments: [
        ("abc", "abc", true), ("abc", "a*", true), ("abc", "*c", true), ("abc", "*", true), ("", "*", true),
        ("", "", true), ("", "?", false),
        ("abc", "a?c", true), ("abc", "a??c", false), ("abc", "a*b*c", true), ("abc", "a*d", false),
        ("aXbXc", "a*X*c", true),
        ("a*c", "a\\*c", true), ("abc", "a\\*c", false), ("a?c", "a\\?c", true), ("a\\c", "a\\\\c", true),
        ("a\\", "a\\", true),
        ("abc", "ABC", false), ("a.c", "a.c", true), ("abc", "a.c", false), ("a[b]c", "a[b]c", true),
        ("😀b", "?b", true),
        ("aaaaaaaaab", "*a*a*a*b", true), ("line\nbreak", "line*break", true), ("abcabc", "*abc", true),
        ("100%", "100%", true),
    ])
    func likePatterns(text: String, pattern: String, expected: Bool) {
        #expect(StringFolding.like(text, pattern: pattern) == expected)
    }

    @Test func likeTakesOptions() {
        #expect(StringFolding.like("CAFÉS", pattern: "caf?s", options: .caseInsensitive))
        #expect(StringFolding.like("Cafés", pattern: "CAFE*", options: [.caseInsensitive, .diacriticInsensitive]))
        #expect(StringFolding.like("e\u{301}x", pattern: "?x", options: .caseInsensitive))
    }

    @Test func likeDoesNotRunAwayOnManyWildcards() {
        let text = String(repeating: "a", count: 2_000)
        #expect(!StringFolding.like(text, pattern: String(repeating: "*a", count: 50) + "*b"))
    }

    /// U+00E9, and e with U+0301: equal as Swift's strings, but not code by code.
    @Test(arguments: [["\u{E9}", "e\u{301}"], ["e\u{301}", "\u{E9}"]])
    func aPatternIsNotTakenForOneOfOtherCodes(texts: [String]) throws {
        for text in texts {
            for other in texts {
                let isSame = text.utf8.elementsEqual(other.utf8)
                #expect(StringFolding.like(text, pattern: other + "*") == isSame)
                #expect(try StringFolding.matches(text, pattern: other + ".*") == isSame)
            }
        }
    }

    @Test func regularExpressionsMatchAsAWhole() throws {
        #expect(try StringFolding.matches("404", pattern: "^[45][0-9]{2}$"))
        #expect(try !StringFolding.matches("4040", pattern: "[45][0-9]{2}"))
        #expect(try StringFolding.matches("ab", pattern: "a|ab"))
        #expect(try StringFolding.matches("😀", pattern: "."))
        #expect(try !StringFolding.matches("a\n", pattern: "a"))
        #expect(try StringFolding.matches("Über", pattern: "u.*", options: [.caseInsensitive, .diacriticInsensitive]))
        #expect(try !StringFolding.matches("x", pattern: "["))
        #expect(throws: (any Error).self) { try RegularExpressionPattern("[") }
    }

    @Test func sortOrdersOfTexts() {
        #expect(SortOrder.compare.compare("b", "A") == .orderedDescending)
        #expect(SortOrder.caseInsensitive.compare("b", "A") == .orderedDescending)
        #expect(SortOrder.caseInsensitive.compare("a", "B") == .orderedAscending)
        #expect(SortOrder.localizedStandard.compare("file9", "file10") == .orderedAscending)
        #expect(SortOrder.compare.compare("file9", "file10") == .orderedDescending)
        #expect(SortOrder.localizedCaseInsensitive.compare("ABC", "abc") == .orderedSame)
    }

    /// `(a+)+b` tries every way to cut the letters into pieces, `(a|b)*` keeps a place to return to for each letter.
    @Test(arguments: [("(a+)+b", 60), ("(a|b)*", 1_000_000)])
    func aSearchThatIsGivenUpDoesNotSayThatThereIsNoMatch(pattern: String, length: Int) throws {
        let expression = try RegularExpressionPattern(pattern)
        #expect(throws: RegularExpressionPattern.TooCostly.self) {
            try expression.matches(String(repeating: "a", count: length))
        }
        #expect(try expression.matches(pattern == "(a|b)*" ? "ab" : "aab"))
        #expect(try !expression.matches("c"))
    }
}
