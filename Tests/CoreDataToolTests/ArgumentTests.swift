import Foundation
import TestSupport
import Testing

@testable import CoreDataTool

struct ArgumentTests {
    static let command = CommandSpecification(
        name: "try", summary: "Tries.", usage: ["FILE"], discussion: "It tries.",
        operand: .init(placeholder: "FILE", help: "A file."),
        options: [
            .init(name: "--name", placeholder: "NAME", isRepeatable: true, help: "A name."),
            .init(name: "--once", placeholder: "TEXT", help: "A text."),
            .init(name: "--all", short: "-a", help: "All."),
            .timeout, .help,
        ],
        examples: []
    ) { _, _ in }

    static func parse(_ words: String...) throws -> Arguments { try Arguments(words, of: command) }

    static func problem(_ words: String...) -> UsageError? {
        do {
            _ = try Arguments(words, of: command)
            return nil
        } catch {
            return error as? UsageError
        }
    }

    @Test func optionsAndOperandsStandInAnyOrder() throws {
        let arguments = try Self.parse("--name", "a", "file", "-a", "--name=b=c", "--once=")
        #expect(arguments.operands == ["file"])
        #expect(arguments.values(of: "--name") == ["a", "b=c"])
        #expect(arguments.value(of: "--once") == "")
        #expect(arguments.has("--all"))
        #expect(!arguments.has("--timeout"))
    }

    @Test func whatFollowsTwoDashesIsAnOperand() throws {
        #expect(try Self.parse("--", "--all").operands == ["--all"])
        #expect(try Self.parse("-").operands == ["-"])
    }

    @Test func aWrongOptionIsNamedWithTheNearest() {
        let error = Self.problem("--nmae", "a", "file")
        #expect(error?.problem == "there is no option '--nmae'.")
        #expect(error?.suggestion == "--name")
        #expect(error?.advice == "Did you mean '--name'? See 'coredata try --help'.")
        #expect(Self.problem("--zzzzzz", "file")?.suggestion == nil)
    }

    @Test(arguments: [
        (["file", "--name"], "--name needs a value: --name NAME."),
        (["file", "--name", "--all"], "--name needs a value: --name NAME."),
        (["file", "--name", "-1"], "--name needs a value: --name NAME, or --name=-1 as the dash is part of it."),
        (["file", "--all=1"], "--all takes no value."),
        (["file", "--once", "1", "--once", "2"], "--once is given twice."),
        ([], "FILE is missing."), ([""], "FILE is empty."),
        (["a", "b"], "one FILE is expected, but there are 2: 'a', 'b'."),
    ])
    func whatIsMissingOrTooMuchIsSaid(_ words: [String], _ problem: String) {
        #expect(throws: UsageError.self) { try Arguments(words, of: Self.command) }
        do { _ = try Arguments(words, of: Self.command) } catch { #expect((error as? UsageError)?.problem == problem) }
    }

    @Test func helpNeedsNoOperand() throws {
        #expect(try Self.parse("--help").has("--help"))
        #expect(try Self.parse("-h").has("--help"))
    }

    @Test func aTimeoutIsANumberOfSeconds() throws {
        #expect(try Self.parse("f").timeout() == 5)
        #expect(try Self.parse("f", "--timeout", "0.25").timeout() == 0.25)
        for wrong in ["soon", "-1", "nan", "inf", "1e9", ""] {
            #expect(throws: UsageError.self) { try Self.parse("f", "--timeout=\(wrong)").timeout() }
        }
    }
}

struct SuggestionTests {
    @Test(arguments: [
        ("inof", "info"), ("INFO", "info"), ("schem", "schema"), ("comp", "completions"), ("rset", "reset"),
    ])
    func whatWasMeantIsFound(_ typed: String, _ meant: String) {
        #expect(Suggestion.nearest(to: typed, among: ["info", "schema", "reset", "completions"]) == meant)
    }

    @Test(arguments: ["", "x", "banana", String(repeating: "info", count: 10_000)])
    func whatIsFarFromEverythingIsNot(_ typed: String) {
        #expect(Suggestion.nearest(to: typed, among: ["info", "schema", "reset"]) == nil)
    }
}
