import Foundation

// Store types, the keys of store options and of store metadata, with Apple's values.

/// The type of SQLite stores.
public let NSSQLiteStoreType = "SQLite"
/// The type of stores that live in memory and go with their coordinator.
public let NSInMemoryStoreType = "InMemory"

/// Metadata: the type of the store (`String`).
public let NSStoreTypeKey = "NSStoreType"
/// Metadata: the identifier of the store (`String`, a UUID), unique at its creation; a copy of the file has the same.
public let NSStoreUUIDKey = "NSStoreUUID"
/// Metadata: the version hash (`Data`) of each entity by its name.
public let NSStoreModelVersionHashesKey = "NSStoreModelVersionHashes"
/// Metadata: the version identifiers of the model (`[String]`).
public let NSStoreModelVersionIdentifiersKey = "NSStoreModelVersionIdentifiers"
/// Metadata: the systems that can open the store; written by Apple's framework, kept by this one.
public let NSPersistentStoreOSCompatibility = "NSPersistentStoreOSCompatibility"

/// Option: whether the store is opened for reading only (`Bool`, false).
public let NSReadOnlyPersistentStoreOption = "NSReadOnlyPersistentStoreOption"
/// Option: how many seconds to wait for a file that somebody else has locked (`NSNumber`, 5).
public let NSPersistentStoreTimeoutOption = "NSPersistentStoreTimeoutOption"
/// Option: SQLite pragmas to set on every connection, names and values as strings.
public let NSSQLitePragmasOption = "NSSQLitePragmasOption"
/// Option: whether SQLite's `ANALYZE` runs when the store is added (`Bool`, false).
public let NSSQLiteAnalyzeOption = "NSSQLiteAnalyzeOption"
/// Option: whether SQLite's `VACUUM` runs when the store is added (`Bool`, false).
public let NSSQLiteManualVacuumOption = "NSSQLiteManualVacuumOption"
/// Option: whether version hashes are left uncompared (`Bool`, false).
public let NSIgnorePersistentStoreVersioningOption = "NSIgnorePersistentStoreVersioningOption"
/// Option: whether a store of an older model is migrated when it is added (`Bool`, false; true in a store description).
public let NSMigratePersistentStoresAutomaticallyOption = "NSMigratePersistentStoresAutomaticallyOption"
/// Option: whether the mapping of such a migration is inferred (`Bool`, false; true in a store description).
public let NSInferMappingModelAutomaticallyOption = "NSInferMappingModelAutomaticallyOption"
/// Option: whether destroying or replacing goes ahead against locks and damage (`Bool`, false); the files are then set
/// aside by renaming.
public let NSPersistentStoreForceDestroyOption = "NSPersistentStoreForceDestroyOption"
/// Option: whether each save and batch request is recorded in the store's history (`Bool`, false).
public let NSPersistentHistoryTrackingKey = "NSPersistentHistoryTrackingKey"
/// Option: whether changes of the store by others are posted (`Bool`, false).
public let NSPersistentStoreRemoteChangeNotificationPostOptionKey = "NSPersistentStoreRemoteChangeNotificationOptionKey"
/// Option: the largest number of connections the store reads with at once (`NSNumber`, 4); 1 makes requests wait for one
/// another.
public let NSPersistentStoreConnectionPoolMaxSizeKey = "NSPersistentStoreConnectionPoolMaxSize"

/// The option behind `NSPersistentStoreDescription.shouldAddStoreAsynchronously`.
let addStoreAsynchronouslyOption = "NSAddStoreAsynchronouslyOption"
