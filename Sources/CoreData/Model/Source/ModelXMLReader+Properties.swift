import Foundation

extension ModelXMLReader {
    /// Reads what every property has.
    private func readCommon(
        _ property: NSPropertyDescription, _ element: ModelXMLElement, entityName: String
    ) throws(NSError) {
        guard let name = element["name"], !name.isEmpty else {
            throw corruptModel("Entity '\(entityName)' has a property without a name.")
        }
        property.name = name
        property.isOptional = element.flag("optional")
        property.isTransient = element.flag("transient") || property is NSFetchedPropertyDescription
        property.isMarkedIndexed = element.flag("indexed")
        property.versionHashModifier = element["versionHashModifier"]
        property.explicitRenamingIdentifier = element["elementID"]
        property.userInfo = Self.userInfo(of: element)
    }

    func attribute(
        _ element: ModelXMLElement, entityName: String, depth: Int = 0
    ) throws(NSError) -> NSAttributeDescription {
        try spend(for: entityName)
        let typeName = element["attributeType"] ?? "Undefined"
        guard let type = NSAttributeType(modelEditorName: typeName) else {
            throw corruptModel(
                "Attribute '\(entityName).\(element["name"] ?? "")' has the unknown type '\(typeName)'.")
        }
        let attribute: NSAttributeDescription
        if type == .compositeAttributeType {
            attribute = try composite(element, entityName: entityName, depth: depth)
        } else if element.flag("derived") {
            attribute = try derivedAttribute(element, entityName: entityName)
        } else {
            attribute = NSAttributeDescription()
        }
        try readCommon(attribute, element, entityName: entityName)
        attribute.attributeType = type
        attribute.allowsExternalBinaryDataStorage = element.flag("allowsExternalBinaryDataStorage")
        attribute.preservesValueInHistoryOnDeletion = element.flag("preserveAfterDeletion")
        Self.readValidation(of: attribute, element)
        attribute.defaultValue = Self.defaultValue(of: element, type: type)
        if type == .transformableAttributeType {
            // The custom class is for generated code alone; the model compiler leaves it out.
            attribute.valueTransformerName = element["valueTransformerName"].flatMap { $0.isEmpty ? nil : $0 }
        }
        return attribute
    }

    private func derivedAttribute(
        _ element: ModelXMLElement, entityName: String
    ) throws(NSError) -> NSDerivedAttributeDescription {
        let attribute = NSDerivedAttributeDescription()
        guard let text = element["derivationExpression"], !text.isEmpty else { return attribute }
        do {
            attribute.derivationExpression = try NSExpression.derivation(format: text)
        } catch {
            throw corruptModel(
                "The derivation of attribute '\(entityName).\(element["name"] ?? "")' cannot be read: \(error)")
        }
        return attribute
    }

    private func composite(
        _ element: ModelXMLElement, entityName: String, depth: Int
    ) throws(NSError) -> NSCompositeAttributeDescription {
        let path = "\(entityName).\(element["name"] ?? "")"
        guard let typeName = element["composite"], let definition = composites[typeName] else {
            throw corruptModel(
                "Composite '\(path)' is of the type '\(element["composite"] ?? "")', which is not in the model.")
        }
        guard depth < ModelFileLimit.compositeDepth else {
            throw corruptModel("Composite '\(path)' contains itself, or nests too deeply.")
        }
        let composite = NSCompositeAttributeDescription()
        var elements: [NSAttributeDescription] = []
        for child in definition.children(named: "attribute") {
            elements.append(try attribute(child, entityName: path, depth: depth + 1))
        }
        composite.elements = elements
        return composite
    }

    func relationship(_ element: ModelXMLElement, entityName: String) throws(NSError) -> NSRelationshipDescription {
        let relationship = NSRelationshipDescription()
        try readCommon(relationship, element, entityName: entityName)
        relationship.minCount = max(0, element.integer("minCount") ?? 0)
        relationship.maxCount = element.integer("maxCount") ?? (element.flag("toMany") ? 0 : 1)
        relationship.isOrdered = element.flag("ordered")
        switch element["deletionRule"] {
        case nil, "Nullify": relationship.deleteRule = .nullifyDeleteRule
        case "Cascade": relationship.deleteRule = .cascadeDeleteRule
        case "Deny": relationship.deleteRule = .denyDeleteRule
        case "No Action": relationship.deleteRule = .noActionDeleteRule
        case let rule?:
            throw corruptModel(
                "Relationship '\(entityName).\(relationship.name)' has the unknown deletion rule '\(rule)'.")
        }
        return relationship
    }

    func fetchedProperty(
        _ element: ModelXMLElement, entityName: String
    ) throws(NSError) -> NSFetchedPropertyDescription {
        let property = NSFetchedPropertyDescription()
        try readCommon(property, element, entityName: entityName)
        if let child = element.children(named: "fetchRequest").first {
            property.fetchRequest = fetchRequest(child, path: "\(entityName).\(property.name)")
        }
        return property
    }

    func fetchIndex(
        _ element: ModelXMLElement, of entity: NSEntityDescription
    ) throws(NSError) -> NSFetchIndexDescription {
        let path = "\(entity.name ?? "").\(element["name"] ?? "")"
        guard let name = element["name"] else {
            throw corruptModel("Entity '\(entity.name ?? "")' has a fetch index without a name.")
        }
        var elements: [NSFetchIndexElementDescription] = []
        for child in element.children(named: "fetchIndexElement") {
            let collation: NSFetchIndexElementType = child["type"] == "RTree" ? .rTree : .binary
            let property = try indexedProperty(child, of: entity, number: elements.count + 1, path: path)
            let indexElement = NSFetchIndexElementDescription(property: property, collationType: collation)
            indexElement.isAscending = child["order"] != "descending"
            elements.append(indexElement)
        }
        guard elements.allSatisfy({ $0.collationType == elements[0].collationType }) else {
            throw corruptModel("Fetch index '\(path)' mixes binary and R-tree elements.")
        }
        let index = NSFetchIndexDescription(name: name, elements: elements)
        if let text = element["partialIndexPredicate"], !text.isEmpty {
            guard let predicate = predicate(text, path: "fetch index '\(path)'") else {
                throw corruptModel("The predicate of fetch index '\(path)' cannot be read.")
            }
            index.partialIndexPredicate = predicate
        }
        return index
    }

    /// What an element of an index is about: a property of the entity, or an expression.
    private func indexedProperty(
        _ element: ModelXMLElement, of entity: NSEntityDescription, number: Int, path: String
    ) throws(NSError) -> NSPropertyDescription {
        if let text = element["expression"], !text.isEmpty {
            let description = NSExpressionDescription()
            description.name = "expression\(number)"
            do {
                description.expression = try NSExpression.parse(format: text)
            } catch {
                throw corruptModel("An expression of fetch index '\(path)' cannot be read: \(error)")
            }
            description.expressionResultType =
                NSAttributeType(modelEditorName: element["expressionType"] ?? "") ?? .undefinedAttributeType
            return description
        }
        guard let name = element["property"], let property = entity.propertiesByName[name] else {
            throw corruptModel("Fetch index '\(path)' names '\(element["property"] ?? "")', which is no property.")
        }
        return property
    }
}

extension NSAttributeType {
    /// The names of types in the model editor's files.
    private static let modelEditorNames: [(type: NSAttributeType, name: String)] = [
        (.undefinedAttributeType, "Undefined"), (.integer16AttributeType, "Integer 16"),
        (.integer32AttributeType, "Integer 32"), (.integer64AttributeType, "Integer 64"),
        (.decimalAttributeType, "Decimal"), (.doubleAttributeType, "Double"), (.floatAttributeType, "Float"),
        (.stringAttributeType, "String"), (.booleanAttributeType, "Boolean"), (.dateAttributeType, "Date"),
        (.binaryDataAttributeType, "Binary"), (.UUIDAttributeType, "UUID"), (.URIAttributeType, "URI"),
        (.transformableAttributeType, "Transformable"), (.compositeAttributeType, "Composite"),
        // Other names of the same.
        (.undefinedAttributeType, ""), (.binaryDataAttributeType, "Binary Data"),
    ]

    /// The type by its name in the model editor's files.
    fileprivate init?(modelEditorName name: String) {
        guard let match = Self.modelEditorNames.first(where: { $0.name == name }) else { return nil }
        self = match.type
    }

    /// The type's name in the model editor's files; nil for a type that the editor does not have.
    var modelEditorName: String? { Self.modelEditorNames.first { $0.type == self }?.name }
}
