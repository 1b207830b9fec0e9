import CoreData
import Foundation
import TestSupport
import Testing

@Suite("Metadata of a coordinator's stores")
struct CoordinatorMetadataTests {
    private let folder: TemporaryDirectory
    private var url: URL { folder.url("Notes.sqlite") }

    init() throws { folder = try TemporaryDirectory() }

    private func onDisk() throws -> [String: Any] {
        try NSPersistentStoreCoordinator.metadataForPersistentStore(type: .sqlite, at: url)
    }

    @Test("a new store names its type, its identifier and the model's hashes")
    func newStore() throws {
        let coordinator = StackFixture.coordinator()
        let store = try coordinator.addPersistentStore(type: .sqlite, at: url)
        for metadata in [coordinator.metadata(for: store), try onDisk()] {
            #expect(metadata["NSStoreType"] as? String == "SQLite")
            #expect(metadata["NSStoreUUID"] as? String == store.identifier)
            #expect(
                metadata["NSStoreModelVersionHashes"] as? [String: Data]
                    == coordinator.managedObjectModel.entityVersionHashesByName)
            #expect(metadata["NSStoreModelVersionHashesVersion"] as? Int == 3)
            #expect(metadata["_NSAutoVacuumLevel"] as? String == "2")
        }
    }

    @Test("metadata that were set are read back at once and written with the next save, even one without changes")
    func deferred() throws {
        let coordinator = StackFixture.coordinator()
        let store = try coordinator.addPersistentStore(type: .sqlite, at: url)
        var metadata = coordinator.metadata(for: store)
        metadata["author"] = "Ada"
        metadata[NSStoreUUIDKey] = "stolen"
        coordinator.setMetadata(metadata, for: store)
        #expect(store.metadata["author"] as? String == "Ada")
        #expect(store.metadata[NSStoreUUIDKey] as? String == store.identifier)
        #expect(try onDisk()["author"] == nil)
        let context = StackFixture.context(coordinator)
        try context.performAndWait { try context.save() }
        #expect(try onDisk()["author"] as? String == "Ada")
        #expect(try onDisk()[NSStoreUUIDKey] as? String == store.identifier)
        // The store's own property follows the same rule.
        store.metadata["author"] = "Grace"
        try StackFixture.insert(["x"], coordinator)
        #expect(try onDisk()["author"] as? String == "Grace")
    }

    @Test("metadata set without attaching the store are in the file at once")
    func direct() throws {
        do {
            let coordinator = StackFixture.coordinator()
            let store = try coordinator.addPersistentStore(type: .sqlite, at: url)
            try coordinator.remove(store)
        }
        var metadata = try onDisk()
        let identifier = metadata[NSStoreUUIDKey] as? String
        metadata["flag"] = true
        try NSPersistentStoreCoordinator.setMetadata(metadata, type: .sqlite, at: url)
        #expect(try onDisk()["flag"] as? Bool == true)
        let coordinator = StackFixture.coordinator()
        let store = try coordinator.addPersistentStore(type: .sqlite, at: url)
        #expect(store.metadata["flag"] as? Bool == true)
        #expect(store.identifier == identifier)
    }

    @Test("looking for a store that is not there throws 260 and makes no file")
    func missing() throws {
        #expect(throwsCode(260) { _ = try onDisk() })
        #expect(
            throwsCode(134000) {
                _ = try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: "Paper", at: url)
            })
        #expect(try folder.contents.isEmpty)
    }

    @Test("looking at a store changes no byte and no directory entry")
    func looking() throws {
        do {
            let coordinator = StackFixture.coordinator()
            let store = try coordinator.addPersistentStore(type: .sqlite, at: url)
            try StackFixture.insert(["x"], coordinator)
            try coordinator.remove(store)
        }
        let names = try folder.contents
        let bytes = try Data(contentsOf: url)
        _ = try onDisk()
        #expect(try folder.contents == names)
        #expect(try Data(contentsOf: url) == bytes)
    }
}
