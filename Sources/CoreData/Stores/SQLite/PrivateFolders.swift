import Foundation

/// The folders in which this process makes copies of stores.
final class PrivateFolders: @unchecked Sendable {
    private let lock = NSLock()
    private var paths: Set<String> = []
    private var isClosed = false

    /// Calls `body` with a new folder, which is removed afterwards.
    ///
    /// - Throws: `CocoaError` where the folder cannot be made, `CancellationError` once they are closed; what `body` throws.
    func with<T>(_ path: String, mode: mode_t, _ body: (String) throws -> T) throws -> T {
        try lock.withLock {
            if isClosed { throw CancellationError() }
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: Int(mode)])
            paths.insert(path)
        }
        defer { remove(path) }
        return try body(path)
    }

    /// Removes all of them while they are in use. Whoever calls it meanwhile waits until that is done.
    func close() {
        lock.withLock {
            isClosed = true
            for path in paths {
                // Under another name first: whoever is about to make a file in it by the old one finds that there is no such
                // folder.
                let gone = path + ".gone"
                try? FileManager.default.removeItem(atPath: rename(path, gone) == 0 ? gone : path)
            }
            paths = []
        }
    }

    private func remove(_ path: String) {
        lock.withLock {
            try? FileManager.default.removeItem(atPath: path)
            paths.remove(path)
        }
    }
}
