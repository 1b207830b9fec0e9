import CoreData
import Foundation
import Testing

struct ConfigurationTests {
    @Test func noNameMeansAllEntitiesAndAnUnknownNameNone() {
        let library = Library()
        #expect(library.model.entities(forConfigurationName: nil)?.count == 4)
        #expect(library.model.entities(forConfigurationName: "Cloud") == nil)
    }

    @Test func aConfigurationHasItsEntities() {
        let library = Library()
        library.model.setEntities([library.author], forConfigurationName: "People")
        library.model.setEntities([library.novel, library.book], forConfigurationName: "Books")
        #expect(library.model.configurations == ["Books", "People"])
        #expect(library.model.entities(forConfigurationName: "People") == [library.author])
        #expect(library.model.entities(forConfigurationName: "Books") == [library.novel, library.book])
        #expect(
            library.model.entitiesInStoreOrder(forConfigurationName: "Books")?.map { $0.name! } == ["Book", "Novel"])
    }

    @Test func metadataWithoutHashesFitNothing() {
        #expect(!Library().model.isConfiguration(withName: nil, compatibleWithStoreMetadata: [:]))
        #expect(!NSManagedObjectModel().isConfiguration(withName: nil, compatibleWithStoreMetadata: [:]))
    }

    @Test func metadataFitIfEntitiesAndHashesAreTheSame() {
        let library = Library()
        library.model.setEntities([library.author], forConfigurationName: "People")
        var hashes = library.model.entityVersionHashesByName
        func fits(_ configuration: String?) -> Bool {
            library.model.isConfiguration(
                withName: configuration, compatibleWithStoreMetadata: ["NSStoreModelVersionHashes": hashes])
        }
        #expect(fits(nil))
        #expect(!fits("People"))
        #expect(!fits("Unknown"))
        hashes = ["Author": hashes["Author"]!]
        #expect(fits("People"))
        #expect(!fits(nil))
        hashes["Author"]![0] ^= 1
        #expect(!fits("People"))
    }

    @Test func aDerivationOfUnknownHashIsComparedWithTheCachedModel() throws {
        func shelf(_ text: String) -> NSManagedObjectModel {
            let derived = NSDerivedAttributeDescription()
            derived.name = "key"
            derived.type = .string
            derived.derivationExpression = NSExpression(format: text)
            return model(entity("Shelf", [attribute("name"), derived]))
        }
        let stored = ["NSStoreModelVersionHashes": ["Shelf": Data(repeating: 7, count: 32)]]
        func fits(_ model: NSManagedObjectModel, _ cached: NSManagedObjectModel?) -> Bool {
            model.isConfiguration(withName: nil, compatibleWithStoreMetadata: stored) { cached }
        }
        #expect(fits(shelf("canonical:(name)"), shelf("canonical:(name)")))
        #expect(!fits(shelf("canonical:(name)"), shelf("uppercase:(name)")))
        #expect(!fits(shelf("canonical:(name)"), nil))
        let plain = model(entity("Shelf", [attribute("name")]))
        #expect(!fits(plain, plain))
    }

    @Test func digestAndChecksumAreThoseOfTheHashesInOrderOfNames() {
        let hashes = ["b": Data(repeating: 1, count: 32), "B": Data(repeating: 2, count: 32)]
        // echo of the bytes through sha256sum / sha512sum and base64.
        #expect(VersionHashSummary.checksum(of: hashes) == "xX1PWclhsT5AbNmRsPNC7HnlcdwsFBX/csZVBkWjsZg=")
        #expect(
            VersionHashSummary.digest(of: hashes)
                == "qgSwmVwBHd+q3LKoopIry2ujgpZKVylBMDbK9uewWPWeOrGSTG9tjoIHfN+lrkPcAb3Dj/hYjKb8KedAkGjIQw==")
    }
}
