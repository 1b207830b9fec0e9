import Foundation

// What the context needs of its objects.
extension NSManagedObject {
    /// What a save does to an object.
    enum Fate { case insert, update, delete }

    /// The whole record as it shall be stored: the snapshot with the changes laid over it.
    /// - Parameter resolve: the permanent key of a temporary one.
    /// - Throws: `NSError` (134060) naming entity and key where a value cannot be stored (too large, a transformer that fails).
    func makeRow(primaryKey: Int64, version: Int64, resolve: (ObjectKey) -> ObjectKey) throws -> Row {
        preconditionFailure("to be built")
    }

    /// Which slots differ between the snapshot and the new row.
    func changedSlots(to new: Row) -> SlotSet { preconditionFailure("to be built") }

    /// Changes of to-many relationships that the store must write (see `ChangeSet.ToManyChange`), and the names of those that changed.
    func toManyChanges(resolve: (ObjectKey) -> ObjectKey) -> (writes: [ChangeSet.ToManyChange], names: [String]) {
        preconditionFailure("to be built")
    }

    /// The save is done: the row is the new snapshot, changes are gone, transient values stay, temporary keys become permanent.
    func adoptSaved(_ row: Row, resolve: (ObjectKey) -> ObjectKey) { preconditionFailure("to be built") }

    /// A fault fires: takes the row, is no fault any more, and runs `awakeFromFetch` with changes untracked. Objects that have
    /// their row at hand fire without asking the context.
    func realise(_ row: Row) { preconditionFailure("to be built") }

    /// A fault fired and there is no record: no fault any more, every value nil. The context sets `deleted` where it applies.
    func becomeInaccessible() { preconditionFailure("to be built") }

    /// Cut off for good (`reset`, the context or the store is gone, a saved deletion): a fault without values or row, whose
    /// collections are let go. `managedObjectContext` is nil afterwards where the caller has set `link` so.
    /// A context that goes calls it for every registered object: objects that hold each other would stay otherwise.
    func cutOff() { preconditionFailure("to be built") }

    /// Temporary keys that this object's relationships hold become permanent (`obtainPermanentIDs`); for changed objects.
    func replaceKeys(_ resolve: (ObjectKey) -> ObjectKey) { preconditionFailure("to be built") }

    /// Becomes a fault without changes; calls `willTurnIntoFault` and `didTurnIntoFault`.
    func turnIntoFault() { preconditionFailure("to be built") }

    /// Takes a newer snapshot and keeps local changes of attributes and relationships (`refresh(_:mergeChanges: true)`).
    func refreshSnapshot(_ row: Row?) { preconditionFailure("to be built") }

    /// Back to the snapshot: drops all changes (`rollback`), stays loaded.
    func discardChanges() { preconditionFailure("to be built") }

    /// Carries out the delete rules of the object's relationships for its pending deletion.
    func applyDeleteRules() { preconditionFailure("to be built") }

    /// Runs `validateForInsert`, `validateForUpdate` or `validateForDelete` and returns all failures, flat.
    func validationErrors(for fate: Fate) -> [NSError] { preconditionFailure("to be built") }

    /// Sets the model's default values, untracked.
    func setDefaultValues() { preconditionFailure("to be built") }
}

extension NSEntityDescription {
    /// The class of the entity's objects, found once: the one named by the model, else `NSManagedObject`.
    var objectClass: NSManagedObject.Type { preconditionFailure("to be built") }
}
