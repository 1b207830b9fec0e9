/// A type as a source spells it. What the names mean is told by `TypeTable`.
indirect enum WrittenType: Equatable {
    struct Component: Equatable {
        let name: String
        var arguments: [WrittenType] = []
    }

    case named([Component])
    case optional(WrittenType)
    case array(WrittenType)
    case dictionary(WrittenType, WrittenType)
    /// Brackets around several types, or none.
    case tuple([WrittenType])
    /// What no accessor can be generated for, in words.
    case unsupported(String)

    static func name(_ path: [String]) -> WrittenType { .named(path.map { Component(name: $0) }) }

    /// How Swift spells it.
    var text: String {
        switch self {
        case .named(let components):
            components.map { component in
                component.arguments.isEmpty
                    ? component.name
                    : component.name + "<" + component.arguments.map(\.text).joined(separator: ", ") + ">"
            }.joined(separator: ".")
        case .optional(let type): type.text + "?"
        case .array(let type): "[\(type.text)]"
        case .dictionary(let key, let value): "[\(key.text): \(value.text)]"
        case .tuple(let types): "(" + types.map(\.text).joined(separator: ", ") + ")"
        case .unsupported(let what): what
        }
    }
}

/// Reads a type from tokens.
struct TypeParser {
    let tokens: [SourceToken]
    /// Where the next token stands; after `parse()`, behind the type.
    var place: Int

    private var current: SourceToken? { place < tokens.count ? tokens[place] : nil }
    private func isMark(_ mark: String) -> Bool { current?.isMark(mark) ?? false }

    mutating func parse() -> WrittenType {
        skipAttributes()
        var type = parseSimple()
        while let mark = current, mark.kind == .mark {
            if mark.isMark("?") || mark.isMark("!"), mark.isAttached {
                type = .optional(type)
                place += 1
            } else if mark.isMark("&") {
                place += 1
                _ = parseSimple()
                type = .unsupported("a composition of protocols")
            } else if mark.isMark("->") {
                place += 1
                _ = parse()
                type = .unsupported("a function")
            } else {
                break
            }
        }
        if let word = current, word.isWord("async") || word.isWord("throws"), !word.startsLine {
            // `() async throws -> T`
            var next = place
            while next < tokens.count, tokens[next].kind == .word { next += 1 }
            if next < tokens.count, tokens[next].isMark("->"), case .tuple = type {
                place = next + 1
                _ = parse()
                return .unsupported("a function")
            }
        }
        return type
    }

    private mutating func skipAttributes() {
        while let token = current {
            if token.isMark("@") {
                place += 2
                if isMark("("), current?.isAttached == true { skipBrackets() }
            } else if ["inout", "__owned", "__shared", "consuming", "borrowing", "sending", "isolated"]
                .contains(token.text), token.kind == .word
            {
                place += 1
            } else {
                break
            }
        }
    }

    private mutating func skipBrackets() {
        var depth = 0
        while let token = current {
            place += 1
            if token.kind == .mark, "([{".contains(token.text) { depth += 1 }
            if token.kind == .mark, ")]}".contains(token.text) {
                depth -= 1
                if depth == 0 { return }
            }
        }
    }

    private mutating func parseSimple() -> WrittenType {
        guard let token = current else { return .unsupported("nothing") }
        if token.isMark("(") { return parseTuple() }
        if token.isMark("[") { return parseCollection() }
        guard token.isName else {
            place += 1
            return .unsupported("'\(token.text)'")
        }
        if token.isWord("any") || token.isWord("some"), place + 1 < tokens.count,
            tokens[place + 1].isName || tokens[place + 1].isMark("(")
        {
            place += 1
            let inner = parseSimple()
            return token.text == "any" ? inner : .unsupported("an opaque type")
        }
        return parseNamed()
    }

    private mutating func parseNamed() -> WrittenType {
        var components: [WrittenType.Component] = []
        while let token = current, token.isName {
            place += 1
            var component = WrittenType.Component(name: token.text)
            if isMark("<") {
                place += 1
                while current != nil, !isMark(">") {
                    component.arguments.append(parse())
                    if isMark(",") { place += 1 } else { break }
                }
                if isMark(">") { place += 1 }
            }
            components.append(component)
            guard isMark("."), place + 1 < tokens.count, tokens[place + 1].isName else { break }
            place += 1
        }
        if let last = components.last?.name, components.count > 1, last == "Type" || last == "Protocol" {
            return .unsupported("a metatype")
        }
        return .named(components)
    }

    private mutating func parseTuple() -> WrittenType {
        place += 1
        var types: [WrittenType] = []
        while current != nil, !isMark(")") {
            let start = place
            if place + 1 < tokens.count, tokens[place].isName, tokens[place + 1].isMark(":") { place += 2 }
            types.append(parse())
            if isMark(",") { place += 1 }
            if place == start { place += 1 }
        }
        place += 1
        return types.count == 1 ? types[0] : .tuple(types)
    }

    private mutating func parseCollection() -> WrittenType {
        place += 1
        let first = parse()
        var type = WrittenType.array(first)
        if isMark(":") {
            place += 1
            type = .dictionary(first, parse())
        }
        guard isMark("]") else { return .unsupported("a collection that cannot be read") }
        place += 1
        return type
    }
}
