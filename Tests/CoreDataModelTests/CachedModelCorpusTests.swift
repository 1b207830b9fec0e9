import CoreData
import Foundation
import TestSupport
import Testing

@Suite(.enabled(if: Corpus.isUsable, "the corpus is absent"))
struct CachedModelCorpusTests {
    @Test func theCorpusHasCachedModels() {
        #expect(Corpus.storesWithModel.count >= 20)
        #expect(CorpusModels.compiled.count == 30)
    }

    @Test(arguments: Corpus.storesWithModel)
    func hashesInAStoresMetadataFollowFromItsCachedModel(_ path: String) throws {
        let model = try NSManagedObjectModel.model(fromStoreCache: CorpusModels.cacheContents(of: path))
        let metadata = try CorpusModels.metadata(of: path)
        let hashes = try #require(metadata["NSStoreModelVersionHashes"] as? [String: Data])
        #expect(model.entityVersionHashesByName == hashes)
        #expect(model.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata))
        if let digest = metadata["NSStoreModelVersionHashesDigest"] as? String {
            #expect(VersionHashSummary.digest(of: model.entityVersionHashesByName) == digest)
        }
        if let checksum = metadata["NSStoreModelVersionChecksumKey"] as? String {
            #expect(model.versionChecksum == checksum)
        }
        if let identifiers = metadata["NSStoreModelVersionIdentifiers"] as? [String] {
            #expect(model.versionIdentifiers == Set(identifiers.map { AnyHashable($0) }))
        }
    }

    @Test(arguments: Corpus.storesWithModel)
    func entityNumbersOfAStoreAreTheOrdinalsOfItsCachedModel(_ path: String) throws {
        let model = try NSManagedObjectModel.model(fromStoreCache: CorpusModels.cacheContents(of: path))
        model.freeze()
        let rows = try Corpus.withCopy(of: path) {
            try sqlite3($0, "SELECT Z_ENT, Z_NAME, Z_SUPER FROM Z_PRIMARYKEY WHERE Z_ENT < 16000 ORDER BY Z_ENT")
        }
        let expected = rows.split(separator: "\n").map(String.init).map {
            // One store was migrated with an entity renamed; its table keeps the old name (STORE-FORMAT.md, section 3).
            path.hasSuffix("SampleModel_V2.sqlite")
                ? $0.replacingOccurrences(of: "ExpensiveSportCar", with: "LuxuryCar") : $0
        }
        let actual = model.entitiesByOrdinal.map { "\($0.ordinal)|\($0.name ?? "")|\($0.superentity?.ordinal ?? 0)" }
        #expect(actual == expected)
    }

    @Test func hashesOfCompiledModelsAreThoseOfThePairs() throws {
        var checked = 0
        for pair in try HashPair.load() where pair.hashFile.hasSuffix(".mom") {
            let model = try NSManagedObjectModel.model(fromArchive: Data(contentsOf: Corpus.url(pair.hashFile)))
            #expect(model.entityVersionHashesByName[pair.entity] == pair.hash, "\(pair)")
            checked += 1
        }
        #expect(checked > 30)
    }

    @Test(arguments: CorpusModels.compiled)
    func everyCompiledModelLoadsWithTheHashesOfItsVersionInfo(_ path: String) throws {
        let url = Corpus.url(path)
        let model = try NSManagedObjectModel.model(fromArchive: Data(contentsOf: url))
        let info = url.deletingLastPathComponent().appendingPathComponent("VersionInfo.plist")
        guard let data = FileManager.default.contents(atPath: info.path) else { return }
        let plist = try PropertyListSerialization.propertyList(from: data, format: nil) as? [String: Any]
        let version = url.deletingPathExtension().lastPathComponent
        let hashes = try #require(plist?["NSManagedObjectModel_VersionHashes"] as? [String: [String: Data]])
        #expect(model.entityVersionHashesByName == hashes[version])
        if let checksums = plist?["NSManagedObjectModel_VersionChecksums"] as? [String: String] {
            #expect(model.versionChecksum == checksums[version])
        }
    }
}
