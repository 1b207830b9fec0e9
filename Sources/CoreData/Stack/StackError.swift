import Foundation

/// The errors of coordinators and containers, all in `NSCocoaErrorDomain`.
enum StackError {
    /// 134000: a store type nobody knows.
    static func unknownType(_ type: String, url: URL?) -> NSError {
        make(
            NSPersistentStoreInvalidTypeError,
            "\"\(type)\" is no store type that can be used here; there are \(NSSQLiteStoreType) and \(NSInMemoryStoreType).",
            url: url)
    }

    /// 134080: a store that needs a URL was added without.
    static func missingURL(_ type: String) -> NSError {
        make(NSPersistentStoreOpenError, "A store of the type \(type) needs a URL.", url: nil)
    }

    /// 134080: a configuration the model does not have.
    static func unknownConfiguration(_ name: String, url: URL?) -> NSError {
        make(NSPersistentStoreOpenError, "The model has no configuration named \"\(name)\".", url: url)
    }

    /// 134081: the coordinator has the store already.
    static func addedTwice(url: URL?) -> NSError {
        make(134081, "The store is attached to this coordinator already; remove it before adding it again.", url: url)
    }

    /// 134070: the store is none of the coordinator's.
    static func notAttached(url: URL?) -> NSError {
        make(NSPersistentStoreOperationError, "The store is not attached to this coordinator.", url: url)
    }

    /// 134070: there is nowhere to read from or write to.
    static func noStores(_ operation: String) -> NSError {
        make(
            NSPersistentStoreOperationError,
            "This NSPersistentStoreCoordinator has no persistent stores. It cannot perform \(operation).", url: nil)
    }

    static func make(_ code: Int, _ reason: String, url: URL?, _ more: [String: Any] = [:]) -> NSError {
        var userInfo = more
        userInfo["reason"] = reason
        userInfo[NSLocalizedFailureReasonErrorKey] = reason
        if let url {
            userInfo[NSURLErrorKey] = url
            if url.isFileURL { userInfo[NSFilePathErrorKey] = url.path }
        }
        return NSError(domain: NSCocoaErrorDomain, code: code, userInfo: userInfo)
    }
}
