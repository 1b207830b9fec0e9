import Foundation

/// A command line after parsing.
struct Arguments: Sendable {
    fileprivate(set) var operands: [String] = []
    private var values: [String: [String]] = [:]

    func has(_ option: String) -> Bool { values[option] != nil }

    func values(of option: String) -> [String] { values[option] ?? [] }

    func value(of option: String) -> String? { values[option]?.last }

    var wantsJSON: Bool { has("--json") }

    /// - Throws: `UsageError` for what is no number of seconds.
    func timeout() throws -> Double {
        guard let text = value(of: "--timeout") else { return 5 }
        guard let seconds = Double(text), seconds.isFinite, seconds >= 0, seconds <= 86_400 else {
            throw UsageError("--timeout takes a number of seconds, not '\(text)'.")
        }
        return seconds
    }

    /// - Throws: `UsageError` that says what is wrong and what was probably meant.
    init(_ words: some Sequence<String>, of command: CommandSpecification) throws {
        var rest = Array(words)[...]
        while let word = rest.popFirst() {
            if word == "--" {
                operands += rest
                break
            }
            guard word.hasPrefix("-"), word != "-" else {
                operands.append(word)
                continue
            }
            try readOption(word, &rest, of: command)
        }
        if has("--help") { return }
        try checkOperands(of: command)
    }

    private mutating func readOption(
        _ word: String, _ rest: inout ArraySlice<String>, of command: CommandSpecification
    ) throws {
        let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard let option = command.option(named: parts[0]) else {
            throw UsageError(
                "there is no option '\(parts[0])'.", command: command.name,
                suggestion: Suggestion.nearest(to: parts[0], among: command.options.map(\.name)))
        }
        if option.placeholder == nil {
            guard parts.count == 1 else { throw UsageError("\(option.name) takes no value.", command: command.name) }
            values[option.name, default: []].append("")
            return
        }
        // A value may begin with a dash where it stands behind "=": alone it is rather a forgotten value.
        guard let value = parts.count == 2 ? parts[1] : rest.first.flatMap({ $0.hasPrefix("-") ? nil : $0 }) else {
            let isValue = rest.first.map { command.option(named: $0) == nil } ?? false
            throw UsageError(
                "\(option.name) needs a value: \(option.synopsis)"
                    + (isValue ? ", or \(option.name)=\(rest.first ?? "") as the dash is part of it." : "."),
                command: command.name)
        }
        if parts.count == 1 { rest.removeFirst() }
        guard option.isRepeatable || values[option.name] == nil else {
            throw UsageError("\(option.name) is given twice.", command: command.name)
        }
        values[option.name, default: []].append(value)
    }

    private func checkOperands(of command: CommandSpecification) throws {
        let wanted = command.operands
        if let extra = operands.dropFirst(wanted.count).first {
            guard wanted.count == 1 else { throw UsageError("'\(extra)' is not expected.", command: command.name) }
            throw UsageError(
                "one \(wanted[0].placeholder) is expected, but there are \(operands.count): "
                    + operands.map { "'\($0)'" }.joined(separator: ", ") + ".", command: command.name)
        }
        if operands.count < wanted.count {
            throw UsageError("\(wanted[operands.count].placeholder) is missing.", command: command.name)
        }
        for (operand, given) in zip(wanted, operands) where given.isEmpty {
            throw UsageError("\(operand.placeholder) is empty.", command: command.name)
        }
    }
}

/// A command line that cannot be understood: exit code 2.
struct UsageError: Error {
    let problem: String
    /// The command whose help tells more.
    var command: String?
    /// What was probably meant.
    var suggestion: String?

    init(_ problem: String, command: String? = nil, suggestion: String? = nil) {
        self.problem = problem
        self.command = command
        self.suggestion = suggestion
    }

    var advice: String {
        let help = "See 'coredata \(command.map { $0 + " " } ?? "")--help'."
        return suggestion.map { "Did you mean '\($0)'? " + help } ?? help
    }
}
