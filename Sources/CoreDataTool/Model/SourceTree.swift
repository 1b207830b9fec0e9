import CoreData
import Foundation

/// The Swift files and models below a folder. Names that begin with a dot are passed over, links are not followed.
struct SourceTree {
    /// In order of path.
    private(set) var sources: [String] = []
    private(set) var models: [String] = []

    /// - Throws: `ToolError` if there is no such folder or file, or a folder cannot be read.
    init(_ path: String) throws {
        var information = stat()
        guard stat(path, &information) == 0 else {
            throw ToolError(.notFound, path, "there is no such folder.")
        }
        if information.st_mode & S_IFMT == S_IFREG {
            sources = [path]
            return
        }
        var folders = [path]
        while let folder = folders.popLast() {
            let names: [String]
            do {
                names = try FileManager.default.contentsOfDirectory(atPath: folder)
            } catch {
                throw ToolError.explaining(error, folder)
            }
            for name in names where !name.hasPrefix(".") {
                let entry = folder.hasSuffix("/") ? folder + name : folder + "/" + name
                guard lstat(entry, &information) == 0 else { continue }
                if ModelFile.isModel(entry) {
                    models.append(entry)
                } else if information.st_mode & S_IFMT == S_IFDIR {
                    folders.append(entry)
                } else if information.st_mode & S_IFMT == S_IFREG, name.hasSuffix(".swift") {
                    sources.append(entry)
                }
            }
        }
        sources.sort()
        models.sort()
    }
}
