/// Finds the types, extensions and `@NSManaged` members of a Swift file.
///
/// It follows brackets and `#if` blocks, whose conditions it keeps and never decides; bodies of functions and accessors are passed
/// over, save for a look whether there is an `@NSManaged` in them.
struct SourceScanner {
    private let tokens: [SourceToken]
    private var place = 0
    private var file: SourceFile
    /// One entry an open `#if`: the conditions of its branches so far, the last being that of the branch we are in.
    private var conditions: [[String]] = []

    static func scan(_ source: String, path: String) -> SourceFile {
        // Most files of a target have none of what matters but types, which a look at the text does not tell.
        var scanner = SourceScanner(tokens: SourceLexer.tokens(of: Array(source.utf8)), file: SourceFile(path: path))
        scanner.scanMembers(of: Scope())
        return scanner.file
    }

    private init(tokens: [SourceToken], file: SourceFile) {
        self.tokens = tokens
        self.file = file
    }

    /// The type or extension whose members are read.
    private struct Scope {
        var path: [String] = []
        /// Its path and those of the scopes around.
        var scopes: [[String]] = []
        /// Where it stands in the file's types; nil at the top.
        var index: Int?
        var access = Access.public
        /// What members without a modifier get.
        var memberAccess = Access.internal
        var isGeneric = false
    }

    /// What stands before a declaration's keyword.
    private struct Prefix {
        var modifiers: Set<String> = []
        var access: Access?
        var managedLine: Int?
        var managedCondition: String?
        var availability: [String] = []
        var importAttributes: [String] = []
        var isReexport = false
        var isIsolated = false
        var line: Int?
    }

    // MARK: Tokens

    private var current: SourceToken? { place < tokens.count ? tokens[place] : nil }
    private func peek(_ offset: Int) -> SourceToken? { place + offset < tokens.count ? tokens[place + offset] : nil }
    private func isMark(_ mark: String) -> Bool { current?.isMark(mark) ?? false }

    /// Goes behind the bracket that closes the one here, and tells of `@NSManaged` inside.
    private mutating func skipBrackets() {
        var depth = 0
        while let token = current {
            if token.kind == .directive {
                readDirective(token)
                continue
            }
            place += 1
            guard token.kind == .mark else { continue }
            switch token.text {
            case "(", "[", "{": depth += 1
            case ")", "]", "}":
                depth -= 1
                if depth <= 0 { return }
            case "@" where current?.isWord("NSManaged") == true:
                file.problems.append(
                    .init(
                        line: token.line,
                        message: "@NSManaged in a type that is local to a function: move the class out of the function")
                )
            default: break
            }
        }
    }

    // MARK: Conditions

    private mutating func readDirective(_ token: SourceToken) {
        place += 1
        switch token.text {
        case "if": conditions.append([token.condition])
        case "elseif": if !conditions.isEmpty { conditions[conditions.count - 1].append(token.condition) }
        case "else": if !conditions.isEmpty { conditions[conditions.count - 1].append("") }
        default: _ = conditions.popLast()
        }
    }

    /// The condition under which the code here is compiled; nil if it always is.
    private var condition: String? {
        if conditions.isEmpty { return nil }
        return conditions.flatMap { branches in
            branches.dropLast().map { "!(\($0))" } + [branches.last ?? ""].filter { !$0.isEmpty }.map { "(\($0))" }
        }.joined(separator: " && ")
    }

    // MARK: Members

    /// Reads declarations up to the bracket that closes the scope, or the end.
    private mutating func scanMembers(of scope: Scope) {
        var prefix = Prefix()
        while let token = current {
            if token.kind == .directive {
                readDirective(token)
                continue
            }
            if token.isMark("}") {
                if scope.index != nil { return }
                place += 1
                continue
            }
            if token.isMark("@") {
                readAttribute(&prefix)
                continue
            }
            if token.kind == .mark, "({[".contains(token.text) {
                skipBrackets()
                prefix = Prefix()
                continue
            }
            if token.kind == .word, readModifier(token, &prefix) { continue }
            if prefix.line == nil { prefix.line = token.line }
            switch token.kind == .word ? token.text : "" {
            case "class", "struct", "enum", "actor", "protocol", "extension": readType(token, prefix, scope)
            case "typealias": readAlias(prefix, scope)
            case "import": readImport(prefix)
            case "var", "let": readVariable(prefix, scope)
            case "func": readFunction(prefix, scope)
            case "case": skipCases()
            default:
                // `a.class` and the like are no declarations.
                place += token.isMark(".") && peek(1)?.isName == true ? 2 : 1
            }
            prefix = Prefix()
        }
    }

    private mutating func readAttribute(_ prefix: inout Prefix) {
        let line = current?.line ?? 0
        place += 1
        var name = ""
        let start = place
        while let token = current, token.isName || token.isMark(".") {
            if place > start, !token.isAttached { break }
            name += token.text
            place += 1
        }
        var text = "@" + name
        if isMark("("), current?.isAttached == true {
            let first = place
            skipBrackets()
            text += tokens[first..<place].map { ($0.isAttached ? "" : " ") + $0.text }.joined()
        }
        switch name {
        case "NSManaged":
            prefix.managedLine = line
            prefix.managedCondition = condition
        case "available": prefix.availability.append(text)
        case "testable", "_spi": prefix.importAttributes.append(text)
        case "_exported": prefix.isReexport = true
        case _ where name.hasSuffix("Actor"): prefix.isIsolated = true
        default: break
        }
    }

    private static let modifiers: Set<String> = [
        "final", "dynamic", "static", "override", "required", "convenience", "lazy", "weak", "unowned", "mutating",
        "nonmutating", "nonisolated", "isolated", "indirect", "optional", "consuming", "borrowing", "distributed",
        "prefix",
        "postfix", "infix", "private", "fileprivate", "internal", "package", "public", "open",
    ]

    /// Reads a modifier. False if the word is none here.
    private mutating func readModifier(_ token: SourceToken, _ prefix: inout Prefix) -> Bool {
        if token.text == "class", let next = peek(1),
            ["func", "var", "let", "subscript"].contains(next.text) || isModifier(next)
        {
            // `class func`, `class override var`; but `class final {` is a strange name for a class.
            prefix.modifiers.insert("static")
            place += 1
            return true
        }
        guard isModifier(token) else { return false }
        place += 1
        if isMark("("), current?.isAttached == true {
            // `private(set)`, `unowned(unsafe)`: of no interest, since the setter's symbol is the same.
            skipBrackets()
            return true
        }
        if let access = Access(modifier: token.text) { prefix.access = access }
        prefix.modifiers.insert(token.text)
        return true
    }

    private func isModifier(_ token: SourceToken) -> Bool { token.kind == .word && Self.modifiers.contains(token.text) }

    // MARK: Types

    private mutating func readType(_ keyword: SourceToken, _ prefix: Prefix, _ scope: Scope) {
        guard let first = peek(1), first.isName else {
            place += 1
            return
        }
        place += 1
        var path = scope.path
        let written = readPath()
        let isExtension = keyword.text == "extension"
        if isExtension { path = written } else { path += written.prefix(1) }
        var isGeneric = scope.isGeneric
        if isMark("<") {
            isGeneric = true
            skipAngles()
        }
        var inherited: [WrittenType] = []
        if isMark(":") {
            repeat {
                place += 1
                var parser = TypeParser(tokens: tokens, place: place)
                inherited.append(parser.parse())
                place = parser.place
            } while isMark(",")
        }
        if current?.isWord("where") == true, isExtension { isGeneric = true }
        while let token = current, !token.isMark("{"), !token.isMark("}") {
            if token.kind == .directive { readDirective(token) } else { place += 1 }
        }
        let kind: SourceFile.TypeDeclaration.Kind =
            switch keyword.text {
            case "class", "actor": .class
            case "struct": .struct
            case "enum": .enum
            case "protocol": .protocol
            default: .extension
            }
        let given = prefix.access ?? (isExtension ? .internal : scope.memberAccess)
        var inner = Scope()
        inner.path = path
        inner.scopes = [path] + scope.scopes
        inner.index = file.types.count
        inner.access = isExtension ? .public : min(given, scope.access)
        inner.isGeneric = isGeneric
        if isExtension, let access = prefix.access { inner.memberAccess = access == .private ? .fileprivate : access }
        if kind == .protocol { inner.memberAccess = given }
        file.types.append(
            SourceFile.TypeDeclaration(
                kind: kind, path: path, scopes: inner.scopes, access: inner.access, inherited: inherited,
                isGeneric: isGeneric,
                line: prefix.line ?? keyword.line, condition: condition))
        guard isMark("{") else { return }
        place += 1
        scanMembers(of: inner)
        if isMark("}") { place += 1 }
    }

    private mutating func readPath() -> [String] {
        var names: [String] = []
        while let token = current, token.isName {
            names.append(token.text)
            place += 1
            guard isMark("."), peek(1)?.isName == true else { break }
            place += 1
        }
        return names
    }

    private mutating func skipAngles() {
        var depth = 0
        while let token = current {
            if token.isMark("<") { depth += 1 }
            if token.isMark(">") { depth -= 1 }
            if token.isMark("{") { return }
            place += 1
            if depth == 0 { return }
        }
    }

    private mutating func readAlias(_ prefix: Prefix, _ scope: Scope) {
        let line = current?.line ?? 0
        guard let name = peek(1), name.isName else {
            place += 1
            return
        }
        place += 2
        let isGeneric = isMark("<")
        if isGeneric { skipAngles() }
        guard isMark("=") else { return }
        var parser = TypeParser(tokens: tokens, place: place + 1)
        let type = parser.parse()
        place = parser.place
        file.types.append(
            SourceFile.TypeDeclaration(
                kind: .alias(type), path: scope.path + [name.text], scopes: [scope.path + [name.text]] + scope.scopes,
                access: min(prefix.access ?? scope.memberAccess, scope.access), inherited: [],
                isGeneric: isGeneric || scope.isGeneric, line: line, condition: condition))
    }

    private mutating func readImport(_ prefix: Prefix) {
        place += 1
        var kind = ""
        if let token = current, let next = peek(1), next.isName, !next.startsLine,
            ["struct", "class", "enum", "protocol", "typealias", "func", "var", "let"].contains(token.text)
        {
            kind = token.text + " "
            place += 1
        }
        let path = readPath()
        guard let module = path.first else { return }
        file.imports.append(
            SourceFile.Import(
                what: kind + path.joined(separator: "."), module: module, access: prefix.access ?? .public,
                condition: condition, attributes: prefix.importAttributes.sorted(), isReexport: prefix.isReexport))
    }

    /// Cases of an enumeration may have names that are modifiers elsewhere.
    private mutating func skipCases() {
        place += 1
        while let token = current, token.kind != .directive, !token.isMark("}"), !token.isMark(";") {
            if token.startsLine, !token.isMark(","), let last = peek(-1), !last.isMark(","), !last.isMark("=") {
                return
            }
            if token.isMark("(") { skipBrackets() } else { place += 1 }
        }
    }

    // MARK: Properties

    private mutating func readVariable(_ prefix: Prefix, _ scope: Scope) {
        place += 1
        guard let line = prefix.managedLine, let index = scope.index else { return }
        // `var a, b: Int16`: the names before one with a type have the same.
        var names: [SourceToken] = []
        repeat {
            if isMark(",") { place += 1 }
            guard let name = current, name.isName else { break }
            names.append(name)
            place += 1
            guard isMark(":") else { continue }
            var parser = TypeParser(tokens: tokens, place: place + 1)
            let type = parser.parse()
            place = parser.place
            for name in names {
                file.types[index].properties.append(
                    SourceFile.Property(
                        name: name.text, type: type, access: prefix.access ?? scope.memberAccess, line: name.line,
                        condition: prefix.managedCondition, isStatic: prefix.modifiers.contains("static"),
                        availability: prefix.availability, isIsolated: prefix.isIsolated))
            }
            names = []
        } while isMark(",")
        for name in names { note(line, "\(name.text): an @NSManaged property needs a type") }
    }

    private mutating func note(_ line: Int, _ message: String) {
        file.problems.append(SourceFile.Problem(line: line, message: message))
    }

    // MARK: Methods

    private mutating func readFunction(_ prefix: Prefix, _ scope: Scope) {
        place += 1
        guard let index = scope.index, let name = current, name.isName else { return }
        place += 1
        let isManaged = prefix.managedLine != nil
        guard isManaged || name.text.hasPrefix("validate") else { return }
        let isGeneric = isMark("<")
        if isGeneric { skipAngles() }
        guard isMark("(") else { return }
        let parameters = readParameters()
        var effects: Set<String> = []
        while let word = current, word.kind == .word, ["async", "throws", "rethrows"].contains(word.text) {
            effects.insert(word.text)
            place += 1
            if isMark("("), current?.isAttached == true { skipBrackets() }
        }
        var result = WrittenType.tuple([])
        if isMark("->") {
            var parser = TypeParser(tokens: tokens, place: place + 1)
            result = parser.parse()
            place = parser.place
        }
        let isVoid = result == .tuple([]) || result == .name(["Void"])
        let access = prefix.access ?? scope.memberAccess
        if isManaged {
            file.types[index].methods.append(
                SourceFile.Method(
                    name: name.text, parameters: parameters, hasResult: !isVoid,
                    hasEffects: !effects.isEmpty || isGeneric,
                    access: access, line: name.line, condition: prefix.managedCondition,
                    isStatic: prefix.modifiers.contains("static"), availability: prefix.availability))
        } else if isVoid, effects == ["throws"], !isGeneric, let form = validatorForm(parameters),
            !prefix.modifiers.contains("static")
        {
            file.types[index].validators.append(
                SourceFile.Validator(
                    name: name.text, form: form, access: access, line: name.line, condition: condition))
        }
    }

    private func validatorForm(_ parameters: [SourceFile.Parameter]) -> SourceFile.Validator.Form? {
        guard parameters.count == 1, parameters[0].label == nil else { return nil }
        if parameters[0].isInout, parameters[0].type == .optional(.name(["Any"])) { return .anyValue }
        if case .named(let path) = parameters[0].type, path.last?.name == "AutoreleasingUnsafeMutablePointer",
            path.last?.arguments == [.optional(.name(["AnyObject"]))]
        {
            return .pointer
        }
        return nil
    }

    private mutating func readParameters() -> [SourceFile.Parameter] {
        place += 1
        var parameters: [SourceFile.Parameter] = []
        while let token = current, !token.isMark(")") {
            guard token.isName else {
                place += 1
                continue
            }
            let label = token.text == "_" && token.kind == .word ? nil : token.text
            place += 1
            if let inner = current, inner.isName { place += 1 }
            guard isMark(":") else { continue }
            let isInout = peek(1)?.isWord("inout") == true
            var parser = TypeParser(tokens: tokens, place: place + 1)
            var type = parser.parse()
            place = parser.place
            while let token = current, !token.isMark(","), !token.isMark(")") {
                // `...`, or a default value.
                if token.isMark(".") { type = .unsupported("a variable number of arguments") }
                if token.kind == .mark, "([{".contains(token.text) { skipBrackets() } else { place += 1 }
            }
            if isMark(",") { place += 1 }
            parameters.append(SourceFile.Parameter(label: label, type: type, isInout: isInout))
        }
        if isMark(")") { place += 1 }
        return parameters
    }
}
