import Foundation

// What the descriptions print, in the words of Apple's framework: one line, the names of other parts instead of their text.

extension NSManagedObjectModel {
    final var textForDebugging: String {
        "(\(Self.self)) isEditable \(isFrozen ? 0 : 1), entities \(list(entities.map { $0.name ?? "" })), "
            + "fetch request templates \(list(storedTemplates.keys.sorted())), configurations \(list(configurations)), "
            + "versionIdentifiers \(list(versionIdentifiers.map { "\($0)" }.sorted()))"
    }
}

extension NSEntityDescription {
    final var textForDebugging: String {
        "(\(Self.self)) name \(text(name)), managedObjectClassName \(text(managedObjectClassName)), "
            + "renamingIdentifier \(text(renamingIdentifier)), isAbstract \(isAbstract ? 1 : 0), "
            + "superentity name \(text(superentity?.name)), properties \(list(properties.map(\.name))), "
            + "subentities \(list(subentities.map { $0.name ?? "" })), versionHashModifier \(text(versionHashModifier)), "
            + "uniquenessConstraints \(list(constraintNames.map { $0.joined(separator: ".") }))"
    }
}

extension NSPropertyDescription {
    final var textForDebugging: String {
        var result =
            "(\(Self.self)), name \(name), isOptional \(isOptional ? 1 : 0), isTransient \(isTransient ? 1 : 0), "
            + "entity \(text(declaringEntity?.name)), renamingIdentifier \(text(renamingIdentifier)), "
            + "validation predicates \(list(validationPredicates.map(\.formatText))), "
            + "versionHashModifier \(text(versionHashModifier))"
        switch self {
        case let attribute as NSAttributeDescription:
            result +=
                ", attributeType \(attribute.attributeType.rawValue), "
                + "attributeValueClassName \(text(attribute.attributeValueClassName)), "
                + "defaultValue \(attribute.defaultValue.map { "\($0)" } ?? "(null)")"
        case let relationship as NSRelationshipDescription:
            result +=
                ", destination entity \(text(relationship.destinationEntityName)), "
                + "inverse relationship \(text(relationship.inverseRelationshipName)), "
                + "minCount \(relationship.minCount), maxCount \(relationship.maxCount), "
                + "isOrdered \(relationship.isOrdered ? 1 : 0), deleteRule \(relationship.deleteRule.rawValue)"
        default: break
        }
        return result
    }
}

private func text(_ value: String?) -> String { value ?? "(null)" }

private func list(_ values: [String]) -> String { "(" + values.joined(separator: ", ") + ")" }
