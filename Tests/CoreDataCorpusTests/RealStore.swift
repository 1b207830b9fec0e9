import CoreData
import Foundation

@testable import CoreData

/// Gives the bytes of transformable attributes as they are: the classes of their values are not at hand.
final class RawBytesTransformer: ValueTransformer {
    static let name = "RawBytes of the corpus"

    override class func transformedValueClass() -> AnyClass { NSData.self }

    override class func allowsReverseTransformation() -> Bool { true }
}

/// A copy of a store of the corpus, opened by the public interface with its own model.
struct RealStore {
    let path: String
    let url: URL
    let model: NSManagedObjectModel
    let coordinator: NSPersistentStoreCoordinator
    let hasHistory: Bool

    init(_ path: String, at copy: URL) throws {
        self.path = path
        url = copy
        model = try StoreSchemaCorpusTests.model(of: path, at: copy)
        ValueTransformer.setValueTransformer(
            RawBytesTransformer(), forName: NSValueTransformerName(RawBytesTransformer.name))
        for entity in model.entities {
            for (_, attribute) in entity.ownStoredAttributes
            where attribute.attributeType == .transformableAttributeType {
                attribute.valueTransformerName = RawBytesTransformer.name
            }
        }
        hasHistory =
            try RawDatabase(copy).column("SELECT count(*) FROM sqlite_master WHERE name = 'ATRANSACTION'") == [
                .integer(1)
            ]
        coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(
            type: .sqlite, at: copy, options: [NSPersistentHistoryTrackingKey: hasHistory])
    }

    func newContext() -> NSManagedObjectContext {
        let context = NSManagedObjectContext(.privateQueue)
        context.persistentStoreCoordinator = coordinator
        return context
    }

    func close() throws {
        for store in coordinator.persistentStores { try coordinator.remove(store) }
    }
}

/// The key of a record that an object stands for.
extension NSManagedObject {
    var recordKey: RecordKey {
        RecordKey(
            entity: objectID.entity.title,
            key: Int64(objectID.uriRepresentation().lastPathComponent.dropFirst()) ?? -1)
    }
}

struct RecordKey: Hashable, CustomStringConvertible {
    let entity: String
    let key: Int64

    var description: String { "\(entity)/p\(key)" }
}
