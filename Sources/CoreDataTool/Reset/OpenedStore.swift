import CoreData
import Foundation

/// Opens a store with its model.
enum OpenedStore {
    /// - Throws: as `addPersistentStore`.
    static func open(
        _ url: URL, _ model: NSManagedObjectModel, tracksHistory: Bool, _ timeout: Double, isReadOnly: Bool = false
    ) throws -> NSPersistentContainer {
        let container = ToolContainer(name: "coredata", managedObjectModel: model)
        let description = NSPersistentStoreDescription(url: url)
        description.setOption(NSNumber(value: timeout), forKey: NSPersistentStoreTimeoutOption)
        description.isReadOnly = isReadOnly
        if tracksHistory { description.setOption(NSNumber(value: true), forKey: NSPersistentHistoryTrackingKey) }
        container.persistentStoreDescriptions = [description]
        var failure: (any Error)?
        container.loadPersistentStores { _, error in failure = error }
        if let failure { throw failure }
        return container
    }
}

/// A container that makes no folder for stores of its own.
private final class ToolContainer: NSPersistentContainer, @unchecked Sendable {
    override class func defaultDirectoryURL() -> URL { FileManager.default.temporaryDirectory }
}
