/// Who may name a declaration. What is `open` counts as public.
enum Access: Int, Comparable {
    case `private`, `fileprivate`, `internal`, package, `public`

    static func < (left: Access, right: Access) -> Bool { left.rawValue < right.rawValue }

    init?(modifier: String) {
        switch modifier {
        case "private": self = .private
        case "fileprivate": self = .fileprivate
        case "internal": self = .internal
        case "package": self = .package
        case "public", "open": self = .public
        default: return nil
        }
    }

    /// Whether the symbol of such a declaration names its file.
    var isOfFile: Bool { self <= .fileprivate }
}

/// What the generator wants to know of a source file.
struct SourceFile {
    struct Import: Hashable {
        /// `Foundation`, or `struct Foundation.Date`.
        let what: String
        /// The module.
        let module: String
        let access: Access
        let condition: String?
        /// `@testable`, `@_spi(Name)`.
        let attributes: [String]
        let isReexport: Bool
    }

    /// A type or an extension, with what it declares itself.
    struct TypeDeclaration {
        enum Kind: Equatable {
            case `class`, `struct`, `enum`, `protocol`, alias(WrittenType), `extension`
        }

        let kind: Kind
        /// Its names, the outermost first. Of an extension: what it extends, as it is written.
        let path: [String]
        /// The paths of the types and extensions it stands in, the innermost first, and its own before them.
        let scopes: [[String]]
        /// Its own access, or that of what it stands in if that is less.
        let access: Access
        let inherited: [WrittenType]
        let isGeneric: Bool
        let line: Int
        let condition: String?
        var properties: [Property] = []
        var methods: [Method] = []
        var validators: [Validator] = []
    }

    /// A property with `@NSManaged`.
    struct Property {
        let name: String
        let type: WrittenType
        let access: Access
        let line: Int
        let condition: String?
        let isStatic: Bool
        /// `@available(…)` and the like, as written.
        let availability: [String]
        /// Bound to an actor: no key path can be made from outside.
        let isIsolated: Bool
    }

    struct Parameter {
        /// nil for `_`.
        let label: String?
        let type: WrittenType
        var isInout = false
    }

    /// A method with `@NSManaged`.
    struct Method {
        let name: String
        let parameters: [Parameter]
        let hasResult: Bool
        let hasEffects: Bool
        let access: Access
        let line: Int
        let condition: String?
        let isStatic: Bool
        let availability: [String]

        /// `insertIntoTags(_:at:)`
        var fullName: String { name + "(" + parameters.map { ($0.label ?? "_") + ":" }.joined() + ")" }
    }

    /// `func validateName(_ value: …) throws`
    struct Validator {
        enum Form { case anyValue, pointer }

        let name: String
        let form: Form
        let access: Access
        let line: Int
        let condition: String?
    }

    struct Problem: Equatable {
        let line: Int
        let message: String
    }

    let path: String
    var imports: [Import] = []
    var types: [TypeDeclaration] = []
    var problems: [Problem] = []

    /// The name without folders.
    var name: String { path.split { $0 == "/" || $0 == "\\" }.last.map(String.init) ?? path }

    var hasManagedMembers: Bool { types.contains { !$0.properties.isEmpty || !$0.methods.isEmpty } }
    var hasValidators: Bool { types.contains { !$0.validators.isEmpty } }
}
