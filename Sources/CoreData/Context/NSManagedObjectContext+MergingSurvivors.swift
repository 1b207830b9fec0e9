// A batch delete takes references to its records out of rows that stay, and tells nobody which: what is merged of it names the
// deleted records alone. Without this the objects of those rows would lead to records that are gone, and their next save would
// meet a newer version.

extension NSManagedObjectContext {
    /// Finds the objects that are based on rows which refer to deleted records, and brings them up to date; unsaved changes stay.
    ///
    /// Complexity: O(registered objects and their loaded members).
    func mergeSurvivors(of deleted: [NSManagedObjectID], _ changed: inout Set<NSManagedObject>) {
        var gone: [ObjectIdentifier: Set<RecordKey>] = [:]
        guard let index else { return }
        for id in deleted {
            guard let (key, link) = localize(id), !key.isTemporary, let link else { continue }
            gone[ObjectIdentifier(link), default: []].insert(
                RecordKey(root: index.root(key.entity), number: key.number))
        }
        var stale: [NSManagedObject] = []
        for tables in identityMap.stores {
            guard let gone = gone[ObjectIdentifier(tables.link)] else { continue }
            tables.forEach { object in
                guard object.state.isDisjoint(with: .inert), !object.state.contains(.inserted) else { return }
                let lostMembers = object.forgetMembers(in: gone)
                guard let row = object.row, row.refers(to: gone) || lostMembers else { return }
                // Another coordinator's batch delete has left this one's cache as it was.
                let place = (root: object.layout.rootOrdinal, number: object.key.number)
                if let cache = tables.rowCache, cache[place.root, place.number] === row {
                    cache.forget(root: place.root, key: place.number)
                }
                if object.state.contains(.fault) { object.row = nil } else { stale.append(object) }
            }
        }
        refreshSnapshots(of: stale) { object, row in
            guard let row, object.state.isDisjoint(with: .inert) else { return }
            object.refreshSnapshot(row)
            report(object, .eventRefreshed)
            changed.insert(object)
        }
    }
}

/// A record of one store.
private struct RecordKey: Hashable {
    let root: Int32
    let number: Int64
}

extension Row {
    /// Whether a to-one relationship leads to one of the records.
    fileprivate func refers(to records: Set<RecordKey>) -> Bool {
        for (slot, facts) in layout.slots.enumerated() where facts.kind == .toOneKey && !isNull(slot) {
            if records.contains(RecordKey(root: layout.destinationRoot(slot), number: integer(slot))) { return true }
        }
        return false
    }
}

extension NSManagedObject {
    /// Forgets what is known of to-many relationships that have one of the records among their members.
    /// - Returns: whether there were such.
    fileprivate func forgetMembers(in records: Set<RecordKey>) -> Bool {
        guard let toMany else { return false }
        var found = false
        for (place, relationship) in toMany.enumerated() {
            guard let relationship, relationship.isLoaded || relationship.hasChanges,
                let destination = layout.toManyEntries[place].relationship?.destinationEntity
            else { continue }
            let root = destination.slotLayout.rootOrdinal
            let lost = (relationship.members ?? relationship.added).filter {
                !$0.isTemporary && records.contains(RecordKey(root: root, number: $0.number))
            }
            if lost.isEmpty { continue }
            found = true
            for key in lost where relationship.hasChanges { relationship.remove(key) }
            relationship.unload()
        }
        return found
    }
}
