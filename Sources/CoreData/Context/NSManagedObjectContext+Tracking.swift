import Foundation

// Which objects will be inserted, updated and deleted, and what the next `ObjectsDidChange` will say.

extension NSManagedObjectContext {
    // MARK: What there is to save

    /// Whether a save would have something to do: objects were inserted, changed or deleted since the last one, be it back and
    /// forth.
    public final var hasChanges: Bool { !changes.isEmpty }

    /// The objects that the next save inserts. Complexity: O(changed objects).
    public final var insertedObjects: Set<NSManagedObject> { pendingSet(.inserted, changes.insertedCount) }

    /// The saved objects that were changed since. Complexity: O(changed objects).
    public final var updatedObjects: Set<NSManagedObject> { pendingSet(.updated, changes.updatedCount) }

    /// The objects that the next save deletes. Complexity: O(changed objects).
    public final var deletedObjects: Set<NSManagedObject> { pendingSet(.deleted, changes.deletedCount) }

    private func pendingSet(_ kind: NSManagedObject.State, _ count: Int) -> Set<NSManagedObject> {
        let elsewhere = kind == .deleted ? changes.deletedElsewhere : []
        guard count + elsewhere.count > 0 else { return [] }
        var set = Set<NSManagedObject>(minimumCapacity: count + elsewhere.count)
        for object in changes.objects where object.state.contains(kind) && object.state.isPending { set.insert(object) }
        for object in elsewhere { set.insert(object) }
        return set
    }

    /// The objects with a pending change, each once, in the order of their first change.
    func pendingObjects() -> ContiguousArray<NSManagedObject> {
        if changes.objects.count > changes.insertedCount + changes.updatedCount + changes.deletedCount {
            var kept = ContiguousArray<NSManagedObject>()
            for object in changes.objects {
                if object.state.isPending {
                    kept.append(object)
                } else {
                    object.state.remove(.listed)
                }
            }
            changes.objects = kept
        }
        return changes.objects
    }

    // MARK: Changes of state

    /// Puts an object whose state got a pending bit on the list.
    @inline(__always)
    func list(_ object: NSManagedObject) {
        changes.posted = PendingChanges.Posted()
        guard !object.state.contains(.listed) else { return }
        object.state.insert(.listed)
        changes.noteMethods(of: object)
        changes.objects.append(object)
    }

    /// Takes back what is pending of the object: nothing of it will be saved.
    func withdraw(_ object: NSManagedObject) {
        changes.posted = PendingChanges.Posted()
        guard object.state.isPending else { return }
        if object.state.contains(.inserted) { changes.insertedCount -= 1 }
        if object.state.contains(.updated) { changes.updatedCount -= 1 }
        if object.state.contains(.deleted) { changes.deletedCount -= 1 }
        object.state.subtract(.pending)
    }

    /// Notes what the next `ObjectsDidChange` says of the object.
    @inline(__always)
    func report(_ object: NSManagedObject, _ event: NSManagedObject.State) {
        let isNew = object.state.isDisjoint(with: .anyEvent)
        object.state.insert(event)
        guard isNew else { return }
        changes.event.append(object)
        if changes.event.count == 1 { scheduleEvent() }
    }

    /// Sees to it that a main-queue context processes its changes in the next turn of the main queue. Blocks of `perform` do so
    /// at their end.
    func scheduleEvent() {
        guard concurrency == .mainQueueConcurrencyType, !isEventScheduled, !isSaving, executor.isInScope else { return }
        isEventScheduled = true
        DispatchQueue.main.async { [weak self] in
            guard let self else { return }
            executor.enter()
            defer { executor.leave() }
            isEventScheduled = false
            processPendingChanges()
        }
    }

    /// To be called before a tracked value of a registered object changes: the object counts as updated, and the next
    /// `processPendingChanges` is scheduled.
    func willChange(_ object: NSManagedObject) {
        let state = object.state
        if !state.isDisjoint(with: [.eventInserted, .eventUpdated]), !state.isDisjoint(with: [.inserted, .updated]) {
            return
        }
        guard state.isDisjoint(with: .inert) else { return }
        if !state.contains(.registered) { registerAgain(object) }
        if state.isDisjoint(with: .pending) {
            object.state.insert(.updated)
            changes.updatedCount += 1
            list(object)
        }
        if state.isDisjoint(with: [.deleted, .eventInserted, .eventUpdated]) { report(object, .eventUpdated) }
    }

    // MARK: Processing

    /// Takes account of the changes since the last call: carries out delete rules and posts `ObjectsDidChange`.
    ///
    /// It is called at the end of every block of `perform`, in the next turn of the main queue for a main-queue context, and by
    /// `fetch` and `save`. A second call in a row posts nothing.
    public final func processPendingChanges() {
        mergeWaitingChanges()
        forgetDeletionsElsewhere()
        processEvents(propagatesDeletes: propagatesDeletesAtEndOfEvent)
        sweepIfDue()
    }

    /// Carries out delete rules and posts what happened since the last posting.
    /// - Returns: the objects it reported.
    @discardableResult
    func processEvents(propagatesDeletes: Bool) -> ContiguousArray<NSManagedObject> {
        if propagatesDeletes { self.propagateDeletes() }
        guard !changes.event.isEmpty else { return [] }
        let objects = changes.event
        let merged = changes.mergedInEvent
        changes.event = []
        changes.mergedInEvent = nil
        changes.posted = PendingChanges.Posted()
        postObjectsDidChange(objects, merged)
        return objects
    }

    private func postObjectsDidChange(_ objects: ContiguousArray<NSManagedObject>, _ merged: Set<NSManagedObject>?) {
        var inserted = 0
        var updated = 0
        var deleted = 0
        var refreshed = 0
        // Of these, those that a save will update or insert: objects that wait for their insert may be among the updated ones.
        var toUpdate = 0
        var toInsert = 0
        for object in objects {
            let state = object.state
            if state.contains(.eventInserted) {
                inserted += 1
                if state.contains(.inserted) { toInsert += 1 }
            }
            if state.contains(.eventUpdated) {
                updated += 1
                if state.contains(.updated) { toUpdate += 1 }
            }
            if state.contains(.eventDeleted) { deleted += 1 }
            if state.contains(.eventRefreshed) { refreshed += 1 }
        }
        var userInfo: [AnyHashable: Any] = [:]
        func add(_ key: String, _ kind: NSManagedObject.State, _ count: Int) {
            guard count > 0 else { return }
            var set = Set<NSManagedObject>(roomFor: count)
            for object in objects where object.state.contains(kind) { set.insert(object) }
            userInfo[key] = set
            if kind == .eventUpdated, count == toUpdate, count == changes.updatedCount { changes.posted.updates = set }
            if kind == .eventInserted, count == toInsert, count == changes.insertedCount {
                changes.posted.inserts = set
            }
        }
        add(NSInsertedObjectsKey, .eventInserted, inserted)
        add(NSUpdatedObjectsKey, .eventUpdated, updated)
        add(NSDeletedObjectsKey, .eventDeleted, deleted)
        add(NSRefreshedObjectsKey, .eventRefreshed, refreshed)
        for object in objects { object.state.subtract(.anyEvent) }
        guard !userInfo.isEmpty else { return }
        if let merged { userInfo[objectsChangedByMergeKey] = merged }
        post(.NSManagedObjectContextObjectsDidChange, userInfo)
    }

    /// Marks an object whose record is gone already. It counts among the deleted ones until pending changes are processed.
    func deleteElsewhere(_ object: NSManagedObject) {
        guard !object.state.contains(.deletedElsewhere) else { return }
        sawDeletion = true
        withdraw(object)
        object.state.insert([.deleted, .deletedElsewhere])
        changes.deletedElsewhere.append(object)
        report(object, .eventDeleted)
    }

    /// Deletions that happened elsewhere need no save: once reported they are no change of this context any more. (`isDeleted`
    /// stays true for who still holds the object.)
    func forgetDeletionsElsewhere() {
        changes.deletedElsewhere = []
    }
}
