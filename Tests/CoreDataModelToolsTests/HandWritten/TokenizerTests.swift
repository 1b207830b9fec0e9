import Testing

@testable import CoreDataModelTools

struct TokenizerTests {
    func texts(_ source: String) -> [String] { SwiftTokenizer.tokens(of: source).map(\.text) }

    @Test func commentsGoNestedOnesToo() {
        #expect(texts("a // b\n/* c /* d */ e */ f") == ["a", "f"])
        #expect(texts("a /* never closed") == ["a"])
    }

    @Test func aStringIsOneToken() {
        #expect(texts(#"x = "a \" } {" ;"#) == ["x", "=", #""a \" } {""#, ";"])
        #expect(texts("#\"a \" b\"# c") == ["#\"a \" b\"#", "c"])
        #expect(texts("\"\"\"\n } \" \n\"\"\" d") == ["\"\"\"\n } \" \n\"\"\"", "d"])
    }

    @Test func interpolationMayHoldStringsAndBrackets() {
        #expect(texts(#""a \(f("}", [1: (2)])) b" c"#).last == "c")
        #expect(texts(##"#"a \(no) \#(f("x")) b"# c"##).last == "c")
        #expect(texts(#""\(x.map { "\($0)" })" c"#) == [#""\(x.map { "\($0)" })""#, "c"])
    }

    @Test func aStringThatIsNotClosedEndsWithItsLine() {
        #expect(texts("\"abc\nvar") == ["\"abc", "var"])
    }

    @Test func quotedWordsAreNoKeywords() {
        let tokens = SwiftTokenizer.tokens(of: "`class` class")
        #expect(tokens.map(\.kind) == [.quotedWord, .word] && tokens.map(\.text) == ["class", "class"])
    }

    @Test func linesAreCounted() {
        let tokens = SwiftTokenizer.tokens(of: "a\n/*\n*/ b \"\"\"\n\n\"\"\" c\nd")
        #expect(tokens.map(\.line) == [1, 3, 3, 5, 6])
        #expect(tokens.map(\.startsLine) == [true, true, false, false, true])
    }

    @Test func conditionsBelongToTheirDirectives() {
        let tokens = SwiftTokenizer.tokens(of: "#if os(Linux) && // why\n  DEBUG\na\n#elseif X\n#else\n#endif")
        #expect(tokens.map(\.text) == ["if", "a", "elseif", "else", "endif"])
        #expect(tokens.map(\.condition) == ["os(Linux) && DEBUG", "", "X", "", ""])
    }

    @Test func regularExpressionsAreToldFromDivision() {
        #expect(texts("let r = /a\"b{/\nx") == ["let", "r", "=", "/a\"b{/", "x"])
        #expect(texts("a / b / c") == ["a", "/", "b", "/", "c"])
        #expect(texts("#/a\"\n/# b") == ["#/a\"\n/#", "b"])
    }
}
