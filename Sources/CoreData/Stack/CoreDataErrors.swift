// The error codes of Core Data, all in `NSCocoaErrorDomain`, with Apple's values.

/// 1550. A managed object is not valid; the general code.
public var NSManagedObjectValidationError: Int { 1550 }
/// 1551. A uniqueness constraint is broken within one context.
public var NSManagedObjectConstraintValidationError: Int { 1551 }
/// 1560. Several validation errors: they stand under `NSDetailedErrorsKey`.
public var NSValidationMultipleErrorsError: Int { 1560 }
/// 1570. A property that is not optional has no value.
public var NSValidationMissingMandatoryPropertyError: Int { 1570 }
/// 1580. A to-many relationship has too few members.
public var NSValidationRelationshipLacksMinimumCountError: Int { 1580 }
/// 1590. A to-many relationship has too many members.
public var NSValidationRelationshipExceedsMaximumCountError: Int { 1590 }
/// 1600. A relationship with the deny rule still has members.
public var NSValidationRelationshipDeniedDeleteError: Int { 1600 }
/// 1610. A number is larger than its maximum.
public var NSValidationNumberTooLargeError: Int { 1610 }
/// 1620. A number is smaller than its minimum.
public var NSValidationNumberTooSmallError: Int { 1620 }
/// 1630. A date is later than its maximum.
public var NSValidationDateTooLateError: Int { 1630 }
/// 1640. A date is earlier than its minimum.
public var NSValidationDateTooSoonError: Int { 1640 }
/// 1650. A date is no valid date.
public var NSValidationInvalidDateError: Int { 1650 }
/// 1660. A string is longer than its maximum.
public var NSValidationStringTooLongError: Int { 1660 }
/// 1670. A string is shorter than its minimum.
public var NSValidationStringTooShortError: Int { 1670 }
/// 1680. A string does not match its pattern.
public var NSValidationStringPatternMatchingError: Int { 1680 }
/// 1690. A URL is no valid URL.
public var NSValidationInvalidURIError: Int { 1690 }
/// 132000. A context's lock could not be taken.
public var NSManagedObjectContextLockingError: Int { 132000 }
/// 132010. A coordinator's lock could not be taken.
public var NSPersistentStoreCoordinatorLockingError: Int { 132010 }
/// 133000. A fault points at a record that does not exist or cannot be reached.
public var NSManagedObjectReferentialIntegrityError: Int { 133000 }
/// 133010. A saved object has a relationship to an object of another store.
public var NSManagedObjectExternalRelationshipError: Int { 133010 }
/// 133020. Records were changed by somebody else since they were read, and the merge policy forbids to decide.
public var NSManagedObjectMergeError: Int { 133020 }
/// 133021. Records break a uniqueness constraint, and the merge policy forbids to decide.
public var NSManagedObjectConstraintMergeError: Int { 133021 }
/// 134000. The store's type, format or version is unknown.
public var NSPersistentStoreInvalidTypeError: Int { 134000 }
/// 134010. The store is of another type than was asked for.
public var NSPersistentStoreTypeMismatchError: Int { 134010 }
/// 134020. The store refused a request for a reason of its schema: a missing table, no permission, a model that is not
/// valid.
public var NSPersistentStoreIncompatibleSchemaError: Int { 134020 }
/// 134030. A save failed; the general code.
public var NSPersistentStoreSaveError: Int { 134030 }
/// 134040. One or more of several stores failed in a save.
public var NSPersistentStoreIncompleteSaveError: Int { 134040 }
/// 134050. A conflict could not be resolved.
public var NSPersistentStoreSaveConflictsError: Int { 134050 }
/// 134060. The general code.
public var NSCoreDataError: Int { 134060 }
/// 134070. An operation of a store failed; also used where the store was removed, reset or replaced.
public var NSPersistentStoreOperationError: Int { 134070 }
/// 134080. A store could not be opened.
public var NSPersistentStoreOpenError: Int { 134080 }
/// 134090. A store did not answer in time.
public var NSPersistentStoreTimeoutError: Int { 134090 }
/// 134091. A store does not know the type of request.
public var NSPersistentStoreUnsupportedRequestTypeError: Int { 134091 }
/// 134100. The model is another than the one the store was made with.
public var NSPersistentStoreIncompatibleVersionHashError: Int { 134100 }
/// 134110. A migration failed; the general code.
public var NSMigrationError: Int { 134110 }
/// 134111. A migration would break a uniqueness constraint.
public var NSMigrationConstraintViolationError: Int { 134111 }
/// 134120. A migration was cancelled.
public var NSMigrationCancelledError: Int { 134120 }
/// 134130. The model of the store to migrate was not found.
public var NSMigrationMissingSourceModelError: Int { 134130 }
/// 134140. No mapping model leads from the old model to the new one.
public var NSMigrationMissingMappingModelError: Int { 134140 }
/// 134150. The source store of a migration failed.
public var NSMigrationManagerSourceStoreError: Int { 134150 }
/// 134160. The destination store of a migration failed.
public var NSMigrationManagerDestinationStoreError: Int { 134160 }
/// 134170. An entity migration policy failed.
public var NSEntityMigrationPolicyError: Int { 134170 }
/// 134180. SQLite failed; the general code.
public var NSSQLiteError: Int { 134180 }
/// 134190. No mapping model could be inferred.
public var NSInferredMappingModelError: Int { 134190 }
/// 134200. Importing external records failed.
public var NSExternalRecordImportError: Int { 134200 }
/// 134301. The history before the token was deleted.
public var NSPersistentHistoryTokenExpiredError: Int { 134301 }
/// 134504. A model reference of a staged migration names no model.
public var NSManagedObjectModelReferenceNotFoundError: Int { 134504 }
/// 134505. A staged migration needs another version of the framework.
public var NSStagedMigrationFrameworkVersionMismatchError: Int { 134505 }
/// 134506. A staged migration would go backward.
public var NSStagedMigrationBackwardMigrationError: Int { 134506 }
