import Foundation

// Names and keys of the notifications that contexts post, with Apple's values.

/// Objects that were inserted (`Set<NSManagedObject>`).
public let NSInsertedObjectsKey = "inserted"
/// Objects that were updated (`Set<NSManagedObject>`).
public let NSUpdatedObjectsKey = "updated"
/// Objects that were deleted (`Set<NSManagedObject>`).
public let NSDeletedObjectsKey = "deleted"
/// Objects that were refreshed and were not changed in this context (`Set<NSManagedObject>`).
public let NSRefreshedObjectsKey = "refreshed"
/// Objects that were invalidated (`Set<NSManagedObject>`).
public let NSInvalidatedObjectsKey = "invalidated"
/// All objects of the context were invalidated by `reset()`; their ids (`[NSManagedObjectID]`).
public let NSInvalidatedAllObjectsKey = "invalidatedAll"
/// Ids of inserted objects (`Set<NSManagedObjectID>`).
public let NSInsertedObjectIDsKey = "inserted_objectIDs"
/// Ids of updated objects (`Set<NSManagedObjectID>`).
public let NSUpdatedObjectIDsKey = "updated_objectIDs"
/// Ids of deleted objects (`Set<NSManagedObjectID>`).
public let NSDeletedObjectIDsKey = "deleted_objectIDs"
/// Ids of refreshed objects (`Set<NSManagedObjectID>`).
public let NSRefreshedObjectIDsKey = "refreshed_objectIDs"
/// Ids of invalidated objects (`Set<NSManagedObjectID>`).
public let NSInvalidatedObjectIDsKey = "invalidated_objectIDs"

/// Objects that a merge changed, beside the sets of an `ObjectsDidChange`; Apple's framework posts it without declaring it.
let objectsChangedByMergeKey = "NSObjectsChangedByMergeChangesKey"

extension NSNotification.Name {
    /// A context is about to save; no `userInfo`. Observers may still change objects.
    public static let NSManagedObjectContextWillSave = NSNotification.Name(
        "NSManagingContextWillSaveChangesNotification")
    /// A context has saved; the sets of objects stand under `NSInsertedObjectsKey`, `NSUpdatedObjectsKey` and
    /// `NSDeletedObjectsKey`. They may be used in the context's queue only; ids may be used anywhere.
    public static let NSManagedObjectContextDidSave = NSNotification.Name("NSManagingContextDidSaveChangesNotification")
    /// Objects of a context changed since the last posting; only sets that have members are there.
    public static let NSManagedObjectContextObjectsDidChange =
        NSNotification.Name("NSObjectsChangedInManagingContextNotification")
    /// A context has saved; the sets of ids stand under `NSInsertedObjectIDsKey`, `NSUpdatedObjectIDsKey` and
    /// `NSDeletedObjectIDsKey`.
    public static let NSManagedObjectContextDidSaveObjectIDs =
        NSNotification.Name("NSManagedObjectContextDidSaveObjectIDsNotification")
    /// A context has merged changes from elsewhere; the sets of ids that were merged.
    public static let NSManagedObjectContextDidMergeChangesObjectIDs =
        NSNotification.Name("NSManagedObjectContextDidMergeChangesObjectIDsNotification")
}

extension NSManagedObjectContext {
    /// `NSManagedObjectContextWillSave`.
    public static let willSaveObjectsNotification = Notification.Name.NSManagedObjectContextWillSave
    /// `NSManagedObjectContextDidSave`.
    public static let didSaveObjectsNotification = Notification.Name.NSManagedObjectContextDidSave
    /// `NSManagedObjectContextObjectsDidChange`.
    public static let didChangeObjectsNotification = Notification.Name.NSManagedObjectContextObjectsDidChange
    /// `NSManagedObjectContextDidSaveObjectIDs`.
    public static let didSaveObjectIDsNotification = Notification.Name.NSManagedObjectContextDidSaveObjectIDs
    /// `NSManagedObjectContextDidMergeChangesObjectIDs`.
    public static let didMergeChangesObjectIDsNotification =
        Notification.Name.NSManagedObjectContextDidMergeChangesObjectIDs

    /// The keys of the notifications' `userInfo`; their raw values are the keys.
    public enum NotificationKey: String, Sendable {
        case insertedObjects = "inserted"
        case updatedObjects = "updated"
        case deletedObjects = "deleted"
        case refreshedObjects = "refreshed"
        case invalidatedObjects = "invalidated"
        case invalidatedAllObjects = "invalidatedAll"
        case insertedObjectIDs = "inserted_objectIDs"
        case updatedObjectIDs = "updated_objectIDs"
        case deletedObjectIDs = "deleted_objectIDs"
        case refreshedObjectIDs = "refreshed_objectIDs"
        case invalidatedObjectIDs = "invalidated_objectIDs"
        case queryGeneration = "NSManagedObjectContextQueryGenerationKey"
    }

    func post(_ name: Notification.Name, _ userInfo: [AnyHashable: Any]?) {
        NotificationCenter.default.post(name: name, object: self, userInfo: userInfo)
    }
}
