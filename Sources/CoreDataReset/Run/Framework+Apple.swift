#if !OPEN_CORE_DATA
    import CoreData
    import Foundation

    // What Apple's framework can do for a reset by its public interface. `Framework+OpenCoreData.swift` has the same members.

    extension NSPersistentContainer {
        /// The framework does not tell which contexts it made.
        var livingContexts: [NSManagedObjectContext] { [] }

        /// Deletes all records of these very entities: one batch request each, for there is none that takes several.
        func emptyEntities(
            _ entities: [NSEntityDescription], keeping kept: [NSEntityDescription], in store: NSPersistentStore,
            author: String?
        ) throws -> (before: [String: Int], after: [String: Int]) {
            let before = try store.recordCounts()
            let context = newBackgroundContext()
            try context.performAndWait {
                context.transactionAuthor = author
                try context.checkCascades(from: entities, to: kept, in: store)
                if store.type == NSSQLiteStoreType {
                    try context.deleteInBatches(entities, in: store)
                } else {
                    try context.deleteObjects(entities, in: store)
                }
            }
            return (before, try store.recordCounts())
        }

        /// Puts a new store in the place of a store. The coordinator is without it while the file is replaced.
        func renewed(_ store: NSPersistentStore) throws -> NSPersistentStore {
            let coordinator = persistentStoreCoordinator
            let name = store.configurationName
            let configuration = managedObjectModel.configurations.contains(name) ? name : nil
            func add(to coordinator: NSPersistentStoreCoordinator, at url: URL?) throws -> NSPersistentStore {
                try coordinator.addPersistentStore(
                    ofType: store.type, configurationName: configuration, at: url, options: store.options)
            }
            guard store.type == NSSQLiteStoreType, let url = store.url,
                FileManager.default.fileExists(atPath: url.path),
                url.path != "/dev/null"
            else {
                let url = store.url
                try coordinator.remove(store)
                return try add(to: coordinator, at: url)
            }
            let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            let template = folder.appendingPathComponent("template.sqlite")
            let maker = NSPersistentStoreCoordinator(managedObjectModel: managedObjectModel)
            try maker.remove(add(to: maker, at: template))
            try coordinator.remove(store)
            do {
                try coordinator.replacePersistentStore(
                    at: url, destinationOptions: store.options, withPersistentStoreFrom: template,
                    sourceOptions: store.options, ofType: store.type)
            } catch {
                _ = try add(to: coordinator, at: url)
                throw error
            }
            return try add(to: coordinator, at: url)
        }
    }

    extension NSManagedObjectContext {
        /// Runs the block in the context's queue, if it is sure that nobody else is inside: the framework cannot be asked.
        func runIfFree(until deadline: Date = .distantPast, _ block: () -> Void) -> Bool {
            guard canBeHeld else { return false }
            performAndWait(block)
            return true
        }

        /// Runs the block when its turn comes.
        func runLater(_ block: @escaping @Sendable () -> Void) { perform(block) }

        /// Whether being inside keeps others out.
        var canBeHeld: Bool { concurrencyType == .mainQueueConcurrencyType && Thread.isMainThread }

        // MARK: Deleting

        /// Requests that a required relationship stops are tried again after the others.
        fileprivate func deleteInBatches(_ entities: [NSEntityDescription], in store: NSPersistentStore) throws {
            var remaining = entities
            while !remaining.isEmpty {
                var stopped: [NSEntityDescription] = []
                var reason: (any Error)?
                for entity in remaining {
                    let request = NSBatchDeleteRequest(fetchRequest: .all(of: entity))
                    request.affectedStores = [store]
                    do {
                        _ = try execute(request)
                    } catch {
                        stopped.append(entity)
                        reason = error
                    }
                }
                if let reason, stopped.count == remaining.count { throw reason }
                remaining = stopped
            }
        }

        /// Stores that are not SQLite's raise an exception for batch requests.
        fileprivate func deleteObjects(_ entities: [NSEntityDescription], in store: NSPersistentStore) throws {
            for entity in entities {
                let request = NSFetchRequest<any NSFetchRequestResult>.all(of: entity)
                request.affectedStores = [store]
                for case let object as NSManagedObject in try fetch(request) { delete(object) }
            }
            try save()
        }

        /// - Throws: NSCocoaErrorDomain 134050 where a cascade would take a record that is to be kept.
        fileprivate func checkCascades(
            from deleted: [NSEntityDescription], to kept: [NSEntityDescription], in store: NSPersistentStore
        ) throws {
            for owner in deleted {
                for relationship in owner.relationshipsByName.values where relationship.deleteRule == .cascadeDeleteRule
                {
                    guard let destination = relationship.destinationEntity else { continue }
                    for entity in kept where entity.isKindOf(entity: destination) {
                        let request = NSFetchRequest<any NSFetchRequestResult>.all(of: entity)
                        request.affectedStores = [store]
                        if let inverse = relationship.inverseRelationship {
                            let format = inverse.isToMany ? "%K.@count > 0" : "%K != NULL"
                            request.predicate = NSPredicate(format: format, argumentArray: [inverse.name])
                        }
                        guard try count(for: request) > 0 else { continue }
                        throw NSError(
                            domain: NSCocoaErrorDomain, code: NSPersistentStoreSaveConflictsError,
                            userInfo: [
                                NSLocalizedFailureReasonErrorKey:
                                    "Nothing was deleted: \(entity.name ?? "") is to be kept, and the cascade rule of "
                                    + "\(owner.name ?? "")/\(relationship.name) would delete records of it."
                            ])
                    }
                }
            }
        }
    }

    extension NSFetchRequest where ResultType == any NSFetchRequestResult {
        /// All records of this very entity.
        fileprivate static func all(of entity: NSEntityDescription) -> NSFetchRequest<any NSFetchRequestResult> {
            let request = NSFetchRequest<any NSFetchRequestResult>(entityName: entity.name ?? "")
            request.includesSubentities = false
            return request
        }
    }
#endif
