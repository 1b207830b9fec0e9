import CoreData
import Foundation

/// What a deletion is to do, worked out before anything is done.
struct RecordDeletionPlan {
    struct StoreStep {
        let store: NSPersistentStore
        let deleted: [NSEntityDescription]
        let kept: [NSEntityDescription]
    }

    /// One a store that holds any of the entities.
    let stores: [StoreStep]
    let reach: DeletionReach

    /// - Throws: NSCocoaErrorDomain 134060 for a name the model has no entity of; 134070 where there is no store; 513 where one of
    ///   the stores is read-only.
    init(_ selection: EntitySelection, _ coordinator: NSPersistentStoreCoordinator) throws {
        let model = coordinator.managedObjectModel
        let (deleted, kept) = try selection.resolved(in: model)
        stores = try coordinator.loadedStores.compactMap { store in
            let held = Set(store.entities.compactMap(\.name))
            func those(_ entities: [NSEntityDescription]) -> [NSEntityDescription] {
                entities.filter { entity in entity.name.map(held.contains) ?? false }
            }
            let mine = those(deleted)
            return mine.isEmpty ? nil : StoreStep(store: store, deleted: mine, kept: those(kept))
        }
        reach = DeletionReach(of: deleted)
        for step in stores { try step.store.requireWritable() }
    }
}

/// Of which entities a deletion may touch records.
struct DeletionReach: Sendable {
    /// Names of the entities all records of which go.
    let deleted: Set<String>
    /// Names of these and of the entities that cascades lead to: of them there may be records that go.
    let losing: Set<String>

    init(of entities: [NSEntityDescription]) {
        var losing: Set<String> = []
        var next = entities
        while let entity = next.popLast() {
            guard let name = entity.name, losing.insert(name).inserted else { continue }
            for relationship in entity.relationshipsByName.values where relationship.deleteRule == .cascadeDeleteRule {
                if let destination = relationship.destinationEntity { next += destination.family }
            }
        }
        self.losing = losing
        deleted = Set(entities.compactMap(\.name))
    }

    /// Whether records of the entity that stay may have lost a partner.
    func touchesRelationships(of entity: NSEntityDescription) -> Bool {
        entity.relationshipsByName.values.contains { relationship in
            guard let destination = relationship.destinationEntity else { return false }
            return destination.family.contains { member in member.name.map(losing.contains) ?? false }
        }
    }
}

extension NSEntityDescription {
    /// The entity and all below it.
    fileprivate var family: [NSEntityDescription] { [self] + subentities.flatMap(\.family) }
}

extension NSPersistentStoreCoordinator {
    /// The stores.
    ///
    /// - Throws: NSCocoaErrorDomain 134070 where there is none.
    var loadedStores: [NSPersistentStore] {
        get throws {
            let stores = persistentStores
            if !stores.isEmpty { return stores }
            throw NSError(
                domain: NSCocoaErrorDomain, code: NSPersistentStoreOperationError,
                userInfo: [NSLocalizedFailureReasonErrorKey: "The container has no stores; load them first."])
        }
    }

    /// The stores, none of which is read-only.
    ///
    /// - Throws: NSCocoaErrorDomain 134070 where there is none, 513 for a read-only store.
    var writableStores: [NSPersistentStore] {
        get throws {
            let stores = try loadedStores
            for store in stores { try store.requireWritable() }
            return stores
        }
    }
}

extension NSPersistentStore {
    /// The entities the store may hold records of.
    var entities: [NSEntityDescription] {
        guard let model = persistentStoreCoordinator?.managedObjectModel else { return [] }
        return model.entities(forConfigurationName: configurationName) ?? model.entities
    }

    /// - Throws: NSCocoaErrorDomain 513 for a read-only store.
    func requireWritable() throws {
        guard isReadOnly else { return }
        var userInfo: [String: Any] = [NSLocalizedFailureReasonErrorKey: "The store is read-only; nothing was done."]
        if let url {
            userInfo[NSURLErrorKey] = url
            if url.isFileURL { userInfo[NSFilePathErrorKey] = url.path }
        }
        throw NSError(
            domain: NSCocoaErrorDomain, code: CocoaError.Code.fileWriteNoPermission.rawValue, userInfo: userInfo)
    }
}
