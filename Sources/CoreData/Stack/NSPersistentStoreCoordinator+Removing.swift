import Foundation

extension NSPersistentStoreCoordinator {
    /// Detaches a store after what is running in it has ended. Its file stays; the data of a store in memory are gone.
    ///
    /// Objects and ids of the store find nothing afterwards. Adding the same store again makes a new store object.
    ///
    /// - Throws: `NSError` of `NSCocoaErrorDomain`: 134070 for a store that is not this coordinator's; 256 with SQLite's code
    ///   5 where something in the store does not end within its timeout. The store then stays attached.
    public func remove(_ store: NSPersistentStore) throws {
        guard persistentStores.contains(where: { $0 === store }) else { throw StackError.notAttached(url: store.url) }
        announceRemoval(of: store)
        try store.engine?.close()
        guard withdraw(store) else { return }
        postStoresDidChange(NSRemovedPersistentStoresKey, [store])
    }

    final func announceRemoval(of store: NSPersistentStore) {
        store.willRemove(from: self)
        NotificationCenter.default.post(name: .NSPersistentStoreCoordinatorWillRemoveStore, object: store)
    }

    /// The contents of a store's file are another store's now, or nobody's: detaches the store, whatever it is doing.
    final func detachReplaced(_ store: NSPersistentStore) {
        guard persistentStores.contains(where: { $0 === store }) else { return }
        announceRemoval(of: store)
        guard withdraw(store) else { return }
        closeRemoved(store)
        postStoresDidChange(NSRemovedPersistentStoresKey, [store])
    }

    final func closeRemoved(_ store: NSPersistentStore) {
        do {
            try store.engine?.close()
        } catch {
            CoreDataLog.warning(
                "The removed store \(store.url?.path ?? "") is still in use; its files close later. \(error)")
        }
    }

    /// A transaction found that another process or connection has reset or replaced the store.
    final func storeWasReplacedByOthers(_ store: NSPersistentStore) {
        guard persistentStores.contains(where: { $0 === store }) else { return }
        CoreDataLog.warning(
            "The store \(store.url?.path ?? "") was reset or replaced by somebody else; it is detached. Add it again.")
        detachReplaced(store)
    }
}
