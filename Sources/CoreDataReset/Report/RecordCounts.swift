import CoreData
import Foundation

extension NSPersistentStore {
    /// How many records of each entity the store has, by name.
    func recordCounts() throws -> [String: Int] {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = persistentStoreCoordinator
        var counts: [String: Int] = [:]
        try context.performAndWait {
            for entity in entities {
                guard let name = entity.name else { continue }
                let request = NSFetchRequest<any NSFetchRequestResult>(entityName: name)
                request.includesSubentities = false
                request.affectedStores = [self]
                counts[name] = try context.count(for: request)
            }
        }
        return counts
    }
}
