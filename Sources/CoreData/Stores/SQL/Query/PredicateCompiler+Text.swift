import Foundation

// Tests of texts. Plain SQL where it means the same as in memory and can use an index; else functions that share the rules
// of `StringFolding` with predicates in memory.
extension PredicateCompiler {
    /// Whether the options change which texts are the same.
    static func folds(_ options: Options) -> Bool {
        !options.effective.isDisjoint(with: [.caseInsensitive, .diacriticInsensitive, .localeSensitive])
    }

    /// A test against a constant.
    func matches(_ term: SQLTerm, _ test: TextMatcher.Test, _ constant: String, _ options: Options) -> String {
        let matcher = query.parameter(.matcher(TextMatcher(test, constant, options: options)))
        return "coredata_matches(\(term.sql), \(matcher))"
    }

    func textTest(_ type: Operator, _ options: Options, of term: SQLTerm, _ right: SQLOperand) throws -> String {
        let term = try textual(term, type)
        switch right {
        case .constant(let constant):
            // Nothing contains nil, and nothing is known of what does not.
            if constant.isNull { return "NULL" }
            guard let text = constant.text else {
                throw SQLRequestError.refused("\(term.label): \(Self.word(type)) needs a text on its right.")
            }
            return try textTest(type, options, of: term, text)
        case .term(let other): return textTest(type, options, of: term.sql, try textual(other, type).sql)
        case .list, .toMany:
            throw SQLRequestError.refused("\(term.label): \(Self.word(type)) needs a text on its right.")
        }
    }

    /// A constant tested against the text of each row.
    func textTest(_ type: Operator, _ options: Options, of left: SQLOperand, _ term: SQLTerm) throws -> String {
        guard case .constant(let constant) = left else {
            throw SQLRequestError.refused("\(term.label): \(Self.word(type)) needs texts on both sides.")
        }
        if constant.isNull { return "NULL" }
        guard let text = constant.text else {
            throw SQLRequestError.refused("\(term.label): \(Self.word(type)) needs texts on both sides.")
        }
        return textTest(type, options, of: query.parameter(.text(text)), try textual(term, type).sql)
    }

    /// The term as a text: of numbers the digits, of UUIDs their usual form, as in memory.
    func textual(_ term: SQLTerm, _ type: Operator) throws -> SQLTerm {
        if term.isText { return term }
        guard let code = term.code, code != .date, code != .data else {
            throw SQLRequestError.refused("\(term.label) is no text: \(Self.word(type)) cannot test it.")
        }
        return SQLTerm(
            sql: "coredata_text(\(term.sql), \(code.rawValue))", kind: .value(.string), label: term.label)
    }

    /// Two texts that both may differ from row to row.
    func textTest(_ type: Operator, _ options: Options, of left: String, _ right: String) -> String {
        "coredata_text_test(\(left), \(right), \(type.rawValue), \(options.rawValue))"
    }

    private func textTest(
        _ type: Operator, _ options: Options, of term: SQLTerm, _ text: String
    ) throws -> String {
        let isExact = !Self.folds(options)
        switch type {
        case .beginsWith:
            return isExact ? prefixTest(term, text) : matches(term, .begins, text, options)
        case .contains:
            guard isExact else { return matches(term, .contains, text, options) }
            return "instr(\(term.sql), \(query.parameter(.text(text)))) > 0"
        case .endsWith: return matches(term, .ends, text, options)
        case .like:
            if isExact, let test = plainLike(term, text) { return test }
            return matches(term, .like(LikePattern(text, options: options)), text, options)
        case .matches:
            let expression: RegularExpressionPattern
            do { expression = try RegularExpressionPattern(text, options: options) } catch {
                throw SQLRequestError.refused("\(term.label) MATCHES: \"\(text)\" is no regular expression.")
            }
            return matches(term, .matches(expression), text, options)
        default: throw SQLRequestError.unsupported("the operator \(Self.word(type)) on \(term.label)")
        }
    }

    /// A prefix as a range, which an index serves. Code points and the bytes of UTF-8 have the same order.
    private func prefixTest(_ term: SQLTerm, _ prefix: String) -> String {
        if prefix.isEmpty { return "(\(term.sql) IS NOT NULL OR NULL)" }
        let low = "\(term.sql) >= \(query.parameter(.text(prefix)))"
        guard let end = Self.end(ofPrefix: prefix) else { return "(\(low))" }
        return "(\(low) AND \(term.sql) < \(query.parameter(.text(end))))"
    }

    /// The first text behind all that begin with the prefix; nil if there is none.
    static func end(ofPrefix prefix: String) -> String? {
        var scalars = prefix.unicodeScalars
        while let last = scalars.popLast() {
            // Surrogates are no code points: the one behind D7FF is E000.
            let next = last.value == 0xD7FF ? 0xE000 : last.value + 1
            if let scalar = UnicodeScalar(next) {
                scalars.append(scalar)
                return String(scalars)
            }
        }
        return nil
    }

    /// A pattern without wildcards, or with a `*` at its end alone.
    private func plainLike(_ term: SQLTerm, _ pattern: String) -> String? {
        let special = pattern.unicodeScalars.filter { $0 == "*" || $0 == "?" || $0 == "\\" }.count
        if special == 0 { return "\(term.sql) = \(query.parameter(.text(pattern)))" }
        guard special == 1, pattern.unicodeScalars.last == "*" else { return nil }
        return prefixTest(term, String(pattern.unicodeScalars.dropLast()))
    }

    private static func word(_ type: Operator) -> String {
        switch type {
        case .beginsWith: "BEGINSWITH"
        case .endsWith: "ENDSWITH"
        case .contains: "CONTAINS"
        case .like: "LIKE"
        case .matches: "MATCHES"
        case .in: "IN"
        default: "\(type)"
        }
    }
}
