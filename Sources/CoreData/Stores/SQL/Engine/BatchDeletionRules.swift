/// What the model says must happen beside the deletion of rows of some entities.
struct BatchDeletionRules {
    /// A to-one column of other rows that leads to deleted ones: the inverse of a relationship that nullifies (or denies,
    /// which batch requests do not enforce).
    struct Inverse {
        /// The inverse, by whose entity and name a failure is told.
        let relationship: NSRelationshipDescription
        /// The table the deleted rows stand in.
        let deleted: SQLTable
        /// The entity of the rows that lose their reference.
        let holder: SQLEntity
        let key: SQLColumn
        let entity: SQLColumn?
        let order: SQLColumn?
    }

    /// Rows that go with others.
    struct Cascade {
        enum Way {
            /// The rows that go hold the key of those they go with.
            case key(SQLColumn)
            /// Those they go with hold their key.
            case ownKey(SQLColumn)
            case join(SQLJoin)
        }

        let relationship: NSRelationshipDescription
        let from: SQLTable
        let to: SQLTable
        let way: Way
    }

    /// A column whose keys no property shows, of a to-many relationship without inverse.
    struct HiddenKey {
        let deleted: SQLTable
        let link: SQLForeignKey
    }

    /// Pairs of which one side is deleted.
    struct Pairs {
        let deleted: SQLTable
        let table: SQLJoinTable
        let column: SQLColumn
    }

    private(set) var inverses: [Inverse] = []
    private(set) var cascades: [Cascade] = []
    private(set) var hiddenKeys: [HiddenKey] = []
    private(set) var pairs: [Pairs] = []
    /// The entities of which rows may be deleted: the selected ones first, then those that cascades lead to.
    private(set) var entities: [SQLEntity] = []

    /// The entities of the selection.
    let selected: [SQLEntity]

    private let schema: SQLSchema
    private var seen: Set<ObjectIdentifier> = []

    init(_ schema: SQLSchema, deleting selected: [SQLEntity]) {
        self.schema = schema
        self.selected = selected
        entities = selected
        var taken = Set(selected.map(\.ordinal))
        var index = 0
        while index < entities.count {
            for target in addRules(of: entities[index]) where taken.insert(target.ordinal).inserted {
                entities.append(target)
            }
            index += 1
        }
    }

    /// The tables of which rows may be deleted, those of the selection first.
    var tables: [SQLTable] { Self.tables(of: entities) }

    var selectedTables: [SQLTable] { Self.tables(of: selected) }

    private static func tables(of entities: [SQLEntity]) -> [SQLTable] {
        var taken: Set<Int32> = []
        return entities.map(\.table).filter { taken.insert($0.rootOrdinal).inserted }
    }

    /// - Returns: the entities whose rows a cascade of this entity's relationships may delete.
    private mutating func addRules(of entity: SQLEntity) -> [SQLEntity] {
        var targets: [SQLEntity] = []
        for entry in entity.layout.entries {
            // A relationship that several entities inherit has one column and one set of rules.
            guard let relationship = entry.relationship, !relationship.isTransient,
                seen.insert(ObjectIdentifier(relationship)).inserted,
                let destination = relationship.destinationEntity.flatMap(schema.branch)
            else { continue }
            let cascades = relationship.deleteRule == .cascadeDeleteRule
            switch entry.place {
            case .toMany(let index):
                guard let members = entity.toMany[index] else { continue }
                addToMany(entry, members, entity, destination, cascades)
            case .toOne(let slot, _):
                guard let column = entity.columns[slot] else { continue }
                if cascades {
                    addCascade(relationship, entity, destination, .ownKey(column))
                }
                addInverse(entry, entity, destination, cascades)
            default: continue
            }
            if cascades {
                targets += destination.numbers.compactMap { number in
                    schema.ordinal(number: Int64(number)).flatMap { schema.entity(ordinal: $0) }
                }
            }
        }
        return targets
    }

    private mutating func addToMany(
        _ entry: PropertyEntry, _ members: SQLToMany, _ entity: SQLEntity, _ destination: SQLEntity, _ cascades: Bool
    ) {
        switch members {
        case .join(let link):
            pairs.append(Pairs(deleted: entity.table, table: link.table, column: link.owner))
            if link.table.isReflexive {
                pairs.append(Pairs(deleted: entity.table, table: link.table, column: link.member))
            }
            if cascades, let relationship = entry.relationship {
                addCascade(relationship, entity, destination, .join(link))
            }
        case .foreignKey(let link):
            if cascades {
                if let relationship = entry.relationship {
                    addCascade(relationship, entity, destination, .key(link.key))
                }
            } else if link.inverseSlot == nil {
                hiddenKeys.append(HiddenKey(deleted: entity.table, link: link))
            } else {
                addInverse(entry, entity, destination, cascades)
            }
        }
    }

    private mutating func addCascade(
        _ relationship: NSRelationshipDescription, _ entity: SQLEntity, _ destination: SQLEntity, _ way: Cascade.Way
    ) {
        cascades.append(
            Cascade(relationship: relationship, from: entity.table, to: destination.table, way: way))
    }

    private mutating func addInverse(
        _ entry: PropertyEntry, _ entity: SQLEntity, _ destination: SQLEntity, _ cascades: Bool
    ) {
        // Members that a cascade deletes need no care; a rule that takes none leaves the keys as they are.
        guard !cascades, entry.relationship?.deleteRule != .noActionDeleteRule, let inverse = entry.inverse,
            let relationship = inverse.relationship, case .toOne(let slot, let isPolymorphic) = inverse.place,
            let key = destination.columns[slot]
        else { return }
        inverses.append(
            Inverse(
                relationship: relationship, deleted: entity.table, holder: destination, key: key,
                entity: isPolymorphic ? destination.columns[slot + 1] : nil, order: destination.orderColumns[slot]))
    }
}
