/// The texts of `--help`.
enum Help {
    static func overview(_ commands: [CommandSpecification], _ style: Style) -> String {
        let width = (commands.map(\.name.count).max() ?? 0) + 2
        let list = commands.map { "  " + $0.name.padded(to: width) + $0.summary }
        return """
            Looks into Core Data stores and empties them, with or without their model.

            \(style.bold("Usage"))
              coredata COMMAND …

            \(style.bold("Commands"))
            \(list.joined(separator: "\n"))

            \(style.bold("Exit codes"))
              0  done
              1  failed; the message says why, and what to do next
              2  the command line cannot be understood

            \(style.bold("Example"))
              coredata info Library.sqlite

            'coredata COMMAND --help' tells more about a command, 'coredata --version' the version.

            """
    }

    /// The commands of a family.
    static func family(_ name: String, _ commands: [CommandSpecification], _ style: Style) -> String {
        let width = (commands.map(\.name.count).max() ?? 0) + 2
        let list = commands.map { "  " + $0.name.padded(to: width) + $0.summary }
        return """
            \(style.bold("Usage"))
              coredata \(name) COMMAND …

            \(style.bold("Commands"))
            \(list.joined(separator: "\n"))

            'coredata \(name) COMMAND --help' tells more about a command.

            """
    }

    static func text(of command: CommandSpecification, _ style: Style) -> String {
        var text = command.summary + "\n\n" + style.bold("Usage") + "\n"
        text += command.usage.map { "  coredata \(command.name) \($0)\n" }.joined()
        text += "\n" + wrapped(command.discussion, indent: 0) + "\n"
        var rows = command.options.map { ($0.synopsis, $0.help) }
        rows.insert(contentsOf: command.operands.map { ($0.placeholder, $0.help) }, at: 0)
        text += "\n" + style.bold("Arguments and options") + "\n"
        let width = (rows.map(\.0.count).max() ?? 0) + 2
        for (name, help) in rows {
            text += "  " + name.padded(to: width) + wrapped(help, indent: width + 2).drop { $0 == " " } + "\n"
        }
        text += "\n" + style.bold(command.examples.count == 1 ? "Example" : "Examples") + "\n"
        for example in command.examples {
            text += "  " + example.line + "\n" + wrapped(example.explanation, indent: 6) + "\n"
        }
        return text
    }

    /// Breaks a text into lines of up to 96 characters; its own line ends stay.
    private static func wrapped(_ text: String, indent: Int) -> String {
        let margin = String(repeating: " ", count: indent)
        var lines: [String] = []
        for paragraph in text.split(separator: "\n", omittingEmptySubsequences: false) {
            var line = ""
            for word in paragraph.split(separator: " ") {
                if !line.isEmpty, indent + line.count + 1 + word.count > 96 {
                    lines.append(margin + line)
                    line = ""
                }
                line += (line.isEmpty ? "" : " ") + word
            }
            lines.append(line.isEmpty ? "" : margin + line)
        }
        return lines.joined(separator: "\n")
    }
}

extension CommandSpecification.Option {
    /// The option as it is typed: `--entity NAME`.
    var synopsis: String {
        (short.map { $0 + ", " } ?? "") + name + (placeholder.map { " " + $0 } ?? "")
    }
}
