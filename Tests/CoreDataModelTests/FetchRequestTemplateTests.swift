import CoreData
import Foundation
import FoundationBackfill
import Testing

struct FetchRequestTemplateTests {
    private func model() -> NSManagedObjectModel {
        let library = Library()
        let request = NSFetchRequest<NSFetchRequestResult>(entityName: "Book")
        request.entity = library.book
        request.predicate = NSPredicate(format: "pageCount > $LEAST AND author.name == $NAME")
        request.fetchLimit = 5
        library.model.setFetchRequestTemplate(request, forName: "byAuthor")
        return library.model
    }

    @Test(arguments: [false, true])
    func aTemplateIsGivenBackByName(_ isFrozen: Bool) throws {
        let model = model()
        if isFrozen { model.freeze() }
        let template = try #require(model.fetchRequestTemplate(forName: "byAuthor"))
        #expect(template.entityName == "Book")
        #expect(template.entity === model.entitiesByName["Book"])
        #expect(template.predicate?.formatText == "pageCount > $LEAST AND author.name == $NAME")
        #expect(template.fetchLimit == 5)
        #expect(model.fetchRequestTemplatesByName.keys.sorted() == ["byAuthor"])
        #expect(model.fetchRequestTemplate(forName: "other") == nil)
    }

    @Test func variablesAreReplacedInACopy() throws {
        let model = model()
        let request = try #require(
            model.fetchRequestFromTemplate(
                withName: "byAuthor", substitutionVariables: ["LEAST": 100, "NAME": "Ann"]))
        #expect(request.predicate?.formatText == "pageCount > 100 AND author.name == \"Ann\"")
        #expect(request.fetchLimit == 5)
        #expect(model.fetchRequestTemplate(forName: "byAuthor")?.predicate?.freeVariables == ["LEAST", "NAME"])
        #expect(model.fetchRequestFromTemplate(withName: "other", substitutionVariables: [:]) == nil)
    }

    @Test func aTemplateOfAFrozenModelIsNotChangedThroughItsCopies() {
        let model = model()
        model.freeze()
        model.fetchRequestTemplate(forName: "byAuthor")?.fetchLimit = 1
        #expect(model.fetchRequestTemplate(forName: "byAuthor")?.fetchLimit == 5)
    }

    @Test func aCopiedModelsTemplateIsForItsOwnEntity() throws {
        let model = model()
        let copy = try #require(model.copy() as? NSManagedObjectModel)
        let template = try #require(copy.fetchRequestTemplate(forName: "byAuthor"))
        #expect(template.entity === copy.entitiesByName["Book"])
        #expect(template.entity !== model.entitiesByName["Book"])
    }

    @Test func nilRemovesATemplate() {
        let model = model()
        model.setFetchRequestTemplate(nil, forName: "byAuthor")
        #expect(model.fetchRequestTemplatesByName.isEmpty)
    }

    @Test func aMissingVariableStopsTheProgram() async throws {
        let result = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let library = Library()
            let request = NSFetchRequest<NSFetchRequestResult>(entityName: "Book")
            request.predicate = NSPredicate(format: "title == $TITLE")
            library.model.setFetchRequestTemplate(request, forName: "byTitle")
            _ = library.model.fetchRequestFromTemplate(withName: "byTitle", substitutionVariables: [:])
        }
        #expect(
            String(decoding: result.standardErrorContent, as: UTF8.self).contains(
                "template 'byTitle' has no value for $TITLE"))
    }

    @Test func aFetchedPropertyOfAFrozenModelDoesNotHoldItsModel() {
        weak var entity: NSEntityDescription?
        do {
            let library = Library()
            let request = NSFetchRequest<NSFetchRequestResult>()
            request.entity = library.book
            request.predicate = NSPredicate(format: "title == $FETCH_SOURCE.title")
            let fetched = NSFetchedPropertyDescription()
            fetched.name = "sameTitle"
            fetched.fetchRequest = request
            library.book.properties.append(fetched)
            #expect(fetched.isTransient)
            library.model.freeze()
            #expect(fetched.fetchRequest?.entity === library.book)
            #expect(fetched.fetchRequest?.predicate?.freeVariables == ["FETCH_SOURCE"])
            entity = library.book
        }
        #expect(entity == nil)
    }
}
