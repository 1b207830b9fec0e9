import Foundation
import Testing

@testable import CoreDataTool

struct PrintableTests {
    @Test(arguments: [
        ("Book", "Book"), ("Größe 本 👩‍👧", "Größe 本 👩‍👧"), ("a\u{1B}[31mb", "a\\u{1B}[31mb"), ("a\nb\tc\r", "a\\nb\\tc\\r"),
        ("\u{9B}2J", "\\u{9B}2J"), ("\u{7F}\u{0}", "\\u{7F}\\u{0}"), ("x\u{202E}y", "x\\u{202E}y"),
        ("\u{2028}", "\\u{2028}"), ("\u{FEFF}", "\\u{FEFF}"),
    ])
    func controlCharactersAreEscaped(_ text: String, _ shown: String) {
        #expect(text.printable == shown)
    }

    @Test func longNamesAreCutOff() {
        #expect(String(repeating: "a", count: 1_000_000).printable(limit: 3) == "aaa…")
        #expect("abc".printable(limit: 3) == "abc")
        let marks = "e" + String(repeating: "\u{301}", count: 1_000_000)
        #expect(marks.printable(limit: 3).unicodeScalars.count < 100)
    }

    // The widths that the Unicode annex 11 gives (wide, full width), emoji as terminals show them.
    @Test(arguments: [
        ("abc", 3), ("本", 2), ("e\u{301}", 1), ("", 0), ("🚀", 2), ("☕", 2), ("✅", 2), ("é", 1), ("ﾊ", 1), ("Ａ", 2),
        ("한국", 4), ("\u{1112}\u{1161}\u{11AB}", 2), ("👩‍👧", 2), ("👍🏽", 2), ("🇩🇪", 2), ("❤️", 2), ("❤", 1), ("1️⃣", 2),
        ("क्षि", 3), ("€", 1), ("\u{200B}", 0), ("𠮷", 2),
    ])
    func columnsAreThoseOfATerminal(_ text: String, _ columns: Int) {
        #expect(text.columns == columns)
    }
}

struct QuantityTests {
    @Test(arguments: [(0, "0"), (999, "999"), (1000, "1,000"), (1_234_567, "1,234,567"), (-1000, "-1,000")])
    func thousandsAreGrouped(_ value: Int64, _ text: String) { #expect(Quantity.count(value) == text) }

    @Test func theLargestNumbersAreShown() {
        #expect(Quantity.count(.min) == "-9,223,372,036,854,775,808")
        #expect(Quantity.size(.max) == "9.2 EB")
    }

    @Test(arguments: [
        (0, "0 bytes"), (1, "1 byte"), (999, "999 bytes"), (1000, "1.0 kB (1,000 bytes)"),
        (999_949, "999.9 kB (999,949 bytes)"), (999_951, "1.0 MB (999,951 bytes)"),
        (2_147_483_648, "2.1 GB (2,147,483,648 bytes)"),
    ])
    func sizesAreRoundAndExact(_ bytes: Int64, _ text: String) { #expect(Quantity.bytes(bytes) == text) }

    @Test func timesAreISO8601() {
        #expect(Quantity.time(Date(timeIntervalSinceReferenceDate: 0)) == "2001-01-01T00:00:00Z")
        #expect(Quantity.time(Date(timeIntervalSinceReferenceDate: .infinity)) == nil)
        #expect(Quantity.time(Date(timeIntervalSinceReferenceDate: .nan)) == nil)
        #expect(Quantity.time(Date(timeIntervalSinceReferenceDate: 1e300)) == nil)
    }
}

struct TableTests {
    @Test func columnsAreAligned() {
        var table = Table([("name", .left), ("rows", .right), ("note", .left)])
        table.add(["A", "1", ""])
        table.add(["Book 本", "1,000", ""])
        #expect(table.lines(.plain) == ["  name      rows", "  A            1", "  Book 本  1,000"])
    }

    @Test func onlyATerminalGetsColours() {
        #expect(Style(isEnabled: true).red("x") == "\u{1B}[31;1mx\u{1B}[0m")
        #expect(Style.plain.red("x") == "x")
    }
}

struct JSONTests {
    @Test func documentsAreReadBack() throws {
        let text = "quote \" back \\ line \n tab \t escape \u{1B}[0m nul \u{0} wide 👩‍👧 tag \u{E0041} sep \u{2028}"
        let json = JSON.object([
            ("b", .text(text)), ("a", .list([.integer(.max), .number(0.5), .null, .boolean(true)])), ("c", .list([])),
            (text, .object([])), ("d", .number(.infinity)), ("e", .digits("12345678901234567890.5")),
        ])
        let document = json.document
        #expect(!document.unicodeScalars.contains { $0.isUnprintable && $0 != "\n" })
        let object = try #require(JSONSerialization.jsonObject(with: Data(document.utf8)) as? [String: Any])
        #expect(object["b"] as? String == text)
        #expect((object["a"] as? [Any])?.first as? Int64 == .max)
        #expect(object[text] is [String: Any])
        #expect(object["d"] is NSNull)
        #expect(document.contains("\"e\": 12345678901234567890.5\n"))
        #expect(document.hasPrefix("{\n  \"b\": "))
    }
}
