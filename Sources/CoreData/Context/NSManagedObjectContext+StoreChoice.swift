// Which of several stores a new object goes to. Relationships hold keys without their store, since both ends lie in one: a new
// object that gets to know a saved one of another store than its default one belongs to that store from then on.

extension NSManagedObjectContext {
    /// The store that new objects of the entity go to unless they are assigned to another: the first writable one.
    func defaultStore(for entity: NSEntityDescription) -> NSPersistentStore? {
        let stores = persistentStoreCoordinator?.persistentStores ?? []
        if stores.count == 1 { return stores[0].holds(entity) ? stores[0] : nil }
        return stores.first { !$0.isReadOnly && $0.holds(entity) } ?? stores.first { $0.holds(entity) }
    }

    /// The store a new object goes to: the one it belongs to already, else the first that can hold it together with the new objects
    /// it is related to.
    ///
    /// - Throws: `NSError`: 134030 where there is none, 133010 where there is none that holds all related objects.
    func storeForInsert(_ object: NSManagedObject) throws -> NSPersistentStore {
        if mayChooseStores { try settle(object) }
        if let link = object.storeLink {
            guard let store = link.store else { throw saveError(unreachable: object) }
            return store
        }
        guard let coordinator = persistentStoreCoordinator, !coordinator.persistentStores.isEmpty else {
            throw noStoresToSave(object)
        }
        guard let store = defaultStore(for: object.layout.entity) else {
            throw saveError(
                "No store of the coordinator holds entity '\(object.layout.entity.name ?? "")'.", [object])
        }
        return store
    }

    /// Whether new objects of one entity may go to different stores.
    var mayChooseStores: Bool { persistentStoreCoordinator?.persistentStores.count ?? 0 > 1 }

    /// A new object without a store is related to one of a store.
    ///
    /// - Returns: false where the store does not hold its entity, so that it cannot follow.
    func follow(_ newcomer: NSManagedObject, to link: StoreLink) -> Bool {
        guard mayChooseStores, let store = link.store else { return true }
        guard store.holds(newcomer.layout.entity) else { return false }
        if defaultStore(for: newcomer.layout.entity) !== store { move(newcomer, to: store) }
        return true
    }

    /// Assigns a new object to a store, and with it the new objects that it is related to and that have no store yet.
    func move(_ object: NSManagedObject, to store: NSPersistentStore) {
        object.adopt(key: object.key, storeLink: store.link)
        for relative in unsettledRelatives(of: object) where store.holds(relative.layout.entity) {
            relative.adopt(key: relative.key, storeLink: store.link)
        }
    }

    /// Finds one store for a new object and the new ones it is related to.
    private func settle(_ object: NSManagedObject) throws {
        let family = [object] + unsettledRelatives(of: object)
        if family.count > 1 {
            func fits(_ store: NSPersistentStore) -> Bool { family.allSatisfy { store.holds($0.layout.entity) } }
            let stores =
                object.storeLink.map { $0.store.map { [$0] } ?? [] } ?? persistentStoreCoordinator?.persistentStores
                ?? []
            guard let store = stores.first(where: { !$0.isReadOnly && fits($0) }) ?? stores.first(where: fits) else {
                throw relationshipBetweenStores(family)
            }
            for member in family { member.adopt(key: member.key, storeLink: store.link) }
        }
        var strangers: [NSManagedObject] = []
        object.forEachRelatedKey { key in
            guard key.isTemporary, let relative = identityMap[temporary: key.number], let link = relative.storeLink,
                link.identifier != object.storeLink?.identifier
            else { return }
            strangers.append(relative)
        }
        if !strangers.isEmpty { throw relationshipBetweenStores([object] + strangers) }
    }

    private func relationshipBetweenStores(_ objects: [NSManagedObject]) -> NSError {
        NSError(
            domain: NSCocoaErrorDomain, code: NSManagedObjectExternalRelationshipError,
            userInfo: [
                NSLocalizedDescriptionKey: "The objects could not be saved.",
                NSLocalizedFailureReasonErrorKey:
                    "An object of entity '\(objects[0].layout.entity.name ?? "")' is related to objects that cannot lie in the same "
                    + "store: use a fetched property.",
                NSAffectedObjectsErrorKey: objects,
            ])
    }

    /// The new objects without a store that are related to a new object, directly or by others of them.
    private func unsettledRelatives(of object: NSManagedObject) -> [NSManagedObject] {
        var found = [object]
        var seen: Set<ObjectIdentifier> = [ObjectIdentifier(object)]
        var place = 0
        while place < found.count {
            found[place].forEachRelatedKey { key in
                guard key.isTemporary, let relative = identityMap[temporary: key.number], relative.storeLink == nil,
                    seen.insert(ObjectIdentifier(relative)).inserted
                else { return }
                found.append(relative)
            }
            place += 1
        }
        return Array(found.dropFirst())
    }
}

extension NSManagedObject {
    /// The keys of a new object's relationships.
    func forEachRelatedKey(_ body: (ObjectKey) -> Void) {
        for entry in layout.entries {
            switch entry.place {
            case .toOne(let slot, let isPolymorphic):
                if let key = toOneKey(at: slot, isPolymorphic: isPolymorphic) { body(key) }
            case .toMany(let place):
                for key in toMany?[place]?.added ?? KeyList() { body(key) }
            case .attribute, .composite, .fetched: continue
            }
        }
    }
}
