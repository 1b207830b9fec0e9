import Foundation
import FoundationBackfill
import TestSupport
import Testing

@testable import CoreData

/// Stores whose version hashes follow a rule that is not known: those of derived attributes.
@Suite("Version hashes that are not ours") struct StoreVersionTests {
    private func model(extra: String? = nil) throws -> NSManagedObjectModel {
        let model = SampleModels.library()
        let author = try #require(model.entitiesByName["Author"])
        let derived = NSDerivedAttributeDescription()
        derived.name = "sortName"
        derived.attributeType = .stringAttributeType
        derived.derivationExpression = try FoundationBackfill.NSExpression.derivation(format: "canonical:(name)")
        author.properties.append(derived)
        if let extra { author.properties.append(SampleModels.attribute(extra, .stringAttributeType)) }
        return model
    }

    /// A store in whose metadata an entity has another hash.
    private func fixture(foreignHashOf entity: String) throws -> StoreFixture {
        let fixture = try StoreFixture()
        try fixture.make(try model())
        var metadata = try fixture.metadata()
        var hashes = try #require(metadata[NSStoreModelVersionHashesKey] as? [String: Any])
        hashes[entity] = Data(repeating: 7, count: 32)
        metadata[NSStoreModelVersionHashesKey] = hashes
        let bytes = try StoreMetadata.encode(metadata, url: nil)
        let digits = bytes.map { String(format: "%02X", $0) }.joined()
        _ = try sqlite3(fixture.path, "UPDATE Z_METADATA SET Z_PLIST = X'\(digits)'")
        return fixture
    }

    private func code(_ body: () throws -> Void) -> Int? {
        do {
            try body()
            return nil
        } catch {
            return (error as NSError).code
        }
    }

    @Test("a store opens whose cached model is the same, and its hashes stay")
    func sameModel() throws {
        let fixture = try fixture(foreignHashOf: "Author")
        for options in [[:], [NSIgnorePersistentStoreVersioningOption: true]] as [[AnyHashable: Any]] {
            let store = try fixture.open(try model(), options)
            // Somebody changes the schema: the store looks again.
            _ = try sqlite3(fixture.path, "CREATE INDEX i\(options.count) ON ZAUTHOR (ZNAME)")
            #expect(try store.read { connection, _ in try connection.int64("SELECT count(*) FROM ZAUTHOR") } == 0)
            try store.close()
        }
        let hashes = try fixture.metadata()[NSStoreModelVersionHashesKey] as? [String: Any]
        #expect(hashes?["Author"] as? Data == Data(repeating: 7, count: 32))
    }

    @Test("another model, or another hash of an entity whose rule is known, is refused")
    func otherModels() throws {
        let fixture = try fixture(foreignHashOf: "Author")
        #expect(code { try fixture.make(try model(extra: "nickname")) } == 134100)
        let known = try self.fixture(foreignHashOf: "Book")
        #expect(code { try known.make(try model()) } == 134100)
    }

    @Test("a damaged cache is no help and no danger")
    func damagedCache() throws {
        let fixture = try fixture(foreignHashOf: "Author")
        for cache in ["X'00FF00'", "NULL", "'text'"] {
            _ = try sqlite3(fixture.path, "UPDATE Z_MODELCACHE SET Z_CONTENT = \(cache)")
            #expect(code { try fixture.make(try model()) } == 134100)
        }
        _ = try sqlite3(fixture.path, "DROP TABLE Z_MODELCACHE")
        #expect(code { try fixture.make(try model()) } == 134100)
    }
}
