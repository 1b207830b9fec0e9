import Foundation

extension CocoaError {
    /// The objects that failed; see `NSAffectedObjectsErrorKey`.
    public var affectedObjects: [AnyObject]? { userInfo[NSAffectedObjectsErrorKey] as? [AnyObject] }

    /// The stores that failed; see `NSAffectedStoresErrorKey`.
    public var affectedStores: [AnyObject]? { userInfo[NSAffectedStoresErrorKey] as? [AnyObject] }

    /// The conflicts of a save; see `NSPersistentStoreSaveConflictsErrorKey`.
    public var persistentStoreSaveConflicts: [NSMergeConflict]? {
        userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [NSMergeConflict]
    }

    /// The object that failed validation.
    public var validationObject: Any? { userInfo[NSValidationObjectErrorKey] }

    /// The name of the property that failed validation.
    public var validationKey: String? { userInfo[NSValidationKeyErrorKey] as? String }

    /// The predicate that the value failed.
    public var validationPredicate: NSPredicate? { userInfo[NSValidationPredicateErrorKey] as? NSPredicate }

    /// The value that failed validation.
    public var validationValue: Any? { userInfo[NSValidationValueErrorKey] }
}
