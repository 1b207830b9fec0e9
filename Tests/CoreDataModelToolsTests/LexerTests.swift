import Testing

@testable import CoreDataModelTools

struct LexerTests {
    func tokens(_ source: String) -> [SourceToken] { SourceLexer.tokens(of: Array(source.utf8)) }

    func texts(_ source: String) -> [String] { tokens(source).map(\.text) }

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
        #expect(
            texts(#""\(x.map { "\(y)" })" c"#) == [
                #""\("#, "x", ".", "map", "{", #""\("#, "y", #")""#, "}", #")""#, "c",
            ])
    }

    @Test func aStringThatIsNotClosedEndsWithItsLine() {
        #expect(texts("\"abc\nvar") == ["\"abc", "var"])
    }

    @Test func quotedWordsAreNoKeywords() {
        let tokens = tokens("`class` class")
        #expect(tokens.map(\.kind) == [.quotedWord, .word] && tokens.map(\.text) == ["class", "class"])
    }

    @Test func linesAreCounted() {
        let tokens = tokens("a\n/*\n*/ b \"\"\"\n\n\"\"\" c\nd")
        #expect(tokens.map(\.line) == [1, 3, 3, 5, 6])
        #expect(tokens.map(\.startsLine) == [true, true, false, false, true])
    }

    @Test func conditionsBelongToTheirDirectives() {
        let tokens = tokens("#if os(Linux) && // why\n  DEBUG\na\n#elseif X\n#else\n#endif")
        #expect(tokens.map(\.text) == ["if", "a", "elseif", "else", "endif"])
        #expect(tokens.map(\.condition) == ["os(Linux) && DEBUG", "", "X", "", ""])
    }

    @Test func regularExpressionsAreToldFromDivision() {
        #expect(texts("let r = /a\"b{/\nx") == ["let", "r", "=", "/a\"b{/", "x"])
        #expect(texts("a / b / c") == ["a", "/", "b", "/", "c"])
        #expect(texts("#/a\"\n/# b") == ["#/a\"\n/#", "b"])
    }
}
