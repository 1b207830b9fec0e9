import CoreData
import Foundation

/// A deletion as contexts learn of it.
///
/// A context is not told which records went, which may be millions, but asks what became of the objects it has. So it is
/// right whenever its turn comes, also where records were made or deleted in the meantime.
struct DeletedRecords: Sendable {
    /// Identifiers of the stores that were emptied.
    let stores: Set<String>
    private let deleted: Set<String>
    private let losing: Set<String>
    private let reach: Carried<DeletionReach>

    /// - Parameter retained: entities of which a store that failed still has all records.
    init(stores: Set<String>, reach: DeletionReach, retained: Set<String>) {
        self.stores = stores
        self.reach = Carried(reach)
        losing = reach.losing
        deleted = reach.deleted.subtracting(retained)
    }

    /// Lets the objects of a context follow. To be called in the context's queue.
    func follow(in context: NSManagedObjectContext) {
        guard let coordinator = context.lineage.last?.persistentStoreCoordinator else { return }
        var gone: [NSManagedObjectID] = []
        var touched: [NSManagedObjectID] = []
        for store in coordinator.persistentStores where stores.contains(store.identifier) {
            let objects = context.registeredObjects.filter {
                !$0.objectID.isTemporaryID && $0.objectID.persistentStore === store
            }
            let suspects = objects.filter { isNamed($0.entity, in: losing) }.map(\.objectID)
            let living = Set(store.living(suspects) ?? suspects.filter { !isNamed($0.entity, in: deleted) })
            gone += suspects.filter { !living.contains($0) }
            touched += objects.filter {
                reach.value.touchesRelationships(of: $0.entity)
                    && (living.contains($0.objectID) || !isNamed($0.entity, in: losing))
            }.map(\.objectID)
        }
        if !gone.isEmpty || !touched.isEmpty {
            NSManagedObjectContext.mergeChanges(
                fromRemoteContextSave: [NSDeletedObjectIDsKey: gone, NSUpdatedObjectIDsKey: touched], into: [context])
        }
        context.insertedObjects.filter { isNamed($0.entity, in: deleted) }.forEach(context.delete)
        let lost = Set(gone)
        for object in context.insertedObjects.union(context.updatedObjects) { object.releasePartners(lost) }
        context.processPendingChanges()
    }

    private func isNamed(_ entity: NSEntityDescription, in names: Set<String>) -> Bool {
        entity.name.map(names.contains) ?? false
    }
}

extension NSManagedObject {
    /// Takes records that are gone out of unsaved relationships: a save would refuse them.
    fileprivate func releasePartners(_ gone: Set<NSManagedObjectID>) {
        for (name, value) in changedValues() {
            guard entity.relationshipsByName[name] != nil else { continue }
            func isLeft(_ partner: Any) -> Bool {
                (partner as? NSManagedObject).map { !gone.contains($0.objectID) } ?? true
            }
            switch value {
            case let partner as NSManagedObject:
                if !isLeft(partner) { setValue(nil, forKey: name) }
            case let partners as NSOrderedSet:
                let left = partners.array.filter(isLeft)
                if left.count < partners.count { setValue(NSOrderedSet(array: left), forKey: name) }
            case let partners as NSSet:
                let left = partners.allObjects.filter(isLeft)
                if left.count < partners.count { setValue(NSSet(array: left), forKey: name) }
            default: continue
            }
        }
    }
}

extension NSPersistentStore {
    /// Those of the ids whose records are there now; nil where that cannot be found out.
    fileprivate func living(_ ids: [NSManagedObjectID]) -> [NSManagedObjectID]? {
        if ids.isEmpty { return [] }
        // A context of its own sees what is stored, and nothing of what others have pending.
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = persistentStoreCoordinator
        return context.performAndWait {
            var living: [NSManagedObjectID] = []
            for (entity, ids) in Dictionary(grouping: ids, by: { $0.entity.name ?? "" }) {
                let request = NSFetchRequest<NSManagedObjectID>(entityName: entity)
                request.resultType = .managedObjectIDResultType
                request.predicate = NSPredicate(format: "SELF IN %@", argumentArray: [ids])
                request.affectedStores = [self]
                guard let found = try? context.fetch(request) else { return nil }
                living += found
            }
            return living
        }
    }
}
