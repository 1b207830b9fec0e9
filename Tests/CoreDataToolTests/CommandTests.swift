import Foundation
import TestSupport
import Testing

@testable import CoreDataTool

/// What every command does alike.
struct CommandTests {
    @Test func withoutACommandTheExitCodeIsTwo() {
        let run = ToolRun()
        #expect(run.code == 2)
        #expect(run.output.isEmpty)
        #expect(run.errors.hasPrefix("coredata: error: which command?"))
    }

    @Test func theOverviewNamesEveryCommandAndTheExitCodes() {
        for words in [["--help"], ["-h"], ["help"]] {
            let run = ToolRun(words)
            #expect(run.code == 0)
            for command in Tool.commands { #expect(run.output.contains(command.name + " ")) }
            #expect(run.output.contains("Exit codes"))
            #expect(run.output.contains("coredata info Library.sqlite"))
        }
    }

    @Test(arguments: Tool.commands.map(\.name))
    func everyCommandHasHelpWithAnExample(_ name: String) throws {
        let words = name.split(separator: " ").map(String.init)
        let run = ToolRun(words + ["--help"])
        #expect(run.code == 0)
        #expect(run.output.contains("Example"))
        #expect(run.output == ToolRun(["help"] + words).output)
        let command = try #require(Tool.commands.first { $0.name == name })
        #expect(!command.examples.isEmpty)
        for option in command.options { #expect(run.output.contains(option.synopsis)) }
        #expect(!run.output.split(separator: "\n").contains { $0.count > 100 })
    }

    @Test(arguments: Tool.commands.flatMap { command in command.examples.map { (command.name, $0.line) } })
    func everyExampleIsACommandLineThatCanBeParsed(_ name: String, _ line: String) throws {
        let command = try #require(Tool.commands.first { $0.name == name })
        // A command in brackets, `<(…)`, is one as any other.
        let end = line.contains("<(") ? line.index(before: line.endIndex) : line.endIndex
        var words = line[..<end].split { " |".contains($0) }.map { $0.trimmingCharacters(in: ["'"]) }
        words = Array(words[(try #require(words.firstIndex { $0.hasSuffix("coredata") }) + 1 + command.words.count)...])
        // What stands behind a pipe is another program's.
        if line.contains("|") { words = Array(words.prefix { $0 != "jq" }) }
        #expect(throws: Never.self) { try Arguments(words, of: command) }
    }

    @Test func aFamilyOfCommandsListsItsMembers() {
        let run = ToolRun("model", "--help")
        #expect(run.code == 0)
        #expect(run.output.contains("model generate "))
        #expect(run.output == ToolRun("help", "model").output)
    }

    @Test func aFamilyAloneOrWithAWrongMemberIsAUsageError() {
        let alone = ToolRun("model")
        #expect(alone.code == 2)
        #expect(alone.errors.contains("which 'model' command? One of generate"))
        #expect(alone.errors.contains("See 'coredata model --help'."))
        let wrong = ToolRun("model", "generat", "x")
        #expect(wrong.code == 2)
        #expect(wrong.errors.contains("there is no command 'model generat'.\n  Did you mean 'generate'?"))
        let first = ToolRun("modle", "generate")
        #expect(first.errors.contains("there is no command 'modle'.\n  Did you mean 'model'?"))
    }

    @Test func aWrongCommandIsNamedWithTheNearest() {
        let run = ToolRun("shcema", "x")
        #expect(run.code == 2)
        #expect(run.errors.contains("there is no command 'shcema'.\n  Did you mean 'schema'? See 'coredata --help'."))
    }

    @Test func aUsageErrorIsJSONWhereThatIsAskedFor() throws {
        let run = ToolRun("info", "--jsn", "--json", "x")
        #expect(run.code == 2)
        let error = try #require(try run.json()["error"] as? [String: Any])
        #expect(error["kind"] as? String == "usage")
        #expect(error["message"] as? String == "there is no option '--jsn'.")
        #expect((error["advice"] as? String)?.contains("'--json'") == true)
    }

    @Test func controlCharactersOfTheCommandLineAreEscaped() {
        let run = ToolRun("info", "/nowhere/\u{1B}[31m")
        #expect(run.code == 1)
        #expect(run.errors.contains("/nowhere/\\u{1B}[31m: there is no such file."))
        #expect(!run.errors.contains("\u{1B}"))
    }

    @Test func theVersionIsPrinted() {
        #expect(ToolRun("--version").output == "coredata \(Tool.version)\n")
    }
}

struct CompletionTests {
    @Test(arguments: Completions.shells)
    func everyOptionIsCompleted(_ shell: String) {
        let run = ToolRun("completions", shell)
        #expect(run.code == 0)
        for command in Tool.commands {
            for word in command.words { #expect(run.output.contains(word)) }
            for option in command.options {
                #expect(run.output.contains(shell == "fish" ? "-l \(option.name.dropFirst(2))" : option.name))
            }
        }
    }

    @Test func anotherShellIsAUsageError() {
        let run = ToolRun("completions", "bsh")
        #expect(run.code == 2)
        #expect(run.errors.contains("Did you mean 'bash'?"))
    }

    @Test(arguments: [
        ("coredata in", "info"), ("coredata schema --ent", "--entity"), ("coredata completions z", "zsh"),
        ("coredata mo", "model"), ("coredata model g", "generate"), ("coredata model generate --mod", "--module"),
    ])
    func bashCompletes(_ line: String, _ word: String) throws {
        let script =
            ToolRun("completions", "bash").output + """

                COMP_WORDS=(\(line)); COMP_CWORD=$((${#COMP_WORDS[@]}-1))
                _coredata; printf '%s\\n' "${COMPREPLY[@]}"
                """
        let result = try Subprocess.run("/bin/bash", ["--norc", "-c", script])
        #expect(result.output == word + "\n")
        #expect(result.errorOutput == "")
    }

    @Test(arguments: ["zsh", "fish"])
    func theScriptsParse(_ shell: String) throws {
        // Where the shell is there to tell.
        guard (try? Subprocess.find(shell)) != nil else { return }
        let result = try Subprocess.run(shell, ["-n", "-c", ToolRun("completions", shell).output])
        #expect(result.isSuccess, "\(result.errorOutput)")
    }
}
