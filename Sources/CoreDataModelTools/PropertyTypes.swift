import CoreData
import Foundation

/// The types that Xcode gives properties.
struct PropertyTypes {
    struct Found {
        let type: String
        /// Whether the framework has accessors for just this type.
        var isTyped = true
    }

    /// The names of types that code of the generator names, and their modules.
    private static let modules: [String: String] = [
        "Bool": "Swift", "Double": "Swift", "Float": "Swift", "Identifiable": "Swift", "Int": "Swift", "Int16": "Swift",
        "Int32": "Swift", "Int64": "Swift", "String": "Swift", "Data": "Foundation", "Date": "Foundation",
        "NSDecimalNumber": "Foundation", "NSIndexSet": "Foundation", "NSNumber": "Foundation", "NSObject": "Foundation",
        "NSOrderedSet": "Foundation", "NSSet": "Foundation", "TimeInterval": "Foundation", "URL": "Foundation",
        "UUID": "Foundation", "NSFetchRequest": "CoreData", "NSManagedObject": "CoreData",
    ]

    /// The module's own types that hide these.
    let classes: Set<String>
    let module: String?

    /// A type of Swift or the frameworks, with its module where a class of the model has the same name.
    func name(_ type: String) -> String {
        guard classes.contains(type), let module = Self.modules[type] else { return type }
        return module + "." + type
    }

    private func optional(_ type: String) -> Found { Found(type: name(type) + "?") }

    private func number(_ scalar: String, _ usesScalar: Bool) -> Found {
        usesScalar ? Found(type: name(scalar)) : optional("NSNumber")
    }

    /// The type of an attribute; nil if its custom class is none. Whether the attribute is optional makes no difference in Xcode.
    func type(of attribute: NSAttributeDescription, _ source: ModelSource.Attribute?) -> Found? {
        let usesScalar = source?.usesScalarValueType ?? false
        switch attribute.attributeType {
        case .integer16AttributeType: return number("Int16", usesScalar)
        case .integer32AttributeType: return number("Int32", usesScalar)
        case .integer64AttributeType: return number("Int64", usesScalar)
        case .doubleAttributeType: return number("Double", usesScalar)
        case .floatAttributeType: return number("Float", usesScalar)
        case .booleanAttributeType: return number("Bool", usesScalar)
        case .dateAttributeType: return usesScalar ? Found(type: name("TimeInterval")) : optional("Date")
        case .decimalAttributeType: return optional("NSDecimalNumber")
        case .stringAttributeType: return optional("String")
        case .binaryDataAttributeType: return optional("Data")
        case .UUIDAttributeType: return optional("UUID")
        case .URIAttributeType: return optional("URL")
        case .compositeAttributeType: return Found(type: "[\(name("String")): Any]?", isTyped: false)
        case .transformableAttributeType:
            guard let custom = source?.customClassName else {
                return Found(type: name("NSObject") + "?", isTyped: false)
            }
            return customType(custom).map { Found(type: $0 + "?", isTyped: false) }
        // An undefined type: a value of any kind, kept in memory only.
        default: return Found(type: "Any?", isTyped: false)
        }
    }

    /// A custom class as the editor writes it: `Article`, `.Article`, `Module.Article`, `[Int64]`. Nil for what is no type.
    private func customType(_ text: String) -> String? {
        var type = text.trimmingCharacters(in: .whitespaces)
        if type.hasPrefix(".") { type.removeFirst() }
        if let module, type.hasPrefix(module + ".") { type.removeFirst(module.count + 1) }
        while type.hasSuffix("?") || type.hasSuffix("!") { type.removeLast() }
        guard Self.isBalanced(type) else { return nil }
        let names = type.split { !($0.isLetter || $0.isNumber || $0 == "_") }.map(String.init)
        guard let last = names.last, names.allSatisfy(SwiftName.isIdentifier) else { return nil }
        if type == last { return SwiftName.written(type) }
        return type.contains("&") || type.hasPrefix("any ") ? "(\(type))" : type
    }

    /// Whether the text has the letters of a type only, and closes the brackets it opens.
    private static func isBalanced(_ text: String) -> Bool {
        var open: [Character] = []
        for character in text {
            switch character {
            case "[": open.append("]")
            case "<": open.append(">")
            case "]", ">": guard open.popLast() == character else { return false }
            case ".", ",", ":", "?", "&", " ", "_": continue
            default: guard character.isLetter || character.isNumber else { return false }
            }
        }
        return open.isEmpty
    }
}
