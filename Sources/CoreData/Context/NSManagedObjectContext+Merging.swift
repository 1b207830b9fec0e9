import Foundation

extension NSManagedObjectContext {
    // MARK: The client's calls

    /// Tells contexts of changes that were made behind their backs: by a batch request, another process, another coordinator.
    ///
    /// Each context does it in its own queue; the call returns when all are done.
    ///
    /// - Parameters:
    ///   - changeNotificationData: ids, URIs of ids, or objects (in arrays or sets) under the keys of `NotificationKey`, e.g.
    ///     `[NSDeletedObjectsKey: ids]`.
    ///   - contexts: the contexts to tell. Ids of stores that a context does not have are passed over.
    public class func mergeChanges(
        fromRemoteContextSave changeNotificationData: [AnyHashable: Any], into contexts: [NSManagedObjectContext]
    ) {
        var invalidated: Set<ObjectIdentifier> = []
        for context in contexts {
            guard let coordinator = context.persistentStoreCoordinator else { continue }
            let changes = RemoteChanges(changeNotificationData, coordinator)
            // What the cache has of these records is old; once a coordinator will do.
            if invalidated.insert(ObjectIdentifier(coordinator)).inserted {
                coordinator.invalidateRows(of: changes.updated + changes.deleted + changes.refreshed)
            }
            context.performAndWait { context.merge(changes, areSaves: false) }
        }
    }

    /// Takes over what another context saved, told by its `NSManagedObjectContextDidSave` (or `…DidSaveObjectIDs`) notification.
    ///
    /// Inserted objects become registered faults, updated ones are refreshed and keep unsaved changes of this context, deleted ones
    /// are deleted. It may be called from any queue.
    public func mergeChanges(fromContextDidSave notification: Notification) {
        guard let coordinator = persistentStoreCoordinator else { return }
        let changes = RemoteChanges(notification.userInfo ?? [:], coordinator)
        let source = (notification.object as? NSManagedObjectContext)?.persistentStoreCoordinator
        if source !== coordinator { coordinator.invalidateRows(of: changes.updated + changes.deleted) }
        performAndWait { merge(changes) }
    }

    // MARK: Automatic merging

    /// Hands a save of another context over; it is merged in the context's queue, at the latest when the context next processes
    /// its pending changes, fetches or saves.
    func receive(_ changes: RemoteChanges) {
        guard mergeInbox.put(changes) else { return }
        switch concurrency {
        case .privateQueueConcurrencyType:
            perform { self.mergeInbox.blockHasCome() }
        case .mainQueueConcurrencyType:
            // A process may never run its main queue: the block must not keep the context.
            executor.enqueueOnMainQueue(isAwaited: false) { [weak self] in
                guard let self else { return }
                mergeInbox.blockHasCome()
                performAndWait { self.processPendingChanges() }
            }
        }
    }

    /// Merges what came in from other contexts meanwhile.
    func mergeWaitingChanges() {
        guard !isSaving, !isMerging else { return }
        for changes in mergeInbox.takeAll() { merge(changes) }
    }

    // MARK: Merging

    /// - Parameter areSaves: the changes are those of a save, which names all records it changed.
    private func merge(_ changes: RemoteChanges, areSaves: Bool = true) {
        guard !changes.isEmpty else { return }
        isMerging = true
        defer { isMerging = false }
        var changed: Set<NSManagedObject> = []
        if changes.invalidatesAll { refreshAllObjects() }
        for id in changes.inserted where !id.isTemporaryID {
            guard let (key, link) = localize(id), link != nil else { continue }
            let object = object(for: key, in: link)
            guard object.state.isDisjoint(with: .inert) else { continue }
            report(object, .eventInserted)
            changed.insert(object)
        }
        mergeUpdates(changes.updated + changes.refreshed, &changed)
        for id in changes.invalidated {
            guard let object = held(id), object.state.isDisjoint(with: .inert) else { continue }
            refresh(object, mergeChanges: false)
            changed.insert(object)
        }
        mergeDeletions(changes.deleted, &changed)
        if !areSaves, !changes.deleted.isEmpty { mergeSurvivors(of: changes.deleted, &changed) }
        if !self.changes.event.isEmpty { self.changes.mergedInEvent = changed }
        processEvents(propagatesDeletes: false)
        post(.NSManagedObjectContextDidMergeChangesObjectIDs, changes.idSets)
    }

    /// The registered object of an id, if anybody but the context holds it: others are let go rather than told of.
    private func held(_ id: NSManagedObjectID) -> NSManagedObject? {
        guard let (key, link) = localize(id), !key.isTemporary, let link, let index,
            let tables = identityMap.tables(of: link)
        else { return nil }
        let root = index.root(key.entity)
        if !retainsRegisteredObjects, let unused = tables.takeIfUnused(root, key.number) {
            unused.state.remove(.registered)
            return nil
        }
        return tables[root, key.number]
    }

    private func mergeUpdates(_ ids: [NSManagedObjectID], _ changed: inout Set<NSManagedObject>) {
        var loaded: [NSManagedObject] = []
        for id in ids {
            guard let object = held(id), object.state.isDisjoint(with: .inert), !object.state.contains(.inserted)
            else { continue }
            if object.state.contains(.fault) {
                // It stays one, and will ask for its row.
                object.row = nil
            } else {
                loaded.append(object)
            }
        }
        refreshSnapshots(of: loaded) { object, row in
            if let row {
                object.refreshSnapshot(row)
                report(object, .eventRefreshed)
            } else {
                deleteElsewhere(object)
            }
            changed.insert(object)
        }
    }

    private func mergeDeletions(_ ids: [NSManagedObjectID], _ changed: inout Set<NSManagedObject>) {
        var deleted: [NSManagedObject] = []
        for id in ids {
            guard let object = held(id), object.state.isDisjoint(with: [.detached, .deletedElsewhere]) else { continue }
            deleteElsewhere(object)
            if object.state.contains(.fault) { object.row = nil }
            deleted.append(object)
            changed.insert(object)
        }
        var stale: [NSManagedObject] = []
        for object in deleted { leavePartners(object, &stale, &changed) }
        refreshSnapshots(of: stale) { object, row in
            guard let row, object.state.isDisjoint(with: .inert) else { return }
            object.refreshSnapshot(row)
            report(object, .eventRefreshed)
            changed.insert(object)
        }
    }

    /// Takes a deleted object out of what loaded objects know of their relationships to it. The objects are not changed by that:
    /// the store has done the same.
    private func leavePartners(
        _ object: NSManagedObject, _ stale: inout [NSManagedObject], _ changed: inout Set<NSManagedObject>
    ) {
        guard let row = object.row else { return }
        for entry in object.layout.entries {
            guard let inverse = entry.inverse else { continue }
            var partners: [ObjectKey] = []
            switch entry.place {
            case .toOne(let slot, let isPolymorphic):
                if let key = row.toOne(slot, isPolymorphic: isPolymorphic) { partners = [key] }
            case .toMany(let place):
                if let members = object.toMany?[place]?.members { partners = Array(members) }
            case .attribute, .composite, .fetched: continue
            }
            for key in partners {
                guard let partner = registered(key, in: object.storeLink), partner.state.isDisjoint(with: .inert),
                    !partner.state.contains(.fault)
                else { continue }
                switch inverse.place {
                case .toMany(let place):
                    guard let state = partner.toMany?[place] else { continue }
                    if state.hasChanges { state.remove(object.key) }
                    state.unload()
                    report(partner, .eventRefreshed)
                    changed.insert(partner)
                case .toOne(let slot, _):
                    guard let row = partner.row, !row.isNull(slot), row.integer(slot) == object.key.number else {
                        continue
                    }
                    stale.append(partner)
                case .attribute, .composite, .fetched: continue
                }
            }
        }
    }

    /// Reads the newest rows of objects: from the cache, the others together from the store.
    /// - Parameter take: gets each object with its row, nil where the record is gone. Objects whose store cannot be read are left.
    func refreshSnapshots(of objects: [NSManagedObject], _ take: (NSManagedObject, Row?) -> Void) {
        var byStore: [(link: StoreLink, objects: [NSManagedObject])] = []
        for object in objects {
            guard let link = object.storeLink else { continue }
            if let cache = identityMap.tables(of: link)?.rowCache,
                let row = cache[object.layout.rootOrdinal, object.key.number], fits(row, object)
            {
                take(object, row)
            } else if let place = byStore.firstIndex(where: { $0.link === link }) {
                byStore[place].objects.append(object)
            } else {
                byStore.append((link, [object]))
            }
        }
        for (link, objects) in byStore {
            guard let engine = link.store?.engine else { continue }
            do {
                var rows: [Int64: [Row]] = [:]
                for row in try engine.rows(for: objects.map(\.key)) { rows[row.primaryKey, default: []].append(row) }
                for object in objects { take(object, rows[object.key.number]?.first { fits($0, object) }) }
            } catch {
                CoreDataLog.error(
                    "Changes from elsewhere could not be merged: \((error as NSError).localizedFailureReason ?? "\(error)")"
                )
            }
        }
    }
}

extension NSPersistentStoreCoordinator {
    /// Forgets what is cached of records that were changed behind the coordinator's back.
    func invalidateRows(of ids: [NSManagedObjectID]) {
        var keys: [(cache: RowCache, keys: [(root: Int32, key: Int64)])] = []
        for id in ids {
            guard !id.isTemporaryID, let link = id.storeLink, let store = store(withIdentifier: link.identifier),
                let cache = store.engine?.rowCache, let name = id.entity.name,
                let entity = managedObjectModel.entitiesByName[name]
            else { continue }
            let key = (root: entity.slotLayout.rootOrdinal, key: id.key.number)
            if let place = keys.firstIndex(where: { $0.cache === cache }) {
                keys[place].keys.append(key)
            } else {
                keys.append((cache, [key]))
            }
        }
        for (cache, keys) in keys { cache.invalidate(keys) }
    }
}

extension RemoteChanges {
    /// Reads what a notification's `userInfo`, or the client, says; URIs are looked up in the coordinator.
    init(_ userInfo: [AnyHashable: Any], _ coordinator: NSPersistentStoreCoordinator) {
        for (key, value) in userInfo {
            guard let key = key.base as? String ?? (key.base as? NSManagedObjectContext.NotificationKey)?.rawValue
            else { continue }
            switch NSManagedObjectContext.NotificationKey(rawValue: key) {
            case .insertedObjects, .insertedObjectIDs: inserted += Self.ids(value, coordinator)
            case .updatedObjects, .updatedObjectIDs: updated += Self.ids(value, coordinator)
            case .deletedObjects, .deletedObjectIDs: deleted += Self.ids(value, coordinator)
            case .refreshedObjects, .refreshedObjectIDs: refreshed += Self.ids(value, coordinator)
            case .invalidatedObjects, .invalidatedObjectIDs: invalidated += Self.ids(value, coordinator)
            case .invalidatedAllObjects: invalidatesAll = true
            case .queryGeneration, nil: continue
            }
        }
    }

    private static func ids(_ value: Any, _ coordinator: NSPersistentStoreCoordinator) -> [NSManagedObjectID] {
        if let ids = value as? [NSManagedObjectID] { return ids }
        if let objects = value as? Set<NSManagedObject> { return objects.map(\.objectID) }
        return (collectionElements(value) ?? []).compactMap { element in
            switch element {
            case let id as NSManagedObjectID: id
            case let object as NSManagedObject: object.objectID
            case let uri as URL: coordinator.managedObjectID(forURIRepresentation: uri)
            case let uri as NSURL: coordinator.managedObjectID(forURIRepresentation: uri as URL)
            default: nil
            }
        }
    }

    /// As `DidMergeChangesObjectIDs` says it.
    fileprivate var idSets: [AnyHashable: Any] {
        var sets: [AnyHashable: Any] = [:]
        func add(_ key: String, _ ids: [NSManagedObjectID]) {
            if !ids.isEmpty { sets[key] = Set(ids) }
        }
        add(NSInsertedObjectIDsKey, inserted)
        add(NSUpdatedObjectIDsKey, updated)
        add(NSDeletedObjectIDsKey, deleted)
        add(NSRefreshedObjectIDsKey, refreshed)
        add(NSInvalidatedObjectIDsKey, invalidated)
        return sets
    }
}
