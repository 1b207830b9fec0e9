import Foundation
import Testing

@testable import CoreData

/// Delete rules of the object path, on a memory store.
@Suite struct DeleteRuleTests {
    /// An author with books, a shelf and a licence, whose rules a test sets.
    static func model(
        books: NSDeleteRule = .nullifyDeleteRule, author: NSDeleteRule = .nullifyDeleteRule,
        pages: NSDeleteRule = .cascadeDeleteRule
    ) -> NSManagedObjectModel {
        func entity(_ name: String) -> NSEntityDescription {
            let entity = ObjectTestModel.entity(name)
            entity.properties = [ObjectTestModel.attribute("name", .stringAttributeType)]
            return entity
        }
        let authorEntity = entity("Author")
        let book = entity("Book")
        let page = entity("Page")
        let toBooks = ObjectTestModel.toMany("books", book)
        let toAuthor = ObjectTestModel.toOne("author", authorEntity)
        let toPages = ObjectTestModel.toMany("pages", page, isOrdered: true)
        let toBook = ObjectTestModel.toOne("book", book)
        let toReaders = ObjectTestModel.toMany("readers", authorEntity)
        let toRead = ObjectTestModel.toMany("read", book)
        let next = ObjectTestModel.toOne("next", book)
        let previous = ObjectTestModel.toOne("previous", book)
        ObjectTestModel.join(toBooks, toAuthor)
        ObjectTestModel.join(toPages, toBook)
        ObjectTestModel.join(toReaders, toRead)
        ObjectTestModel.join(next, previous)
        toBooks.deleteRule = books
        toAuthor.deleteRule = author
        toPages.deleteRule = pages
        next.deleteRule = .cascadeDeleteRule
        previous.deleteRule = .cascadeDeleteRule
        authorEntity.properties += [toBooks, toRead]
        book.properties += [toAuthor, toPages, toReaders, next, previous]
        page.properties += [toBook]
        let model = NSManagedObjectModel()
        model.entities = [authorEntity, book, page]
        return model
    }

    struct Library {
        let stack: ObjectTestStack
        let author: NSManagedObject
        let books: [NSManagedObject]
        var context: NSManagedObjectContext { stack.context }

        init(_ model: NSManagedObjectModel) throws {
            stack = try ObjectTestStack.inMemory(model: model)
            author = stack.insert("Author", ["name": "Jane"])
            var books: [NSManagedObject] = []
            for index in 0..<3 {
                books.append(stack.insert("Book", ["name": "B\(index)", "author": author]))
                for page in 0..<2 { stack.insert("Page", ["name": "\(page)", "book": books[index]]) }
            }
            self.books = books
            try stack.context.save()
        }

        func count(_ entity: String) throws -> Int {
            try stack.another().count(for: NSFetchRequest<NSManagedObject>(entityName: entity))
        }
    }

    func code(_ body: () throws -> Void) -> Int? {
        do {
            try body()
            return nil
        } catch {
            return (error as NSError).code
        }
    }

    @Test func nullifyTakesTheObjectOutOfItsInverses() throws {
        let library = try Library(Self.model())
        library.context.delete(library.author)
        library.context.processPendingChanges()
        #expect(library.books.allSatisfy { $0.object("author") == nil && $0.isUpdated })
        try library.context.save()
        #expect(try library.count("Author") == 0)
        #expect(try library.count("Book") == 3)
        library.context.delete(library.books[0])
        try library.context.save()
        #expect(try library.count("Book") == 2)
        #expect(try library.count("Page") == 4)
    }

    @Test func nullifyOfAFaultLoadsNoMemberValues() throws {
        let library = try Library(Self.model())
        let other = library.stack.another()
        other.delete(other.object(with: library.author.objectID))
        other.processPendingChanges()
        let books = library.books.map { other.object(with: $0.objectID) }
        #expect(books.allSatisfy { $0.isFault && $0.isUpdated })
        try other.save()
        #expect(books.allSatisfy { $0.object("author") == nil })
        #expect(books.allSatisfy { $0.value(forKey: "name") is String })
    }

    @Test func cascadesReachEveryLevelAndPrepareEachObject() throws {
        let library = try Library(Self.model(books: .cascadeDeleteRule))
        library.context.delete(library.author)
        library.context.processPendingChanges()
        #expect(library.context.deletedObjects.count == 10)
        try library.context.save()
        #expect(try library.count("Author") + library.count("Book") + library.count("Page") == 0)
    }

    @Test func cyclesOfCascadesEnd() throws {
        let library = try Library(Self.model(books: .cascadeDeleteRule, author: .cascadeDeleteRule))
        library.books[0].setValue(library.books[1], forKey: "next")
        library.books[1].setValue(library.books[2], forKey: "next")
        try library.context.save()
        library.context.delete(library.books[1])
        try library.context.save()
        #expect(try library.count("Author") + library.count("Book") + library.count("Page") == 0)
    }

    @Test func denyFailsOnlyAtTheSaveAndARollbackHelps() throws {
        let library = try Library(Self.model(books: .denyDeleteRule))
        library.context.delete(library.author)
        library.context.processPendingChanges()
        let error = #expect(throws: NSError.self) { try library.author.validateForDelete() }
        #expect(error?.code == 1600 && error?.userInfo[NSValidationKeyErrorKey] as? String == "books")
        #expect(error?.userInfo[NSValidationObjectErrorKey] as? NSManagedObject === library.author)
        #expect(code { try library.context.save() } == 1600)
        library.stack.insert("Page")
        #expect(code { try library.context.save() } == 1600, "what was refused stays pending")
        library.context.rollback()
        #expect(!library.author.isDeleted && library.author.set("books").count == 3)
        library.stack.insert("Page")
        try library.context.save()
    }

    @Test func denyIsSatisfiedWhenTheOthersGoToo() throws {
        let library = try Library(Self.model(books: .denyDeleteRule))
        library.context.delete(library.author)
        for book in library.books { library.context.delete(book) }
        library.context.processPendingChanges()
        try library.author.validateForDelete()
        try library.context.save()
        #expect(try library.count("Author") == 0)
    }

    @Test func denyBelowACascadeFailsTheSave() throws {
        let library = try Library(Self.model(books: .cascadeDeleteRule, pages: .denyDeleteRule))
        library.context.delete(library.author)
        let error = #expect(throws: NSError.self) { try library.context.save() }
        let details = error?.userInfo[NSDetailedErrorsKey] as? [NSError] ?? []
        #expect(details.count == 3 && details.allSatisfy { $0.code == 1600 })
    }

    @Test func noActionLeavesTheOtherEndPointing() throws {
        let library = try Library(Self.model(books: .noActionDeleteRule))
        library.context.delete(library.author)
        try library.context.save()
        let other = library.stack.another()
        let book = try other.existingObject(with: library.books[0].objectID)
        let author = try #require(book.object("author"))
        #expect(author.value(forKey: "name") == nil && author.isDeleted)
    }

    @Test(arguments: [false, true])
    func childrenMovedBeforeTheDeletionSurvive(areLoaded: Bool) throws {
        let library = try Library(Self.model(books: .cascadeDeleteRule))
        let other = library.stack.another()
        let old = other.object(with: library.author.objectID)
        if areLoaded { #expect(old.set("books").count == 3) }
        let new = NSEntityDescription.insertNewObject(forEntityName: "Author", into: other)
        for book in library.books[0..<2] { other.object(with: book.objectID).setValue(new, forKey: "author") }
        other.delete(old)
        try other.save()
        #expect(try library.count("Book") == 2)
        #expect(
            new.set("books").count == 2 && new.set("books").allSatisfy { ($0 as? NSManagedObject)?.isDeleted == false })
    }

    @Test func deletingEverythingOfALinkedGraphInOneSave() throws {
        let library = try Library(Self.model())
        for book in library.books { book.mutableSetValue(forKey: "readers").add(library.author) }
        library.books[0].setValue(library.books[1], forKey: "next")
        try library.context.save()
        for entity in ["Page", "Book", "Author"] {
            for object in try library.context.fetch(NSFetchRequest<NSManagedObject>(entityName: entity)) {
                library.context.delete(object)
            }
        }
        try library.context.save()
        #expect(try library.count("Author") + library.count("Book") + library.count("Page") == 0)
    }

    @Test func aNewObjectThatIsDeletedLeavesNoTraceInItsRelations() throws {
        let library = try Library(Self.model())
        let book = library.stack.insert("Book", ["author": library.author])
        let reader = library.stack.insert("Author", ["read": [book]])
        library.context.delete(book)
        library.context.processPendingChanges()
        #expect(library.author.set("books").count == 3 && reader.set("read").count == 0)
        try library.context.save()
        #expect(try library.count("Book") == 3)
    }

    @Test(arguments: [false, true])
    func newObjectsThatACascadeDeletesDoNotComeBackAsFaults(_ havePermanentIDs: Bool) throws {
        let library = try Library(Self.model(books: .cascadeDeleteRule))
        let context = library.context
        let author = library.stack.insert("Author", ["name": "new"])
        let book = library.stack.insert("Book", ["name": "new", "author": author])
        let pages = (0..<3).map { _ in library.stack.insert("Page", ["name": "new", "book": book]) }
        if havePermanentIDs { try context.obtainPermanentIDs(for: [author, book] + pages) }
        context.processPendingChanges()
        context.delete(author)
        context.processPendingChanges()
        #expect(context.insertedObjects.isEmpty && context.updatedObjects.isEmpty && context.deletedObjects.isEmpty)
        #expect(!context.hasChanges)
        #expect(context.registeredObjects.isDisjoint(with: [author, book] + pages))
        #expect(!context.registeredObjects.contains { $0.value(forKey: "name") == nil })
        try context.save()
        #expect(author.managedObjectContext == nil && pages[2].managedObjectContext == nil)
        #expect(try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Author")) == 1)
    }

    @Test func anObjectThatStillPointsToADeletedNewOneLeadsToThatVeryObject() throws {
        let library = try Library(Self.model(pages: .noActionDeleteRule))
        let book = library.stack.insert("Book", ["name": "new"])
        let page = library.stack.insert("Page", ["name": "new", "book": book])
        library.context.delete(book)
        library.context.processPendingChanges()
        #expect(page.value(forKey: "book") as? NSManagedObject === book)
        library.context.insert(book)
        #expect(page.value(forKey: "book") as? NSManagedObject === book)
        #expect(book.isInserted)
        try library.context.save()
        #expect(page.value(forKey: "book") as? NSManagedObject === book)
    }

    @Test func manyToManyMembersForgetTheDeletedObject() throws {
        let library = try Library(Self.model())
        for book in library.books { book.mutableSetValue(forKey: "readers").add(library.author) }
        try library.context.save()
        library.context.delete(library.books[1])
        try library.context.save()
        #expect(library.author.set("read").count == 2)
        let other = library.stack.another()
        #expect(other.object(with: library.author.objectID).set("read").count == 2)
    }

    @Test func aHundredDeletedMembersLeaveTheOwnerEmpty() throws {
        let library = try Library(Self.model())
        let many = (0..<100).map { _ in library.stack.insert("Book", ["author": library.author]) }
        try library.context.save()
        for book in many + library.books { library.context.delete(book) }
        try library.context.save()
        #expect(library.author.set("books").count == 0)
    }
}
