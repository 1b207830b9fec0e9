import CoreData
import Foundation

/// Where a model comes from.
struct SchemaSource {
    let path: String
    let model: NSManagedObjectModel
    /// The store it is cached in.
    let store: StoreSnapshot?

    init(path: String, model: NSManagedObjectModel, store: StoreSnapshot?) {
        self.path = path
        self.model = model
        self.store = store
    }

    var problems: [String] { store?.problems ?? [] }

    /// - Throws: `ToolError`
    init(_ path: String, timeout: Double) throws {
        self.path = path
        if ModelFile.isModel(path) {
            model = try ModelFile.read(path)
            store = nil
            return
        }
        let store = try StoreSnapshot.read(path, timeout: timeout)
        switch store.model {
        case .cached(let model):
            self.model = model
            self.store = store
        case .none:
            throw ToolError(
                .noModel, path, "the store holds no model (those written before iOS 8 have none).",
                advice: "Name the model's file instead; 'coredata info' shows the entities that the store has.")
        case .unreadable(let reason):
            throw ToolError(
                .noModel, path, "the model cached in the store cannot be read: \(reason)",
                advice: "Name the model's file instead; 'coredata info' shows the entities that the store has.")
        }
    }
}
