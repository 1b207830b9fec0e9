import Foundation

/// The kinds of request a store understands.
public enum NSPersistentStoreRequestType: UInt, Sendable {
    case fetchRequestType = 1
    case saveRequestType = 2
    case batchInsertRequestType = 5
    case batchUpdateRequestType = 6
    case batchDeleteRequestType = 7
}

/// The base of everything that a context can execute.
open class NSPersistentStoreRequest: NSObject, NSCopying {
    /// The stores the request is sent to; nil: all stores of the coordinator that hold the entity.
    open var affectedStores: [NSPersistentStore]?

    open var requestType: NSPersistentStoreRequestType {
        fatalError("NSPersistentStoreRequest is abstract: use one of its subclasses")
    }

    public override init() { super.init() }

    open func copy(with zone: NSZone? = nil) -> Any {
        fatalError("NSPersistentStoreRequest is abstract: use one of its subclasses")
    }
}
