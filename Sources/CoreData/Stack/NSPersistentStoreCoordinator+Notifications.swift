import Foundation

extension NSNotification.Name {
    /// Posted after stores were added or removed; the object is the coordinator, `userInfo` names the stores.
    public static let NSPersistentStoreCoordinatorStoresDidChange =
        NSNotification.Name("NSPersistentStoreCoordinatorStoresDidChangeNotification")
    /// Posted before a store is removed; the object is the store.
    public static let NSPersistentStoreCoordinatorWillRemoveStore =
        NSNotification.Name("NSPersistentStoreCoordinatorWillRemoveStoreNotification")
}

/// Key of the added stores (`[NSPersistentStore]`).
public let NSAddedPersistentStoresKey = "added"
/// Key of the removed stores (`[NSPersistentStore]`).
public let NSRemovedPersistentStoresKey = "removed"
/// Key of stores whose objects got other ids: the old store, the new one, and pairs of old and new ids.
public let NSUUIDChangedPersistentStoresKey = "changed"

extension NSPersistentStoreCoordinator {
    final func postStoresDidChange(_ key: String, _ stores: [NSPersistentStore]) {
        guard !stores.isEmpty else { return }
        NotificationCenter.default.post(
            name: .NSPersistentStoreCoordinatorStoresDidChange, object: self, userInfo: [key: stores])
    }
}
