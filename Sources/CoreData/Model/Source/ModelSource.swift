import Foundation

/// A model read from the form in which Xcode keeps it, with what the editor keeps for generated code only: the framework has no
/// use for it, so an `NSManagedObjectModel` does not hold it.
package struct ModelSource {
    /// How much of an entity's class the editor's "Codegen" setting has generated.
    package enum CodeGeneration: String, Sendable {
        /// Nothing: "Manual/None".
        case manual = "none"
        /// The properties, in an extension of a hand-written class: "Category/Extension".
        case category
        /// The class and its properties: "Class Definition".
        case `class`
    }

    package struct Attribute: Sendable {
        /// Whether the property is a number of Swift's rather than an object.
        package let usesScalarValueType: Bool
        /// The class of a transformable attribute's values, as the editor writes it.
        package let customClassName: String?
    }

    package struct Entity: Sendable {
        package let codeGeneration: CodeGeneration
        package let attributes: [String: Attribute]
    }

    package let model: NSManagedObjectModel
    /// Settings by entity name.
    package let entities: [String: Entity]

    /// Reads an `.xcdatamodel`, or the current version of an `.xcdatamodeld`.
    ///
    /// - Throws: NSCocoaErrorDomain 259 or an error of reading the file if there is no model; 134020 if it cannot be used.
    package init(at url: URL) throws(NSError) {
        let version: URL
        switch ModelFileForm(url) {
        case .versionedSource: version = try ModelSourceFolder.currentVersion(of: url)
        case .source: version = url
        default:
            throw corruptModel(
                "Code is generated from the form in which Xcode keeps a model, an .xcdatamodeld or .xcdatamodel.")
        }
        let root = try ModelSourceFolder.element(of: version)
        model = try ModelXMLReader.model(of: root)
        var entities: [String: Entity] = [:]
        for element in root.children(named: "entity") {
            if let name = element["name"] { entities[name] = Self.entity(element) }
        }
        self.entities = entities
    }

    private static func entity(_ element: ModelXMLElement) -> Entity {
        var attributes: [String: Attribute] = [:]
        for child in element.children(named: "attribute") {
            guard let name = child["name"] else { continue }
            attributes[name] = Attribute(
                usesScalarValueType: child.flag("usesScalarValueType"),
                customClassName: child["customClassName"].flatMap { $0.isEmpty ? nil : $0 })
        }
        // The editor leaves the setting out where it says "Manual/None"; newer files write "none".
        return Entity(
            codeGeneration: element["codeGenerationType"].flatMap(CodeGeneration.init) ?? .manual,
            attributes: attributes)
    }
}
