import Foundation

/// Copies entities with everything below them, and leads the copies' references to copies.
enum EntityCopier {
    /// Copies of some entities, in their order, each with its subentities.
    static func copy(_ entities: [NSEntityDescription]) -> [NSEntityDescription] {
        var copies: [ObjectIdentifier: NSEntityDescription] = [:]
        var properties: [ObjectIdentifier: NSPropertyDescription] = [:]
        let originals = NSEntityDescription.depthFirst(entities)
        for entity in originals {
            let copy = copyAlone(entity)
            copies[ObjectIdentifier(entity)] = copy
            for (property, twin) in zip(entity.ownProperties, copy.ownProperties) {
                properties[ObjectIdentifier(property)] = twin
            }
        }
        for entity in originals {
            guard let copy = copies[ObjectIdentifier(entity)] else { continue }
            copy.subentities = entity.storedSubentities.compactMap { copies[ObjectIdentifier($0)] }
            for case let relationship as NSRelationshipDescription in copy.ownProperties {
                if let destination = relationship.destinationEntity, let target = copies[ObjectIdentifier(destination)]
                {
                    relationship.destinationEntity = target
                }
                if let inverse = relationship.inverseRelationship,
                    let target = properties[ObjectIdentifier(inverse)] as? NSRelationshipDescription
                {
                    relationship.inverseRelationship = target
                }
            }
        }
        // Last, since indexes go when a hierarchy changes.
        for entity in originals {
            guard let copy = copies[ObjectIdentifier(entity)] else { continue }
            copy.indexes = entity.indexes.map { self.copy($0, to: copy) }
        }
        return entities.compactMap { copies[ObjectIdentifier($0)] }
    }

    /// A copy of one entity with its own properties; without subentities and indexes, which need others.
    static func copyAlone(_ entity: NSEntityDescription) -> NSEntityDescription {
        let copy = NSEntityDescription()
        copy.name = entity.name
        copy.managedObjectClassName = entity.managedObjectClassName
        copy.isAbstract = entity.isAbstract
        copy.userInfo = entity.userInfo
        copy.versionHashModifier = entity.versionHashModifier
        copy.explicitRenamingIdentifier = entity.explicitRenamingIdentifier
        copy.constraintNames = entity.constraintNames
        copy.recordedCompoundIndexes = entity.recordedCompoundIndexes
        copy.preservedFields = entity.preservedFields
        copy.properties = entity.ownProperties.map {
            $0.copy(with: nil) as? NSPropertyDescription ?? NSPropertyDescription()
        }
        return copy
    }

    /// A copy of an index for the copy of its entity.
    static func copy(_ index: NSFetchIndexDescription, to entity: NSEntityDescription) -> NSFetchIndexDescription {
        let elements = index.elements.map { element in
            let copy = NSFetchIndexElementDescription(
                propertyName: element.propertyName, collationType: element.collationType)
            copy.isAscending = element.isAscending
            copy.property =
                element.property is NSExpressionDescription
                ? element.property?.copy(with: nil) as? NSPropertyDescription
                : element.propertyName.flatMap { entity.propertiesByName[$0] }
            return copy
        }
        let copy = NSFetchIndexDescription(name: index.name, elements: elements)
        copy.partialIndexPredicate = index.partialIndexPredicate
        copy.preservedFields = index.preservedFields
        return copy
    }
}
