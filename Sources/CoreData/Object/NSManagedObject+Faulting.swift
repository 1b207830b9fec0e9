import Foundation

// Between fault and loaded.

extension NSManagedObject {
    // MARK: What the context calls

    /// A fault fires: takes the row, is no fault any more, and runs `awakeFromFetch` with changes untracked.
    @inline(__always)
    func realise(_ row: Row) {
        if row.layout !== layout { adopt(layout: row.layout) }
        self.row = row
        realiseRowAtHand()
    }

    /// The same with the row that the fault has already.
    @inline(__always)
    func realiseRowAtHand() {
        state.remove([.fault, .inaccessible])
        state.insert(.untracked)
        awakeFromFetch()
        state.remove(.untracked)
    }

    /// A fault fired and there is no record: no fault any more, every value nil. The context sets `deleted` where it applies.
    func becomeInaccessible() {
        row = nil
        decoded = nil
        state.remove(.fault)
        state.insert(.inaccessible)
    }

    /// Becomes a fault without changes; calls `willTurnIntoFault` and `didTurnIntoFault`.
    func turnIntoFault() {
        guard !state.contains(.fault) else {
            dropValues()
            return
        }
        state.insert(.turningIntoFault)
        willTurnIntoFault()
        dropValues()
        state.insert(.fault)
        state.remove(.turningIntoFault)
        didTurnIntoFault()
    }

    /// Cut off for good (`reset`, the context or the store is gone, a saved deletion): a fault without values or row, whose
    /// collections are let go. `managedObjectContext` is nil afterwards where the caller has set `link` so.
    /// A context that goes calls it for every registered object: objects that hold each other would stay otherwise.
    func cutOff() {
        turnIntoFault()
        state.insert(.detached)
    }

    private func dropValues() {
        row = nil
        overlay = nil
        decoded = nil
        releaseObjects()
        toMany = nil
        fetched = nil
        state.remove(.inaccessible)
    }

    /// Lets go of collections of other objects, which may hold this one in turn.
    func releaseObjects() {
        fetched = nil
        guard let toMany else { return }
        for relationship in toMany { relationship?.releaseObjects() }
    }

    /// Takes a newer snapshot and keeps local changes of attributes and relationships (`refresh(_:mergeChanges: true)`).
    func refreshSnapshot(_ row: Row?) {
        if let overlay, let old = self.row { forgetEqualValues(overlay, old) }
        if let row, row.layout !== layout { adopt(layout: row.layout) }
        self.row = row
        if let decoded { forgetDecoded(decoded) }
        guard let toMany else { return }
        for relationship in toMany { relationship?.unload() }
    }

    /// Back to the snapshot: drops all changes (`rollback`), stays loaded.
    func discardChanges() {
        overlay = nil
        if let toMany {
            for index in toMany.indices where toMany[index]?.hasChanges == true {
                toMany[index]?.releaseObjects()
                self.toMany?[index] = nil
            }
        }
        if !state.contains(.fault) { awake(fromSnapshotEvents: .rollback) }
    }

    /// Values that were set to what the snapshot has are no changes that a newer snapshot should be hidden by.
    private func forgetEqualValues(_ overlay: SlotValues, _ old: Row) {
        for slot in layout.slots.indices where !overlay.isUnset(slot) && layout.slots[slot].kind != .transient {
            if !differs(overlay, from: old, at: slot) { overlay[slot] = .unset }
        }
    }

    /// Forgets what was decoded of the row; transient values stay.
    private func forgetDecoded(_ decoded: SlotValues) {
        for slot in layout.slots where slot.decodedIndex >= 0 && slot.kind != .transient {
            decoded[Int(slot.decodedIndex)] = .unset
        }
    }

    /// Sets the model's default values, untracked. What was set before stays.
    func setDefaultValues() {
        guard let defaults = traits.defaults else { return }
        guard let overlay else {
            self.overlay = defaults.copy()
            return
        }
        for slot in 0..<defaults.count where overlay.isUnset(slot) { overlay[slot] = defaults[slot] }
    }
}
