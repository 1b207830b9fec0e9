import Foundation

extension NSManagedObjectContext {
    // MARK: From keys to objects

    /// The registered object of a key, if there is one.
    func registered(_ key: ObjectKey, in storeLink: StoreLink?) -> NSManagedObject? {
        if key.isTemporary { return identityMap[temporary: key.number] }
        guard let index else { return nil }
        let root = index.root(key.entity)
        if let storeLink { return identityMap.tables(of: storeLink)?[root, key.number] }
        // The key of a saved object, asked for by an unsaved one that has no store yet.
        for tables in identityMap.stores {
            if let object = tables[root, key.number] { return object }
        }
        return nil
    }

    /// The registered object of a key, or a never saved one that was deleted, or a new fault.
    func object(for key: ObjectKey, in storeLink: StoreLink?) -> NSManagedObject {
        if let object = registered(key, in: storeLink) { return object }
        guard let index, let layout = index.layout(key.entity) else {
            contextMisuse("An object was asked for by an id of another model than the context's coordinator has")
        }
        if !changes.annihilated.isEmpty,
            let object = changes.annihilated[UnsavedPlace(key, root: layout.rootOrdinal)]
        {
            return object
        }
        let made = NSManagedObject.instantiate(index.objectClass(layout), layout.entity)
        made.link = link
        made.state = [.registered, .fault]
        if key.isTemporary {
            made.adopt(key: key, storeLink: storeLink)
            identityMap[temporary: key.number] = made
            return made
        }
        let home = storeLink ?? defaultStore(for: layout.entity)?.link
        made.adopt(key: key, storeLink: home)
        if let home {
            let tables = identityMap.makeTables(of: home, entityCount: index.entityCount)
            tables[layout.rootOrdinal, key.number] = made
        }
        return made
    }

    /// Puts an object back that the sweep let go although somebody still held it.
    func registerAgain(_ object: NSManagedObject) {
        guard object.link === link, object.state.isDisjoint(with: [.detached, .annihilated]), let index else { return }
        if object.key.isTemporary {
            guard identityMap[temporary: object.key.number] == nil else { return }
            identityMap[temporary: object.key.number] = object
        } else if let home = object.storeLink {
            let tables = identityMap.makeTables(of: home, entityCount: index.entityCount)
            guard tables[object.layout.rootOrdinal, object.key.number] == nil else { return }
            tables[object.layout.rootOrdinal, object.key.number] = object
        }
        object.state.insert(.registered)
    }

    // MARK: Fetched rows

    /// The object of a fetched row: the registered one, or a new fault that has the row at hand.
    @inline(__always)
    func register(_ row: Row, _ tables: IdentityMap.StoreTables, _ index: ModelIndex) -> NSManagedObject {
        let layout = row.layout
        if let present = tables[layout.rootOrdinal, row.primaryKey] {
            if present.layout === layout {
                if present.row == nil, present.state.contains(.fault) { present.row = row }
                return present
            }
            if let kept = keepOrReplace(present, row) { return kept }
        }
        let made = NSManagedObject.instantiate(index.objectClass(layout), layout.entity)
        made.link = link
        made.adopt(key: ObjectKey(number: row.primaryKey, entity: layout.ordinal), storeLink: tables.link)
        made.row = row
        made.state = [.registered, .fault]
        tables[layout.rootOrdinal, row.primaryKey] = made
        return made
    }

    /// An object that was asked for by a less specific entity than its record has. It is given up for one of the right entity,
    /// unless it holds changes.
    private func keepOrReplace(_ present: NSManagedObject, _ row: Row) -> NSManagedObject? {
        if !present.state.isDisjoint(with: .pending) { return present }
        unregister(present)
        present.state.insert(.detached)
        return nil
    }

    // MARK: Leaving

    /// Takes the object out of the identity map.
    func unregister(_ object: NSManagedObject) {
        object.state.remove(.registered)
        if object.key.isTemporary {
            if identityMap[temporary: object.key.number] === object { identityMap[temporary: object.key.number] = nil }
        } else if let home = object.storeLink, let tables = identityMap.tables(of: home),
            tables[object.layout.rootOrdinal, object.key.number] === object
        {
            tables[object.layout.rootOrdinal, object.key.number] = nil
        }
    }

    /// Takes the object out of the context: `managedObjectContext` is nil afterwards.
    func expel(_ object: NSManagedObject) {
        unregister(object)
        object.state.subtract(.pending)
        object.state.subtract(.anyEvent)
        object.state.remove(.listed)
        object.state.insert(.detached)
        object.link = formerLink
    }

    // MARK: Sweeping

    /// Lets go of unchanged objects that nobody else holds, if the map has doubled since the last time.
    func sweepIfDue() {
        guard identityMap.count > sweepLimit else { return }
        sweep()
    }

    /// Lets go of unchanged objects that nobody else holds. Complexity: O(registered objects).
    func sweep() {
        guard !retainsRegisteredObjects else {
            sweepLimit = max(Self.smallestSweepLimit, identityMap.count * 2)
            return
        }
        let unused = identityMap.takeUnused { !$0.state.isPending && $0.state.isDisjoint(with: [.firing, .untracked]) }
        // An object that somebody finds alive from here on (through a weak reference) registers itself again.
        for object in unused { object.state.remove(.registered) }
        sweepLimit = max(Self.smallestSweepLimit, identityMap.count * 2)
        withExtendedLifetime(unused) {}
    }

    /// The objects that the context has, unchanged ones only if somebody else holds them. Complexity: O(registered objects).
    public final var registeredObjects: Set<NSManagedObject> {
        sweep()
        var set = Set<NSManagedObject>(minimumCapacity: identityMap.count)
        // The former number of a deleted new object that had got a permanent one may still be in the map.
        identityMap.forEach { if $0.state.contains(.registered) { set.insert($0) } }
        return set
    }
}
