import Foundation

/// What happens at the other end of a relationship when an object is deleted.
public enum NSDeleteRule: UInt, Sendable {
    /// Nothing; the other side keeps its reference.
    case noActionDeleteRule = 0
    /// The inverse forgets the deleted object.
    case nullifyDeleteRule = 1
    /// The objects at the other end are deleted too.
    case cascadeDeleteRule = 2
    /// The object cannot be deleted as long as there is an object at the other end.
    case denyDeleteRule = 3
}

/// A relationship of an entity to another one, or to itself.
///
/// Unchecked `Sendable` for the reason given at ``NSPropertyDescription``.
open class NSRelationshipDescription: NSPropertyDescription, @unchecked Sendable {
    /// The entity at the other end. Not retained: the model owns its entities.
    public final weak var destinationEntity: NSEntityDescription? {
        willSet { requireMutable("destinationEntity") }
    }

    /// The relationship that leads back. Not retained. Set it on both sides.
    public final weak var inverseRelationship: NSRelationshipDescription? {
        willSet { requireMutable("inverseRelationship") }
    }

    /// The largest number of objects; 1 makes the relationship a to-one, 0 (the default) is without limit.
    open var maxCount: Int = 0 {
        willSet { requireMutable("maxCount") }
    }

    /// The smallest number of objects, enforced for an optional relationship only when it is not empty. 0 by default.
    open var minCount: Int = 0 {
        willSet { requireMutable("minCount") }
    }

    /// What happens at the other end on deletion; nullify by default.
    open var deleteRule: NSDeleteRule = .nullifyDeleteRule {
        willSet { requireMutable("deleteRule") }
    }

    /// Whether a to-many keeps its objects in order. `false` by default.
    open var isOrdered: Bool = false {
        willSet { requireMutable("isOrdered") }
    }

    /// True unless ``maxCount`` is 1.
    public final var isToMany: Bool { maxCount != 1 }

    /// The relationship's destination as named by a model file that lacks the entity itself.
    final var destinationEntityName: String? {
        destinationEntity?.name ?? recordedDestinationName
    }
    final var recordedDestinationName: String?

    /// The inverse's name as named by a model file that lacks the relationship itself.
    final var inverseRelationshipName: String? {
        inverseRelationship?.name ?? recordedInverseName
    }
    final var recordedInverseName: String?

    /// A changeable copy with the same destination and inverse, which belongs to no entity.
    open override func copy(with zone: NSZone? = nil) -> Any {
        let copy = NSRelationshipDescription()
        copyDefinition(to: copy)
        copy.destinationEntity = destinationEntity
        copy.inverseRelationship = inverseRelationship
        copy.recordedDestinationName = recordedDestinationName
        copy.recordedInverseName = recordedInverseName
        copy.maxCount = maxCount
        copy.minCount = minCount
        copy.deleteRule = deleteRule
        copy.isOrdered = isOrdered
        return copy
    }

    override func computeVersionHash() -> Data {
        relationshipVersionHash()
    }
}
