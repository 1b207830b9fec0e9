import Foundation

// What objects need of their context.
extension NSManagedObjectContext {
    /// Registers a new object under a temporary id, sets the model's defaults and calls `awakeFromInsert`.
    func insertNew(_ object: NSManagedObject) { preconditionFailure("to be built") }

    /// Fires the fault: afterwards the object has its row, or is `inaccessible` (deleted) with no values.
    func fire(_ object: NSManagedObject) { preconditionFailure("to be built") }

    /// To be called before a tracked value of a registered object changes: the object counts as updated, and the next
    /// `processPendingChanges` is scheduled.
    func willChange(_ object: NSManagedObject) { preconditionFailure("to be built") }

    /// The members of a to-many relationship as stored; their rows are cached and registered objects are left as they are.
    func loadRelated(_ object: NSManagedObject, _ entry: PropertyEntry) -> [ObjectKey] {
        preconditionFailure("to be built")
    }

    /// The registered object of a key, or a new fault.
    func object(for key: ObjectKey, in storeLink: StoreLink?) -> NSManagedObject { preconditionFailure("to be built") }

    /// The registered object of a key, if there is one.
    func registered(_ key: ObjectKey, in storeLink: StoreLink?) -> NSManagedObject? {
        preconditionFailure("to be built")
    }

    /// Takes account of the changes since the last call: delete rules, notifications.
    public func processPendingChanges() { preconditionFailure("to be built") }

    /// The model of the context's coordinator.
    var model: NSManagedObjectModel? { preconditionFailure("to be built") }

    /// Marks an object for deletion; the cascade rule calls it too.
    public func delete(_ object: NSManagedObject) { preconditionFailure("to be built") }

    public func fetch<T>(_ request: NSFetchRequest<T>) throws -> [T] { preconditionFailure("to be built") }
}
