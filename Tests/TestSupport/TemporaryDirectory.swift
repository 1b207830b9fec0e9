import Foundation

/// A folder of its own for one test, removed with everything in it when the last reference goes.
package final class TemporaryDirectory: Sendable {
    package let url: URL

    package init() throws {
        url = FileManager.default.temporaryDirectory
            .appendingPathComponent("OpenCoreData-" + UUID().uuidString, isDirectory: true)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }

    package var path: String { url.path }

    package func url(_ name: String) -> URL { url.appendingPathComponent(name, isDirectory: false) }

    package func path(_ name: String) -> String { url(name).path }

    /// The names in the folder, sorted.
    package var contents: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: url.path).sorted() }
    }
}
