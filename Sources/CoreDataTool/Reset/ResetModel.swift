import CoreData
import Foundation

/// Finds the model for a reset.
enum ResetModel {
    /// - Returns: nil where a full reset does without one.
    /// - Throws: `ToolError` if records cannot be deleted without a model, if the model is another one, or if it does not know
    ///   an entity that was named.
    static func find(for store: StoreSnapshot, _ options: ResetOptions) throws -> NSManagedObjectModel? {
        guard let model = try model(for: store, options) else {
            if options.operation == .store { return nil }
            throw ToolError(
                .noModel, options.path,
                "the store holds no model that can be read, and without one its records cannot be deleted safely.",
                advice: "Add --model PATH, or replace the whole store: coredata reset --store.")
        }
        let names = model.entities.compactMap(\.name)
        for name in options.entities + options.kept where model.entitiesByName[name] == nil {
            throw ToolError.unknownEntity(name, among: names, options.path)
        }
        return model
    }

    private static func model(for store: StoreSnapshot, _ options: ResetOptions) throws -> NSManagedObjectModel? {
        guard let path = options.modelPath else { return try cachedModel(of: store, options) }
        let model = try ModelFile.read(path)
        model.freeze()
        if store.fits(model) { return model }
        let ours = model.entityVersionHashesByName
        let theirs = store.hashes
        let different = Set(ours.keys).union(theirs.keys).filter { ours[$0] != theirs[$0] }.sorted()
        throw ToolError(
            .noModel, path,
            "it is not the model that the store was made with; these entities differ: "
                + different.prefix(10).joined(separator: ", ") + (different.count > 10 ? ", …" : "") + ".",
            advice: "Try another version of the model (an .xcdatamodel or .mom).")
    }

    /// A full reset does without a cached model that the store's metadata contradict.
    private static func cachedModel(
        of store: StoreSnapshot, _ options: ResetOptions
    ) throws -> NSManagedObjectModel? {
        guard let model = store.cachedModel, store.modelAgrees == false || store.names == nil else {
            return store.cachedModel
        }
        if options.operation == .store { return nil }
        let reason = store.modelAgrees == false ? "the version hashes of its metadata" : "its tables"
        throw ToolError(
            .noModel, options.path,
            "the model cached in the store (\(model.entities.count) entities) does not fit \(reason), so its records cannot "
                + "be deleted safely.",
            advice: "Add --model PATH, or replace the whole store: coredata reset --store.")
    }
}
