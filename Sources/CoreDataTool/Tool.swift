import Foundation

/// The command-line tool: everything but the process around it.
package enum Tool {
    package static let version = "0.1.0"

    static let commands: [CommandSpecification] = [.info, .schema, .reset, .completions]

    /// Runs a command line.
    ///
    /// - Parameter words: the arguments, without the program's name.
    /// - Returns: 0 done, 1 failed, 2 the command line cannot be understood.
    package static func run(_ words: [String], _ console: Console) -> Int32 {
        let code = perform(words, console)
        console.flush()
        // A reader who has enough is no failure of ours; a full disk is.
        guard let failure = console.output.failure, failure != EPIPE else { return code }
        console.errors.write("coredata: the output cannot be written: \(String(cString: strerror(failure)))\n")
        console.errors.flush()
        return max(code, 1)
    }

    private static func perform(_ words: [String], _ console: Console) -> Int32 {
        // Also for a command line that cannot be parsed, so that a program gets the error in the form it reads.
        let wantsJSON = words.prefix { $0 != "--" }.contains("--json")
        do {
            try dispatch(words, console)
            return 0
        } catch let error as UsageError {
            report("usage", nil, error.problem, error.advice, console, wantsJSON)
            return 2
        } catch {
            Signals.endIfEnding()
            let error = ToolError.explaining(error, "")
            report(error.kind.rawValue, error.path, error.problem, error.advice, console, wantsJSON)
            return 1
        }
    }

    private static func dispatch(_ words: [String], _ console: Console) throws {
        guard let name = words.first else {
            throw UsageError("which command? One of \(commands.map(\.name).joined(separator: ", ")).")
        }
        switch name {
        case "--help", "-h", "help":
            guard name == "help", let topic = words.dropFirst().first else {
                return console.output.write(Help.overview(commands, console.style))
            }
            console.output.write(Help.text(of: try command(named: topic), console.style))
        case "--version":
            console.print("coredata \(version)")
        default:
            let command = try command(named: name)
            let arguments = try Arguments(words.dropFirst(), of: command)
            if arguments.has("--help") {
                console.output.write(Help.text(of: command, console.style))
            } else {
                try command.run(arguments, console)
            }
        }
    }

    private static func command(named name: String) throws -> CommandSpecification {
        if let command = commands.first(where: { $0.name == name }) { return command }
        throw UsageError(
            name.hasPrefix("-") ? "there is no option '\(name)'." : "there is no command '\(name)'.",
            suggestion: Suggestion.nearest(to: name, among: commands.map(\.name) + ["help", "--help", "--version"]))
    }

    private static func report(
        _ kind: String, _ path: String?, _ problem: String, _ advice: String?, _ console: Console, _ wantsJSON: Bool
    ) {
        console.output.flush()
        if wantsJSON {
            console.print(
                .object([
                    (
                        "error",
                        .object([
                            ("kind", .text(kind)), ("file", .text(orNull: path)), ("message", .text(problem)),
                            ("advice", .text(orNull: advice)),
                        ])
                    )
                ]))
        }
        let place = path.map { $0.isEmpty ? "" : $0.printable(limit: 4096) + ": " } ?? ""
        console.errors.write(
            "coredata: \(console.errorStyle.red("error:")) \(place)\(problem.printable(limit: 4096))\n")
        if let advice { console.errors.write("  \(advice.printable(limit: 4096))\n") }
    }
}

extension CommandSpecification {
    static let completions = CommandSpecification(
        name: "completions",
        summary: "Prints a script that lets a shell complete this tool's command lines.",
        usage: ["bash|zsh|fish"],
        discussion: "The first line of the script says where to put it.",
        operand: Operand(placeholder: "SHELL", help: "bash, zsh or fish."),
        options: [.help],
        examples: [
            Example(line: "source <(coredata completions bash)", explanation: "Completion in the running bash.")
        ]
    ) { arguments, console in
        let shell = arguments.operands[0]
        guard let script = Completions.script(for: shell, Tool.commands) else {
            throw UsageError(
                "there are completions for bash, zsh and fish, not for '\(shell)'.", command: "completions",
                suggestion: Suggestion.nearest(to: shell, among: Completions.shells))
        }
        console.output.write(script)
    }
}
