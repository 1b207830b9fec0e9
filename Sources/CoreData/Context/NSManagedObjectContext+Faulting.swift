import Foundation

extension NSManagedObjectContext {
    // MARK: Firing

    /// Fires the fault: afterwards the object has its row, or is `inaccessible` (deleted) with no values.
    func fire(_ object: NSManagedObject) {
        guard object.state.contains(.fault), !object.state.contains(.firing) else { return }
        if !object.state.contains(.registered) { registerAgain(object) }
        if object.state.contains(.inserted) || object.state.contains(.annihilated) {
            // An unsaved object that was refreshed: there is nothing behind it.
            object.state.remove(.fault)
            return
        }
        object.state.insert(.firing)
        defer { object.state.remove(.firing) }
        if let row = cachedRow(object) ?? readRow(object) {
            object.realise(row)
        }
    }

    /// The cached row of an object, if values of that age will do.
    @inline(__always)
    private func cachedRow(_ object: NSManagedObject) -> Row? {
        guard stalenessInterval < 0, let link = object.storeLink, let tables = identityMap.tables(of: link),
            let cache = tables.rowCache
        else { return nil }
        guard let row = cache[object.layout.rootOrdinal, object.key.number] else { return nil }
        return fits(row, object) ? row : nil
    }

    /// Whether the row is one of the object's entity or of a subentity, so that the object's slots are in it.
    @inline(__always)
    func fits(_ row: Row, _ object: NSManagedObject) -> Bool {
        row.layout === object.layout || row.layout.entity.isKindOf(entity: object.layout.entity)
    }

    /// Reads the object's row from its store; where there is none the object becomes inaccessible.
    private func readRow(_ object: NSManagedObject) -> Row? {
        if object.state.contains(.deletedElsewhere) {
            object.becomeInaccessible()
            return nil
        }
        do {
            if !fetchBatches.isEmpty, let row = try readBatch(of: object) { return row }
            if let row = try storedRow(of: object) { return row }
            handleMissingRecord(of: object)
        } catch {
            object.becomeInaccessible()
            if isRemovedStore(error) { deleteElsewhere(object) }
            CoreDataLog.error(
                "The values of \(object.objectID.uriRepresentation().absoluteString) could not be read; nil and 0 stand for "
                    + "them: \((error as NSError).localizedFailureReason ?? "\(error)")")
        }
        return nil
    }

    /// The object's row as its store has it now.
    /// - Returns: nil if there is no such record.
    /// - Throws: `NSError` of the store; 134070 if the store was removed.
    func storedRow(of object: NSManagedObject) throws -> Row? {
        if object.key.isTemporary { return nil }
        guard let engine = object.storeLink?.store?.engine else { throw unreachableStore(object.objectID) }
        let rows = try engine.rows(for: [object.key])
        guard let row = rows.first, fits(row, object) else { return nil }
        return row
    }

    // MARK: Records that are gone

    private func handleMissingRecord(of object: NSManagedObject) {
        let id = object.objectID
        guard shouldHandleInaccessibleFault(object, for: id, triggeredByProperty: nil) else {
            contextMisuse(
                "CoreData could not fulfill a fault for '\(id.uriRepresentation().absoluteString)': its record was deleted, and "
                    + "shouldDeleteInaccessibleFaults is false")
        }
        if !object.state.contains(.warned) {
            object.state.insert(.warned)
            CoreDataLog.warning(
                "The record of \(id.uriRepresentation().absoluteString) is gone: the object counts as deleted, nil and 0 stand "
                    + "for its values")
        }
        object.becomeInaccessible()
        if !id.isTemporaryID { deleteElsewhere(object) }
    }

    /// Whether the error says that the store is not there any more, rather than that it could not be read just now.
    func isRemovedStore(_ error: any Error) -> Bool {
        let error = error as NSError
        return error.domain == NSCocoaErrorDomain && error.code == NSPersistentStoreOperationError
    }

    func unreachableStore(_ id: NSManagedObjectID) -> NSError {
        NSError(
            domain: NSCocoaErrorDomain, code: NSPersistentStoreOperationError,
            userInfo: [
                NSLocalizedDescriptionKey: "The store of an object is gone.",
                NSLocalizedFailureReasonErrorKey:
                    "Object's persistent store is not reachable from this NSManagedObjectContext's coordinator: "
                    + id.uriRepresentation().absoluteString,
            ])
    }

    // MARK: Many at once

    /// Fires those of the objects that are faults, the rows that are not cached read together. Records that are gone leave faults.
    func fireTogether(_ objects: some Sequence<NSManagedObject>) throws {
        try readTogether(objects) { $0.realise($1) }
    }

    /// Gives those of the objects that are faults their rows, those that are not cached read together.
    func readTogether(
        _ objects: some Sequence<NSManagedObject>, _ receive: (NSManagedObject, Row) -> Void
    ) throws {
        for (link, objects) in faultsByStore(objects) {
            guard let engine = link.store?.engine else { continue }
            var missing: [ObjectKey] = []
            var waiting: [Int64: [NSManagedObject]] = [:]
            for object in objects where object.state.contains(.fault) {
                if let row = cachedRow(object) {
                    receive(object, row)
                } else {
                    missing.append(object.key)
                    waiting[object.key.number, default: []].append(object)
                }
            }
            guard !missing.isEmpty else { continue }
            for row in try engine.rows(for: missing) {
                for object in waiting[row.primaryKey] ?? []
                where object.layout.rootOrdinal == row.layout.rootOrdinal && fits(row, object)
                    && object.state.contains(.fault)
                {
                    receive(object, row)
                }
            }
        }
    }

    private func faultsByStore(_ objects: some Sequence<NSManagedObject>) -> [(StoreLink, [NSManagedObject])] {
        var result: [(StoreLink, [NSManagedObject])] = []
        for object in objects {
            guard object.state.contains(.fault),
                object.state.isDisjoint(with: [.inserted, .deletedElsewhere, .firing]),
                let link = object.storeLink
            else { continue }
            if let place = result.firstIndex(where: { $0.0 === link }) {
                result[place].1.append(object)
            } else {
                result.append((link, [object]))
            }
        }
        return result
    }

    // MARK: Relationships

    /// The members of a to-many relationship as stored; their rows are cached and registered objects are left as they are.
    func loadRelated(_ object: NSManagedObject, _ entry: PropertyEntry) -> [ObjectKey] {
        guard !object.key.isTemporary, object.state.isDisjoint(with: [.inserted, .inaccessible, .deletedElsewhere]),
            let relationship = entry.relationship
        else { return [] }
        do {
            guard let engine = object.storeLink?.store?.engine else { throw unreachableStore(object.objectID) }
            return try engine.relatedKeys(relationship, of: object.key)
        } catch {
            CoreDataLog.error(
                "\(entry.name) of \(object.objectID.uriRepresentation().absoluteString) could not be read; it counts as empty: "
                    + ((error as NSError).localizedFailureReason ?? "\(error)"))
            return []
        }
    }
}
