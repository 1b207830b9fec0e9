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
        if let data = try? ModelFileContents.read(marker) {
            let plist = try? BoundedPropertyList.dictionary(data)
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

    /// The model of a version.
    static func model(of version: URL) throws(NSError) -> NSManagedObjectModel {
        try ModelXMLReader.model(of: element(of: version))
    }

    /// The XML of a version as Xcode 4 and later write it, or what says the same in the archive of Xcode 3.
    static func element(of version: URL) throws(NSError) -> ModelXMLElement {
        let contents = version.appendingPathComponent("contents")
        if FileManager.default.fileExists(atPath: contents.path) {
            return try ModelXMLElement.parse(ModelFileContents.read(contents))
        }
        let elements = version.appendingPathComponent("elements")
        if FileManager.default.fileExists(atPath: elements.path) {
            return try ModelElementsReader.element(from: ModelFileContents.read(elements))
        }
        throw corruptModel("\(version.path) has no contents.")
    }
}
