import Foundation

extension NSPersistentStoreCoordinator {
    /// Removes everything from a store and leaves an empty database in its place.
    ///
    /// The file may be open, here and in other processes: they finish on what they have read and find the store gone
    /// afterwards. Every coordinator of this process that has the store loses it, so that it can be added again at once, under
    /// a new identifier. External files of the store are removed too.
    ///
    /// - Parameters:
    ///   - url: where the store is. It need not be attached. A store in memory is removed from this coordinator.
    ///   - storeType: the type, as when the store was added.
    ///   - options: as when the store was added; `NSPersistentStoreTimeoutOption` bounds the wait for others;
    ///     `NSPersistentStoreForceDestroyOption` sets files aside that are no readable database or whose holders do not answer.
    /// - Throws: `NSError` of `NSCocoaErrorDomain`: 134000 for an unknown type, 260 if there is no file; with SQLite's code 5
    ///   under `NSSQLiteErrorDomain` if the file stays locked. On an error the store is as before, attached and usable.
    public func destroyPersistentStore(at url: URL, ofType storeType: String, options: [AnyHashable: Any]? = nil) throws
    {
        let location = try StoreLocation(type: storeType, url: url)
        // Stores of their own in memory are known by URL in their coordinator only; what was in them goes with them.
        if location == .memory { return try removeStores(at: url, ofType: storeType) }
        try Self.replaceContents(of: location) {
            try SQLiteStore.destroy(location, url: url, options: options)
        }
    }

    private func removeStores(at url: URL, ofType type: String) throws {
        for store in persistentStores where store.location == .memory && store.type == type && store.url == url {
            try remove(store)
        }
    }

    /// Removes everything from a store and leaves an empty database in its place.
    ///
    /// See ``destroyPersistentStore(at:ofType:options:)``.
    public func destroyPersistentStore(
        at url: URL, type storeType: NSPersistentStore.StoreType, options: [AnyHashable: Any]? = nil
    ) throws {
        try destroyPersistentStore(at: url, ofType: storeType.rawValue, options: options)
    }

    /// Puts a copy of a store in the place of another one, or of nothing.
    ///
    /// The destination may be open; see ``destroyPersistentStore(at:ofType:options:)`` for what becomes of those that have it.
    /// The copy has the identifier of the source. The source is not changed.
    ///
    /// - Throws: `NSError` of `NSCocoaErrorDomain`: 260 if there is no source; with SQLite's code 5 under
    ///   `NSSQLiteErrorDomain` if the destination stays locked; the destination is then as before.
    public func replacePersistentStore(
        at destinationURL: URL, destinationOptions: [AnyHashable: Any]? = nil,
        withPersistentStoreFrom sourceURL: URL, sourceOptions: [AnyHashable: Any]? = nil, ofType storeType: String
    ) throws {
        let destination = try StoreLocation(type: storeType, url: destinationURL)
        let source = try StoreLocation(type: storeType, url: sourceURL)
        guard destination != source else {
            throw StackError.make(
                NSPersistentStoreOperationError, "The store cannot be replaced by itself.", url: destinationURL)
        }
        try Self.replaceContents(of: destination) {
            try SQLiteStore.replace(
                destination, url: destinationURL, options: destinationOptions, from: source, sourceURL: sourceURL,
                sourceOptions: sourceOptions)
        }
    }

    /// Puts a copy of a store in the place of another one, or of nothing.
    ///
    /// See ``replacePersistentStore(at:destinationOptions:withPersistentStoreFrom:sourceOptions:ofType:)``.
    public func replacePersistentStore(
        at destinationURL: URL, destinationOptions: [AnyHashable: Any]? = nil,
        withPersistentStoreFrom sourceURL: URL, sourceOptions: [AnyHashable: Any]? = nil,
        type sourceType: NSPersistentStore.StoreType
    ) throws {
        try replacePersistentStore(
            at: destinationURL, destinationOptions: destinationOptions, withPersistentStoreFrom: sourceURL,
            sourceOptions: sourceOptions, ofType: sourceType.rawValue)
    }

    /// Commits other contents for a place and then detaches the stores that were there, in all coordinators.
    private static func replaceContents(of location: StoreLocation, _ commit: () throws -> Void) throws {
        let holders = try StoreGate.alone(location) {
            // A store that is opened after the commit is the new one: nobody opens one while the gate is closed.
            let holders = CoordinatorRegistry.holders(of: location)
            try commit()
            return holders
        }
        for (coordinator, store) in holders { coordinator.detachReplaced(store) }
    }
}
