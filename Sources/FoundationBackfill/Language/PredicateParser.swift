import Foundation

/// Reads Apple's predicate format language by recursive descent.
///
/// Loosest first: `OR`, `AND`, `NOT`, comparison, then the operators of expressions by ``PredefinedFunction/precedence``.
/// A bracket may hold a predicate or an expression, so both come back from one function (``Phrase``) and nothing is ever
/// read twice: the time is linear in the length of the format. Nesting and chains of operators are bounded, since the
/// trees made are walked by recursion.
struct PredicateParser {
    /// What a bracket or an operand turned out to be.
    enum Phrase {
        case predicate(NSPredicate)
        case expression(NSExpression)
    }

    static let maximumDepth = 100
    static let maximumChain = 250

    let format: String
    let tokens: [PredicateToken]
    let arguments: [Any]
    var position = 0
    var argumentIndex = 0
    private var depth = 0
    private var chain = 0

    init(format: String, arguments: [Any]) throws {
        self.format = format
        self.arguments = arguments
        tokens = try PredicateLexer.tokens(of: format)
    }

    /// The predicate that a whole format describes.
    static func predicate(format: String, arguments: [Any]) throws -> NSPredicate {
        var parser = try PredicateParser(format: format, arguments: arguments)
        let predicate = try parser.predicate()
        try parser.expectEnd()
        return predicate
    }

    /// The expression that a whole format describes.
    static func expression(format: String, arguments: [Any]) throws -> NSExpression {
        var parser = try PredicateParser(format: format, arguments: arguments)
        let expression = try parser.expression()
        try parser.expectEnd()
        return expression
    }

    // MARK: Tokens

    var token: PredicateToken { tokens[position] }

    /// The token after the current one; the end token follows itself.
    var following: PredicateToken { tokens[min(position + 1, tokens.count - 1)] }

    mutating func advance() {
        if position < tokens.count - 1 { position += 1 }
    }

    func failure(_ reason: String, at offset: Int? = nil) -> PredicateFormatError {
        PredicateFormatError(format: format, utf8Offset: offset ?? token.range.lowerBound, reason: reason)
    }

    func isSymbol(_ symbol: String) -> Bool { token.kind == .symbol(symbol) }

    mutating func takeSymbol(_ symbol: String) -> Bool {
        guard isSymbol(symbol) else { return false }
        advance()
        return true
    }

    mutating func expectSymbol(_ symbol: String) throws {
        guard takeSymbol(symbol) else { throw failure("expected \(symbol)") }
    }

    /// The word at the current token in capitals, nil if there is none. Names after `#` are no keywords.
    var keyword: String? {
        guard case .word(let word) = token.kind else { return nil }
        return word.uppercased()
    }

    mutating func takeKeyword(_ keywords: String...) -> Bool {
        guard let keyword, keywords.contains(keyword) else { return false }
        advance()
        return true
    }

    private func expectEnd() throws {
        guard token.kind == .end else { throw failure("unexpected text after the end") }
    }

    /// Runs a step one level deeper.
    mutating func nested<Result>(_ body: (inout PredicateParser) throws -> Result) throws -> Result {
        depth += 1
        defer { depth -= 1 }
        guard depth <= Self.maximumDepth else { throw failure("nested too deeply") }
        return try body(&self)
    }

    /// Notes one more operator that makes a tree higher.
    mutating func lengthenChain() throws {
        chain += 1
        guard chain <= Self.maximumChain else { throw failure("too many operators") }
    }

    // MARK: Predicates

    mutating func predicate() throws -> NSPredicate {
        let phrase = try disjunction()
        return try predicate(from: phrase)
    }

    /// The phrase just read, which must be a predicate.
    private func predicate(from phrase: Phrase) throws -> NSPredicate {
        guard case .predicate(let predicate) = phrase else { throw failure("expected a comparison operator") }
        return predicate
    }

    /// One or more conjunctions joined by OR.
    mutating func disjunction() throws -> Phrase {
        try nested { parser in
            try parser.joined(
                .or, operand: { try $0.conjunction() }, by: { $0.keyword == "OR" || $0.isSymbol("||") })
        }
    }

    private mutating func conjunction() throws -> Phrase {
        try joined(.and, operand: { try $0.negation() }, by: { $0.keyword == "AND" || $0.isSymbol("&&") })
    }

    private mutating func joined(
        _ type: NSCompoundPredicate.LogicalType, operand: (inout PredicateParser) throws -> Phrase,
        by isOperator: (PredicateParser) -> Bool
    ) throws -> Phrase {
        let first = try operand(&self)
        guard isOperator(self) else { return first }
        var members = [try predicate(from: first)]
        while isOperator(self) {
            advance()
            let next = try operand(&self)
            members.append(try predicate(from: next))
        }
        return .predicate(CompoundPredicate(type: type, subpredicates: members))
    }

    private mutating func negation() throws -> Phrase {
        if keyword == "NOT" { try refuseKey() }
        guard takeKeyword("NOT") || takeSymbol("!") else { return try comparison() }
        return try nested { parser in
            let operand = try parser.negation()
            return .predicate(CompoundPredicate(type: .not, subpredicates: [try parser.predicate(from: operand)]))
        }
    }

    private mutating func comparison() throws -> Phrase {
        if let constant = try constantPredicate() { return .predicate(constant) }
        var modifier = NSComparisonPredicate.Modifier.direct
        var isNone = false
        let startsWithModifier: Bool
        switch keyword {
        case "ANY", "SOME": (startsWithModifier, modifier) = (true, .any)
        case "ALL": (startsWithModifier, modifier) = (true, .all)
        case "NONE": (startsWithModifier, modifier, isNone) = (true, .any, true)
        default: startsWithModifier = false
        }
        if startsWithModifier {
            try refuseKey()
            advance()
        }
        let left: NSExpression
        switch try phrase(precedence: 0) {
        case .predicate(let predicate):
            guard !startsWithModifier else { throw failure("expected a comparison of a collection's members") }
            return .predicate(predicate)
        case .expression(let expression):
            left = expression
        }
        guard let (type, options) = try comparisonOperator() else {
            guard !startsWithModifier else { throw failure("expected a comparison operator") }
            return .expression(left)
        }
        let right = try expression()
        let comparison = NSComparisonPredicate(
            leftExpression: left, rightExpression: right, modifier: modifier, type: type, options: options)
        return .predicate(isNone ? CompoundPredicate(type: .not, subpredicates: [comparison]) : comparison)
    }

    private mutating func constantPredicate() throws -> NSPredicate? {
        guard keyword == "TRUEPREDICATE" || keyword == "FALSEPREDICATE" else { return nil }
        try refuseKey()
        defer { advance() }
        return NSPredicate(value: keyword == "TRUEPREDICATE")
    }

    /// Refuses a word of the language that was meant as a key, as what follows it shows.
    private func refuseKey() throws {
        if case .word(let word) = token.kind, continuesKey || Self.comparison(following.kind) != nil {
            throw reservedWord(word)
        }
    }

    /// Whether the next token goes on with a key path.
    var continuesKey: Bool { following.kind == .symbol(".") || following.kind == .symbol("[") }

    /// The error of a word of the language in the place of a key.
    func reservedWord(_ word: String) -> PredicateFormatError {
        failure("expected a value (\(word) is a reserved word: write #\(word) for a key of that name)")
    }

    private mutating func comparisonOperator() throws -> (
        NSComparisonPredicate.Operator, NSComparisonPredicate.Options
    )? {
        guard let type = Self.comparison(token.kind) else { return nil }
        advance()
        return (type, try comparisonOptions())
    }

    private static func comparison(_ token: PredicateToken.Kind) -> NSComparisonPredicate.Operator? {
        switch token {
        case .symbol("="), .symbol("=="): .equalTo
        case .symbol("!="), .symbol("<>"): .notEqualTo
        case .symbol("<"): .lessThan
        case .symbol("<="), .symbol("=<"): .lessThanOrEqualTo
        case .symbol(">"): .greaterThan
        case .symbol(">="), .symbol("=>"): .greaterThanOrEqualTo
        case .word(let word):
            switch word.uppercased() {
            case "IN": .in
            case "CONTAINS": .contains
            case "BEGINSWITH": .beginsWith
            case "ENDSWITH": .endsWith
            case "LIKE": .like
            case "MATCHES": .matches
            case "BETWEEN": .between
            default: nil
            }
        default: nil
        }
    }

    private mutating func comparisonOptions() throws -> NSComparisonPredicate.Options {
        guard takeSymbol("[") else { return [] }
        guard case .word(let letters) = token.kind else { throw failure("expected options such as cd") }
        var options: NSComparisonPredicate.Options = []
        for letter in letters.lowercased() {
            switch letter {
            case "c": options.insert(.caseInsensitive)
            case "d": options.insert(.diacriticInsensitive)
            case "n": options.insert(.normalized)
            case "l": options.insert(.localeSensitive)
            default: throw failure("the options of a comparison are c, d, n and l")
            }
        }
        advance()
        try expectSymbol("]")
        return options
    }
}
