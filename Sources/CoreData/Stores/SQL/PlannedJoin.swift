/// The table of a pair of inverse to-many relationships as planned.
struct PlannedJoin {
    /// The relationship the table is named after, declared by the entity A that owns the table.
    unowned(unsafe) let relationship: NSRelationshipDescription
    /// Its inverse, declared by B.
    unowned(unsafe) let inverse: NSRelationshipDescription
    /// `Z_ENT` of A and B.
    let number: Int32
    let inverseNumber: Int32
    let name: String
    /// Holds the keys of A's records: the members of `inverse`.
    let first: String
    /// Holds the keys of B's records: the members of `relationship`.
    let second: String
    let firstOrder: String?
    let secondOrder: String?

    var isReflexive: Bool { relationship === inverse }

    static let reflexiveColumn = "REFLEXIVE"

    /// The joins of a store's entities. Columns with the same name get numbers in the order in which a walk over the entities
    /// by name, inherited relationships included, meets them.
    static func joins(of entities: [NSEntityDescription], numbers: [Int32]) -> [PlannedJoin] {
        var usedColumns: Set<String> = []
        var seen: Set<ObjectIdentifier> = []
        var joins: [PlannedJoin] = []
        let byName = entities.sorted { ($0.name ?? "").utf8.lexicographicallyPrecedes(($1.name ?? "").utf8) }
        for entity in byName {
            let relationships = entity.properties.compactMap { $0 as? NSRelationshipDescription }
                .sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
            for relationship in relationships where relationship.isToMany && !relationship.isTransient {
                guard let inverse = relationship.inverseRelationship, inverse.isToMany, !inverse.isTransient,
                    seen.insert(ObjectIdentifier(relationship)).inserted
                else { continue }
                seen.insert(ObjectIdentifier(inverse))
                joins.append(PlannedJoin(relationship, inverse, numbers, &usedColumns))
            }
        }
        return joins
    }

    private init(
        _ one: NSRelationshipDescription, _ other: NSRelationshipDescription, _ numbers: [Int32],
        _ usedColumns: inout Set<String>
    ) {
        let isFirst = Self.names(one, before: other, numbers)
        let relationship = isFirst ? one : other
        let inverse = isFirst ? other : one
        self.relationship = relationship
        self.inverse = inverse
        number = Self.number(of: relationship, numbers)
        inverseNumber = Self.number(of: inverse, numbers)
        name = "Z_\(number)" + relationship.name.uppercased()
        first = Self.unused("Z_\(number)" + inverse.name.uppercased(), &usedColumns)
        second =
            relationship === inverse
            ? Self.reflexiveColumn
            : Self.unused("Z_\(inverseNumber)" + relationship.name.uppercased(), &usedColumns)
        firstOrder = inverse.isOrdered ? "Z_FOK_" + first.dropFirst(2) : nil
        secondOrder = relationship.isOrdered && relationship !== inverse ? "Z_FOK_" + second.dropFirst(2) : nil
    }

    /// Whether the table is named after `one`: the side whose entity alone has subentities, else the lower number; within one
    /// entity the later name.
    private static func names(
        _ one: NSRelationshipDescription, before other: NSRelationshipDescription, _ numbers: [Int32]
    ) -> Bool {
        let left = one.declaringEntity
        let right = other.declaringEntity
        if left === right { return !one.name.utf8.lexicographicallyPrecedes(other.name.utf8) }
        let leftHas = !(left?.subentities.isEmpty ?? true)
        let rightHas = !(right?.subentities.isEmpty ?? true)
        if leftHas != rightHas { return leftHas }
        return number(of: one, numbers) < number(of: other, numbers)
    }

    private static func number(of relationship: NSRelationshipDescription, _ numbers: [Int32]) -> Int32 {
        relationship.declaringEntity.map { numbers[$0.ordinal] } ?? 0
    }

    private static func unused(_ base: String, _ used: inout Set<String>) -> String {
        var name = base
        var number = 0
        while !used.insert(name).inserted {
            number += 1
            name = base + String(number)
        }
        return name
    }
}
