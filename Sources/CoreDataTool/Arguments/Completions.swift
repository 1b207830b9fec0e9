/// Scripts that let a shell complete the tool's command lines.
enum Completions {
    static let shells = ["bash", "zsh", "fish"]

    /// - Returns: nil for a shell that is not among `shells`.
    static func script(for shell: String, _ commands: [CommandSpecification]) -> String? {
        switch shell {
        case "bash": bash(commands)
        case "zsh": zsh(commands)
        case "fish": fish(commands)
        default: nil
        }
    }

    /// The families of commands, with the second words of their members.
    private static func families(of commands: [CommandSpecification]) -> [(String, [String])] {
        firstWords(of: commands).compactMap { word in
            let members = commands.filter { $0.family == word }.compactMap(\.words.last)
            return members.isEmpty ? nil : (word, members)
        }
    }

    private static func firstWords(of commands: [CommandSpecification]) -> [String] {
        var words: [String] = []
        for command in commands {
            if let word = command.words.first, !words.contains(word) { words.append(word) }
        }
        return words
    }

    private static func words(of command: CommandSpecification) -> [String] {
        command.options.flatMap { [$0.name] + ($0.short.map { [$0] } ?? []) }
            + (command.name == "completions" ? shells : [])
    }

    private static func completesFiles(_ command: CommandSpecification) -> Bool {
        command.name != "completions" && command.operand != nil
    }

    private static func bash(_ commands: [CommandSpecification]) -> String {
        let cases = commands.map { command in
            // What is compared has two words.
            let pattern = "'\(command.name)\(command.family == nil ? " '*" : "'")"
            return """
                    \(pattern)) words="\(words(of: command).joined(separator: " "))" ;;

                """
        }
        let families = Self.families(of: commands).map { family, members in
            """
                    \(family)) COMPREPLY=($(compgen -W "\(members.joined(separator: " ")) --help" -- "$current")); return ;;

            """
        }
        let files = commands.flatMap(\.options).filter(\.completesFiles).map(\.name)
        let values = commands.flatMap(\.options).filter {
            $0.placeholder != nil && !$0.completesFiles && $0.words.isEmpty
        }
        .map(\.name)
        let choices = commands.flatMap(\.options).filter { !$0.words.isEmpty }.map { option in
            """
                \(option.name)) COMPREPLY=($(compgen -W "\(option.words.joined(separator: " "))" -- "$current")); return ;;

            """
        }
        return """
            # bash completion for coredata: put it into /etc/bash_completion.d, or source it.
            _coredata() {
                local current="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD-1]}" words
                COMPREPLY=()
                if [ "$COMP_CWORD" -eq 1 ]; then
                    COMPREPLY=($(compgen -W "\(firstWords(of: commands).joined(separator: " ")) --help --version" -- "$current"))
                    return
                fi
                if [ "$COMP_CWORD" -eq 2 ]; then
                    case "${COMP_WORDS[1]}" in
            \(families.joined())        esac
                fi
                case "$previous" in
                \(pattern(files))) compopt -o filenames 2>/dev/null
                    mapfile -t COMPREPLY < <(compgen -f -- "$current"); return ;;
                \(pattern(values))) return ;;
            \(choices.joined())    esac
                case "${COMP_WORDS[1]} ${COMP_WORDS[2]}" in
            \(cases.joined())    *) return ;;
                esac
                case "$current" in
                -*) COMPREPLY=($(compgen -W "$words" -- "$current")) ;;
                *)  if [ "${COMP_WORDS[1]}" = completions ]; then
                        COMPREPLY=($(compgen -W "$words" -- "$current"))
                    else
                        compopt -o filenames 2>/dev/null
                        mapfile -t COMPREPLY < <(compgen -f -- "$current")
                    fi ;;
                esac
            }
            complete -F _coredata coredata

            """
    }

    private static func zsh(_ commands: [CommandSpecification]) -> String {
        let names = firstWords(of: commands).map { "        '\($0):\(quoted(summary(of: $0, commands)))'" }
        let cases = commands.map { command in
            var specs = command.options.flatMap { option -> [String] in
                let value = option.placeholder.map { ":\(quoted($0)):" + zshAction(option) } ?? ""
                return [option.name, option.short].compactMap { $0 }.map { name in
                    "'" + (option.isRepeatable ? "*" : "") + name + "[\(quoted(option.help))]" + value + "'"
                }
            }
            if completesFiles(command) { specs.append("'*:file:_files'") }
            if command.name == "completions" { specs.append("'1:shell:(\(shells.joined(separator: " ")))'") }
            return """
                    '\(command.name)') _arguments \(specs.joined(separator: " \\\n                ")) ;;

                """
        }
        let families = families(of: commands).map { family, members in
            """
                    \(family))
                        if (( CURRENT == 2 )); then
                            _values 'command' \(members.joined(separator: " "))
                            return
                        fi
                        command="$command $words[2]"
                        shift words
                        (( CURRENT-- )) ;;

            """
        }
        return """
            #compdef coredata
            # zsh completion for coredata: put it as _coredata into a folder of $fpath.
            _coredata() {
                local -a commands
                commands=(
            \(names.joined(separator: "\n"))
                )
                if (( CURRENT == 2 )); then
                    _describe 'command' commands
                    return
                fi
                local command=$words[2]
                shift words
                (( CURRENT-- ))
                case $command in
            \(families.joined())    esac
                case $command in
            \(cases.joined())    esac
            }
            _coredata "$@"

            """
    }

    /// A command's summary, or what a family of commands is about.
    private static func summary(of word: String, _ commands: [CommandSpecification]) -> String {
        if let command = commands.first(where: { $0.name == word }) { return command.summary }
        let members = commands.filter { $0.family == word }.compactMap(\.words.last)
        return "Commands about a \(word): \(members.joined(separator: ", "))."
    }

    private static func fish(_ commands: [CommandSpecification]) -> String {
        var lines = ["# fish completion for coredata: put it into ~/.config/fish/completions/coredata.fish."]
        lines.append("complete -c coredata -f")
        for word in firstWords(of: commands) {
            lines.append(
                "complete -c coredata -n __fish_use_subcommand -a \(word) -d '\(quoted(summary(of: word, commands)))'")
        }
        for command in commands {
            let seen = command.words.map { "__fish_seen_subcommand_from \($0)" }
            if let family = command.family, let word = command.words.last {
                let members = commands.filter { $0.family == family }.compactMap(\.words.last).joined(separator: " ")
                lines.append(
                    "complete -c coredata -n '\(seen[0]); and not __fish_seen_subcommand_from \(members)' -a \(word) "
                        + "-d '\(quoted(command.summary))'")
            }
            let condition = "-n '\(seen.joined(separator: "; and "))'"
            for option in command.options {
                var line = "complete -c coredata \(condition) -l \(option.name.dropFirst(2))"
                if let short = option.short { line += " -s \(short.dropFirst())" }
                if option.placeholder != nil { line += option.completesFiles ? " -r -F" : " -x" }
                if !option.words.isEmpty { line += " -a '\(option.words.joined(separator: " "))'" }
                lines.append(line + " -d '\(quoted(option.help))'")
            }
            if completesFiles(command) { lines.append("complete -c coredata \(condition) -F") }
            if command.name == "completions" {
                lines.append("complete -c coredata \(condition) -a '\(shells.joined(separator: " "))'")
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func zshAction(_ option: CommandSpecification.Option) -> String {
        if option.completesFiles { return "_files" }
        return option.words.isEmpty ? " " : "(\(option.words.joined(separator: " ")))"
    }

    /// For single quotes and square brackets; the texts are ours and hold neither backslashes nor line ends.
    private static func quoted(_ text: String) -> String {
        text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "’")
            .split(separator: ":", omittingEmptySubsequences: false).joined(separator: ",")
            .filter { $0 != "[" && $0 != "]" }
    }

    /// One of these words; of none, what is no word.
    private static func pattern(_ names: [String]) -> String {
        names.isEmpty ? "' '" : Set(names).sorted().joined(separator: "|")
    }
}

extension CommandSpecification.Option {
    fileprivate var completesFiles: Bool {
        if case .files = completion { true } else { false }
    }

    fileprivate var words: [String] {
        if case .words(let words) = completion { words } else { [] }
    }
}
