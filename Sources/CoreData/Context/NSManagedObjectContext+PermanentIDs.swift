import Foundation

extension NSManagedObjectContext {
    /// Says which store a new object shall be saved to. It is needed only where several stores hold the entity. New objects that it
    /// is related to go with it, unless they are assigned themselves or the store does not hold their entity.
    ///
    /// - Precondition: the object was never saved and belongs to this context; the store holds its entity and the saved objects
    ///   it is related to.
    public func assign(_ object: Any, to store: NSPersistentStore) {
        guard let object = object as? NSManagedObject else {
            contextMisuse("assign(_:to:): \(type(of: object)) is no managed object")
        }
        require(object, "assign(_:to:)")
        guard persistentStoreCoordinator != nil, store.persistentStoreCoordinator === persistentStoreCoordinator else {
            contextMisuse("assign(_:to:): the store is not one of the context's coordinator")
        }
        guard object.key.isTemporary else {
            if object.storeLink === store.link { return }
            contextMisuse(
                "assign(_:to:): \(object.objectID.uriRepresentation().absoluteString) is saved already: it cannot move to "
                    + "another store")
        }
        guard store.holds(object.layout.entity) else {
            contextMisuse("assign(_:to:): the store does not hold entity '\(object.layout.entity.name ?? "")'")
        }
        if object.storeLink !== store.link { refuseSavedRelatives(of: object, beside: store) }
        move(object, to: store)
    }

    /// Relationships cannot lead from one store to another.
    private func refuseSavedRelatives(of object: NSManagedObject, beside store: NSPersistentStore) {
        let home = object.storeLink ?? defaultStore(for: object.layout.entity)?.link
        guard home !== store.link else { return }
        object.forEachRelatedKey { key in
            guard !key.isTemporary, let home else { return }
            let relative = self.object(for: key, in: home).objectID.uriRepresentation().absoluteString
            contextMisuse(
                "assign(_:to:): an object of entity '\(object.layout.entity.name ?? "")' is related to \(relative), which lies in "
                    + "another store: use a fetched property.")
        }
    }

    /// Gives new objects their permanent ids before they are saved. Objects that have them already are passed over.
    ///
    /// - Throws: `NSError`: 134030 if no store holds an entity, 513 if the store is read-only; errors of the store.
    public func obtainPermanentIDs(for objects: [NSManagedObject]) throws {
        var groups: [KeyGroup] = []
        var seen: Set<ObjectIdentifier> = []
        for object in objects where object.key.isTemporary && object.state.contains(.inserted) {
            require(object, "obtainPermanentIDs(for:)")
            guard seen.insert(ObjectIdentifier(object)).inserted else { continue }
            let store = try storeForInsert(object)
            let root = object.layout.entity.rootEntity
            if let place = groups.firstIndex(where: { $0.store === store && $0.root === root }) {
                groups[place].objects.append(object)
            } else {
                groups.append(KeyGroup(store: store, root: root, objects: [object]))
            }
        }
        var keys: [Int64: Int64] = [:]
        for group in groups {
            guard let engine = group.store.engine, let index else { continue }
            let first = try engine.reserveKeys(group.root, count: group.objects.count)
            let tables = identityMap.makeTables(of: group.store.link, entityCount: index.entityCount)
            for (offset, object) in group.objects.enumerated() {
                // Where it is still known by the old number (a relationship without inverse), the map finds it by that too
                // until it is saved.
                changes.formerNumbers.append((object.key.number, object))
                keys[object.key.number] = first + Int64(offset)
                object.adopt(
                    key: ObjectKey(number: first + Int64(offset), entity: object.layout.ordinal),
                    storeLink: group.store.link)
                tables[object.layout.rootOrdinal, object.key.number] = object
            }
        }
        tellPartners(of: groups.flatMap(\.objects), keys)
    }

    /// Objects at the other end of relationships get to know the new keys.
    private func tellPartners(of objects: [NSManagedObject], _ keys: [Int64: Int64]) {
        var told: Set<ObjectIdentifier> = []
        func tell(_ key: ObjectKey, _ link: StoreLink?) {
            guard let partner = registered(key, in: link), told.insert(ObjectIdentifier(partner)).inserted else {
                return
            }
            partner.replaceKeys { key in
                keys[key.number].map { ObjectKey(number: $0, entity: key.entity) } ?? key
            }
        }
        for object in objects {
            for entry in object.layout.entries where entry.inverse != nil {
                switch entry.place {
                case .toOne(let slot, let isPolymorphic):
                    if let key = object.toOneKey(at: slot, isPolymorphic: isPolymorphic) { tell(key, object.storeLink) }
                case .toMany(let place):
                    guard let relationship = object.toMany?[place] else { continue }
                    for key in relationship.added { tell(key, object.storeLink) }
                case .attribute, .composite, .fetched: continue
                }
            }
        }
    }

    private struct KeyGroup {
        let store: NSPersistentStore
        let root: NSEntityDescription
        var objects: [NSManagedObject]
    }

    /// The objects of former numbers have no other number than their permanent one from now on.
    func forgetFormerNumbers() {
        guard !changes.formerNumbers.isEmpty else { return }
        for (number, object) in changes.formerNumbers where identityMap[temporary: number] === object {
            identityMap[temporary: number] = nil
        }
        changes.formerNumbers = []
    }
}
