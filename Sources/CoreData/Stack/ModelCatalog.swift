import Foundation

/// Finds models by name in the bundles of the program, and keeps them, so that one file gives one model instance.
final class ModelCatalog: @unchecked Sendable {
    static let shared = ModelCatalog(folders: ModelCatalog.programFolders())

    struct NotFound: Error {
        let reason: String
    }

    /// Where to look, the main bundle first.
    private let folders: [URL]
    private let lock = NSLock()
    private var models: [String: NSManagedObjectModel] = [:]

    init(folders: [URL]) {
        self.folders = folders
    }

    /// The model of that name in the first folder that has one: `NAME.momd`, else `NAME.mom`, else its source,
    /// `NAME.xcdatamodeld` or `NAME.xcdatamodel`.
    ///
    /// - Parameter module: a module whose resource bundle comes first.
    func model(named name: String, module: String?) throws(NotFound) -> NSManagedObjectModel {
        let folders = ordered(module)
        for folder in folders {
            for form in ModelFileForm.looked {
                let url = folder.appendingPathComponent(name + "." + form.rawValue, isDirectory: form.isFolder)
                if FileManager.default.fileExists(atPath: url.path) { return try model(at: url) }
            }
        }
        throw NotFound(
            reason: "there is no \(name).momd, \(name).mom, \(name).xcdatamodeld or \(name).xcdatamodel. Looked in: "
                + folders.map(\.path).joined(separator: ", ")
                + ". Add it to the target's resources (in Package.swift: .copy(\"\(name).xcdatamodeld\")), or use "
                + "NSPersistentContainer(name:managedObjectModel:).")
    }

    /// The model in a file or folder; the same instance each time.
    func model(at url: URL) throws(NotFound) -> NSManagedObjectModel {
        let path = url.standardizedFileURL.resolvingSymlinksInPath().path
        lock.lock()
        defer { lock.unlock() }
        if let model = models[path] { return model }
        do throws(NSError) {
            let model = try NSManagedObjectModel.loadModel(at: url)
            try model.validate()
            models[path] = model
            return model
        } catch {
            throw NotFound(
                reason: "the model \(url.path) cannot be used: "
                    + (error.localizedFailureReason ?? error.localizedDescription))
        }
    }

    private func ordered(_ module: String?) -> [URL] {
        guard let module else { return folders }
        let isOfModule = { (url: URL) in
            url.deletingPathExtension().lastPathComponent.hasSuffix("_" + module)
        }
        return folders.filter(isOfModule) + folders.filter { !isOfModule($0) }
    }

    /// The main bundle, and every resource bundle beside the executable, by name.
    static func programFolders() -> [URL] {
        var folders: [URL] = []
        if let resources = Bundle.main.resourceURL { folders.append(resources) }
        folders.append(Bundle.main.bundleURL)
        var beside = [Bundle.main.bundleURL]
        if let executable = Bundle.main.executableURL { beside.append(executable.deletingLastPathComponent()) }
        for folder in beside {
            let entries =
                (try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)) ?? []
            let bundles = entries.filter { ["resources", "bundle", "xctest"].contains($0.pathExtension) }
                .sorted { $0.path < $1.path }
            for bundle in bundles {
                folders.append(bundle)
                for inner in ["Contents/Resources", "Resources"] {
                    let url = bundle.appendingPathComponent(inner, isDirectory: true)
                    if FileManager.default.fileExists(atPath: url.path) { folders.append(url) }
                }
            }
        }
        var seen: Set<String> = []
        return folders.filter { seen.insert($0.standardizedFileURL.path).inserted }
    }
}
