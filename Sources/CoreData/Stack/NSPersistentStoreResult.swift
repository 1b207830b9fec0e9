import Foundation

/// The base of what `NSManagedObjectContext.execute(_:)` returns for requests that are no fetch.
open class NSPersistentStoreResult: NSObject {
    override init() { super.init() }
}
