import CoreData
import Foundation

/// Reads a model from where people keep it.
enum ModelFile {
    private static let extensions: Set<String> = ["xcdatamodeld", "xcdatamodel", "momd", "mom", "omo"]

    static func isModel(_ path: String) -> Bool { extensions.contains(kind(path)) }

    /// - Throws: `ToolError`
    static func read(_ path: String) throws -> NSManagedObjectModel {
        guard isModel(path) else {
            throw ToolError(
                .noModel, path, "the name does not end as a model's does.",
                advice: "A model is an .xcdatamodeld, .xcdatamodel, .momd or .mom.")
        }
        guard access(path, F_OK) == 0 else { throw ToolError(.notFound, path, "there is no such model.") }
        do {
            switch kind(path) {
            case "mom": return try compiled(path)
            case "momd": return try compiled(currentVersion(of: path))
            case "omo":
                throw ToolError(
                    .noModel, path, "this optimised form of a compiled model cannot be read.",
                    advice: "Name the .mom beside it, or the model's .xcdatamodeld.")
            default:
                return try NSManagedObjectModel.loadModel(at: URL(fileURLWithPath: path, isDirectory: true))
            }
        } catch let error as ToolError {
            throw error
        } catch {
            let reason = (error as NSError).localizedFailureReason ?? (error as NSError).localizedDescription
            throw ToolError(.noModel, path, "the model cannot be read: \(reason)")
        }
    }

    private static func kind(_ path: String) -> String {
        URL(fileURLWithPath: path).pathExtension.lowercased()
    }

    private static func compiled(_ path: String) throws -> NSManagedObjectModel {
        let file = try StoreFilePath.regularFile(path)
        guard StoreFilePath.size(file) <= Int64(ModelFileLimit.bytes) else {
            throw ToolError(.noModel, path, "the file is larger than any model.")
        }
        return try NSManagedObjectModel.model(fromArchive: Data(contentsOf: URL(fileURLWithPath: file)))
    }

    /// The version that `VersionInfo.plist` names, or the only one.
    private static func currentVersion(of folder: String) throws -> String {
        let versions = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".mom") }
        let information = folder + "/VersionInfo.plist"
        if StoreFilePath.size(information) > 0, StoreFilePath.size(information) <= Int64(ModelFileLimit.bytes),
            let data = FileManager.default.contents(atPath: information),
            let list = try? StoreMetadata.decode(data, url: nil),
            let name = list["NSManagedObjectModel_CurrentVersionName"] as? String, !name.contains("/"),
            versions.contains(name + ".mom")
        {
            return folder + "/\(name).mom"
        }
        guard versions.count == 1 else {
            throw ToolError(
                .noModel, folder, "it does not say which of its \(versions.count) versions is the current one.",
                advice: "Name one of them: " + versions.sorted().joined(separator: ", "))
        }
        return folder + "/" + versions[0]
    }
}
