import Foundation

/// A database file and the files beside it, for tests that copy or compare them.
package enum FileGroup {
    /// Copies a database with its `-wal` and `-journal` (not `-shm`, which SQLite rebuilds) and makes the copies writable.
    package static func copy(from source: URL, to destination: URL) throws {
        let manager = FileManager.default
        for suffix in ["", "-wal", "-journal"] {
            let from = source.path + suffix
            guard suffix.isEmpty || manager.fileExists(atPath: from) else { continue }
            let to = destination.path + suffix
            try manager.copyItem(atPath: from, toPath: to)
            try manager.setAttributes([.posixPermissions: 0o644], ofItemAtPath: to)
        }
    }

    /// The contents of every file of the group that exists, by suffix.
    package static func contents(of url: URL) -> [String: Data] {
        var result: [String: Data] = [:]
        for suffix in ["", "-wal", "-shm", "-journal"] {
            result[suffix] = FileManager.default.contents(atPath: url.path + suffix)
        }
        return result
    }
}

/// The files this process has open whose path begins with `prefix`, by descriptor. Empty where there is no `/proc`.
package func openDescriptors(under prefix: String) -> [Int32: String] {
    let folder = "/proc/self/fd"
    var result: [Int32: String] = [:]
    for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] {
        guard let descriptor = Int32(name),
            let target = try? FileManager.default.destinationOfSymbolicLink(atPath: folder + "/" + name),
            target.hasPrefix(prefix)
        else { continue }
        result[descriptor] = target
    }
    return result
}

/// How many descriptors this process has open. Other tests of the process open and close theirs meanwhile: prefer
/// `openDescriptors(under:)`.
package func openDescriptorCount() -> Int {
    // The listing itself is one.
    max(((try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []).count - 1, 0)
}
