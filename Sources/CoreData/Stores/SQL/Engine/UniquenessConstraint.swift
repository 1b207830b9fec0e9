/// Attributes whose values together must differ among the rows of a table.
struct UniquenessConstraint {
    let names: [String]
    /// In the entity's rows, and those of all entities below it.
    let slots: [Int]

    /// The constraints that hold for an entity's rows, inherited ones included.
    static func all(of entity: SQLEntity) -> [UniquenessConstraint] {
        var constraints: [UniquenessConstraint] = []
        var current: NSEntityDescription? = entity.entity
        while let declaring = current {
            for names in declaring.constraintNames {
                let slots = names.compactMap { slot($0, entity.layout) }
                if slots.count == names.count { constraints.append(UniquenessConstraint(names: names, slots: slots)) }
            }
            current = declaring.superentity
        }
        return constraints
    }

    private static func slot(_ path: String, _ layout: SlotLayout) -> Int? {
        layout.slots.firstIndex { $0.path == path && $0.kind != .toOneEntity && $0.kind != .transient }
    }
}
