import Foundation

extension NSEntityDescription {
    /// The direct subentities by name.
    public final var subentitiesByName: [String: NSEntityDescription] {
        Dictionary(subentities.compactMap { entity in entity.name.map { ($0, entity) } }, uniquingKeysWith: { $1 })
    }

    /// Whether this entity is the given one or inherits from it. Complexity: O(1) once the model is frozen.
    public final func isKindOf(entity: NSEntityDescription) -> Bool {
        if self === entity { return true }
        if let own = frozen, let other = entity.frozen {
            return own.freezeNumber == other.freezeNumber && own.ordinal > other.ordinal
                && own.ordinal <= other.lastOrdinal
        }
        var ancestor = superentity
        while let current = ancestor {
            if current === entity { return true }
            ancestor = current.superentity
        }
        return false
    }

    /// The topmost entity of the hierarchy, whose table holds the rows of all its subentities.
    package final var rootEntity: NSEntityDescription {
        if let frozen, frozen.ordinal == frozen.rootOrdinal { return self }
        // Entities that outlive their model may have lost those above them.
        var root = self
        while let parent = root.superentity, parent !== self {
            root = parent
        }
        return root
    }

    /// Every entity below this one: a parent right before its children, siblings by name without regard to case.
    package final var allSubentities: [NSEntityDescription] {
        frozen?.allSubentities ?? Self.depthFirst(storedSubentities)
    }

    /// The entity's number in the model: 1 for the first, in the order in which stores number their entities
    /// (a parent right before its children, siblings by name without regard to case).
    ///
    /// - Precondition: the model is frozen.
    package final var ordinal: Int {
        guard let frozen else {
            modelMisuse("Entity '\(name ?? "")': the ordinal is asked for before the model is in use.")
        }
        return frozen.ordinal
    }

    /// Where the properties stand in the entity's rows. Freezes the model where that was not done yet.
    final var slotLayout: SlotLayout {
        if let frozenLayout = frozenLayout ?? formerLayout { return frozenLayout }
        owningModel?.freeze()
        guard let frozenLayout else {
            modelMisuse("Entity '\(name ?? "")' is used for an object, but belongs to no model.")
        }
        return frozenLayout
    }

    /// The model goes. Objects that are left hold the layout, which holds the entity: that must not hold it too.
    final func handOverLayout(_ remains: ModelRemains) {
        guard !isKnownUniquelyReferenced(&frozenLayout) else { return }
        frozenLayout?.remains = remains
        formerLayout = frozenLayout
        frozenLayout = nil
    }

    /// The largest ordinal among this entity and its subentities, which have the numbers in between.
    ///
    /// - Precondition: the model is frozen.
    package final var lastOrdinal: Int { frozen?.lastOrdinal ?? ordinal }

    /// Entities and what is below them: a parent right before its children, siblings by name without regard to case.
    /// An entity met a second time (a hierarchy that bites its tail) is left out.
    static func depthFirst(_ entities: [NSEntityDescription]) -> [NSEntityDescription] {
        var result: [NSEntityDescription] = []
        var seen: Set<ObjectIdentifier> = []
        var pending = Array(sortedByName(entities).reversed())
        while let entity = pending.popLast() {
            guard seen.insert(ObjectIdentifier(entity)).inserted else { continue }
            result.append(entity)
            pending.append(contentsOf: sortedByName(entity.storedSubentities).reversed())
        }
        return result
    }

    /// Siblings by name without regard to case, in Unicode code point order of the lower-case names.
    static func sortedByName(_ entities: [NSEntityDescription]) -> [NSEntityDescription] {
        entities.map { (key: ($0.name ?? "").lowercased(), name: $0.name ?? "", entity: $0) }
            .sorted {
                let left = $0.key.utf8
                let right = $1.key.utf8
                return left.elementsEqual(right)
                    ? $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) : left.lexicographicallyPrecedes(right)
            }
            .map(\.entity)
    }
}

/// What an entity keeps once its model is frozen, so that the engine never computes it again.
struct FrozenEntity {
    /// Tells the frozen models of this process apart.
    let freezeNumber: UInt64
    let ordinal: Int
    let lastOrdinal: Int
    /// The ordinal of the topmost entity.
    let rootOrdinal: Int
    let allSubentities: [NSEntityDescription]
    let properties: [NSPropertyDescription]
    let propertiesByName: [String: NSPropertyDescription]
    let attributesByName: [String: NSAttributeDescription]
    let relationshipsByName: [String: NSRelationshipDescription]
    let versionHash: Data
}
