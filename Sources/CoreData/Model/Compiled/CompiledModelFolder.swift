import Foundation

/// The folder that the model compiler makes, a `.momd`: one `.mom` a version and `VersionInfo.plist`, which names the current
/// version and has the version hashes of all.
enum CompiledModelFolder {
    private static let currentVersionKey = "NSManagedObjectModel_CurrentVersionName"

    /// The versions, by name.
    static func versions(of folder: URL) throws(NSError) -> [URL] {
        let names: [String]
        do {
            names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        } catch {
            throw error as NSError
        }
        return names.filter { $0.hasSuffix(".mom") }.sorted().map {
            folder.appendingPathComponent($0, isDirectory: false)
        }
    }

    /// The version that `VersionInfo.plist` names. Where it names none, as for a model without versions: the only version, else
    /// the one named like the folder.
    static func currentVersion(of folder: URL) throws(NSError) -> URL {
        let versions = try versions(of: folder)
        if let name = currentVersionName(of: folder) {
            guard let version = versions.first(where: { $0.lastPathComponent == name + ".mom" }) else {
                throw corruptModel("The current version '\(name)' of \(folder.path) does not exist.")
            }
            return version
        }
        if versions.count == 1 { return versions[0] }
        let name = folder.deletingPathExtension().lastPathComponent + ".mom"
        guard let version = versions.first(where: { $0.lastPathComponent == name }) else {
            let names = versions.prefix(10).map(\.lastPathComponent).joined(separator: ", ")
            throw corruptModel(
                "\(folder.path) does not say which of its \(versions.count) versions is the current one"
                    + (names.isEmpty ? "." : ": \(names)."))
        }
        return version
    }

    private static func currentVersionName(of folder: URL) -> String? {
        let file = folder.appendingPathComponent("VersionInfo.plist")
        guard let data = try? ModelFileContents.read(file), let list = try? BoundedPropertyList.dictionary(data) else {
            return nil
        }
        return list[currentVersionKey] as? String
    }
}
