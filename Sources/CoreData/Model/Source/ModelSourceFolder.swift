import Foundation

/// The folders in which Xcode keeps a model: one `.xcdatamodel` a version, and an `.xcdatamodeld` around them.
enum ModelSourceFolder {
    /// The versions in an `.xcdatamodeld`, by name.
    static func versions(of folder: URL) throws(NSError) -> [URL] {
        let names: [String]
        do {
            names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        } catch {
            throw error as NSError
        }
        return names.filter { $0.hasSuffix(".xcdatamodel") }.sorted().map {
            folder.appendingPathComponent($0, isDirectory: true)
        }
    }

    /// The version that `.xccurrentversion` names. Where that file is missing: the only version, else the one named like the
    /// folder.
    static func currentVersion(of folder: URL) throws(NSError) -> URL {
        let versions = try versions(of: folder)
        let marker = folder.appendingPathComponent(".xccurrentversion")
        if let data = FileManager.default.contents(atPath: marker.path) {
            let plist = try? PropertyListSerialization.propertyList(from: data, format: nil) as? [String: Any]
            // A marker without a name occurs where there is one version only.
            if let name = plist?["_XCCurrentVersionName"] as? String {
                guard let version = versions.first(where: { $0.lastPathComponent == name }) else {
                    throw corruptModel("The current version '\(name)' of \(folder.path) does not exist.")
                }
                return version
            }
        }
        if versions.count == 1 { return versions[0] }
        let name = folder.deletingPathExtension().lastPathComponent + ".xcdatamodel"
        guard let version = versions.first(where: { $0.lastPathComponent == name }) else {
            throw corruptModel(
                "\(folder.path) does not say which of its \(versions.count) versions is the current one.")
        }
        return version
    }

    /// The XML of a version.
    static func contents(of version: URL) throws(NSError) -> Data {
        let file = version.appendingPathComponent("contents")
        guard FileManager.default.fileExists(atPath: file.path) else {
            if FileManager.default.fileExists(atPath: version.appendingPathComponent("elements").path) {
                throw corruptModel("\(version.path) has the form of Xcode 3, which is not read.")
            }
            throw corruptModel("\(version.path) has no contents.")
        }
        do {
            return try Data(contentsOf: file)
        } catch {
            throw error as NSError
        }
    }
}
