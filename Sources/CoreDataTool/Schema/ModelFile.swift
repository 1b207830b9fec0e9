import CoreData
import Foundation

/// Reads a model from where people keep it.
enum ModelFile {
    static func isModel(_ path: String) -> Bool { ModelFileForm(URL(fileURLWithPath: path)) != nil }

    /// - Throws: `ToolError`
    static func read(_ path: String) throws -> NSManagedObjectModel {
        guard isModel(path) else {
            throw ToolError(
                .noModel, path, "the name does not end as a model's does.",
                advice: "A model is an .xcdatamodeld, .xcdatamodel, .momd or .mom.")
        }
        guard access(path, F_OK) == 0 else { throw ToolError(.notFound, path, "there is no such model.") }
        do {
            return try NSManagedObjectModel.loadModel(at: URL(fileURLWithPath: path))
        } catch {
            let reason = error.localizedFailureReason ?? error.localizedDescription
            throw ToolError(.noModel, path, "the model cannot be read: \(reason)")
        }
    }
}
