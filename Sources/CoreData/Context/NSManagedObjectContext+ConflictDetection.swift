import Foundation

extension NSManagedObjectContext {
    /// Makes the next save fail, or ask the merge policy, if the record of an unchanged object was changed by somebody since it was
    /// read. Changed and deleted objects are always checked.
    public func detectConflicts(for object: NSManagedObject) {
        require(object, "detectConflicts(for:)")
        guard !object.key.isTemporary, object.state.isDisjoint(with: .inert) else { return }
        if object.row == nil { fire(object) }
        if !changes.checked.contains(where: { $0 === object }) { changes.checked.append(object) }
    }
}
