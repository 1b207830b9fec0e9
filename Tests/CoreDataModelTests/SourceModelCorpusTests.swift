import CoreData
import Foundation
import TestSupport
import Testing

@Suite(.enabled(if: Corpus.isUsable, "the corpus is absent"))
struct SourceModelCorpusTests {
    @Test func theCorpusHasSourceModels() {
        #expect(CorpusModels.sources.count > 130)
    }

    @Test(arguments: CorpusModels.sources)
    func everySourceModelLoads(_ path: String) throws {
        let url = Corpus.url(path).deletingLastPathComponent()
        let model = try NSManagedObjectModel.loadModel(at: url)
        // As many entities, attributes and relationships as the text has.
        let text = try String(contentsOf: Corpus.url(path), encoding: .utf8)
        #expect(model.entities.count == text.components(separatedBy: "<entity ").count - 1)
        let properties = model.entities.flatMap(\.ownProperties)
        let composites = model.entities.flatMap(\.ownProperties).compactMap { $0 as? NSCompositeAttributeDescription }
        let elements = composites.reduce(0) { $0 + $1.elements.count }
        #expect(
            properties.filter { $0 is NSAttributeDescription }.count + elements
                == text.components(separatedBy: "<attribute ").count - 1)
        #expect(
            properties.filter { $0 is NSRelationshipDescription }.count
                == text.components(separatedBy: "<relationship ").count - 1)
        #expect(NSManagedObjectModel(contentsOf: url) != nil)
        model.freeze()
    }

    /// The rows whose source is not what was compiled (VERSION-HASH.md, section 6), as file, entity.
    static let wrongRows: Set<[String]> = [
        ["stores/duckduckgo+BrowserServicesKit/Bookmarks_V2.sqlite", "BookmarkEntity"],
        ["compiled/Karim-ezzedine+CartKit/CartStorage@cb4e6cd/CartStorage.momd/CartStorage.mom", "CDCartItem"],
        ["compiled/Karim-ezzedine+CartKit/CartStorage@cb4e6cd/CartStorage.momd/CartStorage.mom", "CDCartItemModifier"],
        ["compiled/Karim-ezzedine+CartKit/CartStorage@5cbc0f9/CartStorage.momd/CartStorage.mom", "CDCartItem"],
        ["compiled/Karim-ezzedine+CartKit/CartStorage@5cbc0f9/CartStorage.momd/CartStorage.mom", "CDCartItemModifier"],
        ["compiled/miolabs+MIOCoreData/TestModel@7804852/TestModel.momd/TestModel.mom", "SimpleEntity"],
    ]

    @Test func hashesOfSourceModelsAreThoseAppleComputed() throws {
        var checked = 0
        var different: Set<[String]> = []
        for pair in try HashPair.load() {
            let model = try NSManagedObjectModel.loadModel(
                at: Corpus.url(pair.source).deletingLastPathComponent())
            checked += 1
            if model.entityVersionHashesByName[pair.entity] != pair.hash {
                different.insert([pair.hashFile, pair.entity])
            }
        }
        #expect(checked == 95)
        #expect(different == Self.wrongRows)
    }

    @Test func theCurrentVersionIsTheOneTheFolderNames() throws {
        let markers = Corpus.paths(in: "models") { $0.hasSuffix(".xcdatamodeld/.xccurrentversion") }
        #expect(markers.count > 30)
        var checked = 0
        for marker in markers {
            let folder = Corpus.url(marker).deletingLastPathComponent()
            let text = try String(contentsOf: Corpus.url(marker), encoding: .utf8)
            guard let range = text.range(of: "<string>"), let end = text.range(of: "</string>") else { continue }
            let name = String(text[range.upperBound..<end.lowerBound])
            let inner = folder.appendingPathComponent(name)
            guard FileManager.default.fileExists(atPath: inner.appendingPathComponent("contents").path) else {
                continue
            }
            let current = try NSManagedObjectModel.loadModel(at: folder)
            let version = try NSManagedObjectModel.loadModel(at: inner)
            #expect(ModelDump.lines(of: current) == ModelDump.lines(of: version))
            checked += 1
        }
        #expect(checked > 20)
    }
}
