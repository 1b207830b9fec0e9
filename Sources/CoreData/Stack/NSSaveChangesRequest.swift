import Foundation

/// The changes of a save, as custom stores receive them.
///
/// A context makes it; handing one to `NSManagedObjectContext.execute(_:)` is refused.
open class NSSaveChangesRequest: NSPersistentStoreRequest, @unchecked Sendable {
    /// Objects to insert.
    public let insertedObjects: Set<NSManagedObject>?
    /// Objects to update.
    public let updatedObjects: Set<NSManagedObject>?
    /// Objects to delete.
    public let deletedObjects: Set<NSManagedObject>?
    /// Unchanged objects whose records must be of the version that was read (`detectConflicts(for:)`).
    public let lockedObjects: Set<NSManagedObject>?

    public init(
        inserted insertedObjects: Set<NSManagedObject>?, updated updatedObjects: Set<NSManagedObject>?,
        deleted deletedObjects: Set<NSManagedObject>?, locked lockedObjects: Set<NSManagedObject>?
    ) {
        self.insertedObjects = insertedObjects
        self.updatedObjects = updatedObjects
        self.deletedObjects = deletedObjects
        self.lockedObjects = lockedObjects
        super.init()
    }

    open override var requestType: NSPersistentStoreRequestType { .saveRequestType }

    open override func copy(with zone: NSZone? = nil) -> Any {
        let copy = NSSaveChangesRequest(
            inserted: insertedObjects, updated: updatedObjects, deleted: deletedObjects, locked: lockedObjects)
        copy.affectedStores = affectedStores
        return copy
    }
}
