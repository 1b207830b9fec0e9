import CoreData
import Foundation
import FoundationBackfill
import TestSupport
import Testing

@Suite(.enabled(if: Corpus.isUsable, "the corpus is absent"))
struct ModelCacheRoundTripTests {
    @Test(arguments: Corpus.storesWithModel)
    func aCachedModelIsWrittenAndReadBackUnchanged(_ path: String) throws {
        let model = try NSManagedObjectModel.model(fromStoreCache: CorpusModels.cacheContents(of: path))
        try expectUnchanged(model)
    }

    @Test(arguments: CorpusModels.compiled)
    func aCompiledModelIsWrittenAndReadBackUnchanged(_ path: String) throws {
        try expectUnchanged(NSManagedObjectModel.model(fromArchive: Data(contentsOf: Corpus.url(path))))
    }

    @Test(arguments: CorpusModels.sources)
    func aSourceModelIsWrittenAndReadBackUnchanged(_ path: String) throws {
        try expectUnchanged(NSManagedObjectModel.loadModel(at: Corpus.url(path).deletingLastPathComponent()))
    }

    @Test func anObjectOfAnUnknownClassIsKept() throws {
        let path = "stores/alemar11+CoreDataPlus/SampleModel2_V1.sqlite"
        let model = try NSManagedObjectModel.model(fromStoreCache: CorpusModels.cacheContents(of: path))
        let cover = try #require(model.entitiesByName["Book"]?.attributesByName["cover"])
        let kept = try #require(cover.defaultValue as? OpaqueArchivedObject)
        #expect(kept.className == "CoreDataPlus_Tests.Cover")
        // Foundation's reader finds class and text in what we write.
        let archive = try RawDeflate.inflate(model.storeCacheContents(), limit: 1 << 20)
        let objects = try #require(
            (PropertyListSerialization.propertyList(from: archive, format: nil) as? [String: Any])?["$objects"]
                as? [Any])
        #expect(objects.contains { $0 as? String == "default cover" })
        #expect(objects.contains { ($0 as? [String: Any])?["$classname"] as? String == "CoreDataPlus_Tests.Cover" })
    }

    private func expectUnchanged(_ model: NSManagedObjectModel) throws {
        let again = try NSManagedObjectModel.model(fromStoreCache: model.storeCacheContents())
        #expect(again.entityVersionHashesByName == model.entityVersionHashesByName)
        #expect(ModelDump.lines(of: again) == ModelDump.lines(of: model))
        // The order of properties is the archive's own; reading what was read and written changes nothing more.
        let third = try NSManagedObjectModel.model(fromStoreCache: again.storeCacheContents())
        #expect(try third.storeCacheContents() == again.storeCacheContents())
        #expect(again.versionChecksum == model.versionChecksum)
    }
}
