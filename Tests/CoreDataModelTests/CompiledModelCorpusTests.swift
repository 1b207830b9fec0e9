import CoreData
import Foundation
import TestSupport
import Testing

/// Compiled and cached models of the corpus, compared with the sources that they were made of.
@Suite(.enabled(if: Corpus.isUsable, "the corpus is absent"))
struct CompiledModelCorpusTests {
    /// A file with a compiled or cached model, and the source that PAIRS.tsv says it was made of.
    struct Pair: Hashable, CustomTestStringConvertible {
        let file: String
        let source: String
        var testDescription: String { "\(file) from \(source)" }
    }

    static let pairs: [Pair] = {
        let rows = (try? HashPair.load()) ?? []
        return Set(rows.map { Pair(file: $0.hashFile, source: $0.source) }).sorted { $0.file < $1.file }
    }()

    /// Compiled models beside their sources in the form of Xcode 3.
    static let oldPairs: [Pair] = CorpusModels.compiled.compactMap { file in
        let model = (file as NSString).deletingLastPathComponent as NSString
        let name = (file as NSString).lastPathComponent as NSString
        let source = "\(model.deletingPathExtension).xcdatamodeld/\(name.deletingPathExtension).xcdatamodel/elements"
        return FileManager.default.fileExists(atPath: Corpus.url(source).path) ? Pair(file: file, source: source) : nil
    }

    private func load(_ file: String) throws -> NSManagedObjectModel {
        file.hasSuffix(".mom")
            ? try NSManagedObjectModel.loadModel(at: Corpus.url(file))
            : try NSManagedObjectModel.model(fromStoreCache: CorpusModels.cacheContents(of: file))
    }

    /// The model compiler writes the module's name before a class of the current module.
    private func differences(_ pair: Pair) throws -> [String] {
        let (compiled, source) = (try load(pair.file), try load(source: pair.source))
        for entity in source.entities {
            guard let name = entity.managedObjectClassName, name.hasPrefix("."),
                let other = compiled.entitiesByName[entity.name ?? ""]?.managedObjectClassName, other.hasSuffix(name)
            else { continue }
            entity.managedObjectClassName = other
        }
        return ModelFacts.differences(compiled, source)
    }

    private func load(source: String) throws -> NSManagedObjectModel {
        try NSManagedObjectModel.loadModel(at: Corpus.url(source).deletingLastPathComponent())
    }

    @Test func theCorpusHasPairs() {
        #expect(Self.pairs.count == 31)
        #expect(Self.oldPairs.count == 3)
    }

    /// Differences between a file and the source named for it: of the rows that are wrong (VERSION-HASH.md, section 6), and
    /// of stores that were written with other class names, which do not decide whether a model fits.
    static let expectedDifferences: [String: Set<String>] = [
        "CartStorage@5cbc0f9": withoutInverse, "CartStorage@cb4e6cd": withoutInverse,
        "TestModel@7804852": [
            "SimpleEntity / hash", "SimpleEntity.identifier / hash", "SimpleEntity.identifier / type",
            "SimpleEntity.identifier / value class",
        ],
        "Bookmarks_V2": [
            "BookmarkEntity / hash", "BookmarkEntity index byURL / 0", "BookmarkEntity index byUUID / 0",
            "BookmarkEntity index url / 0", "BookmarkEntity index uuid / 0", "BookmarkEntity.url / hash",
            "BookmarkEntity.url / modifier", "BookmarkEntity.url / old index", "BookmarkEntity.uuid / hash",
            "BookmarkEntity.uuid / modifier", "BookmarkEntity.uuid / old index",
        ],
        "Moody.moody": ["Continent / class", "Country / class", "Mood / class", "identifiers"],
        "hist-SampleModelV2": [
            "Car / class", "LuxuryCar / class", "Maker / class", "Person / class", "SportCar / class",
        ],
        "CoreDataMigration_Example_2": ["Post / class"],
    ]

    private static let withoutInverse: Set<String> = [
        "CDCartItem / hash", "CDCartItem.modifiers / hash", "CDCartItem.modifiers / inverse",
        "CDCartItemModifier / hash",
        "CDCartItemModifier.item / hash", "CDCartItemModifier.item / inverse",
    ]

    @Test(arguments: pairs)
    func aCompiledModelSaysWhatItsSourceSays(_ pair: Pair) throws {
        let expected = Self.expectedDifferences.first { pair.file.contains($0.key) }?.value ?? []
        let differences = try differences(pair)
        if pair.file.hasSuffix("SampleStore2.1.sqlite") {
            // Written by a program that knew no classes.
            #expect(differences.allSatisfy { $0.contains(" / class: NSManagedObject ≠ OCKCD") }, "\(differences)")
            return
        }
        #expect(Set(differences.map { String($0.prefix { $0 != ":" }) }) == expected, "\(differences)")
    }

    @Test(arguments: oldPairs)
    func aCompiledModelSaysWhatItsSourceOfXcode3Says(_ pair: Pair) throws {
        #expect(try differences(pair) == [])
    }

    static let oldSources = Corpus.paths(in: "models") { $0.hasSuffix("/elements") }

    @Test(arguments: oldSources)
    func everySourceOfXcode3Loads(_ path: String) throws {
        let model = try load(source: path)
        #expect(model.entities.count > 0)
        #expect(model.entities.allSatisfy { !$0.properties.isEmpty })
        model.freeze()
    }

    @Test func aStoreHasTheHashesOfItsSourceOfXcode3() throws {
        let metadata = try CorpusModels.metadata(of: "stores/fruitsamples+iPhoneCoreDataRecipes/Recipes.sqlite")
        let model = try load(source: "models/fruitsamples+iPhoneCoreDataRecipes/Recipes.xcdatamodel/elements")
        #expect(model.entities.count == 4)
        #expect(model.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata))
    }

    // MARK: Folders of compiled models

    static let folders = Set(CorpusModels.compiled.map { ($0 as NSString).deletingLastPathComponent })
        .filter { $0.hasSuffix(".momd") }.sorted()

    @Test(arguments: folders)
    func everyFolderLoadsItsCurrentVersionWithTheHashesItNames(_ path: String) throws {
        let folder = Corpus.url(path)
        let list =
            try PropertyListSerialization.propertyList(
                from: Data(contentsOf: folder.appendingPathComponent("VersionInfo.plist")), format: nil)
            as? [String: Any]
        let hashes = try #require(list?["NSManagedObjectModel_VersionHashes"] as? [String: [String: Data]])
        let checksums = list?["NSManagedObjectModel_VersionChecksums"] as? [String: String]
        let current = list?["NSManagedObjectModel_CurrentVersionName"] as? String ?? hashes.keys.first!
        let model = try #require(NSManagedObjectModel(contentsOf: folder))
        #expect(model.entityVersionHashesByName == hashes[current])
        if let checksums { #expect(model.versionChecksum == checksums[current]) }
        let versions = try NSManagedObjectModel.versionURLs(of: folder)
        #expect(versions.map { $0.deletingPathExtension().lastPathComponent } == hashes.keys.sorted())
        for version in versions {
            let name = version.deletingPathExtension().lastPathComponent
            let hashesOfVersion = try NSManagedObjectModel.loadModel(at: version).entityVersionHashesByName
            #expect(hashesOfVersion == hashes[name])
        }
    }

    @Test func theOptimisedFormStandsForTheModelBesideIt() throws {
        let folder = Corpus.url("compiled/Haimanu+MobilApp/DVIA_v2.momd")
        let model = try #require(NSManagedObjectModel(contentsOf: folder.appendingPathComponent("DVIA_v2.omo")))
        let plain = try #require(NSManagedObjectModel(contentsOf: folder.appendingPathComponent("DVIA_v2.mom")))
        #expect(ModelFacts.differences(model, plain) == [])
    }

    @Test func everyVersionOfAFolderIsTriedForAStore() throws {
        let folder = try TemporaryDirectory()
        try FileManager.default.copyItem(
            at: Corpus.url("compiled/alemar11+CoreDataPlus/SampleModel.momd"), to: folder.url("SampleModel.momd"))
        let bundle = try #require(Bundle(url: folder.url))
        let names = ["SampleModel_V1": "SampleModel", "hist-SampleModelV2": "SampleModel3"]
        for (store, version) in names {
            let metadata = try CorpusModels.metadata(of: "stores/alemar11+CoreDataPlus/\(store).sqlite")
            let model = try #require(NSManagedObjectModel.mergedModel(from: [bundle], forStoreMetadata: metadata))
            let compiled = try NSManagedObjectModel.loadModel(at: folder.url("SampleModel.momd/\(version).mom"))
            #expect(model.entityVersionHashesByName == compiled.entityVersionHashesByName)
        }
    }
}
