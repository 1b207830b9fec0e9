extension SchemaPlan {
    /// The column of a slot of an entity's rows, which the entity or one above it declares.
    func columnName(_ entity: NSEntityDescription, slot: Int) -> String? {
        var declaring = entity
        while let parent = declaring.superentity, parent.slotLayout.slots.count > slot { declaring = parent }
        let ordinal = declaring.ordinal
        return tables.first { $0.root === entity.rootEntity }?.columns.first { column in
            if case .slot(ordinal, slot) = column.role { true } else { false }
        }?.name
    }

    /// The columns of a property, named by its name or by the dotted path of a composite's element: several for a composite,
    /// none for what has no column.
    func columnNames(_ entity: NSEntityDescription, path: String) -> [String] {
        let layout = entity.slotLayout
        return layout.slots.indices.compactMap { slot in
            let candidate = layout.slots[slot]
            guard candidate.kind != .toOneEntity, candidate.path == path || candidate.path.hasPrefix(path + ".") else {
                return nil
            }
            return columnName(entity, slot: slot)
        }
    }
}
