import Foundation

extension NSManagedObjectContext {
    /// Reads the objects that the relationships of key paths lead to, so that following them needs no further reading.
    func prefetch(_ keyPaths: [String], of objects: [NSManagedObject]) throws {
        for keyPath in keyPaths {
            var owners = objects
            for key in keyPath.split(separator: ".") {
                guard !owners.isEmpty else { break }
                owners = try prefetch(String(key), of: owners)
            }
        }
    }

    /// - Returns: the objects the relationship leads to.
    private func prefetch(_ name: String, of owners: [NSManagedObject]) throws -> [NSManagedObject] {
        try fireTogether(owners)
        var targets: [NSManagedObject] = []
        var seen: Set<ObjectIdentifier> = []
        func take(_ object: NSManagedObject) {
            if seen.insert(ObjectIdentifier(object)).inserted { targets.append(object) }
        }
        var entry: PropertyEntry?
        var owningLayout: SlotLayout?
        // Owners of several entities of one hierarchy have the relationship at the same place.
        var toMany: (relationship: NSRelationshipDescription, place: Int)?
        var unread: [NSManagedObject] = []
        for owner in owners {
            if owner.layout !== owningLayout {
                owningLayout = owner.layout
                entry = owner.layout.entry(named: name)
            }
            guard let entry, let row = owner.row else { continue }
            switch entry.place {
            case .toOne(let slot, let isPolymorphic):
                if let key = row.toOne(slot, isPolymorphic: isPolymorphic) {
                    take(object(for: key, in: owner.storeLink))
                }
            case .toMany(let place):
                if let state = owner.toMany?[place], state.isLoaded {
                    for key in state.members?.keys ?? [] { take(object(for: key, in: owner.storeLink)) }
                } else if let relationship = entry.relationship {
                    toMany = (relationship, place)
                    unread.append(owner)
                }
            case .attribute, .composite, .fetched:
                return []
            }
        }
        if let toMany {
            for target in try loadMembers(toMany.relationship, toMany.place, unread) { take(target) }
        }
        try fireTogether(targets)
        return targets
    }

    /// Reads the members of a to-many relationship of many owners, in one go a store.
    private func loadMembers(
        _ relationship: NSRelationshipDescription, _ place: Int, _ owners: [NSManagedObject]
    ) throws -> [NSManagedObject] {
        guard let index else { return [] }
        var members: [NSManagedObject] = []
        var byStore: [(link: StoreLink, owners: [NSManagedObject])] = []
        for owner in owners {
            guard let link = owner.storeLink else { continue }
            if let place = byStore.firstIndex(where: { $0.link === link }) {
                byStore[place].owners.append(owner)
            } else {
                byStore.append((link, [owner]))
            }
        }
        for (link, owners) in byStore {
            guard let engine = link.store?.engine else { continue }
            var keys: [Int64: [ObjectKey]] = [:]
            let tables = identityMap.makeTables(of: link, entityCount: index.entityCount)
            try engine.relatedRows(relationship, of: owners.map(\.key)) { owner, member, row in
                keys[owner, default: []].append(member)
                if let row { members.append(register(row, tables, index)) }
            }
            for owner in owners { owner.toManyState(place).load(keys[owner.key.number] ?? []) }
        }
        return members
    }
}
