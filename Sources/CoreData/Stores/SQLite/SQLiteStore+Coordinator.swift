import Foundation

// What coordinators ask of SQLite stores.
extension SQLiteStore {
    /// Opens the store at a place, making it where there is none.
    ///
    /// - Parameters:
    ///   - type: `NSSQLiteStoreType` or `NSInMemoryStoreType`, for the metadata.
    ///   - configuration: nil for the whole model.
    static func open(
        _ location: StoreLocation, type: String, url: URL?, model: NSManagedObjectModel, configuration: String?,
        options: [AnyHashable: Any]?
    ) throws -> SQLiteStore & StoreEngine { preconditionFailure("to be built") }

    /// Empties the file in one transaction and removes external files. On an error the file is as it was.
    static func destroy(_ location: StoreLocation, url: URL, options: [AnyHashable: Any]?) throws {
        preconditionFailure("to be built")
    }

    /// Puts a copy of the source in the place of the destination. On an error the destination is as it was.
    static func replace(
        _ destination: StoreLocation, url: URL, options: [AnyHashable: Any]?, from source: StoreLocation,
        sourceURL: URL, sourceOptions: [AnyHashable: Any]?
    ) throws { preconditionFailure("to be built") }

    /// The metadata of the store in a file, which is not changed.
    static func metadata(at location: StoreLocation, url: URL, options: [AnyHashable: Any]?) throws -> [String: Any] {
        preconditionFailure("to be built")
    }

    /// Sets the metadata of the store in a file; type and identifier stay.
    static func setMetadata(
        _ metadata: [String: Any], at location: StoreLocation, url: URL, options: [AnyHashable: Any]?
    ) throws { preconditionFailure("to be built") }
}
