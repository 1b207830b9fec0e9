import CoreData
import Foundation
import TestSupport
import Testing

/// The corpus' models, and whether tests about them run: they are skipped where it is absent, but not in continuous
/// integration.
enum CorpusModels {
    static var isUsable: Bool { Corpus.isPresent || Corpus.isRequired }

    /// A file of the corpus by its path in the lists.
    static func url(_ path: String) -> URL { Corpus.root.appendingPathComponent(path) }

    /// The paths, from the corpus' root, of all files with an extension.
    static func paths(in folder: String, where isWanted: (String) -> Bool) -> [String] {
        let enumerator = FileManager.default.enumerator(atPath: url(folder).path)
        var result: [String] = []
        while let path = enumerator?.nextObject() as? String {
            if isWanted(path) { result.append(folder + "/" + path) }
        }
        return result.sorted()
    }

    static let compiled: [String] = paths(in: "compiled") { $0.hasSuffix(".mom") }

    static let sources: [String] = paths(in: "models") { $0.hasSuffix(".xcdatamodel/contents") }

    /// The stores that hold a model.
    static let storesWithModel: [String] = paths(in: "stores") { path in
        !path.hasSuffix("-wal") && !path.hasSuffix("-shm")
    }.filter { path in
        (try? withCopy(of: path) { try sqlite3($0, "SELECT count(*) FROM Z_MODELCACHE WHERE Z_CONTENT NOT NULL") })
            == "1"
    }

    /// Runs a block with a private copy of a store.
    static func withCopy<Result>(of path: String, _ body: (URL) throws -> Result) throws -> Result {
        let folder = try TemporaryDirectory()
        let copy = folder.url.appendingPathComponent("copy.sqlite")
        try FileGroup.copy(from: url(path), to: copy)
        return try body(copy)
    }

    /// The bytes of a store's cached model, read by the `sqlite3` shell.
    static func cacheContents(of path: String) throws -> Data {
        try withCopy(of: path) { try data(hex: sqlite3($0, "SELECT hex(Z_CONTENT) FROM Z_MODELCACHE")) }
    }

    /// A store's metadata, read by the `sqlite3` shell.
    static func metadata(of path: String) throws -> [String: Any] {
        let bytes = try withCopy(of: path) { try data(hex: sqlite3($0, "SELECT hex(Z_PLIST) FROM Z_METADATA")) }
        return try PropertyListSerialization.propertyList(from: bytes, format: nil) as? [String: Any] ?? [:]
    }

    static func data(hex: String) -> Data {
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
}

/// One line of PAIRS.tsv: an entity's hash as Apple's tools computed it.
struct HashPair {
    let hashFile: String
    let entity: String
    let hash: Data
    let source: String

    static func load() throws -> [HashPair] {
        let text = try String(contentsOf: CorpusModels.url("PAIRS.tsv"), encoding: .utf8)
        return text.split(separator: "\n").dropFirst().compactMap { line in
            let columns = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            guard columns.count >= 5, let hash = Data(base64Encoded: columns[3]) else { return nil }
            return HashPair(hashFile: columns[0], entity: columns[2], hash: hash, source: columns[4])
        }
    }
}
