extension NSManagedObject {
    /// Changes of to-many relationships that the store must write (see `ChangeSet.ToManyChange`), and the names of those that
    /// changed.
    func toManyChanges(
        resolve: (ObjectKey) -> ObjectKey
    ) -> (writes: [ChangeSet.ToManyChange], names: [String]) {
        guard let toMany else { return ([], []) }
        var writes: [ChangeSet.ToManyChange] = []
        var names: [String] = []
        for index in toMany.indices {
            guard let changes = toMany[index], changes.hasChanges else { continue }
            let entry = layout.toManyEntries[index]
            guard let relationship = entry.relationship, !relationship.isTransient else { continue }
            names.append(entry.name)
            if let write = write(changes, entry, relationship, resolve) { writes.append(write) }
        }
        return (writes, names)
    }

    private func write(
        _ changes: ToManyState, _ entry: PropertyEntry, _ relationship: NSRelationshipDescription,
        _ resolve: (ObjectKey) -> ObjectKey
    ) -> ChangeSet.ToManyChange? {
        /// Keys of objects that are no longer to be saved have no permanent one.
        func permanent(_ keys: KeyList) -> [ObjectKey] {
            keys.compactMap { key in
                let key = key.isTemporary ? resolve(key) : key
                return key.isTemporary ? nil : key
            }
        }
        let owner = key.isTemporary ? resolve(key) : key
        var added = permanent(changes.added)
        var removed = permanent(changes.removed)
        let order = relationship.isOrdered ? changes.changedOrder.map(permanent) : nil
        if let inverse = entry.inverse {
            if case .toOne = inverse.place {
                // The members' own rows say whose they are; the order is all that is left.
                guard relationship.isOrdered else { return nil }
            } else if entry === inverse {
                // Both objects know of the pair: the one with the lower key tells.
                added.removeAll { $0.number < owner.number }
                removed.removeAll { $0.number < owner.number }
            } else if !Self.tells(relationship, inverse) {
                added = []
                removed = []
            }
        }
        if added.isEmpty, removed.isEmpty, order == nil { return nil }
        return ChangeSet.ToManyChange(
            relationship: relationship, owner: owner, added: added, removed: removed, order: order)
    }

    /// Which of two to-many sides tells what came and went: the ordered one, which puts new members at its end, else the one
    /// declared first.
    private static func tells(_ relationship: NSRelationshipDescription, _ inverse: PropertyEntry) -> Bool {
        guard let other = inverse.relationship else { return true }
        if relationship.isOrdered != other.isOrdered { return relationship.isOrdered }
        let left = relationship.entity.ordinal
        let right = other.entity.ordinal
        return left == right ? relationship.name < other.name : left < right
    }
}
