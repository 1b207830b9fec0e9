import Foundation

extension NSManagedObjectModel {
    /// Checks that the model can be used.
    ///
    /// - Throws: NSCocoaErrorDomain 134020 (`NSPersistentStoreIncompatibleSchemaError`); the failure reason names the
    ///   entity and property.
    package final func validate() throws(NSError) {
        var names: Set<String> = []
        for entity in storedEntities {
            guard let name = entity.name, !name.isEmpty else {
                throw Self.invalid("The model has an entity without a name.")
            }
            guard names.insert(name).inserted else {
                throw Self.invalid("The model has two entities named '\(name)'.")
            }
        }
        let members = Set(storedEntities.map(ObjectIdentifier.init))
        for entity in storedEntities {
            try validateHierarchy(of: entity, members: members)
            try validateProperties(of: entity, members: members)
        }
    }

    static func invalid(_ reason: String) -> NSError {
        NSError(
            domain: NSCocoaErrorDomain, code: 134020,
            userInfo: [
                NSLocalizedDescriptionKey: "The model is not valid.", NSLocalizedFailureReasonErrorKey: reason,
            ])
    }

    private func validateHierarchy(of entity: NSEntityDescription, members: Set<ObjectIdentifier>) throws(NSError) {
        let name = entity.name ?? ""
        if entity.owningModel !== self {
            throw Self.invalid("Entity '\(name)' belongs to another model as well; give each model a copy.")
        }
        var ancestors: Set<ObjectIdentifier> = [ObjectIdentifier(entity)]
        var current = entity
        while let parent = current.superentity {
            guard ancestors.insert(ObjectIdentifier(parent)).inserted else {
                throw Self.invalid("Entity '\(name)' inherits from itself.")
            }
            guard members.contains(ObjectIdentifier(parent)) else {
                throw Self.invalid("The superentity '\(parent.name ?? "")' of entity '\(name)' is not in the model.")
            }
            guard parent.storedSubentities.contains(where: { $0 === current }) else {
                throw Self.invalid("Entity '\(parent.name ?? "")' does not list its subentity '\(current.name ?? "")'.")
            }
            current = parent
        }
        for subentity in entity.storedSubentities where subentity.superentity !== entity {
            throw Self.invalid("Entity '\(subentity.name ?? "")' is a subentity of both '\(name)' and another entity.")
        }
    }

    private func validateProperties(of entity: NSEntityDescription, members: Set<ObjectIdentifier>) throws(NSError) {
        let entityName = entity.name ?? ""
        var names = Set(entity.inheritedProperties.map(\.name))
        for property in entity.ownProperties {
            let name = property.name
            guard !name.isEmpty else { throw Self.invalid("Entity '\(entityName)' has a property without a name.") }
            guard names.insert(name).inserted else {
                throw Self.invalid(
                    "Entity '\(entityName)' has two properties named '\(name)', one of which may be inherited.")
            }
            guard property.declaringEntity === entity else {
                throw Self.invalid("Property '\(name)' of entity '\(entityName)' belongs to another entity as well.")
            }
            guard !Self.reservedPropertyNames.contains(name) else {
                throw Self.invalid(
                    "Property '\(name)' of entity '\(entityName)' is named like a method of NSObject or NSManagedObject."
                )
            }
            switch property {
            case let attribute as NSAttributeDescription:
                try validate(attribute, path: "\(entityName).\(name)")
            case let relationship as NSRelationshipDescription:
                try validate(relationship, of: entityName, members: members)
            case is NSExpressionDescription:
                throw Self.invalid("Property '\(name)' of entity '\(entityName)' is an expression, not a property.")
            default: break
            }
        }
        for constraint in entity.constraintNames {
            for name in constraint {
                let property = entity.propertiesByName[Self.firstComponent(of: name)]
                guard property is NSAttributeDescription || property is NSRelationshipDescription else {
                    throw Self.invalid(
                        "A uniqueness constraint of entity '\(entityName)' names '\(name)', which is no attribute of it."
                    )
                }
            }
        }
    }

    private func validate(_ attribute: NSAttributeDescription, path: String) throws(NSError) {
        switch attribute.attributeType {
        case .undefinedAttributeType where !attribute.isTransient:
            throw Self.invalid("Attribute '\(path)' has no type, which only a transient attribute may do.")
        case .objectIDAttributeType where !attribute.isTransient:
            throw Self.invalid("Attribute '\(path)' has the type of object ids, which cannot be stored.")
        case .compositeAttributeType:
            guard let composite = attribute as? NSCompositeAttributeDescription else {
                throw Self.invalid("Attribute '\(path)' has the type of composites without being one.")
            }
            guard !composite.elements.isEmpty else { throw Self.invalid("Composite '\(path)' has no elements.") }
            for element in composite.elements {
                try validate(element, path: "\(path).\(element.name)")
            }
        default: break
        }
    }

    private func validate(
        _ relationship: NSRelationshipDescription, of entityName: String, members: Set<ObjectIdentifier>
    ) throws(NSError) {
        let path = "\(entityName).\(relationship.name)"
        guard let destination = relationship.destinationEntity else {
            throw Self.invalid("Relationship '\(path)' has no destination entity.")
        }
        guard members.contains(ObjectIdentifier(destination)) else {
            throw Self.invalid(
                "The destination '\(destination.name ?? "")' of relationship '\(path)' is not in the model.")
        }
        // A maximum below zero is met in models built in code; it is no bound, as 0 is none.
        guard relationship.maxCount <= 0 || relationship.minCount <= relationship.maxCount else {
            throw Self.invalid(
                "Relationship '\(path)' has the impossible counts \(relationship.minCount) to \(relationship.maxCount)."
            )
        }
        guard let inverse = relationship.inverseRelationship else { return }
        guard inverse.inverseRelationship === relationship else {
            throw Self.invalid(
                "Relationship '\(path)' and its inverse '\(inverse.name)' do not name each other as inverse.")
        }
        guard let inverseOwner = inverse.declaringEntity, destination.isKindOf(entity: inverseOwner) else {
            throw Self.invalid(
                "The inverse '\(inverse.name)' of relationship '\(path)' is no relationship of its destination.")
        }
    }

    private static func firstComponent(of path: String) -> String {
        String(path.prefix { $0 != "." })
    }

    /// Names of methods without arguments that every managed object has. (`deleted`, `inserted`, `updated` and `fault` are
    /// the names of properties whose methods begin with "is"; models in use have attributes of these names.)
    private static let reservedPropertyNames: Set<String> = [
        "autorelease", "awakeFromFetch", "awakeFromInsert", "changedValues", "changedValuesForCurrentEvent", "class",
        "copy", "dealloc", "debugDescription", "description", "didSave", "didTurnIntoFault", "entity", "faultingState",
        "finalize", "hasChanges", "hasPersistentChangedValues", "hash", "init", "isDeleted", "isFault", "isInserted",
        "isProxy", "isUpdated", "managedObjectContext", "mutableCopy", "objectID", "observationInfo",
        "prepareForDeletion", "release", "retain", "retainCount", "self", "superclass", "willSave",
        "willTurnIntoFault", "zone",
    ]
}
