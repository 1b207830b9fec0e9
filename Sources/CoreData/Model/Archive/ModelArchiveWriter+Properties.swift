import Foundation

extension ModelArchiveWriter {
    /// Writes a property into its place.
    ///
    /// - Parameter entity: the entity in whose list it stands; nil for the expression of an index.
    mutating func write(_ property: NSPropertyDescription, at index: Int, of entity: NSEntityDescription?) {
        var fields = commonFields(of: property, entity: entity)
        let className: String
        var superclasses = ["NSPropertyDescription", "NSObject"]
        switch property {
        case let relationship as NSRelationshipDescription:
            className = "NSRelationshipDescription"
            fields += relationshipFields(of: relationship)
        case let fetched as NSFetchedPropertyDescription:
            className = "NSFetchedPropertyDescription"
            fields += fetchedFields(of: fetched, in: entity?.owningModel)
        case let description as NSExpressionDescription:
            className = "NSExpressionDescription"
            fields.append(("NSExpressionType", .integer(Int64(description.expressionResultType.rawValue))))
            if let expression = description.expression, let value = self.expression(expression) {
                fields.append(("NSExpression", value))
            }
        case let attribute as NSAttributeDescription:
            fields += attributeFields(of: attribute)
            switch attribute {
            case let derived as NSDerivedAttributeDescription:
                className = "NSDerivedAttributeDescription"
                superclasses.insert("NSAttributeDescription", at: 0)
                fields += derivedFields(of: derived)
            case let composite as NSCompositeAttributeDescription:
                className = "NSCompositeAttributeDescription"
                superclasses.insert("NSAttributeDescription", at: 0)
                fields.append(("NSCompositeElements", elements(of: composite)))
            default: className = "NSAttributeDescription"
            }
        default: className = "NSPropertyDescription"
        }
        fields += preserved(property.preservedFields)
        archive.complete(index, classNames: [className] + superclasses, fields: fields)
    }

    private mutating func commonFields(
        of property: NSPropertyDescription, entity: NSEntityDescription?
    ) -> [(key: String, value: PropertyListValue)] {
        let isReadOnly =
            property is NSFetchedPropertyDescription || property is NSExpressionDescription
            || property is NSDerivedAttributeDescription
        let hasValidation =
            !property.validationPredicates.isEmpty || property.preservedFields["NSValidationPredicates"] != nil
        let userInfo = property.userInfo ?? [:]
        var fields: [(key: String, value: PropertyListValue)] = [
            ("NSPropertyName", archive.string(property.name)), ("NSEntity", reference(to: entity)),
            ("NSRenamingIdentifier", archive.string(property.renamingIdentifier)),
        ]
        // The bits repeat the flags and say which fields are left out, as observed: 1 always, 2 optional, 4 read-only,
        // 8 transient, 48 no validation, 64 no user info, 128 no modifier, 1024 ordered.
        var bits: Int64 = 1
        if property.isOptional {
            fields.append(("NSIsOptional", .boolean(true)))
            bits |= 2
        }
        if isReadOnly {
            fields.append(("NSIsReadOnly", .boolean(true)))
            bits |= 4
        }
        if property.isTransient || property is NSFetchedPropertyDescription {
            fields.append(("NSIsTransient", .boolean(true)))
            bits |= 8
        }
        if property.isMarkedIndexed { fields.append(("NSIsIndexed", .boolean(true))) }
        if !hasValidation { bits |= 48 }
        if !property.validationPredicates.isEmpty { fields += validationFields(of: property) }
        if userInfo.isEmpty {
            bits |= 64
        } else {
            fields.append(("NSUserInfo", archive.dictionary(userInfo)))
        }
        if let modifier = property.versionHashModifier {
            fields.append(("NSVersionHashModifier", archive.string(modifier)))
        } else {
            bits |= 128
        }
        if (property as? NSRelationshipDescription)?.isOrdered == true { bits |= 1024 }
        fields.append(("_P", .integer(bits)))
        return fields
    }

    private mutating func validationFields(
        of property: NSPropertyDescription
    ) -> [(key: String, value: PropertyListValue)] {
        var predicates: [PropertyListValue] = []
        var warnings: [PropertyListValue] = []
        for (index, predicate) in property.validationPredicates.enumerated() {
            guard let value = self.predicate(predicate) else { continue }
            predicates.append(value)
            warnings.append(
                index < property.validationWarnings.count
                    ? archive.value(property.validationWarnings[index]) : KeyedArchiveWriter.null)
        }
        return [
            ("NSValidationPredicates", archive.array(predicates)), ("NSValidationWarnings", archive.array(warnings)),
        ]
    }

    private mutating func attributeFields(
        of attribute: NSAttributeDescription
    ) -> [(key: String, value: PropertyListValue)] {
        var flags = attribute.unknownArchiveFlags
        if attribute.allowsExternalBinaryDataStorage { flags |= AttributeArchiveFlag.externalStorage }
        if attribute.preservesValueInHistoryOnDeletion { flags |= AttributeArchiveFlag.preservedOnDeletion }
        return [
            ("NSAttributeType", .integer(Int64(attribute.attributeType.rawValue))),
            ("NSAttributeValueClassName", archive.string(attribute.attributeValueClassName)),
            ("NSDefaultValue", archive.value(attribute.defaultValue)),
            ("NSValueTransformerName", archive.string(attribute.valueTransformerName)),
            ("NSFlagsKey", .integer(Int64(flags))),
        ]
    }

    private mutating func derivedFields(
        of derived: NSDerivedAttributeDescription
    ) -> [(key: String, value: PropertyListValue)] {
        guard let expression = derived.derivationExpression?.asDerivation, let value = self.expression(expression)
        else { return [] }
        return [("NSDerivationExpression", value)]
    }

    private mutating func elements(of composite: NSCompositeAttributeDescription) -> PropertyListValue {
        var members: [PropertyListValue] = []
        for element in composite.elements {
            let index = archive.reserve()
            write(element, at: index, of: nil)
            members.append(.uid(index))
        }
        return archive.array(members)
    }

    private mutating func relationshipFields(
        of relationship: NSRelationshipDescription
    ) -> [(key: String, value: PropertyListValue)] {
        var fields: [(key: String, value: PropertyListValue)] = [
            ("NSDestinationEntity", reference(to: relationship.destinationEntity)),
            ("_NSDestinationEntityName", archive.string(relationship.destinationEntityName)),
            ("NSInverseRelationship", reference(to: relationship.inverseRelationship)),
            ("_NSInverseRelationshipName", archive.string(relationship.inverseRelationshipName)),
            ("NSDeleteRule", .integer(Int64(relationship.deleteRule.rawValue))),
            ("NSMinCount", .integer(Int64(relationship.minCount))),
            ("NSMaxCount", .integer(Int64(relationship.maxCount))),
        ]
        if relationship.isOrdered { fields.append(("NSIsOrdered", .boolean(true))) }
        return fields
    }

    private mutating func fetchedFields(
        of property: NSFetchedPropertyDescription, in model: NSManagedObjectModel?
    ) -> [(key: String, value: PropertyListValue)] {
        guard let request = property.keptRequest else { return [] }
        let name = request.facts.entityName
        guard let value = fetchRequest(request, entity: name.flatMap { model?.entitiesByName[$0] }) else { return [] }
        return [("NSFetchRequest", value), ("_NSFetchRequestEntityName", archive.string(name))]
    }
}
