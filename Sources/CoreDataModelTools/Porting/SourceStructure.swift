/// What a Swift file declares, as far as bringing it to Linux needs it, and what in it Linux refuses. Code that conditions keep
/// from Linux is passed over.
struct SourceStructure {
    /// A type, or an extension of one.
    struct DeclaredType {
        let name: String
        /// The names in its inheritance clause.
        var supertypes: Set<String> = []
        var properties: [String: Property] = [:]
    }

    struct Property {
        /// What Objective-C calls it, if that is another name.
        let objectiveCName: String?
        /// The names in its type.
        let types: Set<String>
    }

    /// An attribute that Linux refuses, by its tokens.
    struct Attribute {
        let name: String
        let tokens: Range<Int>
        /// The words before the attribute that belong to the same declaration.
        let firstModifier: Int
        /// Whether it makes a requirement of a protocol optional, which Objective-C alone can.
        let isOfOptionalRequirement: Bool
    }

    /// `#keyPath(…)` or `#selector(…)`, by its tokens.
    struct Expression {
        let tokens: Range<Int>
        /// The type in whose body it stands.
        let enclosingType: String?
    }

    let tokens: [SourceToken]
    private(set) var types: [DeclaredType] = []
    private(set) var attributes: [Attribute] = []
    private(set) var keyPaths: [Expression] = []
    private(set) var selectors: [Expression] = []

    init(_ bytes: [UInt8]) {
        tokens = SourceLexer.tokens(of: bytes)
        var scanner = Scanner(tokens: tokens)
        scanner.run()
        types = scanner.types
        attributes = scanner.attributes
        keyPaths = scanner.keyPaths
        selectors = scanner.selectors
    }
}

private struct Scanner {
    let tokens: [SourceToken]
    var types: [SourceStructure.DeclaredType] = []
    var attributes: [SourceStructure.Attribute] = []
    var keyPaths: [SourceStructure.Expression] = []
    var selectors: [SourceStructure.Expression] = []

    /// The braces that are open: the index of the type whose body they hold, or nil.
    private var scopes: [Int?] = []
    private var pendingType: Int?
    private var conditions = ConditionStack()
    private var index = 0

    init(tokens: [SourceToken]) { self.tokens = tokens }

    mutating func run() {
        while index < tokens.count {
            let token = tokens[index]
            if token.kind == .directive {
                conditions.apply(token)
                index += 1
            } else if conditions.isExcluded {
                index += 1
            } else {
                read(token)
            }
        }
    }

    private mutating func read(_ token: SourceToken) {
        switch token.kind {
        case .mark where token.text == "{":
            scopes.append(pendingType)
            pendingType = nil
        case .mark where token.text == "}": _ = scopes.popLast()
        case .mark where token.text == "@": return readAttribute()
        case .word where ["class", "struct", "enum", "actor", "extension", "protocol"].contains(token.text):
            readType()
        case .word where token.text == "var" || token.text == "let": readProperty()
        case .pound where token.text == "keyPath" || token.text == "selector": return readExpression(token.text)
        default: break
        }
        index += 1
    }

    private func isMark(_ mark: String, at index: Int) -> Bool { index < tokens.count && tokens[index].isMark(mark) }

    /// The index behind the bracket that closes the one at an index.
    private func endOfBrackets(at start: Int) -> Int {
        var depth = 0
        var end = start
        while end < tokens.count {
            if tokens[end].isMark("(") { depth += 1 }
            if tokens[end].isMark(")") { depth -= 1 }
            end += 1
            if depth == 0 { break }
        }
        return end
    }

    // MARK: Types and properties

    private mutating func readType() {
        // Not `class func`, nor the `class` of `protocol P: class`.
        guard index + 1 < tokens.count, tokens[index + 1].isName,
            tokens[index + 1].kind == .quotedWord
                || !Modifiers.all.union(["func", "var", "let", "subscript"]).contains(tokens[index + 1].text)
        else { return }
        var name = tokens[index + 1].text
        var next = index + 2
        while isMark(".", at: next), next + 1 < tokens.count, tokens[next + 1].isName {
            name = tokens[next + 1].text
            next += 2
        }
        var type = SourceStructure.DeclaredType(name: name)
        while next < tokens.count, !tokens[next].isMark("{"), !tokens[next].isMark("}"), !tokens[next].isWord("where") {
            if tokens[next].isName { type.supertypes.insert(tokens[next].text) }
            next += 1
        }
        pendingType = types.count
        types.append(type)
    }

    private mutating func readProperty() {
        guard case .some(.some(let type)) = scopes.last, index + 1 < tokens.count, tokens[index + 1].isName else {
            return
        }
        var used: Set<String> = []
        var next = index + 2
        if isMark(":", at: next) {
            next += 1
            while next < tokens.count, !["=", "{", "}", ";", "@"].contains(tokens[next].text) {
                if tokens[next].kind == .word, Modifiers.startsDeclaration(tokens[next].text) { break }
                if tokens[next].isName { used.insert(tokens[next].text) }
                next += 1
            }
        }
        types[type].properties[tokens[index + 1].text] = SourceStructure.Property(
            objectiveCName: objectiveCName(before: index), types: used)
    }

    /// The name in `@objc(name)` among the attributes and modifiers before a declaration's keyword.
    private func objectiveCName(before keyword: Int) -> String? {
        var start = keyword
        while start > 0 {
            let token = tokens[start - 1]
            let belongs =
                token.kind == .directive || token.isMark("@") || token.isMark(")") || token.isMark("(") || token.isName
            guard belongs, !["var", "let", "func", "in"].contains(token.text) || token.kind != .word else { break }
            if tokens[start - 1].isWord("objc"), isMark("(", at: start), start + 1 < tokens.count,
                tokens[start + 1].isName, isMark(")", at: start + 2), start + 2 < keyword
            {
                return tokens[start + 1].text
            }
            start -= 1
        }
        return nil
    }

    // MARK: What Linux refuses

    private mutating func readAttribute() {
        let start = index
        index += 1
        guard index < tokens.count, tokens[index].kind == .word,
            tokens[index].range.lowerBound == tokens[start].range.upperBound
        else { return }
        let name = tokens[index].text
        index += 1
        // `@objc (Int)` with a space would be a type behind an attribute.
        if isMark("(", at: index), tokens[index].range.lowerBound == tokens[index - 1].range.upperBound {
            index = endOfBrackets(at: index)
        }
        guard name == "objc" || name == "objcMembers" else { return }
        let words = declarationWords(after: index)
        // Linux takes these as they are.
        if let keyword = words.last, keyword == "enum" || keyword == "case" { return }
        let firstModifier = Modifiers.first(before: start, in: tokens)
        let modifiers = tokens[firstModifier..<start].map(\.text)
        attributes.append(
            SourceStructure.Attribute(
                name: name, tokens: start..<index, firstModifier: firstModifier,
                isOfOptionalRequirement: words.contains("optional") || modifiers.contains("optional")))
    }

    /// The modifiers of a declaration and the keyword that ends them.
    private func declarationWords(after start: Int) -> [String] {
        var words: [String] = []
        var next = start
        while next < tokens.count {
            if tokens[next].isMark("@") {
                next += 2
                if isMark("(", at: next) { next = endOfBrackets(at: next) }
            } else if tokens[next].kind == .directive {
                next += 1
            } else if tokens[next].kind == .word {
                let text = tokens[next].text
                words.append(text)
                let isModifier = Modifiers.all.contains(text)
                guard isModifier, next + 1 < tokens.count else { break }
                next += 1
                if isMark("(", at: next) { next = endOfBrackets(at: next) }
            } else {
                break
            }
        }
        return words
    }

    private mutating func readExpression(_ name: String) {
        let start = index
        index += 1
        guard isMark("(", at: index) else { return }
        let end = endOfBrackets(at: index)
        let type = scopes.last { $0 != nil }.flatMap { $0 }.map { types[$0].name }
        let expression = SourceStructure.Expression(tokens: start..<end, enclosingType: type)
        if name == "keyPath" { keyPaths.append(expression) } else { selectors.append(expression) }
        // What stands inside is no code of its own, but may hold brackets of strings.
        index = end
    }
}

/// The conditions around a place in the source.
private struct ConditionStack {
    private struct Level {
        var isTaken: BuildCondition
        var current: BuildCondition
    }

    private var levels: [Level] = []

    /// Whether Linux never sees the code here.
    private(set) var isExcluded = false

    mutating func apply(_ directive: SourceToken) {
        switch directive.text {
        case "if":
            let condition = BuildCondition(directive.condition)
            levels.append(Level(isTaken: condition, current: condition))
        case "elseif", "else":
            guard let level = levels.popLast() else { break }
            let condition = directive.text == "else" ? .yes : BuildCondition(directive.condition)
            levels.append(Level(isTaken: level.isTaken || condition, current: !level.isTaken && condition))
        default: _ = levels.popLast()
        }
        isExcluded = levels.contains { $0.current == .no }
    }
}

/// Words before the keyword of a declaration.
private enum Modifiers {
    /// Words that are nothing else in Swift, so that they count wherever they stand.
    private static let reserved: Set<String> = [
        "public", "private", "fileprivate", "internal", "static",
    ]

    static let all: Set<String> = reserved.union([
        "open", "package", "final", "dynamic", "class", "override", "lazy", "weak", "unowned", "mutating",
        "nonmutating",
        "required", "convenience", "optional", "nonisolated", "isolated", "indirect",
    ])

    static func startsDeclaration(_ word: String) -> Bool {
        all.contains(word)
            || [
                "var", "let", "func", "init", "deinit", "subscript", "struct", "enum", "case", "typealias", "extension",
            ]
            .contains(word)
    }

    /// The index of the first modifier of the declaration that has an attribute at an index; the index itself if there is none
    /// before it.
    static func first(before attribute: Int, in tokens: [SourceToken]) -> Int {
        var first = attribute
        while first > 0 {
            var start = first - 1
            if tokens[start].isMark(")"), start >= 3, tokens[start - 2].isMark("(") { start -= 3 }
            // Other words may be the end of a line before, as in `case open`.
            guard tokens[start].kind == .word, all.contains(tokens[start].text),
                reserved.contains(tokens[start].text) || !tokens[first].startsLine
            else { break }
            first = start
        }
        return first
    }
}
