/// What may be a name in Swift.
enum SwiftName {
    /// Words that are names only between backticks.
    private static let keywords: Set<String> = [
        "Any", "Protocol", "Self", "Type", "as", "associatedtype", "break", "case", "catch", "class", "continue",
        "default",
        "defer", "deinit", "do", "else", "enum", "extension", "fallthrough", "false", "fileprivate", "for", "func",
        "guard",
        "if", "import", "in", "init", "inout", "internal", "is", "let", "nil", "operator", "precedencegroup", "private",
        "protocol", "public", "repeat", "rethrows", "return", "self", "static", "struct", "subscript", "super",
        "switch",
        "throw", "throws", "true", "try", "typealias", "var", "where", "while",
    ]

    /// Members of these names cannot be told from parts of the language: `book.self`, `Book.Type`.
    private static let impossibleMembers: Set<String> = ["Protocol", "Type", "self"]

    /// Members of every managed object that reading a model does not refuse already: that refuses Core Data's own reserved names.
    private static let inheritedMembers: Set<String> = [
        "hashValue", "validateForDelete", "validateForInsert", "validateForUpdate",
    ]

    /// Whether the text is an identifier, which may need backticks.
    static func isIdentifier(_ text: String) -> Bool {
        guard let first = text.unicodeScalars.first, text != "_" else { return false }
        return (first == "_" || first.properties.isXIDStart)
            && text.unicodeScalars.allSatisfy { $0.properties.isXIDContinue }
    }

    /// The identifier as it is written where it is declared or used, in backticks if it is a keyword.
    static func written(_ identifier: String) -> String {
        keywords.contains(identifier) ? "`\(identifier)`" : identifier
    }

    /// Why a property cannot have the name; nil if it can.
    static func problem(ofProperty name: String) -> String? {
        if !isIdentifier(name) { return "'\(name)' is no name of a property in Swift." }
        if impossibleMembers.contains(name) { return "Swift allows no property of this name." }
        if inheritedMembers.contains(name) { return "NSManagedObject has a member of this name already." }
        return nil
    }

    /// Text between quotation marks, with what is special there escaped.
    static func literal(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": result += "\\" + String(scalar)
            case _
            where scalar.value < 0x20 || scalar.value == 0x7F || scalar.value == 0x2028 || scalar.value == 0x2029:
                result += "\\u{\(String(scalar.value, radix: 16))}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
