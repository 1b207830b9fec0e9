import Foundation

/// The command-line tool: everything but the process around it.
package enum Tool {
    package static let version = "0.1.0"

    static let commands: [CommandSpecification] =
        [.info, .schema, .fetch, .reset] + CommandSpecification.modelCommands + [.completions]

    /// Runs a command line.
    ///
    /// - Parameter words: the arguments, without the program's name.
    /// - Returns: 0 done, 1 failed or not all done, 2 the command line cannot be understood.
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
        } catch is NotAllDone {
            return 1
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
            let topic = words.dropFirst()
            guard name == "help", !topic.isEmpty else {
                return console.output.write(Help.overview(commands, console.style))
            }
            try help(on: topic, console)
        case "--version":
            console.print("coredata \(version)")
        default:
            let isFamily = commands.contains { $0.family == name }
            if isFamily, words.count > 1, ["--help", "-h"].contains(words[1]) { return try help(on: [name], console) }
            let command = try command(in: words[...])
            let arguments = try Arguments(words.dropFirst(command.words.count), of: command)
            if arguments.has("--help") {
                console.output.write(Help.text(of: command, console.style))
            } else {
                try command.run(arguments, console)
            }
        }
    }

    private static func help(on topic: ArraySlice<String>, _ console: Console) throws {
        let members = commands.filter { $0.family == topic.first }
        if topic.count == 1, let family = topic.first, !members.isEmpty {
            console.output.write(Help.family(family, members, console.style))
        } else {
            console.output.write(Help.text(of: try command(in: topic), console.style))
        }
    }

    /// The command that a command line begins with, by one word or, in a family, by two.
    private static func command(in words: ArraySlice<String>) throws -> CommandSpecification {
        let name = words.first ?? ""
        if let command = commands.first(where: { words.starts(with: $0.words) }) { return command }
        let members = commands.filter { $0.family == name }.compactMap(\.words.last)
        if !members.isEmpty {
            guard let member = words.dropFirst().first else {
                throw UsageError("which '\(name)' command? One of \(members.joined(separator: ", ")).", command: name)
            }
            throw UsageError(
                "there is no command '\(name) \(member)'.", command: name,
                suggestion: Suggestion.nearest(to: member, among: members))
        }
        throw UsageError(
            name.hasPrefix("-") ? "there is no option '\(name)'." : "there is no command '\(name)'.",
            suggestion: Suggestion.nearest(
                to: name, among: commands.compactMap(\.words.first) + ["help", "--help", "--version"]))
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
        // An advice may have several lines: a text, and a mark under its fault.
        for line in advice?.split(separator: "\n", omittingEmptySubsequences: false) ?? [] {
            console.errors.write("  \(String(line).printable(limit: 4096))\n")
        }
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
