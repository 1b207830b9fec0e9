import Foundation

extension NSManagedObjectContext {
    // MARK: Refreshing

    /// Lets an object read its values anew.
    ///
    /// - Parameters:
    ///   - object: an object of this context.
    ///   - flag: true: unsaved changes of the object stay and lie over the new values; an unchanged object becomes a fault.
    ///     false: the object becomes a fault and unsaved changes of it are lost.
    public func refresh(_ object: NSManagedObject, mergeChanges flag: Bool) {
        require(object, "refresh(_:mergeChanges:)")
        if object.state.isDisjoint(with: .inert) { refreshOne(object, keepsChanges: flag) }
    }

    private func refreshOne(_ object: NSManagedObject, keepsChanges: Bool) {
        if keepsChanges, object.state.contains(.inserted) {
            report(object, .eventRefreshed)
            return
        }
        if keepsChanges, object.state.contains(.updated) || object.state.contains(.deleted) {
            if let row = newestRow(of: object) { object.refreshSnapshot(row) }
        } else {
            if object.state.contains(.updated) {
                withdraw(object)
                object.state.remove(.eventUpdated)
            }
            object.turnIntoFault()
        }
        report(object, .eventRefreshed)
    }

    /// The row a refresh gives: the cached one if values of that age will do, else the stored one; nil if it cannot be had.
    private func newestRow(of object: NSManagedObject) -> Row? {
        if stalenessInterval < 0, let link = object.storeLink, let cache = identityMap.tables(of: link)?.rowCache,
            let row = cache[object.layout.rootOrdinal, object.key.number], fits(row, object)
        {
            return row
        }
        return try? storedRow(of: object)
    }

    /// Refreshes all objects, keeping unsaved changes; one `ObjectsDidChange` tells of them.
    ///
    /// References to the objects stay valid, unlike with `reset()`.
    public func refreshAllObjects() {
        var objects: [NSManagedObject] = []
        identityMap.forEach { objects.append($0) }
        for object in objects where object.state.isDisjoint(with: .inert) { refreshOne(object, keepsChanges: true) }
        processPendingChanges()
    }

    // MARK: Starting afresh

    /// Forgets all objects and changes. The objects are faults that belong to no context afterwards and must not be used any more.
    public func reset() {
        var objects: [NSManagedObject] = []
        identityMap.forEach { objects.append($0) }
        let ids = objects.map(\.objectID)
        identityMap.removeAll()
        changes = PendingChanges()
        fetchBatches = []
        sweepLimit = Self.smallestSweepLimit
        let former = link
        link = ContextLink(self, model)
        mergeInbox.removeAll()
        for object in objects {
            object.state.subtract([.registered, .listed, .annihilated])
            object.state.subtract(.pending)
            object.state.subtract(.anyEvent)
            object.cutOff()
        }
        former.sever()
        if !ids.isEmpty { post(.NSManagedObjectContextObjectsDidChange, [NSInvalidatedAllObjectsKey: ids]) }
    }

    /// Takes back all unsaved changes: inserted objects leave the context, changed and deleted ones are as they were last saved or
    /// read. Nothing is read anew.
    public func rollback() {
        let pending = pendingObjects()
        let annihilated = changes.annihilated
        let event = changes.event
        let merged = changes.mergedInEvent
        let formerNumbers = changes.formerNumbers
        changes = PendingChanges()
        changes.event = event
        changes.mergedInEvent = merged
        changes.formerNumbers = formerNumbers
        for object in pending {
            let state = object.state
            object.state.subtract([.listed, .deletePropagated, .eventUpdated])
            object.state.subtract(.pending)
            if state.contains(.inserted) {
                if state.contains(.eventInserted) {
                    // Nobody heard of it.
                    object.state.subtract(.anyEvent)
                } else {
                    object.state.remove(.eventUpdated)
                    report(object, .eventDeleted)
                }
                object.discardChanges()
                unregister(object)
                object.state.insert(.detached)
                object.link = formerLink
            } else {
                object.state.remove(.eventDeleted)
                object.discardChanges()
                report(object, .eventRefreshed)
            }
        }
        for object in annihilated.values { expel(object) }
        forgetFormerNumbers()
        processPendingChanges()
    }
}
