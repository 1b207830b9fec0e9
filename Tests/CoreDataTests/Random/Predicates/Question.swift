/// A predicate as a tree that can be written as a format, evaluated naively and made smaller.
indirect enum Question {
    case constant(Bool)
    case and([Question])
    case or([Question])
    case not(Question)
    case compare(Comparison)

    struct Comparison {
        /// "", `ANY`, `ALL` or `NONE`.
        var quantifier = ""
        var left: Term
        var symbol: String
        /// Letters of the brackets.
        var options: Set<Character> = []
        var right: Term
        /// What a pattern on the right means, for the naive evaluator.
        var pattern: [PatternPiece]?
    }

    enum PatternPiece {
        case anyText
        case anyCharacter
        case piece(PlainText.Piece)
    }

    /// One operand.
    indirect enum Term {
        case constant(PlainValue)
        case own
        case variable(String)
        /// A key path of SELF, or of a variable.
        case path(String, of: String?)
        /// `price + 1`, `abs:(x)`: functions of values.
        case call(String, [Term])
        /// `sum:(members.age)`
        case list([Term])
        case subquery(Term, String, Question)
        /// A key path behind a subquery.
        case behind(Term, String)
        case choice(Question, Term, Term)
        case cast(Term, String)
    }
}

extension Question {
    /// The format and its arguments.
    func format(_ arguments: inout [PlainValue]) -> String {
        switch self {
        case .constant(let value): return value ? "TRUEPREDICATE" : "FALSEPREDICATE"
        case .and(let parts):
            if parts.isEmpty { return "TRUEPREDICATE" }
            return "(" + parts.map { $0.format(&arguments) }.joined(separator: " AND ") + ")"
        case .or(let parts):
            if parts.isEmpty { return "FALSEPREDICATE" }
            return "(" + parts.map { $0.format(&arguments) }.joined(separator: " OR ") + ")"
        case .not(let part): return "NOT (\(part.format(&arguments)))"
        case .compare(let comparison):
            let options = comparison.options.isEmpty ? "" : "[\(String(comparison.options.sorted()))]"
            let left = comparison.left.format(&arguments)
            return "\(comparison.quantifier) \(left) \(comparison.symbol)\(options) "
                + comparison.right.format(&arguments)
        }
    }
}

extension Question.Term {
    static let infix = ["+", "-", "*", "/", "**", "&", "|", "^", "<<", ">>"]

    func format(_ arguments: inout [PlainValue]) -> String {
        switch self {
        case .constant(.none): return "nil"
        case .constant(let value):
            arguments.append(value)
            return "%@"
        case .own: return "SELF"
        case .variable(let name): return "$\(name)"
        case .path(let path, of: let variable): return variable.map { "$\($0).\(path)" } ?? path
        case .call(let name, let parts):
            let texts = parts.map { $0.format(&arguments) }
            if Self.infix.contains(name) { return "(\(texts[0]) \(name) \(texts[1]))" }
            return name == "~" ? "(~\(texts[0]))" : "\(name)(\(texts.joined(separator: ", ")))"
        case .list(let members): return "{" + members.map { $0.format(&arguments) }.joined(separator: ", ") + "}"
        case .subquery(let collection, let name, let question):
            let source = collection.format(&arguments)
            return "SUBQUERY(\(source), $\(name), \(question.format(&arguments)))"
        case .behind(let term, let path): return "\(term.format(&arguments)).\(path)"
        case .choice(let question, let first, let second):
            let test = question.format(&arguments)
            let value = first.format(&arguments)
            return "TERNARY(\(test), \(value), \(second.format(&arguments)))"
        case .cast(let term, let type): return "CAST(\(term.format(&arguments)), '\(type)')"
        }
    }

    /// Written out: it takes on the kind of what it is compared with.
    var isLiteral: Bool { if case .constant = self { true } else { false } }
}
