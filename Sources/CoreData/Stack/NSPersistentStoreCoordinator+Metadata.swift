import Foundation

extension NSPersistentStoreCoordinator {
    /// The metadata of an attached store, with those that wait to be saved.
    public func metadata(for store: NSPersistentStore) -> [String: Any] { store.metadata }

    /// Sets the metadata of an attached store. They are written with the next save of a context; type and identifier stay.
    ///
    /// - Precondition: the store is not read-only.
    public func setMetadata(_ metadata: [String: Any]?, for store: NSPersistentStore) {
        store.setMetadata(metadata ?? [:], from: "setMetadata(_:for:)")
    }

    /// The metadata of a store, without attaching it. The file is not changed.
    ///
    /// - Throws: `NSError` of `NSCocoaErrorDomain`: 260 if there is no file, 259 if it is no store, 134000 for an unknown type.
    public class func metadataForPersistentStore(
        ofType storeType: String, at url: URL, options: [AnyHashable: Any]? = nil
    ) throws -> [String: Any] {
        let location = try StoreLocation(type: storeType, url: url)
        return try SQLiteStore.metadata(at: location, url: url, options: options)
    }

    /// The metadata of a store, without attaching it. The file is not changed.
    ///
    /// See ``metadataForPersistentStore(ofType:at:options:)``.
    public class func metadataForPersistentStore(
        type storeType: NSPersistentStore.StoreType, at storeURL: URL, options: [AnyHashable: Any]? = nil
    ) throws -> [String: Any] {
        try metadataForPersistentStore(ofType: storeType.rawValue, at: storeURL, options: options)
    }

    /// Sets the metadata of a store at once, without attaching it; type and identifier stay. A store that is attached must be
    /// removed and added again to show them.
    ///
    /// - Throws: `NSError` of `NSCocoaErrorDomain`: 260 if there is no file, 259 if it is no store, 134000 for an unknown type;
    ///   with SQLite's code 5 under `NSSQLiteErrorDomain` if the file stays locked.
    public class func setMetadata(
        _ metadata: [String: Any]?, forPersistentStoreOfType storeType: String, at url: URL,
        options: [AnyHashable: Any]? = nil
    ) throws {
        let location = try StoreLocation(type: storeType, url: url)
        try StoreGate.alone(location) {
            try SQLiteStore.setMetadata(metadata ?? [:], at: location, url: url, options: options)
        }
    }

    /// Sets the metadata of a store at once, without attaching it.
    ///
    /// See ``setMetadata(_:forPersistentStoreOfType:at:options:)``.
    public class func setMetadata(
        _ metadata: [String: Any]?, type storeType: NSPersistentStore.StoreType, at storeURL: URL,
        options: [AnyHashable: Any]? = nil
    ) throws {
        try setMetadata(metadata, forPersistentStoreOfType: storeType.rawValue, at: storeURL, options: options)
    }
}
