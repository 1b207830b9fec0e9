import CoreData
import Foundation
import Testing

@Suite("Error codes")
struct ErrorCodeTests {
    /// Name and value as in Apple's public header.
    static let codes: [(Int, Int)] = [
        (NSManagedObjectValidationError, 1550), (NSManagedObjectConstraintValidationError, 1551),
        (NSValidationMultipleErrorsError, 1560), (NSValidationMissingMandatoryPropertyError, 1570),
        (NSValidationRelationshipLacksMinimumCountError, 1580),
        (NSValidationRelationshipExceedsMaximumCountError, 1590),
        (NSValidationRelationshipDeniedDeleteError, 1600), (NSManagedObjectContextLockingError, 132000),
        (NSPersistentStoreCoordinatorLockingError, 132010), (NSManagedObjectReferentialIntegrityError, 133000),
        (NSManagedObjectExternalRelationshipError, 133010), (NSManagedObjectMergeError, 133020),
        (NSManagedObjectConstraintMergeError, 133021), (NSPersistentStoreInvalidTypeError, 134000),
        (NSPersistentStoreTypeMismatchError, 134010), (NSPersistentStoreIncompatibleSchemaError, 134020),
        (NSPersistentStoreSaveError, 134030), (NSPersistentStoreIncompleteSaveError, 134040),
        (NSPersistentStoreSaveConflictsError, 134050), (NSCoreDataError, 134060),
        (NSPersistentStoreOperationError, 134070), (NSPersistentStoreOpenError, 134080),
        (NSPersistentStoreTimeoutError, 134090), (NSPersistentStoreUnsupportedRequestTypeError, 134091),
        (NSPersistentStoreIncompatibleVersionHashError, 134100), (NSMigrationError, 134110),
        (NSMigrationConstraintViolationError, 134111), (NSMigrationCancelledError, 134120),
        (NSMigrationMissingSourceModelError, 134130), (NSMigrationMissingMappingModelError, 134140),
        (NSMigrationManagerSourceStoreError, 134150), (NSMigrationManagerDestinationStoreError, 134160),
        (NSEntityMigrationPolicyError, 134170), (NSSQLiteError, 134180), (NSInferredMappingModelError, 134190),
        (NSExternalRecordImportError, 134200), (NSPersistentHistoryTokenExpiredError, 134301),
        (NSManagedObjectModelReferenceNotFoundError, 134504),
        (NSStagedMigrationFrameworkVersionMismatchError, 134505),
        (NSStagedMigrationBackwardMigrationError, 134506),
    ]

    @Test("codes have Apple's values")
    func values() {
        for (code, value) in Self.codes { #expect(code == value) }
    }

    @Test("an NSError of Core Data is caught as a CocoaError of the same code")
    func bridging() {
        func fail() throws { throw NSError(domain: NSCocoaErrorDomain, code: NSManagedObjectMergeError) }
        do {
            try fail()
            Issue.record("nothing was thrown")
        } catch CocoaError.managedObjectMerge {
        } catch {
            Issue.record("\(error)")
        }
        #expect(CocoaError(.validationMultipleErrors).code.rawValue == 1560)
        #expect(CocoaError.Code.persistentStoreIncompatibleVersionHash.rawValue == 134100)
    }

    @Test("details stand under the keys Apple uses")
    func keys() {
        #expect(NSDetailedErrorsKey == "NSDetailedErrors")
        #expect(NSValidationObjectErrorKey == "NSValidationErrorObject")
        #expect(NSValidationKeyErrorKey == "NSValidationErrorKey")
        #expect(NSSQLiteErrorDomain == "NSSQLiteErrorDomain")
    }
}
