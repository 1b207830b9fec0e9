import Foundation

extension NSManagedObjectModel {
    /// Reads a model from a file or folder.
    ///
    ///     let url = Bundle.module.url(forResource: "Library", withExtension: "momd")!
    ///     let model = NSManagedObjectModel(contentsOf: url)
    ///
    /// Read are compiled models, a `.mom` or the current version of a `.momd`, and the form in which Xcode keeps a model, an
    /// `.xcdatamodel` or the current version of an `.xcdatamodeld`. For an `.omo`, the optimised form of a compiled model, the
    /// `.mom` beside it is read.
    ///
    /// - Parameter url: the file or folder.
    /// - Returns: nil if there is no model at the URL, or it cannot be used; the reason is logged.
    public convenience init?(contentsOf url: URL) {
        self.init()
        do {
            adopt(try Self.loadModel(at: url))
        } catch {
            CoreDataLog.error(
                "no model at \(url.path): \(error.localizedFailureReason ?? error.localizedDescription)")
            return nil
        }
    }

    /// Reads a model as ``init(contentsOf:)`` does.
    ///
    /// - Throws: NSCocoaErrorDomain 259 or an error of reading the file if there is no model; 134020 if it cannot be used.
    package static func loadModel(at url: URL) throws(NSError) -> NSManagedObjectModel {
        guard let form = ModelFileForm(url) else {
            throw corruptModel("The name does not end as a model's does (.momd, .mom, .xcdatamodeld or .xcdatamodel).")
        }
        switch form {
        case .versionedSource: return try loadModel(at: ModelSourceFolder.currentVersion(of: url))
        case .source: return try ModelSourceFolder.model(of: url)
        case .versionedCompiled: return try loadModel(at: CompiledModelFolder.currentVersion(of: url))
        case .compiled: return try model(fromArchive: ModelFileContents.read(url))
        case .optimized:
            let readable = url.deletingPathExtension().appendingPathExtension("mom")
            guard FileManager.default.fileExists(atPath: readable.path) else {
                throw corruptModel(
                    "This optimised form of a compiled model cannot be read, and there is no \(readable.lastPathComponent) "
                        + "beside it.")
            }
            return try loadModel(at: readable)
        }
    }

    /// The versions of the model in a `.momd` or `.xcdatamodeld`, by name; a model without versions is its own only one.
    ///
    /// - Throws: an error of reading the folder.
    package static func versionURLs(of url: URL) throws(NSError) -> [URL] {
        switch ModelFileForm(url) {
        case .versionedSource: try ModelSourceFolder.versions(of: url)
        case .versionedCompiled: try CompiledModelFolder.versions(of: url)
        default: [url]
        }
    }

    /// Takes over all that another model holds, which is not used afterwards.
    final func adopt(_ other: NSManagedObjectModel) {
        let adopted = other.storedEntities
        other.storedEntities = []
        entities = adopted
        configurationMembers = other.configurationMembers
        storedTemplates = other.storedTemplates
        localizationDictionary = other.localizationDictionary
        versionIdentifiers = other.versionIdentifiers
        preservedFields = other.preservedFields
        preservedTemplates = other.preservedTemplates
        hasConvertedIndexMarks = other.hasConvertedIndexMarks
    }
}
