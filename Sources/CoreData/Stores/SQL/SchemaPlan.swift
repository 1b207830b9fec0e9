/// What a model asks a store's tables to look like: every name that Core Data's rules give, before any file is looked at.
///
/// Names follow the entity numbers, which an existing file decides; a new store numbers its entities from 1.
struct SchemaPlan {
    struct Entity {
        unowned(unsafe) let entity: NSEntityDescription
        /// `Z_ENT`.
        let number: Int32
        /// `Z_ENT` of the parent; 0 for a root, or where the configuration does not hold the parent.
        let parentNumber: Int32
        /// Index into `tables`.
        let table: Int
    }

    let model: NSManagedObjectModel
    let configuration: String?
    /// The entities of the configuration, by number.
    private(set) var entities: [Entity] = []
    private(set) var tables: [PlannedTable] = []
    private(set) var joins: [PlannedJoin] = []
    /// `Z_ENT` by model ordinal, 0 where the configuration does not hold the entity.
    let numbers: [Int32]

    /// - Parameters:
    ///   - configuration: nil for the whole model; a name the model does not have gives an empty plan.
    ///   - fileNumbers: the numbers of an existing file by entity name; entities it does not name get the number that is
    ///     theirs in a new store, or the next free one.
    init(model: NSManagedObjectModel, configuration: String?, fileNumbers: [String: Int32] = [:]) {
        model.freeze()
        self.model = model
        self.configuration = configuration
        let members = model.entitiesInStoreOrder(forConfigurationName: configuration) ?? []
        numbers = Self.numbers(members, of: model, fileNumbers)
        let ordered = members.sorted { numbers[$0.ordinal] < numbers[$1.ordinal] }
        for entity in ordered {
            let root = entity.rootEntity
            var table = tables.firstIndex { $0.root === root }
            if table == nil {
                table = tables.count
                tables.append(PlannedTable(root: root))
            }
            let parent = entity.superentity.map { numbers[$0.ordinal] } ?? 0
            entities.append(
                Entity(
                    entity: entity, number: numbers[entity.ordinal], parentNumber: parent,
                    table: table ?? 0))
        }
        for index in tables.indices {
            let family = ordered.filter { $0.rootEntity === tables[index].root }
            tables[index].addColumns(of: family, numbers: numbers, hiddenKeys: hiddenKeys(into: family, from: ordered))
        }
        joins = PlannedJoin.joins(of: ordered, numbers: numbers)
    }

    private static func numbers(
        _ members: [NSEntityDescription], of model: NSManagedObjectModel, _ fileNumbers: [String: Int32]
    ) -> [Int32] {
        var numbers = [Int32](repeating: 0, count: model.entitiesByOrdinal.count + 1)
        var taken: Set<Int32> = []
        for entity in members {
            guard let number = fileNumbers[entity.name ?? ""], number > 0, taken.insert(number).inserted else {
                continue
            }
            numbers[entity.ordinal] = number
        }
        for (index, entity) in members.enumerated() where numbers[entity.ordinal] == 0 {
            var number = Int32(index + 1)
            if taken.contains(number) { number = (taken.max() ?? 0) + 1 }
            taken.insert(number)
            numbers[entity.ordinal] = number
        }
        return numbers
    }

    /// To-many relationships without inverse that lead into a family, whose keys stand in the family's table.
    private func hiddenKeys(
        into family: [NSEntityDescription], from members: [NSEntityDescription]
    ) -> [NSRelationshipDescription] {
        members.flatMap { owner in
            owner.ownProperties.compactMap { $0 as? NSRelationshipDescription }
                .filter { relationship in
                    relationship.isToMany && !relationship.isTransient && relationship.inverseRelationship == nil
                        && family.contains { $0 === relationship.destinationEntity }
                }
                .sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
        }
    }
}

/// The table of a root entity as planned.
struct PlannedTable {
    /// What a column is for.
    enum Role {
        /// Holds a slot's word, the slot being one of the entity that declares it.
        case slot(ordinal: Int, slot: Int)
        /// The order key of a to-one's record among the members of the inverse.
        case order(ordinal: Int, slot: Int)
        /// The key of the owner in a to-many relationship without inverse.
        case hiddenKey(NSRelationshipDescription)
        /// The order key that belongs to it.
        case hiddenOrder(NSRelationshipDescription)
    }

    struct Column {
        let name: String
        let type: SQLColumnType
        let role: Role
    }

    unowned(unsafe) let root: NSEntityDescription
    let name: String
    /// The columns after `Z_PK`, `Z_ENT` and `Z_OPT`, in the order of a new table.
    private(set) var columns: [Column] = []
    private var usedNames: Set<String> = ["Z_PK", "Z_ENT", "Z_OPT"]

    init(root: NSEntityDescription) {
        self.root = root
        name = "Z" + (root.name ?? "").uppercased()
    }

    /// Columns stand in bands by type; inside a band by entity, inside an entity by name in byte order.
    mutating func addColumns(
        of family: [NSEntityDescription], numbers: [Int32], hiddenKeys: [NSRelationshipDescription]
    ) {
        let declaring = Self.withAncestors(family)
        let slots = declaring.map { OwnSlot.all(of: $0) }
        for (entity, own) in zip(declaring, slots) {
            for slot in own where slot.kind == .integer || slot.kind == .boolean { add(slot, .integer) }
            for slot in own where slot.kind == .toOneKey {
                let key = add(slot, .integer)
                guard slot.isPolymorphic, let destination = slot.relationship?.destinationEntity else { continue }
                add(
                    "Z\(numbers[destination.ordinal])_" + key.dropFirst(), .integer,
                    .slot(ordinal: entity.ordinal, slot: slot.index + 1))
            }
            for relationship in hiddenKeys where relationship.destinationEntity === entity {
                let owner = relationship.declaringEntity.map { numbers[$0.ordinal] } ?? 0
                add("Z\(owner)" + relationship.name.uppercased(), .integer, .hiddenKey(relationship))
            }
        }
        for slot in slots.joined() where slot.kind == .toOneKey {
            guard let inverse = slot.relationship?.inverseRelationship, inverse.isToMany, inverse.isOrdered else {
                continue
            }
            add("Z_FOK_" + slot.name.uppercased(), .integer, .order(ordinal: slot.ordinal, slot: slot.index))
        }
        for relationship in hiddenKeys where relationship.isOrdered {
            let owner = relationship.declaringEntity.map { numbers[$0.ordinal] } ?? 0
            add("Z_FOK_\(owner)" + relationship.name.uppercased(), .integer, .hiddenOrder(relationship))
        }
        let bands: [(SQLColumnType?, Set<SlotKind>)] = [
            (nil, [.double, .float, .date]), (.decimal, [.decimal]), (.text, [.string]), (.text, [.uri]),
            (.blob, [.uuid]), (.blob, [.transformable]), (.blob, [.data]),
        ]
        for (type, kinds) in bands {
            for slot in slots.joined() where kinds.contains(slot.kind) {
                add(slot, type ?? (slot.kind == .date ? .timestamp : .float))
            }
        }
    }

    @discardableResult
    private mutating func add(_ slot: OwnSlot, _ type: SQLColumnType) -> String {
        add("Z" + slot.name.uppercased(), type, .slot(ordinal: slot.ordinal, slot: slot.index))
    }

    /// Names that several subentities use get a number from the second one on.
    @discardableResult
    private mutating func add(_ base: String, _ type: SQLColumnType, _ role: Role) -> String {
        var name = base
        var number = 0
        while !usedNames.insert(name).inserted {
            number += 1
            name = base + String(number)
        }
        columns.append(Column(name: name, type: type, role: role))
        return name
    }

    /// The entities with all entities above them, whose properties they inherit, by model ordinal.
    private static func withAncestors(_ family: [NSEntityDescription]) -> [NSEntityDescription] {
        var result = family
        for entity in family {
            var parent = entity.superentity
            while let current = parent, !result.contains(where: { $0 === current }) {
                result.insert(current, at: 0)
                parent = current.superentity
            }
        }
        return result
    }
}

/// A slot that an entity itself declares.
private struct OwnSlot {
    let ordinal: Int
    let index: Int
    let kind: SlotKind
    /// What the column is named after: the property, or the element of a composite.
    let name: String
    /// The property's name, or that of the composite an element belongs to.
    let sortName: String
    let relationship: NSRelationshipDescription?
    let isPolymorphic: Bool

    /// In byte order of the property's name; the elements of a composite in their own order.
    static func all(of entity: NSEntityDescription) -> [OwnSlot] {
        let layout = entity.slotLayout
        let first = entity.superentity?.slotLayout.slots.count ?? 0
        var own: [OwnSlot] = []
        for index in first..<max(first, layout.slots.count) {
            let slot = layout.slots[index]
            // A transient relationship has a slot, but is kept by the object alone.
            if slot.property.isTransient { continue }
            let isPolymorphic =
                slot.kind == .toOneKey && index + 1 < layout.slots.count && layout.slots[index + 1].kind == .toOneEntity
            own.append(
                OwnSlot(
                    ordinal: entity.ordinal, index: index, kind: slot.kind, name: slot.property.name,
                    sortName: String(slot.path.prefix { $0 != "." }),
                    relationship: slot.property as? NSRelationshipDescription, isPolymorphic: isPolymorphic))
        }
        return own.sorted { left, right in
            if left.sortName == right.sortName { return left.index < right.index }
            return left.sortName.utf8.lexicographicallyPrecedes(right.sortName.utf8)
        }
    }
}
