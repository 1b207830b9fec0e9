/// What a command accepts and says about itself: parsing, help and completions are all made from it.
struct CommandSpecification: Sendable {
    struct Operand: Sendable {
        let placeholder: String
        let help: String
    }

    struct Option: Sendable {
        /// What a shell completes the value with.
        enum Completion: Sendable, Equatable {
            case nothing, files
            case words([String])
        }

        /// With its dashes, as in `--entity`.
        let name: String
        var short: String?
        /// What stands for the value in the help; nil for an option without a value.
        var placeholder: String?
        var isRepeatable = false
        var completion = Completion.nothing
        let help: String
    }

    struct Example: Sendable {
        let line: String
        let explanation: String
    }

    /// One word or, in a family of commands, the family's and its own: `model generate`.
    let name: String
    let summary: String
    /// What follows the command's name, one form a line.
    let usage: [String]
    let discussion: String
    var operand: Operand?
    /// What is expected behind it.
    var furtherOperands: [Operand] = []
    let options: [Option]
    let examples: [Example]
    let run: @Sendable (Arguments, Console) throws -> Void

    var words: [String] { name.split(separator: " ").map(String.init) }

    /// The first word, if commands of several words share it.
    var family: String? { words.count > 1 ? words[0] : nil }

    var operands: [Operand] { (operand.map { [$0] } ?? []) + furtherOperands }

    func option(named name: String) -> Option? {
        options.first { $0.name == name || $0.short == name }
    }
}

extension CommandSpecification.Option {
    static let json = Self(name: "--json", help: "Print JSON with stable keys (see Documentation/Tool.md).")
    static let help = Self(name: "--help", short: "-h", help: "Print this help.")
    static let timeout = Self(
        name: "--timeout", placeholder: "SECONDS",
        help: "How long to wait for a program that is using the store. Default: 5.")
}
