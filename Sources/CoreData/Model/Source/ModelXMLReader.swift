import Foundation

/// Reads the XML in which Xcode keeps a model (the file `contents` of an `.xcdatamodel`).
///
/// Files of every age are read: what a newer Xcode added may be missing, and values of the wrong kind, which do occur, are
/// taken for what they mean or left out.
struct ModelXMLReader {
    private var entities: [String: NSEntityDescription] = [:]
    private var elements: [String: ModelXMLElement] = [:]
    var composites: [String: ModelXMLElement] = [:]
    /// How many attributes may still be read; composites of composites multiply them.
    private let budget = AttributeBudget()

    /// Reads a model from the elements of its XML.
    ///
    /// - Throws: NSCocoaErrorDomain 259 if the data is no model, 134020 if the model cannot be used.
    static func model(of root: ModelXMLElement) throws(NSError) -> NSManagedObjectModel {
        guard root.name == "model" else { throw corruptModel("The XML's root is '\(root.name)' instead of 'model'.") }
        var reader = ModelXMLReader()
        let model = try reader.read(root)
        try model.validate()
        return model
    }

    private mutating func read(_ root: ModelXMLElement) throws(NSError) -> NSManagedObjectModel {
        for element in root.children(named: "composite") {
            if let name = element["name"] { composites[name] = element }
        }
        let names = try declareEntities(root)
        let ordered = try joinHierarchy(names)
        for name in ordered { try readProperties(of: name) }
        for name in ordered { try readRelationshipEnds(of: name) }
        let model = NSManagedObjectModel()
        model.entities = names.compactMap { entities[$0] }
        for name in ordered { try readIndexes(of: name) }
        model.convertOldIndexMarks()
        model.versionIdentifiers = [root["userDefinedModelVersionIdentifier"] ?? ""]
        readTemplates(root, of: model)
        for element in root.children(named: "configuration") {
            try readConfiguration(element, of: model)
        }
        return model
    }

    private mutating func declareEntities(_ root: ModelXMLElement) throws(NSError) -> [String] {
        var names: [String] = []
        for element in root.children(named: "entity") {
            guard let name = element["name"], !name.isEmpty else {
                throw corruptModel("The model has an entity without a name.")
            }
            guard entities[name] == nil else { throw corruptModel("The model has two entities named '\(name)'.") }
            let entity = NSEntityDescription()
            entity.name = name
            entity.managedObjectClassName = element["representedClassName"].flatMap { $0.isEmpty ? nil : $0 }
            entity.isAbstract = element.flag("isAbstract")
            entity.versionHashModifier = element["versionHashModifier"]
            entity.explicitRenamingIdentifier = element["elementID"]
            entity.userInfo = Self.userInfo(of: element)
            entities[name] = entity
            elements[name] = element
            names.append(name)
        }
        return names
    }

    /// Joins the entities to a hierarchy.
    ///
    /// - Returns: the names, parents before their children.
    private func joinHierarchy(_ names: [String]) throws(NSError) -> [String] {
        var children: [String: [String]] = [:]
        var roots: [String] = []
        for name in names {
            if let parent = elements[name]?["parentEntity"], !parent.isEmpty {
                guard entities[parent] != nil else {
                    throw corruptModel("The parent entity '\(parent)' of entity '\(name)' is not in the model.")
                }
                children[parent, default: []].append(name)
            } else {
                roots.append(name)
            }
        }
        var ordered: [String] = []
        var pending = Array(roots.reversed())
        while let name = pending.popLast() {
            ordered.append(name)
            let below = children[name] ?? []
            entities[name]?.subentities = below.compactMap { entities[$0] }
            pending.append(contentsOf: below.reversed())
        }
        guard ordered.count == names.count else {
            throw corruptModel("The model has an entity that inherits from itself.")
        }
        return ordered
    }

    private func readProperties(of name: String) throws(NSError) {
        guard let entity = entities[name], let element = elements[name] else { return }
        var properties: [NSPropertyDescription] = []
        for child in element.children {
            switch child.name {
            case "attribute": properties.append(try attribute(child, entityName: name))
            case "relationship": properties.append(try relationship(child, entityName: name))
            case "fetchedProperty": properties.append(try fetchedProperty(child, entityName: name))
            default: break
            }
        }
        entity.properties = properties
        entity.constraintNames = element.children(named: "uniquenessConstraints")
            .flatMap { $0.children(named: "uniquenessConstraint") }
            .map { $0.children(named: "constraint").compactMap { $0["value"] } }
            .filter { !$0.isEmpty }
    }

    private func readRelationshipEnds(of name: String) throws(NSError) {
        guard let entity = entities[name], let element = elements[name] else { return }
        for child in element.children(named: "relationship") {
            guard let relationshipName = child["name"],
                let relationship = entity.relationshipsByName[relationshipName]
            else { continue }
            guard let destination = child["destinationEntity"].flatMap({ entities[$0] }) else {
                throw corruptModel(
                    "The destination '\(child["destinationEntity"] ?? "")' of relationship '\(name).\(relationshipName)' "
                        + "is not in the model.")
            }
            relationship.destinationEntity = destination
            if let inverse = child["inverseName"] {
                // A name that leads nowhere counts as none.
                relationship.inverseRelationship = destination.relationshipsByName[inverse]
            }
        }
    }

    private func readIndexes(of name: String) throws(NSError) {
        guard let entity = entities[name], let element = elements[name] else { return }
        entity.recordedCompoundIndexes = element.children(named: "compoundIndexes")
            .flatMap { $0.children(named: "compoundIndex") }
            .map { $0.children(named: "index").compactMap { $0["value"] } }
            .filter { !$0.isEmpty }
        var indexes: [NSFetchIndexDescription] = []
        for child in element.children(named: "fetchIndex") {
            indexes.append(try fetchIndex(child, of: entity))
        }
        entity.indexes = indexes
        for index in indexes { entity.markOldIndexes(for: index) }
    }

    private func readConfiguration(_ element: ModelXMLElement, of model: NSManagedObjectModel) throws(NSError) {
        guard let name = element["name"] else { throw corruptModel("The model has a configuration without a name.") }
        var members: [NSEntityDescription] = []
        for member in element.children(named: "memberEntity") {
            guard let entity = member["name"].flatMap({ entities[$0] }) else {
                throw corruptModel(
                    "Configuration '\(name)' has the member '\(member["name"] ?? "")', which is not in the model.")
            }
            members.append(entity)
        }
        model.setEntities(members, forConfigurationName: name)
    }

    /// Keys and values of an element's `userInfo`.
    static func userInfo(of element: ModelXMLElement) -> [AnyHashable: Any] {
        var result: [AnyHashable: Any] = [:]
        for entry in element.children(named: "userInfo").flatMap({ $0.children(named: "entry") }) {
            if let key = entry["key"] { result[key] = entry["value"] ?? "" }
        }
        return result
    }
}

extension NSEntityDescription {
    /// Marks what the model compiler marks for frameworks that know no fetch indexes: an attribute with an ascending index
    /// of its own, and the properties of an ascending index over several.
    fileprivate final func markOldIndexes(for index: NSFetchIndexDescription) {
        let elements = index.elements
        guard elements.allSatisfy({ $0.isAscending && $0.collationType == .binary }) else { return }
        let names = elements.compactMap(\.propertyName)
        guard names.count == elements.count, let first = names.first else { return }
        if names.count > 1 {
            if !recordedCompoundIndexes.contains(names) { recordedCompoundIndexes.append(names) }
        } else if let attribute = ownProperties.first(where: { $0.name == first }) as? NSAttributeDescription {
            attribute.isMarkedIndexed = true
        }
    }
}

extension ModelXMLReader {
    /// Counts an attribute.
    func spend(for path: String) throws(NSError) {
        budget.remaining -= 1
        if budget.remaining < 0 { throw corruptModel("The attributes are too many, at '\(path)'.") }
    }
}

private final class AttributeBudget {
    var remaining = ModelFileLimit.attributes
}
