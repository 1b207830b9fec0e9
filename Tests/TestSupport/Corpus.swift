import Foundation

/// The folder of real store and model files that tests compare against (see CONTRIBUTING.md). It is not part of the project.
package enum Corpus {
    /// `COREDATA_CORPUS`, or `../shared/corpus` beside the package.
    package static let root: URL = {
        if let path = ProcessInfo.processInfo.environment["COREDATA_CORPUS"], !path.isEmpty {
            return URL(fileURLWithPath: path, isDirectory: true)
        }
        return packageRoot.deletingLastPathComponent().appendingPathComponent("shared/corpus", isDirectory: true)
    }()

    /// The package's own folder, from this file's place in it.
    package static let packageRoot = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    package static var isPresent: Bool {
        FileManager.default.fileExists(atPath: root.appendingPathComponent("PAIRS.tsv").path)
    }

    /// True in continuous integration, where a missing corpus or tool is a failure rather than a reason to skip.
    package static var isRequired: Bool { ProcessInfo.processInfo.environment["CI"] == "true" }
}
