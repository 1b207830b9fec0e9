import Foundation

extension NSManagedObjectContext {
    /// What an id means in this context: ids of the same store may come from another coordinator, or another copy of the model.
    ///
    /// - Returns: nil where the coordinator has no such store or its model no such entity.
    func localize(_ id: NSManagedObjectID) -> (key: ObjectKey, link: StoreLink?)? {
        guard let index else { return nil }
        var key = id.key
        if index.layout(key.entity)?.entity !== id.entity {
            guard let name = id.entity.name, let entity = index.model.entitiesByName[name] else { return nil }
            key.entity = Int32(entity.ordinal)
        }
        guard let link = id.storeLink else { return key.isTemporary ? (key, nil) : nil }
        if identityMap.tables(of: link) != nil { return (key, link) }
        guard let coordinator = persistentStoreCoordinator else { return nil }
        if let store = link.store, store.persistentStoreCoordinator === coordinator { return (key, link) }
        guard let store = coordinator.store(withIdentifier: link.identifier) else { return nil }
        return (key, store.link)
    }

    /// The registered object of an id, nil if there is none. Nothing is read.
    public func registeredObject(for objectID: NSManagedObjectID) -> NSManagedObject? {
        guard let (key, link) = localize(objectID) else { return nil }
        return registered(key, in: link)
    }

    /// The registered object of an id, or a new fault for it. Nothing is read, and it is not checked that there is such a record:
    /// if there is none, or the store is gone, the object turns out to be deleted when it is used.
    ///
    /// - Precondition: the entity of the id is one of the model of the context's coordinator.
    public func object(with objectID: NSManagedObjectID) -> NSManagedObject {
        if let (key, link) = localize(objectID) { return object(for: key, in: link) }
        var key = objectID.key
        guard let index, let name = objectID.entity.name, let entity = index.model.entitiesByName[name] else {
            contextMisuse(
                "object(with:): the entity of \(objectID.uriRepresentation().absoluteString) is not in the model of the "
                    + "context's coordinator")
        }
        key.entity = Int32(entity.ordinal)
        return object(for: key, in: objectID.storeLink)
    }

    /// The object of an id, loaded: the registered one, or one that is read from its store.
    ///
    /// - Throws: `NSError` in `NSCocoaErrorDomain`: 133000 if there is no such record, or the store is not reachable (the reason
    ///   stands under `NSUnderlyingErrorKey`, code 134070, and `"NSUnderlyingException"`); other errors of the store as they are.
    public func existingObject(with objectID: NSManagedObjectID) throws -> NSManagedObject {
        guard let (key, link) = localize(objectID) else {
            throw noSuchObject(objectID, objectID.isTemporaryID ? nil : unreachableStore(objectID))
        }
        if !key.isTemporary, let link, link.store == nil { throw noSuchObject(objectID, unreachableStore(objectID)) }
        if let object = registered(key, in: link) {
            if object.state.contains(.deletedElsewhere) { throw noSuchObject(objectID, nil) }
            if !object.state.contains(.fault) {
                if object.state.contains(.inaccessible) { throw noSuchObject(objectID, nil) }
                return object
            }
        } else if key.isTemporary {
            throw noSuchObject(objectID, nil)
        }
        // The object is made only if there is a record for it.
        if let row = try existingRow(key, link, objectID) {
            let object = object(for: row.key, in: link)
            if object.state.contains(.fault) { object.realise(row) }
            return object
        }
        if let object = registered(key, in: link), object.state.contains(.inserted) {
            fire(object)
            return object
        }
        throw noSuchObject(objectID, nil)
    }

    private func existingRow(_ key: ObjectKey, _ link: StoreLink?, _ id: NSManagedObjectID) throws -> Row? {
        guard !key.isTemporary, let link, let index, let layout = index.layout(key.entity) else { return nil }
        guard let engine = link.store?.engine else { throw noSuchObject(id, unreachableStore(id)) }
        if stalenessInterval < 0, let row = engine.rowCache[layout.rootOrdinal, key.number] {
            return row.layout.entity.isKindOf(entity: layout.entity) ? row : nil
        }
        do {
            guard let row = try engine.rows(for: [key]).first, row.layout.entity.isKindOf(entity: layout.entity) else {
                return nil
            }
            return row
        } catch  where isRemovedStore(error) {
            throw noSuchObject(id, error as NSError)
        }
    }

    private func noSuchObject(_ id: NSManagedObjectID, _ underlying: NSError?) -> NSError {
        var userInfo: [String: Any] = [
            NSLocalizedDescriptionKey: "An object does not exist.",
            NSLocalizedFailureReasonErrorKey: "There is no record of \(id.uriRepresentation().absoluteString).",
        ]
        if let underlying {
            userInfo[NSUnderlyingErrorKey] = underlying
            userInfo["NSUnderlyingException"] = underlying
            userInfo[NSLocalizedFailureReasonErrorKey] = underlying.localizedFailureReason
        }
        return NSError(domain: NSCocoaErrorDomain, code: NSManagedObjectReferentialIntegrityError, userInfo: userInfo)
    }
}
