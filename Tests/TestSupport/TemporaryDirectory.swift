import Foundation

/// A folder of its own for one test, removed with everything in it when the last reference goes.
///
/// A process that is killed, or stops because a test wants it to, removes nothing: a later one does it for it.
package final class TemporaryDirectory: Sendable {
    package let url: URL

    package init() throws {
        _ = Self.leftoversAreRemoved
        url = FileManager.default.temporaryDirectory
            .appendingPathComponent("\(Self.prefix)\(getpid())-\(UUID().uuidString)", isDirectory: true)
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

    // MARK: Leftovers

    private static let prefix = "OpenCoreData-"

    /// Folders of processes that are gone, an hour after their last change: the number of a process may mean something else in
    /// another container that shares the folder.
    private static let leftoversAreRemoved: Bool = {
        let manager = FileManager.default
        let parent = manager.temporaryDirectory
        for name in (try? manager.contentsOfDirectory(atPath: parent.path)) ?? [] where name.hasPrefix(prefix) {
            let path = parent.appendingPathComponent(name).path
            guard let process = pid_t(name.dropFirst(prefix.count).prefix { $0 != "-" }), process > 0,
                kill(process, 0) != 0, errno == ESRCH,
                let changed = try? manager.attributesOfItem(atPath: path)[.modificationDate] as? Date,
                changed.timeIntervalSinceNow < -3600
            else { continue }
            try? manager.removeItem(atPath: path)
        }
        return true
    }()
}
