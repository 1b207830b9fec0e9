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

    /// Whether tests about it run: they are skipped where it is absent, but not in continuous integration.
    package static var isUsable: Bool { isPresent || isRequired }

    /// A file of the corpus by its path from the root.
    package static func url(_ path: String) -> URL { root.appendingPathComponent(path) }

    /// The paths, from the root, of the files of a folder.
    package static func paths(in folder: String, where isWanted: (String) -> Bool) -> [String] {
        let enumerator = FileManager.default.enumerator(atPath: url(folder).path)
        var result: [String] = []
        while let path = enumerator?.nextObject() as? String {
            if isWanted(path) { result.append(folder + "/" + path) }
        }
        return result.sorted()
    }

    // MARK: Stores

    /// The paths, from the root, of all SQLite stores.
    package static let stores: [String] = paths(in: "stores") { path in
        let file = FileHandle(forReadingAtPath: url("stores/" + path).path)
        let start = (try? file?.read(upToCount: 15)) ?? nil
        try? file?.close()
        return start == Data("SQLite format 3".utf8)
    }

    /// Those that hold the model they were made with.
    package static let storesWithModel: [String] = stores.filter { path in
        let sql = "SELECT EXISTS (SELECT 1 FROM sqlite_master WHERE name = 'Z_MODELCACHE')"
        return (try? withCopy(of: path) { try sqlite3($0, sql) }) == "1"
    }

    /// Calls `body` with a private copy of a store, its log included.
    package static func withCopy<Result>(of path: String, _ body: (URL) throws -> Result) throws -> Result {
        let folder = try TemporaryDirectory()
        let copy = folder.url("copy.sqlite")
        try FileGroup.copy(from: url(path), to: copy)
        return try body(copy)
    }
}

extension Data {
    /// The bytes of an answer of SQLite's `hex`.
    package init(hex: String) {
        self.init(capacity: hex.utf8.count / 2)
        var high: UInt8?
        for character in hex.utf8 {
            let digit = character < 0x3A ? character &- 0x30 : (character & 0xDF) &- 0x37
            if let first = high {
                append(first << 4 | digit)
                high = nil
            } else {
                high = digit
            }
        }
    }
}
