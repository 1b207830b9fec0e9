import Foundation

extension NSEntityDescription {
    /// All properties: inherited ones first (the topmost entity's before), then the entity's own, each in the order given.
    ///
    /// Setting replaces the entity's own properties; inherited ones in the new list are left where they are.
    /// Complexity: O(1) once the model is frozen.
    public final var properties: [NSPropertyDescription] {
        get { frozen?.properties ?? inheritedProperties + ownProperties }
        set {
            requireMutable("properties")
            let inherited = Set(inheritedProperties.map(ObjectIdentifier.init))
            let before = Set(ownProperties.map(ObjectIdentifier.init))
            for property in ownProperties where property.declaringEntity === self {
                property.declaringEntity = nil
            }
            ownProperties = newValue.filter { !inherited.contains(ObjectIdentifier($0)) }
            for property in ownProperties {
                property.declaringEntity = self
            }
            if before != Set(ownProperties.map(ObjectIdentifier.init)) {
                dropIndexesOfHierarchy()
            }
        }
    }

    /// The properties of all superentities, the topmost entity's first.
    package final var inheritedProperties: [NSPropertyDescription] {
        superentity?.properties ?? []
    }

    /// All properties by name, inherited ones included. Complexity: O(1) once the model is frozen.
    public final var propertiesByName: [String: NSPropertyDescription] {
        frozen?.propertiesByName ?? Self.byName(properties)
    }

    /// All attributes by name, inherited ones included. Complexity: O(1) once the model is frozen.
    public final var attributesByName: [String: NSAttributeDescription] {
        frozen?.attributesByName ?? Self.byName(properties.compactMap { $0 as? NSAttributeDescription })
    }

    /// All relationships by name, inherited ones included. Complexity: O(1) once the model is frozen.
    public final var relationshipsByName: [String: NSRelationshipDescription] {
        frozen?.relationshipsByName ?? Self.byName(properties.compactMap { $0 as? NSRelationshipDescription })
    }

    /// The relationships, inherited ones included, that lead to just this entity, by name.
    public final func relationships(forDestination entity: NSEntityDescription) -> [NSRelationshipDescription] {
        relationshipsByName.values.filter { $0.destinationEntity === entity }.sorted { $0.name < $1.name }
    }

    static func byName<Property: NSPropertyDescription>(_ properties: [Property]) -> [String: Property] {
        // A name given twice is reported when the model is validated; until then the later one counts.
        Dictionary(properties.map { ($0.name, $0) }, uniquingKeysWith: { $1 })
    }
}
