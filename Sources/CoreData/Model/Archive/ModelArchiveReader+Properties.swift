import Foundation

extension ModelArchiveReader {
    /// Reads a property, all but a relationship's destination and inverse.
    mutating func property(_ number: Int, name: String) throws(NSError) -> NSPropertyDescription {
        guard let index = try archive.objectIndex(number, classes: Self.modelClasses) else {
            throw corruptModel("The archive has no property '\(name)'.")
        }
        let object = try archive.object(at: index)
        let property: NSPropertyDescription
        switch object.className {
        case "NSAttributeDescription":
            property = try readAttribute(NSAttributeDescription(), object)
        case "NSDerivedAttributeDescription":
            let derived = try readAttribute(NSDerivedAttributeDescription(), object)
            derived.derivationExpression = try predicates.expression(object.fields["NSDerivationExpression"])
            property = derived
        case "NSCompositeAttributeDescription":
            property = try readComposite(object)
        case "NSRelationshipDescription":
            property = try readRelationship(object)
        case "NSFetchedPropertyDescription":
            property = try readFetchedProperty(object)
        case "NSExpressionDescription":
            property = try readExpressionDescription(object)
        default:
            throw corruptModel("The archive has an object of class \(object.className) as the property '\(name)'.")
        }
        try readCommon(property, object)
        return property
    }

    private mutating func readCommon(
        _ property: NSPropertyDescription, _ object: KeyedArchive.Object
    ) throws(NSError) {
        let fields = object.fields
        guard let name = try archive.string(fields["NSPropertyName"]) else {
            throw corruptModel("The archive has a property without a name.")
        }
        property.name = name
        property.isOptional = try archive.boolean(fields["NSIsOptional"])
        property.isTransient = try archive.boolean(fields["NSIsTransient"])
        property.isMarkedIndexed = try archive.boolean(fields["NSIsIndexed"])
        property.versionHashModifier = try archive.string(fields["NSVersionHashModifier"])
        property.explicitRenamingIdentifier = try renamingIdentifier(fields, name: name)
        property.userInfo = try userInfo(fields)
        var known = Self.propertyFields
        if try readValidation(of: property, fields) {
            known.formUnion(["NSValidationPredicates", "NSValidationWarnings"])
        }
        switch property {
        case let derived as NSDerivedAttributeDescription where derived.derivationExpression != nil:
            known.insert("NSDerivationExpression")
        case let fetched as NSFetchedPropertyDescription where fetched.keptRequest != nil:
            known.formUnion(["NSFetchRequest", "_NSFetchRequestEntityName"])
        case let description as NSExpressionDescription where description.expression != nil:
            known.insert("NSExpression")
        default: break
        }
        property.preservedFields = try preservedFields(of: object, except: known)
    }

    /// Reads validation predicates and their warnings, which are texts or error codes.
    ///
    /// - Returns: false if one of them is not understood; then all are kept as they are, and none is evaluated.
    private mutating func readValidation(
        of property: NSPropertyDescription, _ fields: [String: Int]
    ) throws(NSError) -> Bool {
        var found: [NSPredicate] = []
        for member in try archive.list(fields["NSValidationPredicates"]) ?? [] {
            guard let predicate = try predicates.predicate(member) else {
                CoreDataLog.warning("a validation predicate of property '\(property.name)' is not understood")
                return false
            }
            found.append(predicate)
        }
        var warnings: [Any] = []
        for member in try archive.list(fields["NSValidationWarnings"]) ?? [] {
            warnings.append(try predicates.values.value(member) ?? "")
        }
        property.storeValidation(predicates: found, warnings: warnings)
        return true
    }

    private mutating func readFetchedProperty(
        _ object: KeyedArchive.Object
    ) throws(NSError) -> NSFetchedPropertyDescription {
        let property = NSFetchedPropertyDescription()
        if let number = object.fields["NSFetchRequest"], let request = try fetchRequest(number) {
            property.fetchRequest = request
        }
        return property
    }

    private mutating func readAttribute<Attribute: NSAttributeDescription>(
        _ attribute: Attribute, _ object: KeyedArchive.Object
    ) throws(NSError) -> Attribute {
        let fields = object.fields
        let number = try archive.integer(fields["NSAttributeType"]) ?? 0
        guard let raw = UInt(exactly: number), let type = NSAttributeType(rawValue: raw) else {
            throw corruptModel("The archive has an attribute of the unknown type \(number).")
        }
        attribute.attributeType = type
        let className = try archive.string(fields["NSAttributeValueClassName"])
        attribute.explicitValueClassName = className == type.valueClassName ? nil : className
        attribute.defaultValue = try predicates.values.value(fields["NSDefaultValue"]).flatMap { type.normalized($0) }
        attribute.valueTransformerName = try archive.string(fields["NSValueTransformerName"])
        let flags = try archive.integer(fields["NSFlagsKey"]) ?? 0
        attribute.allowsExternalBinaryDataStorage = flags & AttributeArchiveFlag.externalStorage != 0
        attribute.preservesValueInHistoryOnDeletion = flags & AttributeArchiveFlag.preservedOnDeletion != 0
        attribute.unknownArchiveFlags =
            flags & ~(AttributeArchiveFlag.externalStorage | AttributeArchiveFlag.preservedOnDeletion)
        return attribute
    }

    private mutating func readComposite(
        _ object: KeyedArchive.Object
    ) throws(NSError) -> NSCompositeAttributeDescription {
        compositeDepth += 1
        defer { compositeDepth -= 1 }
        guard compositeDepth <= ModelFileLimit.depth else {
            throw corruptModel("The archive's composite attributes nest too deeply.")
        }
        let composite = try readAttribute(NSCompositeAttributeDescription(), object)
        var elements: [NSAttributeDescription] = []
        for member in try archive.list(object.fields["NSCompositeElements"]) ?? [] {
            predicates.values.budget -= 1
            guard predicates.values.budget >= 0,
                let element = try property(member, name: "element") as? NSAttributeDescription
            else { throw corruptModel("The archive has a composite with an element that is no attribute.") }
            elements.append(element)
        }
        composite.elements = elements
        return composite
    }

    private func readRelationship(_ object: KeyedArchive.Object) throws(NSError) -> NSRelationshipDescription {
        let fields = object.fields
        let relationship = NSRelationshipDescription()
        relationship.minCount = try archive.integer(fields["NSMinCount"]) ?? 0
        relationship.maxCount = try archive.integer(fields["NSMaxCount"]) ?? 0
        relationship.isOrdered = try archive.boolean(fields["NSIsOrdered"])
        let rule = try archive.integer(fields["NSDeleteRule"]) ?? 0
        guard let raw = UInt(exactly: rule), let deleteRule = NSDeleteRule(rawValue: raw) else {
            throw corruptModel("The archive has a relationship with the unknown delete rule \(rule).")
        }
        relationship.deleteRule = deleteRule
        return relationship
    }

    private mutating func readExpressionDescription(
        _ object: KeyedArchive.Object
    ) throws(NSError) -> NSExpressionDescription {
        let description = NSExpressionDescription()
        let number = try archive.integer(object.fields["NSExpressionType"]) ?? 0
        guard let raw = UInt(exactly: number), let type = NSAttributeType(rawValue: raw) else {
            throw corruptModel("The archive has an expression of the unknown result type \(number).")
        }
        description.expressionResultType = type
        description.expression = try predicates.expression(object.fields["NSExpression"])
        return description
    }

    /// Reads an index, whose entity has its properties already.
    mutating func fetchIndex(
        at number: Int, of entity: NSEntityDescription
    ) throws(NSError) -> NSFetchIndexDescription {
        let object = try archive.object(at: number)
        guard let name = try archive.string(object.fields["NSIndexName"]) else {
            throw corruptModel("The archive has an index without a name on entity '\(entity.name ?? "")'.")
        }
        var elements: [NSFetchIndexElementDescription] = []
        for member in try archive.list(object.fields["NSIndexElements"]) ?? [] {
            guard let index = try archive.objectIndex(member, classes: ["NSFetchIndexElementDescription"]) else {
                throw corruptModel("Index '\(name)' has a damaged element.")
            }
            elements.append(try indexElement(try archive.object(at: index).fields, of: entity))
        }
        guard elements.allSatisfy({ $0.collationType == elements[0].collationType }) else {
            throw corruptModel("Index '\(name)' mixes binary and R-tree elements.")
        }
        let index = NSFetchIndexDescription(name: name, elements: elements)
        var known: Set<String> = ["NSIndexName", "NSIndexElements", "NSEntity"]
        if let number = object.fields["NSPartialIndexPredicate"], let predicate = try predicates.predicate(number) {
            index.partialIndexPredicate = predicate
            known.insert("NSPartialIndexPredicate")
        }
        index.preservedFields = try preservedFields(of: object, except: known)
        return index
    }

    private mutating func indexElement(
        _ fields: [String: Int], of entity: NSEntityDescription
    ) throws(NSError) -> NSFetchIndexElementDescription {
        let type = try archive.integer(fields["NSFetchIndexElementType"]) ?? 0
        guard let raw = UInt(exactly: type), let collation = NSFetchIndexElementType(rawValue: raw) else {
            throw corruptModel("The archive has an index element of the unknown type \(type).")
        }
        let name = try archive.string(fields["NSPropertyName"])
        let element = NSFetchIndexElementDescription(propertyName: name, collationType: collation)
        element.isAscending = try archive.boolean(fields["NSAscending"])
        if let indexed = fields["NSIndexedProperty"],
            try archive.objectIndex(indexed, classes: ["NSExpressionDescription"]) != nil
        {
            element.property = try property(indexed, name: name ?? "")
        } else {
            element.property = name.flatMap { entity.propertiesByName[$0] }
        }
        return element
    }

    private static let propertyFields: Set<String> = [
        // Every property. `_P` repeats flags and which fields are empty.
        "_P", "NSEntity", "NSPropertyName", "NSIsOptional", "NSIsTransient", "NSIsIndexed", "NSIsReadOnly",
        "NSVersionHashModifier", "NSRenamingIdentifier", "NSUserInfo",
        // Attributes.
        "NSAttributeType", "NSAttributeValueClassName", "NSDefaultValue", "NSValueTransformerName", "NSFlagsKey",
        "NSCompositeElements",
        // Relationships.
        "NSDestinationEntity", "_NSDestinationEntityName", "NSInverseRelationship", "_NSInverseRelationshipName",
        "NSMinCount", "NSMaxCount", "NSIsOrdered", "NSDeleteRule",
        // Expressions.
        "NSExpressionType",
    ]
}

/// The bits of an archived attribute's `NSFlagsKey`, as observed.
enum AttributeArchiveFlag {
    static let externalStorage = 4
    static let preservedOnDeletion = 16
}
