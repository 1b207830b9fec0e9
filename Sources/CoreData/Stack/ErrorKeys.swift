import Foundation

// The keys under which Core Data's errors carry details in their `userInfo`.

/// The single errors (`[NSError]`) of one with the code 1560.
public let NSDetailedErrorsKey = "NSDetailedErrors"
/// The object that failed validation.
public let NSValidationObjectErrorKey = "NSValidationErrorObject"
/// The name of the property that failed validation.
public let NSValidationKeyErrorKey = "NSValidationErrorKey"
/// The predicate that a value failed; absent for the rules that have none.
public let NSValidationPredicateErrorKey = "NSValidationErrorPredicate"
/// The value that failed validation; absent where it is nil.
public let NSValidationValueErrorKey = "NSValidationErrorValue"
/// The stores that failed (`[NSPersistentStore]`).
public let NSAffectedStoresErrorKey = "NSAffectedStoresErrorKey"
/// The objects that failed (`[NSManagedObject]`).
public let NSAffectedObjectsErrorKey = "NSAffectedObjectsErrorKey"
/// The conflicts of a save (`[NSMergeConflict]`, `[NSConstraintConflict]`).
public let NSPersistentStoreSaveConflictsErrorKey = "conflictList"
/// The domain of SQLite's result codes; also the key under which an error of `NSCocoaErrorDomain` carries SQLite's
/// extended result code as a number.
public let NSSQLiteErrorDomain = "NSSQLiteErrorDomain"
