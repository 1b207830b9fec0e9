import Foundation
import TestSupport

/// The corpus' stores, and whether tests about them run: they are skipped where the corpus is absent, but not in continuous
/// integration.
enum CorpusStores {
    static var isUsable: Bool { Corpus.isPresent || Corpus.isRequired }

    static func url(_ path: String) -> URL { Corpus.root.appendingPathComponent(path) }

    /// The paths, from the corpus' root, of all SQLite stores.
    static let all: [String] = {
        let enumerator = FileManager.default.enumerator(atPath: url("stores").path)
        var result: [String] = []
        while let path = enumerator?.nextObject() as? String {
            let file = FileHandle(forReadingAtPath: url("stores/" + path).path)
            let start = (try? file?.read(upToCount: 15)) ?? nil
            try? file?.close()
            if start == Data("SQLite format 3".utf8) { result.append("stores/" + path) }
        }
        return result.sorted()
    }()

    /// Those that hold the model they were made with.
    static let withModel: [String] = all.filter { path in
        let sql =
            "SELECT EXISTS (SELECT 1 FROM sqlite_master WHERE name = 'Z_MODELCACHE')"
        return (try? withCopy(of: path) { try sqlite3($0, sql) }) == "1"
    }

    /// Calls `body` with a private copy of a store, its log included.
    static func withCopy<Result>(of path: String, _ body: (URL) throws -> Result) throws -> Result {
        let folder = try TemporaryDirectory()
        let copy = folder.url("copy.sqlite")
        try FileGroup.copy(from: url(path), to: copy)
        return try body(copy)
    }
}

/// The bytes of an answer of SQLite's `hex`.
func data(hex: String) -> Data {
    var data = Data(capacity: hex.utf8.count / 2)
    var high: UInt8?
    for character in hex.utf8 {
        let digit = character < 0x3A ? character &- 0x30 : (character & 0xDF) &- 0x37
        if let first = high {
            data.append(first << 4 | digit)
            high = nil
        } else {
            high = digit
        }
    }
    return data
}
