import Foundation

extension NSManagedObjectContext {
    /// 134030.
    func saveError(_ reason: String, _ objects: [NSManagedObject] = []) -> NSError {
        var userInfo: [String: Any] = [
            NSLocalizedDescriptionKey: "An error occurred while saving.", NSLocalizedFailureReasonErrorKey: reason,
            "reason": reason,
        ]
        if !objects.isEmpty { userInfo[NSAffectedObjectsErrorKey] = objects }
        return NSError(domain: NSCocoaErrorDomain, code: NSPersistentStoreSaveError, userInfo: userInfo)
    }

    /// 134030 for an object whose store was removed.
    func saveError(unreachable object: NSManagedObject) -> NSError {
        saveError(
            "Object's persistent store is not reachable from this NSManagedObjectContext's coordinator: "
                + object.objectID.uriRepresentation().absoluteString, [object])
    }

    /// 134030 where there is nothing to save to.
    func noStoresToSave(_ object: NSManagedObject) -> NSError {
        saveError(
            "This NSPersistentStoreCoordinator has no persistent stores. It cannot perform a save operation.", [object])
    }

    /// 513.
    func readOnly(_ store: NSPersistentStore) -> NSError {
        var userInfo: [String: Any] = [
            NSLocalizedFailureReasonErrorKey: "The store is read-only.", NSAffectedStoresErrorKey: [store],
        ]
        if let url = store.url {
            userInfo[NSURLErrorKey] = url
            if url.isFileURL { userInfo[NSFilePathErrorKey] = url.path }
        }
        return NSError(
            domain: NSCocoaErrorDomain, code: CocoaError.Code.fileWriteNoPermission.rawValue, userInfo: userInfo)
    }

    /// 134040 where one store was written and another failed.
    func incompleteSave(_ error: NSError) -> NSError {
        NSError(
            domain: NSCocoaErrorDomain, code: NSPersistentStoreIncompleteSaveError,
            userInfo: [
                NSLocalizedDescriptionKey: "One or more stores returned an error during save.",
                NSLocalizedFailureReasonErrorKey:
                    "A store was written before another failed; the changes of the others are still pending.",
                NSUnderlyingErrorKey: error,
            ])
    }
}
