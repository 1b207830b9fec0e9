import CoreData
import Foundation

/// A deletion as contexts learn of it.
///
/// A context is not told which records went, which may be millions, but asks what became of the objects it has. So it is
/// right whenever its turn comes, also where records were made or deleted in the meantime.
struct DeletedRecords: Sendable {
    /// Identifiers of the stores that were emptied.
    let stores: Set<String>
    let reach: DeletionReach
    /// Entities of which a store that failed still has all records.
    let retained: Set<String>

    /// Lets the objects of a context follow. To be called in the context's queue.
    func follow(in context: NSManagedObjectContext) {
        guard let coordinator = context.lineage.last?.persistentStoreCoordinator else { return }
        let touchedNames = Set(
            coordinator.managedObjectModel.entities.filter(reach.touchesRelationships).compactMap(\.name))
        var gone: [NSManagedObjectID] = []
        var touched: [NSManagedObjectID] = []
        for store in coordinator.persistentStores where stores.contains(store.identifier) {
            let ids = context.registeredObjects.map(\.objectID).filter {
                !$0.isTemporaryID && $0.persistentStore === store
            }
            let suspects = ids.filter { isNamed($0.entity, in: reach.losing) }
            let living = Set(store.living(suspects) ?? suspects.filter { !isNamed($0.entity, in: reach.deleted) })
            let lost = Set(suspects).subtracting(living)
            gone += lost
            touched += ids.filter { isNamed($0.entity, in: touchedNames) && !lost.contains($0) }
        }
        if !gone.isEmpty || !touched.isEmpty {
            NSManagedObjectContext.mergeChanges(
                fromRemoteContextSave: [NSDeletedObjectIDsKey: gone, NSUpdatedObjectIDsKey: touched], into: [context])
        }
        let deleted = reach.deleted.subtracting(retained)
        let unsaved = context.insertedObjects.filter { isNamed($0.entity, in: deleted) }
        unsaved.forEach(context.delete)
        let lost = Set(gone).union(unsaved.map(\.objectID))
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
