import Foundation

extension NSManagedObjectModel {
    /// Reads a model as Xcode keeps it: an `.xcdatamodeld` folder, of which the current version is taken, or one version, an
    /// `.xcdatamodel`.
    ///
    /// - Parameter url: the folder.
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
        switch url.pathExtension {
        case "xcdatamodeld":
            return try loadModel(at: ModelSourceFolder.currentVersion(of: url))
        case "xcdatamodel":
            return try ModelXMLReader.model(from: ModelSourceFolder.contents(of: url))
        case "momd", "mom", "omo":
            throw corruptModel("Compiled models are not read yet; put the model's .xcdatamodeld in its place.")
        default:
            throw corruptModel("The name does not end as a model's does (.xcdatamodeld or .xcdatamodel).")
        }
    }

    /// The versions of the model in an `.xcdatamodeld`, by name.
    ///
    /// - Throws: an error of reading the folder.
    package static func versionURLs(of folder: URL) throws(NSError) -> [URL] {
        try ModelSourceFolder.versions(of: folder)
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
