extension SchemaPlan {
    /// The triggers that keep attributes derived from to-many relationships. The text for counts over a one-to-many
    /// relationship is Core Data's; sums and the like follow its pattern.
    ///
    /// Each trigger ends by telling a function, which whoever opens the store must register, what was changed.
    func derivedAttributeTriggers(_ table: Int) -> [String] {
        entities.filter { $0.table == table }.flatMap { planned in
            planned.entity.ownProperties.compactMap { $0 as? NSDerivedAttributeDescription }
                .sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
                .flatMap { attribute in
                    DerivedTriggers(self, planned.entity, attribute, tables[table].name)?.statements ?? []
                }
        }
    }
}

/// The triggers of one derived attribute.
private struct DerivedTriggers {
    private let plan: SchemaPlan
    private let aggregate: DerivedAggregate
    private let entityName: String
    private let attributeName: String
    /// The table and column of the derived attribute.
    private let table: String
    private let column: String
    /// The table whose rows are counted, its column with the owner's key, and that with the value.
    private let members: String
    private let key: String
    private let value: String?

    init?(
        _ plan: SchemaPlan, _ entity: NSEntityDescription, _ attribute: NSDerivedAttributeDescription, _ table: String
    ) {
        guard let aggregate = DerivedAggregate(attribute.derivationExpression, of: entity),
            let column = plan.columnNames(entity, path: attribute.name).first,
            let place = Self.place(of: aggregate, in: plan)
        else { return nil }
        self.plan = plan
        self.aggregate = aggregate
        entityName = entity.name ?? ""
        attributeName = attribute.name
        self.table = plan.id(table)
        self.column = plan.id(column)
        members = place.members
        key = plan.id(place.key)
        value = place.value.map(plan.id)
    }

    /// Where the members stand. A sum over a many-to-many relationship would need two tables: it is left to whoever reads.
    private static func place(
        of aggregate: DerivedAggregate, in plan: SchemaPlan
    ) -> (members: String, key: String, value: String?)? {
        let relationship = aggregate.relationship
        guard let destination = relationship.destinationEntity else { return nil }
        if let inverse = relationship.inverseRelationship, inverse.isToMany {
            guard aggregate.function == .count,
                let join = plan.joins.first(where: { $0.relationship === relationship || $0.inverse === relationship })
            else { return nil }
            return (join.name, join.relationship === relationship ? join.first : join.second, nil)
        }
        guard let members = plan.tables.first(where: { $0.root === destination.rootEntity }) else { return nil }
        let key: String?
        if let inverse = relationship.inverseRelationship {
            key = plan.columnNames(destination, path: inverse.name).first
        } else {
            key =
                members.columns.first { column in
                    if case .hiddenKey(let owner) = column.role { owner === relationship } else { false }
                }?.name
        }
        let value = aggregate.attribute.flatMap { plan.columnNames(destination, path: $0.name).first }
        guard let key, aggregate.attribute == nil || value != nil else { return nil }
        return (members.name, key, value)
    }

    var statements: [String] {
        aggregate.function == .count ? counting + [source] : recomputing + [source]
    }

    private var counting: [String] {
        [
            parameter("INSERT", "INSERT", of: "NEW", set: "IFNULL(\(column), 0) + 1"),
            parameter("UPDATE_INCREMENT", "UPDATE OF \(key)", of: "NEW", set: "\(column) + 1"),
            parameter("UPDATE_DECREMENT", "UPDATE OF \(key)", of: "OLD", set: "\(column) - 1"),
            parameter("DELETE", "DELETE", of: "OLD", set: "\(column) - 1"),
        ]
    }

    private var recomputing: [String] {
        let update = "UPDATE OF \(key), \(value ?? key)"
        return [
            parameter("INSERT", "INSERT", of: "NEW", set: selection("NEW.\(key)")),
            parameter("UPDATE_INCREMENT", update, of: "NEW", set: selection("NEW.\(key)")),
            parameter("UPDATE_DECREMENT", update, of: "OLD", set: selection("OLD.\(key)")),
            parameter("DELETE", "DELETE", of: "OLD", set: selection("OLD.\(key)")),
        ]
    }

    /// The value computed from all members.
    private func selection(_ owner: String) -> String {
        let call = "\(aggregate.function.rawValue)(\(value ?? key))"
        // A minimum or average of nothing is nothing.
        let isZeroIfEmpty = aggregate.function == .count || aggregate.function == .sum
        return
            "(SELECT \(isZeroIfEmpty ? "IFNULL(\(call), 0)" : call) FROM \(plan.id(members)) WHERE \(key) = \(owner))"
    }

    /// A change of the members changes their owner.
    private func parameter(_ name: String, _ event: String, of row: String, set expression: String) -> String {
        let owner = "\(row).\(key)"
        return trigger(
            "\(members)_\(entityName)_\(attributeName)_PARAMETER_\(name)",
            "AFTER \(event) ON \(plan.id(members)) FOR EACH ROW WHEN (\(owner) NOT NULL)", set: expression, owner,
            StoreFunctions.updated)
    }

    private var source: String {
        trigger(
            "\(table)_\(entityName)_\(attributeName)_SOURCE_INSERT", "AFTER INSERT ON \(table) FOR EACH ROW",
            set: selection("NEW.Z_PK"), "NEW.Z_PK", StoreFunctions.inserted)
    }

    private func trigger(
        _ name: String, _ head: String, set expression: String, _ owner: String, _ function: String
    ) -> String {
        "CREATE TRIGGER \(plan.id("Z_DA_" + name)) \(head) BEGIN UPDATE \(table) SET \(column) = \(expression) "
            + "WHERE Z_PK = \(owner); SELECT \(function)('\(table)', Z_ENT, Z_PK, '\(attributeName)', \(column)) "
            + "FROM \(table) WHERE Z_PK = \(owner); END"
    }
}
