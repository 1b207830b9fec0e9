import CoreData
import Foundation
import Testing

struct ModelValidationTests {
    /// The reason for which a model is refused; nil if it is valid.
    private func reason(_ model: NSManagedObjectModel) -> String? {
        do {
            try model.validate()
            return nil
        } catch {
            #expect(error.domain == NSCocoaErrorDomain && error.code == 134020)
            return error.localizedFailureReason
        }
    }

    @Test func aUsualModelIsValid() {
        #expect(reason(Library().model) == nil)
        #expect(reason(NSManagedObjectModel()) == nil)
    }

    @Test func namesMustBeThereAndDifferent() {
        #expect(reason(model(entity("")))?.contains("without a name") == true)
        #expect(reason(model(entity("A"), entity("A")))?.contains("two entities named 'A'") == true)
        #expect(reason(model(entity("A", [attribute("")])))?.contains("Entity 'A'") == true)
        #expect(reason(model(entity("A", [attribute("x"), attribute("x")])))?.contains("named 'x'") == true)
    }

    @Test func aNameMayNotHideAnInheritedOne() {
        let library = Library()
        library.novel.properties.append(attribute("title"))
        #expect(reason(library.model)?.contains("Entity 'Novel' has two properties named 'title'") == true)
    }

    @Test(arguments: ["description", "hash", "objectID", "self", "class", "managedObjectContext", "isDeleted"])
    func namesOfMethodsAreRefused(_ name: String) {
        #expect(reason(model(entity("A", [attribute(name)])))?.contains("'\(name)'") == true)
    }

    @Test(arguments: ["deleted", "updated", "version", "type", "name", "identifier"])
    func namesThatRealModelsUseAreNotRefused(_ name: String) {
        #expect(reason(model(entity("A", [attribute(name)]))) == nil)
    }

    @Test func onlyATransientAttributeMayBeUndefined() {
        let cache = attribute("cache", .undefined)
        #expect(reason(model(entity("A", [cache])))?.contains("A.cache") == true)
        cache.isTransient = true
        #expect(reason(model(entity("A", [cache]))) == nil)
    }

    @Test func aRelationshipNeedsADestinationInTheModel() {
        let other = entity("Other")
        #expect(reason(model(entity("A", [relationship("r", to: nil)])))?.contains("'A.r' has no destination") == true)
        let stray = relationship("r", to: other)
        #expect(reason(model(entity("A", [stray])))?.contains("'Other' of relationship 'A.r'") == true)
        #expect(reason(model(entity("A", [relationship("r", to: other)]), other)) == nil)
    }

    @Test func inversesMustNameEachOther() {
        let library = Library()
        library.author.relationshipsByName["books"]!.inverseRelationship = nil
        #expect(reason(library.model)?.contains("do not name each other") == true)
    }

    @Test func anInverseMustBelongToTheDestination() {
        let library = Library()
        library.book.relationshipsByName["author"]!.destinationEntity = library.book
        #expect(reason(library.model)?.contains("no relationship of its destination") == true)
    }

    @Test func aMinimumAboveTheMaximumIsRefused() {
        let library = Library()
        library.author.relationshipsByName["books"]!.maxCount = 2
        library.author.relationshipsByName["books"]!.minCount = 3
        #expect(reason(library.model)?.contains("3 to 2") == true)
    }

    @Test func anExpressionIsNoProperty() {
        let expression = NSExpressionDescription()
        expression.name = "sum"
        #expect(reason(model(entity("A", [expression])))?.contains("'sum'") == true)
    }

    @Test func aConstraintMustNameAttributes() {
        let library = Library()
        library.novel.uniquenessConstraints = [["title", "genre"]]
        #expect(reason(library.model) == nil)
        library.novel.uniquenessConstraints = [["titel"]]
        #expect(reason(library.model)?.contains("'titel'") == true)
    }

    @Test func aParentMustBeInTheModel() {
        let parent = entity("Parent")
        let child = entity("Child")
        parent.subentities = [child]
        #expect(reason(model(child))?.contains("'Parent'") == true)
        #expect(reason(model(parent)) == nil)
    }

    @Test func aCircleOfEntitiesStopsTheProgram() async throws {
        let result = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let (parent, child) = (entity("Parent"), entity("Child"))
            parent.subentities = [child]
            child.subentities = [parent]
        }
        #expect(
            String(decoding: result.standardErrorContent, as: UTF8.self)
                .contains("Entity 'Parent' cannot be a subentity of 'Child'"))
    }

    @Test func anEntityHasOneParent() {
        let (first, second, child) = (entity("First"), entity("Second"), entity("Child"))
        first.subentities = [child]
        second.subentities = [child]
        #expect(reason(model(first, second, child))?.contains("both") == true)
    }

    @Test func anEntityBelongsToOneModel() {
        let shared = entity("Shared")
        let first = model(shared)
        _ = model(shared)
        #expect(reason(first)?.contains("another model") == true)
    }

    @Test func aCompositeNeedsElements() {
        let composite = NSCompositeAttributeDescription()
        composite.name = "place"
        #expect(reason(model(entity("A", [composite])))?.contains("A.place") == true)
        composite.elements = [attribute("x", .double), attribute("y", .undefined)]
        #expect(reason(model(entity("A", [composite])))?.contains("A.place.y") == true)
        composite.elements = [attribute("x", .double), attribute("y", .double)]
        #expect(reason(model(entity("A", [composite]))) == nil)
    }
}
