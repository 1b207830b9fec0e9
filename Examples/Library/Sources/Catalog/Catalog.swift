import CoreData
import Foundation

/// The library's stores.
public enum Catalog {
    /// A container of the model in this module's resource bundle, in memory.
    public static func container() throws -> NSPersistentContainer {
        let container = NSPersistentContainer(name: "Catalog")
        let memory = NSPersistentStoreDescription()
        memory.type = NSInMemoryStoreType
        container.persistentStoreDescriptions = [memory]
        var failure: (any Error)?
        container.loadPersistentStores { failure = $1 }
        if let failure { throw failure }
        return container
    }

    /// A version of the model, and a context for it.
    public static func context(version: String) throws -> NSManagedObjectContext {
        let url = Bundle.module.url(forResource: "Catalog", withExtension: "xcdatamodeld")?
            .appendingPathComponent(version + ".xcdatamodel")
        guard let url, let model = NSManagedObjectModel(contentsOf: url) else { throw CocoaError(.fileNoSuchFile) }
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        return context
    }
}
