import Foundation

extension NSManagedObjectContext {
    /// Marks an object for deletion by the next save; its `prepareForDeletion` is called at once.
    ///
    /// Delete rules are carried out when pending changes are processed. An object that was never saved simply is no longer part
    /// of the graph: it is among neither the inserted nor the deleted ones.
    ///
    /// - Precondition: the object belongs to this context.
    public func delete(_ object: NSManagedObject) {
        if object.state.contains(.detached) { return }
        require(object, "delete(_:)")
        guard object.state.isDisjoint(with: [.annihilated, .deletedElsewhere]) else { return }
        sawDeletion = true
        object.prepareForDeletion()
        // The hook may have done it already.
        guard object.state.isDisjoint(with: [.deleted, .annihilated, .deletedElsewhere]) else { return }
        if !object.state.contains(.registered) { registerAgain(object) }
        if object.state.contains(.inserted) {
            annihilate(object)
        } else {
            if object.state.contains(.updated) {
                changes.updatedCount -= 1
                object.state.remove([.updated, .eventUpdated])
            }
            object.state.insert(.deleted)
            changes.deletedCount += 1
            list(object)
            report(object, .eventDeleted)
        }
        changes.unpropagated.append(object)
    }

    /// Takes a never saved object out of the graph. What was told of it is taken back: silently, if that was nothing.
    private func annihilate(_ object: NSManagedObject) {
        withdraw(object)
        object.state.insert(.annihilated)
        changes.annihilated[UnsavedPlace(object.key, root: object.layout.rootOrdinal)] = object
        unregister(object)
        if object.state.contains(.eventInserted) {
            object.state.subtract(.anyEvent)
        } else {
            object.state.remove(.eventUpdated)
            report(object, .eventDeleted)
        }
    }

    /// Carries out the delete rules of all objects that were deleted since the last time. Those that cascades reach follow.
    func propagateDeletes() {
        var place = 0
        while place < changes.unpropagated.count {
            // A copy, so that those that follow can be appended without one of all.
            let wave = Array(changes.unpropagated[place...])
            place = changes.unpropagated.count
            // Their relationships are asked for: rows that are not cached are read together. What fails here fails one by one.
            try? fireTogether(wave)
            for object in wave where !object.state.contains(.deletePropagated) {
                // Taken back meanwhile.
                guard !object.state.isDisjoint(with: [.deleted, .annihilated]) else { continue }
                object.state.insert(.deletePropagated)
                object.applyDeleteRules()
            }
        }
        changes.unpropagated.removeAll()
    }
}
