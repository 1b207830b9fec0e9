import CoreData
import Foundation
import Testing

struct ModelMergingTests {
    @Test func mergingNothingGivesAnEmptyModel() {
        #expect(NSManagedObjectModel(byMerging: [])?.entities.isEmpty == true)
        #expect(NSManagedObjectModel(byMerging: nil)?.entities.isEmpty == true)
    }

    @Test func theMergedModelHasCopiesOfAllEntities() throws {
        let library = Library()
        library.model.versionIdentifiers = ["1"]
        let other = model(entity("Shelf", [attribute("label")]))
        other.versionIdentifiers = ["2"]
        let merged = try #require(NSManagedObjectModel(byMerging: [library.model, other]))
        #expect(merged.entitiesByName.keys.sorted() == ["Author", "Book", "Novel", "Shelf", "atlas"])
        #expect(merged.entitiesByName["Book"] !== library.book)
        #expect(merged.versionIdentifiers == ["1", "2"])
        let expected = library.model.entityVersionHashesByName.merging(other.entityVersionHashesByName) { $1 }
        #expect(merged.entityVersionHashesByName == expected)
        #expect(
            merged.entitiesByName["Author"]?.relationshipsByName["books"]?.destinationEntity
                === merged.entitiesByName["Book"])
        merged.freeze()
        #expect(!library.model.isFrozen)
    }

    @Test func entitiesDefinedAlikeAreTakenOnce() throws {
        let merged = try #require(NSManagedObjectModel(byMerging: [Library().model, Library().model]))
        #expect(ModelDump.lines(of: merged) == ModelDump.lines(of: Library().model))
    }

    @Test func aModelMayCompleteTheHierarchyOfAnother() throws {
        let first = Library()
        let second = Library()
        let comic = entity("Comic", [attribute("artist")])
        second.book.subentities += [comic]
        second.model.entities += [comic]
        let merged = try #require(NSManagedObjectModel(byMerging: [first.model, second.model]))
        #expect(merged.entitiesByName["Comic"]?.superentity === merged.entitiesByName["Book"])
        #expect(merged.entitiesByName["Comic"]?.versionHash == comic.versionHash)
        try merged.validate()
    }

    @Test func configurationsAndTemplatesAreKept() throws {
        let library = Library()
        library.model.setEntities([library.author], forConfigurationName: "People")
        let request = NSFetchRequest<NSFetchRequestResult>(entityName: "Book")
        library.model.setFetchRequestTemplate(request, forName: "all")
        let merged = try #require(NSManagedObjectModel(byMerging: [library.model]))
        #expect(merged.entities(forConfigurationName: "People")?.map { $0.name! } == ["Author"])
        #expect(merged.fetchRequestTemplate(forName: "all")?.entity === merged.entitiesByName["Book"])
    }

    @Test func differentEntitiesOfOneNameStopTheProgram() async throws {
        let result = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = NSManagedObjectModel(byMerging: [model(entity("Book")), model(entity("Book", [attribute("isbn")]))])
        }
        #expect(
            String(decoding: result.standardErrorContent, as: UTF8.self)
                .contains("Can't merge models with two different entities named 'Book'"))
    }

    @Test func theVersionOfAStoreIsFound() throws {
        let old = Library()
        let new = Library()
        new.book.properties.append(attribute("isbn"))
        let metadata = ["NSStoreModelVersionHashes": old.model.entityVersionHashesByName]
        let found = try #require(NSManagedObjectModel(byMerging: [new.model, old.model], forStoreMetadata: metadata))
        #expect(found.entityVersionHashesByName == old.model.entityVersionHashesByName)
        #expect(NSManagedObjectModel(byMerging: [new.model], forStoreMetadata: metadata) == nil)
        #expect(NSManagedObjectModel(byMerging: [new.model], forStoreMetadata: [:]) == nil)
    }

    @Test func aStoreOfTwoMergedModelsFindsBoth() throws {
        let shelf = model(entity("Shelf", [attribute("label")]))
        let merged = try #require(NSManagedObjectModel(byMerging: [Library().model, shelf]))
        let metadata = ["NSStoreModelVersionHashes": merged.entityVersionHashesByName]
        let found = NSManagedObjectModel(byMerging: [shelf, Library().model], forStoreMetadata: metadata)
        #expect(found?.entityVersionHashesByName == merged.entityVersionHashesByName)
    }

    @Test func modelsOfABundleAreMerged() throws {
        let folder = try SourceFolder()
        try folder.write("<entity name=\"A\"/>", to: "First.xcdatamodel")
        try folder.write("<entity name=\"B\"/>", to: "Second.xcdatamodeld/Second.xcdatamodel")
        try folder.write("<entity name=\"B\" isAbstract=\"YES\"/>", to: "Second.xcdatamodeld/Second 2.xcdatamodel")
        let bundle = try #require(Bundle(url: folder.url))
        let merged = try #require(NSManagedObjectModel.mergedModel(from: [bundle]))
        #expect(merged.entitiesByName.keys.sorted() == ["A", "B"])
        // The version that is not the current one is found for a store made with it.
        let version = try NSManagedObjectModel.loadModel(
            at: folder.url.appendingPathComponent("Second.xcdatamodeld/Second 2.xcdatamodel"))
        let metadata = ["NSStoreModelVersionHashes": version.entityVersionHashesByName]
        let found = try #require(NSManagedObjectModel.mergedModel(from: [bundle], forStoreMetadata: metadata))
        #expect(found.entitiesByName["B"]?.isAbstract == true)
        #expect(NSManagedObjectModel.mergedModel(from: []) == nil)
        // A stray model that defines an entity differently.
        try folder.write("<entity name=\"A\" isAbstract=\"YES\"/>", to: "Stray.xcdatamodel")
        #expect(NSManagedObjectModel.mergedModel(from: [bundle]) == nil)
    }
}
