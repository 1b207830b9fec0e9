import CoreData
import Foundation
import TestSupport
import Testing

/// The corpus' models.
enum CorpusModels {
    static let compiled: [String] = Corpus.paths(in: "compiled") { $0.hasSuffix(".mom") }

    static let sources: [String] = Corpus.paths(in: "models") { $0.hasSuffix(".xcdatamodel/contents") }

    /// The bytes of a store's cached model, read by the `sqlite3` shell.
    static func cacheContents(of path: String) throws -> Data {
        try Corpus.withCopy(of: path) { try Data(hex: sqlite3($0, "SELECT hex(Z_CONTENT) FROM Z_MODELCACHE")) }
    }

    /// A store's metadata, read by the `sqlite3` shell.
    static func metadata(of path: String) throws -> [String: Any] {
        let bytes = try Corpus.withCopy(of: path) { try Data(hex: sqlite3($0, "SELECT hex(Z_PLIST) FROM Z_METADATA")) }
        return try PropertyListSerialization.propertyList(from: bytes, format: nil) as? [String: Any] ?? [:]
    }
}

/// One line of PAIRS.tsv: an entity's hash as Apple's tools computed it.
struct HashPair {
    let hashFile: String
    let entity: String
    let hash: Data
    let source: String

    static func load() throws -> [HashPair] {
        let text = try String(contentsOf: Corpus.url("PAIRS.tsv"), encoding: .utf8)
        return text.split(separator: "\n").dropFirst().compactMap { line in
            let columns = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            guard columns.count >= 5, let hash = Data(base64Encoded: columns[3]) else { return nil }
            return HashPair(hashFile: columns[0], entity: columns[2], hash: hash, source: columns[4])
        }
    }
}
