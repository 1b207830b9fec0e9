import Foundation

/// Copies entities with everything below them, and leads the copies' references to copies.
struct EntityCopier {
    /// Copies of some entities, in their order, each with its subentities.
    func copy(_ entities: [NSEntityDescription]) -> [NSEntityDescription] {
        var copies: [ObjectIdentifier: NSEntityDescription] = [:]
        var properties: [ObjectIdentifier: NSPropertyDescription] = [:]
        let result = entities.map { copy($0, copies: &copies, properties: &properties) }
        for copy in copies.values {
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
            for element in copy.indexes.flatMap(\.elements) {
                if let property = element.property, let target = properties[ObjectIdentifier(property)] {
                    element.property = target
                }
            }
        }
        return result
    }

    private func copy(
        _ entity: NSEntityDescription, copies: inout [ObjectIdentifier: NSEntityDescription],
        properties: inout [ObjectIdentifier: NSPropertyDescription]
    ) -> NSEntityDescription {
        if let copy = copies[ObjectIdentifier(entity)] { return copy }
        let copy = NSEntityDescription()
        copies[ObjectIdentifier(entity)] = copy
        copy.name = entity.name
        copy.managedObjectClassName = entity.managedObjectClassName
        copy.isAbstract = entity.isAbstract
        copy.userInfo = entity.userInfo
        copy.versionHashModifier = entity.versionHashModifier
        copy.explicitRenamingIdentifier = entity.explicitRenamingIdentifier
        copy.constraintNames = entity.constraintNames
        copy.recordedCompoundIndexes = entity.recordedCompoundIndexes
        copy.preservedFields = entity.preservedFields
        copy.properties = entity.ownProperties.map { property in
            let twin = property.copy(with: nil) as? NSPropertyDescription ?? NSPropertyDescription()
            properties[ObjectIdentifier(property)] = twin
            return twin
        }
        copy.subentities = entity.subentities.map { self.copy($0, copies: &copies, properties: &properties) }
        copy.indexes = entity.indexes.compactMap { $0.copy(with: nil) as? NSFetchIndexDescription }
        return copy
    }
}
