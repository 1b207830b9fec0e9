import CoreData
import Foundation
import Testing

struct ModelFreezingTests {
    @Test func entitiesAreNumberedDepthFirstAndWithoutRegardToCase() {
        let library = Library()
        library.model.freeze()
        #expect(library.model.entitiesByOrdinal.map { $0.name! } == ["Author", "Book", "atlas", "Novel"])
        #expect(library.model.entitiesByOrdinal.map(\.ordinal) == [1, 2, 3, 4])
        #expect(library.book.lastOrdinal == 4)
        #expect(library.author.lastOrdinal == 1)
        #expect(library.book.allSubentities.map { $0.name! } == ["atlas", "Novel"])
        #expect(library.novel.rootEntity === library.book)
    }

    @Test(arguments: [false, true])
    func kinshipFollowsTheHierarchy(_ isFrozen: Bool) {
        let library = Library()
        if isFrozen { library.model.freeze() }
        #expect(library.novel.isKindOf(entity: library.book))
        #expect(library.novel.isKindOf(entity: library.novel))
        #expect(!library.book.isKindOf(entity: library.novel))
        #expect(!library.novel.isKindOf(entity: library.atlas))
        #expect(!library.author.isKindOf(entity: library.book))
        let other = Library()
        if isFrozen { other.model.freeze() }
        #expect(!library.novel.isKindOf(entity: other.book))
    }

    @Test func whatAFrozenModelAnswersIsWhatItAnsweredBefore() {
        let library = Library()
        let before = ModelDump.lines(of: library.model)
        library.model.freeze()
        library.model.freeze()
        #expect(library.model.isFrozen)
        #expect(ModelDump.lines(of: library.model) == before)
    }

    @Test func aCopyOfAFrozenModelCanBeChanged() throws {
        let library = Library()
        let element = NSFetchIndexElementDescription(
            property: library.book.propertiesByName["title"]!, collationType: .binary)
        library.book.indexes = [NSFetchIndexDescription(name: "byTitle", elements: [element])]
        library.model.setEntities([library.author], forConfigurationName: "People")
        library.model.freeze()
        let copy = try #require(library.model.copy() as? NSManagedObjectModel)
        #expect(ModelDump.lines(of: copy) == ModelDump.lines(of: library.model))
        #expect(!copy.isFrozen)
        let book = try #require(copy.entitiesByName["Book"])
        #expect(book !== library.book)
        #expect(book.relationshipsByName["author"]?.destinationEntity === copy.entitiesByName["Author"])
        #expect(book.indexes[0].elements[0].property === book.propertiesByName["title"])
        book.properties.append(attribute("isbn"))
        #expect(copy.entitiesByName["Novel"]?.propertiesByName["isbn"] != nil)
        #expect(library.book.propertiesByName["isbn"] == nil)
        copy.freeze()
    }

    @Test func aCopyOfAPropertyBelongsToNoEntityAndCanBeChanged() throws {
        let library = Library()
        library.model.freeze()
        let copy = try #require(library.book.attributesByName["title"]?.copy() as? NSAttributeDescription)
        copy.name = "subtitle"
        #expect(copy.declaringEntity == nil)
        let relationship = try #require(
            library.book.relationshipsByName["author"]?.copy() as? NSRelationshipDescription)
        #expect(relationship.destinationEntity === library.author)
        #expect(relationship.maxCount == 1)
    }

    @available(*, deprecated)
    @Test func anIndexMarkOfOldBecomesAFetchIndex() {
        let library = Library()
        library.book.attributesByName["title"]?.isIndexed = true
        library.model.freeze()
        #expect(library.book.indexes.map(\.name) == ["title"])
        #expect(library.book.indexes.first?.elements.first?.property === library.book.attributesByName["title"])
    }

    @Test func descriptionsNameWhatTheyDescribe() {
        let library = Library()
        #expect(library.model.description.contains("(Novel, Book, Author, atlas)"))
        #expect(library.novel.description.contains("name Novel, managedObjectClassName NSManagedObject"))
        #expect(
            library.novel.description.contains("superentity name Book, properties (title, pageCount, author, genre)"))
        let text = library.book.relationshipsByName["author"]?.description ?? ""
        #expect(text.contains("name author, isOptional 1, isTransient 0, entity Book"))
        #expect(text.contains("destination entity Author, inverse relationship books, minCount 0, maxCount 1"))
        #expect(library.book.attributesByName["title"]?.description.contains("attributeType 700") == true)
    }

    @Test func manyThreadsMayFreezeAndReadOneModel() async {
        let library = Library()
        let model = library.model
        await withTaskGroup(of: Int.self) { group in
            for _ in 0..<16 {
                group.addTask {
                    model.freeze()
                    return model.entitiesByOrdinal.count + model.entitiesByName["Novel"]!.propertiesByName.count
                }
            }
            for await count in group { #expect(count == 8) }
        }
    }

    @Test func anEntityOutlivesItsModelWithoutHarm() {
        var library: Library? = Library()
        library?.model.freeze()
        let novel = library?.novel
        library = nil
        #expect(novel?.name == "Novel")
        #expect(novel?.owningModel == nil)
        #expect(novel?.superentity == nil)
        #expect(novel?.versionHash.count == 32)
        #expect(novel?.attributesByName["title"]?.type == .string)
    }

    @Test func changingTheEntitiesOfAFrozenModelStopsTheProgram() async throws {
        let result = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let library = Library()
            library.model.freeze()
            library.model.entities = []
        }
        #expect(text(result).contains("Can't modify an immutable model: entities"))
    }

    @Test func changingAFrozenEntityStopsTheProgram() async throws {
        let result = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let library = Library()
            library.model.freeze()
            library.book.isAbstract = true
        }
        #expect(text(result).contains("isAbstract of entity 'Book'"))
    }

    @Test func changingAFrozenPropertyStopsTheProgram() async throws {
        let result = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let library = Library()
            library.model.freeze()
            library.novel.attributesByName["title"]?.isOptional = false
        }
        #expect(text(result).contains("isOptional of property 'title' of entity 'Book'"))
    }

    @Test func settingATemplateOfAFrozenModelStopsTheProgram() async throws {
        let result = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let library = Library()
            library.model.freeze()
            library.model.setFetchRequestTemplate(nil, forName: "x")
        }
        #expect(text(result).contains("setFetchRequestTemplate"))
    }

    @Test func usingAModelThatIsNotValidStopsTheProgram() async throws {
        let result = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            model(entity("Book"), entity("Book")).freeze()
        }
        #expect(text(result).contains("The model has two entities named 'Book'."))
    }

    @Test func mixedElementsOfAnIndexStopTheProgram() async throws {
        let result = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let tree = NSFetchIndexElementDescription(property: attribute("x", .double), collationType: .rTree)
            let plain = NSFetchIndexElementDescription(property: attribute("y", .double), collationType: .binary)
            _ = NSFetchIndexDescription(name: "mixed", elements: [tree, plain])
        }
        #expect(text(result).contains("Fetch index 'mixed'"))
    }

    private func text(_ result: ExitTest.Result) -> String {
        String(decoding: result.standardErrorContent, as: UTF8.self)
    }
}
