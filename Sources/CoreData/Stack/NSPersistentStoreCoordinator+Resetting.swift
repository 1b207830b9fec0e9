import Foundation

// What CoreDataReset needs beyond Apple's interface.

@_spi(CoreDataReset)
extension NSPersistentStoreCoordinator {
    /// The living contexts of the coordinator.
    public final var contextsInUse: [NSManagedObjectContext] { registeredContexts }

    /// Deletes all records of these very entities (not of those below them) from a store, in one transaction. Delete rules are
    /// carried out; contexts are not told.
    ///
    /// - Parameters:
    ///   - kept: entities whose records stay: a cascade that would take one stops the deletion.
    ///   - author: the author of the transaction in the store's history.
    /// - Returns: how many records each entity of the store had before and has afterwards, by name.
    /// - Throws: `NSError` in `NSCocoaErrorDomain`, and nothing is deleted: 134050 where a required relationship would lose its
    ///   object or a record of a kept entity would go, naming entity and relationship; 134070 for a store that was removed;
    ///   513 for a read-only store; errors of the store.
    public final func deleteRecords(
        of entities: [NSEntityDescription], keeping kept: [NSEntityDescription], in store: NSPersistentStore,
        author: String?
    ) throws -> (before: [String: Int], after: [String: Int]) {
        guard store.persistentStoreCoordinator === self, let engine = store.engine else {
            throw StackError.notAttached(url: store.url)
        }
        var plan = BatchDeletePlan(selection: .entities(entities), wantsKeys: false, author: author)
        plan.kept = kept
        plan.countsRows = true
        let outcome = try engine.batchDelete(plan)
        return (named(outcome.rowsBefore), named(outcome.rowsAfter))
    }

    private func named(_ counts: [Int32: Int]) -> [String: Int] {
        var result: [String: Int] = [:]
        for entity in managedObjectModel.entities {
            guard let name = entity.name, let count = counts[Int32(entity.ordinal)] else { continue }
            result[name] = count
        }
        return result
    }
}

@_spi(CoreDataReset)
extension NSPersistentContainer {
    /// Puts a new store without records, of the same configuration and options, in the place of a store.
    ///
    /// The file always holds a store, and the coordinator always has one: it exchanges them in one step, and posts one
    /// `NSPersistentStoreCoordinatorStoresDidChange` that names both; before anything is done, as for a removal,
    /// `NSPersistentStoreCoordinatorWillRemoveStore`. Other coordinators lose the store, as when it is destroyed.
    /// Objects of the old store find nothing afterwards.
    ///
    /// - Throws: `NSError` in `NSCocoaErrorDomain`, and the store is as before: 513 for a read-only store; 134070 for one that was
    ///   removed; with SQLite's code 5 under `NSSQLiteErrorDomain` where the file stays locked.
    public final func renew(_ store: NSPersistentStore) throws -> NSPersistentStore {
        let new = try persistentStoreCoordinator.renew(store)
        didExchange(store, for: new)
        return new
    }
}

extension NSPersistentStoreCoordinator {
    final func renew(_ store: NSPersistentStore) throws -> NSPersistentStore {
        guard store.persistentStoreCoordinator === self, let location = store.location else {
            throw StackError.notAttached(url: store.url)
        }
        guard !store.isReadOnly else {
            throw StackError.make(
                CocoaError.Code.fileWriteNoPermission.rawValue, "The store is read-only and cannot be reset.",
                url: store.url)
        }
        // The URL that stands for a store in memory names that one.
        let url = store.url?.scheme == "memory" ? nil : store.url
        let name = store.configurationName
        let configuration = name == NSManagedObjectModel.defaultConfigurationName ? nil : name
        announceRemoval(of: store)
        var lost: [(NSPersistentStoreCoordinator, NSPersistentStore)] = []
        defer { for (coordinator, store) in lost { coordinator.detachReplaced(store) } }
        let new = try StoreGate.alone(location) {
            let holders = location == .memory ? [] : CoordinatorRegistry.holders(of: location)
            try SQLiteStore.reset(
                location, type: store.type, url: url ?? self.url(for: store), model: managedObjectModel,
                configuration: configuration, options: store.options)
            // If the new store cannot be opened, this coordinator has lost the old one all the same.
            lost = holders
            let new = try open(
                location, type: store.type, configuration: configuration, url: url, options: store.options)
            lost.removeAll { $0.1 === store }
            guard exchange(store, for: new) else {
                try new.engine?.close()
                throw StackError.addedTwice(url: url)
            }
            return new
        }
        closeRemoved(store)
        new.didAdd(to: self)
        NotificationCenter.default.post(
            name: .NSPersistentStoreCoordinatorStoresDidChange, object: self,
            userInfo: [NSRemovedPersistentStoresKey: [store], NSAddedPersistentStoresKey: [new]])
        return new
    }
}
