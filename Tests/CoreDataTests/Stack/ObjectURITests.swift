import CoreData
import Foundation
import TestSupport
import Testing

@Suite("Object ids from URIs")
struct ObjectURITests {
    private let folder: TemporaryDirectory
    private var url: URL { folder.url("Notes.sqlite") }

    init() throws { folder = try TemporaryDirectory() }

    @Test("a saved object's URI names store, entity and key, and leads back to an equal id in another coordinator")
    func permanent() throws {
        let coordinator = StackFixture.coordinator()
        let store = try coordinator.addPersistentStore(type: .sqlite, at: url)
        let context = StackFixture.context(coordinator)
        let id = try context.performAndWait {
            let note = NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
            try context.save()
            return note.objectID
        }
        let identifier = try #require(store.identifier)
        #expect(id.uriRepresentation().absoluteString == "x-coredata://\(identifier)/Note/p1")
        #expect(coordinator.managedObjectID(forURIRepresentation: id.uriRepresentation()) == id)
        #expect(coordinator.managedObjectID(for: id.uriRepresentation().absoluteString) == id)
        let other = StackFixture.coordinator()
        try other.addPersistentStore(type: .sqlite, at: url)
        let same = try #require(other.managedObjectID(forURIRepresentation: id.uriRepresentation()))
        #expect(same == id)
        #expect(same.persistentStore === other.persistentStores[0])
        let reader = StackFixture.context(other)
        let found = try reader.performAndWait { try reader.existingObject(with: id).objectID }
        #expect(found == id)
    }

    @Test("an unsaved object's URI leads back to its id in the same process")
    func temporary() throws {
        let coordinator = StackFixture.coordinator()
        try coordinator.addPersistentStore(type: .sqlite, at: url)
        let context = StackFixture.context(coordinator)
        let id = context.performAndWait {
            NSEntityDescription.insertNewObject(forEntityName: "Note", into: context).objectID
        }
        #expect(id.isTemporaryID)
        let uri = id.uriRepresentation()
        #expect(uri.absoluteString.hasPrefix("x-coredata:///Note/t"))
        #expect(coordinator.managedObjectID(forURIRepresentation: uri) == id)
        let foreign = "x-coredata:///Note/t" + UUID().uuidString + "5"
        #expect(coordinator.managedObjectID(for: foreign) == nil)
    }

    @Test(
        "what is no object's URI gives nil",
        arguments: [
            "https://example.com/Note/p1", "x-coredata://X/Note/p1", "x-coredata:Note", "x-coredata:///Note/p1", "",
            "p1",
        ])
    func nonsense(_ text: String) throws {
        let coordinator = StackFixture.coordinator()
        try coordinator.addPersistentStore(type: .sqlite, at: url)
        #expect(coordinator.managedObjectID(for: text) == nil)
    }

    @Test(
        "an unknown entity or a malformed reference gives nil", arguments: ["Nope/p1", "Note/1", "Note/px", "Note", ""])
    func malformed(_ path: String) throws {
        let coordinator = StackFixture.coordinator()
        let store = try coordinator.addPersistentStore(type: .sqlite, at: url)
        #expect(coordinator.managedObjectID(for: "x-coredata://\(store.identifier ?? "")/\(path)") == nil)
    }
}
