import Foundation

extension NSPersistentStoreCoordinator {
    /// Sends a request to the stores on behalf of a context; `NSManagedObjectContext.fetch(_:)` and `execute(_:)` are the usual way.
    ///
    /// - Returns: for a fetch request the array of what it asks for, for a batch request its result.
    /// - Throws: `NSError` in `NSCocoaErrorDomain`: 134091 for a request that cannot be sent this way; errors of the stores.
    /// - Precondition: the context is one of this coordinator's, and its queue is the current one.
    public func execute(_ request: NSPersistentStoreRequest, with context: NSManagedObjectContext) throws -> Any {
        guard context.persistentStoreCoordinator === self else {
            stackMisuse("execute(_:with:): the context belongs to another coordinator")
        }
        guard let fetch = request as? any FetchRequestCarrier else { return try context.execute(request) }
        return try context.executeFetch(fetch.facts, request.affectedStores)
    }
}

/// A fetch request of any result type.
protocol FetchRequestCarrier: AnyObject {
    var facts: FetchRequestFacts { get }
}

extension NSFetchRequest: FetchRequestCarrier {}
