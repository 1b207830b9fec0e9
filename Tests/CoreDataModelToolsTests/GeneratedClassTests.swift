import CoreData
import CoreDataModelTools
import Foundation
import Testing

/// The generated classes of the showcase model at work.
@Suite("generated classes at work")
struct GeneratedClassTests {
    let container: NSPersistentContainer
    let context: NSManagedObjectContext

    init() throws {
        Book._register(as: ".Book")
        Author._register()
        Chapter._register()
        Sample._register()
        Tag._register()
        let model = try #require(NSManagedObjectModel(contentsOf: ModelFixture.showcase))
        container = NSPersistentContainer(name: "Showcase", managedObjectModel: model)
        let store = NSPersistentStoreDescription()
        store.type = NSInMemoryStoreType
        container.persistentStoreDescriptions = [store]
        var failure: (any Error)?
        container.loadPersistentStores { failure = $1 }
        if let failure { throw failure }
        context = container.newBackgroundContext()
    }

    /// What a property gives back after it was set, saved and read again from the store.
    private func roundTrip<Value>(_ path: ReferenceWritableKeyPath<Sample, Value>, _ value: Value) throws -> Value {
        let sample = Sample(context: context)
        sample.text = "t"
        sample[keyPath: path] = value
        try context.save()
        context.refresh(sample, mergeChanges: false)
        return sample[keyPath: path]
    }

    @Test("scalars")
    func scalars() throws {
        try context.performAndWait {
            try #expect(roundTrip(\.small, .min) == .min)
            try #expect(roundTrip(\.medium, .max) == .max)
            try #expect(roundTrip(\.big, .min) == .min)
            try #expect(roundTrip(\.flag, true))
            try #expect(roundTrip(\.weight, 1.5) == 1.5)
            try #expect(roundTrip(\.ratio, 0.25) == 0.25)
            try #expect(roundTrip(\.daySeconds, 86_400.5) == 86_400.5)
        }
    }

    @Test("numbers as objects")
    func numbers() throws {
        try context.performAndWait {
            try #expect(roundTrip(\.smallObject, -7) == -7)
            try #expect(roundTrip(\.mediumObject, 7) == 7)
            try #expect(roundTrip(\.bigObject, nil) == nil)
            try #expect(roundTrip(\.flagObject, true) == true)
            try #expect(roundTrip(\.weightObject, 2.5) == 2.5)
            try #expect(roundTrip(\.ratioObject, 0.5) == 0.5)
            let price = try roundTrip(\.price, NSDecimalNumber(string: "12.10"))
            #expect(price?.decimalValue == Decimal(string: "12.1"))
            try #expect(roundTrip(\.price, nil) == nil)
        }
    }

    @Test("values of other types")
    func values() throws {
        try context.performAndWait {
            try #expect(roundTrip(\.text, "Emma") == "Emma")
            try #expect(roundTrip(\.bytes, Data([1, 2])) == Data([1, 2]))
            let day = Date(timeIntervalSinceReferenceDate: 5)
            try #expect(roundTrip(\.day, day) == day)
            let id = UUID()
            try #expect(roundTrip(\.id, id) == id)
            let link = URL(string: "https://example.org/a")
            try #expect(roundTrip(\.link, link) == link)
            try #expect(roundTrip(\.custom, ["a", "b"]) == ["a", "b"])
            try #expect(roundTrip(\.object, NSArray(array: ["a"])) as? [String] == ["a"])
            try #expect(roundTrip(\.object, nil) == nil)
        }
    }

    @Test("a value of an undefined type is kept in memory, and a derived one comes with the save")
    func transientAndDerived() throws {
        try context.performAndWait {
            let sample = Sample(context: context)
            sample.anything = [1, 2]
            #expect(sample.anything as? [Int] == [1, 2])
            sample.text = "emma"
            try context.save()
            context.refresh(sample, mergeChanges: false)
            #expect(sample.upper == "EMMA")
        }
    }

    @Test("a scalar date and its object are one value")
    func scalarDate() throws {
        context.performAndWait {
            let sample = Sample(context: context)
            #expect(sample.daySeconds == 0)
            sample.daySeconds = 12
            #expect(sample.value(forKey: "daySeconds") as? Date == Date(timeIntervalSinceReferenceDate: 12))
            sample.setValue(nil, forKey: "daySeconds")
            #expect(sample.daySeconds == 0)
        }
    }

    @Test("the identifier is the attribute, or the object itself")
    func identifiable() throws {
        func identifier<T: Identifiable>(_ value: T) -> T.ID { value.id }
        context.performAndWait {
            let sample = Sample(context: context)
            sample.id = UUID()
            #expect(identifier(sample) == sample.id)
            let book = Book(context: context)
            #expect(identifier(book) == ObjectIdentifier(book))
        }
    }

    @Test("a request of the class, inherited properties, keywords, defaults")
    func fetching() throws {
        try context.performAndWait {
            let book = Book(context: context)
            #expect(book.default == 7)
            book.default = 3
            book.in = "print"
            book.note = "inherited"
            try context.save()
            context.reset()
            let request: NSFetchRequest<Book> = Book.fetchRequest()
            request.predicate = NSPredicate(format: "#in == 'print'")
            let found = try context.fetch(request)
            #expect(found.map(\.default) == [3])
            #expect(found.map(\.note) == ["inherited"])
            let things: NSFetchRequest<Thing> = Thing.fetchRequest()
            let thing = try context.fetch(things).first
            #expect(thing is Book)
        }
    }

    @Test("composites and fetched properties")
    func compositesAndFetched() throws {
        try context.performAndWait {
            let books = (0..<3).map { _ in Book(context: context) }
            #expect(books[0].place?["room"] == nil)
            #expect(books[0].place?["shelf"] as? Int == 0)
            books[0].place = ["room": "A", "shelf": 4]
            #expect(books[0].place?["room"] as? String == "A")
            #expect(books[0].value(forKeyPath: "place.shelf") as? Int == 4)
            books[0].shelfmark = "x"
            books[2].shelfmark = "x"
            try context.save()
            #expect(Set(books[0].neighbours) == [books[0], books[2]])
        }
    }

    @Test("to-one relationships, also to an entity without a class")
    func toOne() throws {
        context.performAndWait {
            let book = Book(context: context)
            let author = Author(context: context)
            author.name = "Jane"
            book.author = author
            #expect(author.books as? Set<Book> == [book])
            let shelf = NSEntityDescription.insertNewObject(forEntityName: "Shelf", into: context)
            book.shelf = shelf
            #expect(book.shelf === shelf)
            book.author = nil
            #expect(author.books?.count == 0)
        }
    }

    @Test("the methods of a to-many relationship")
    func toMany() throws {
        context.performAndWait {
            let book = Book(context: context)
            let tags = (0..<4).map { _ in Tag(context: context) }
            book.addToTags(tags[0])
            book.addToTags(NSSet(array: [tags[1], tags[2]]))
            #expect(book.tags == NSSet(array: [tags[0], tags[1], tags[2]]))
            book.removeFromTags(tags[0])
            book.removeFromTags(NSSet(array: [tags[2], tags[3]]))
            #expect(book.tags as? Set<Tag> == [tags[1]])
            // The set that is passed may be the relationship's own.
            book.removeFromTags(book.mutableSetValue(forKey: "tags"))
            #expect(book.tags?.count == 0)
            book.tags = NSSet(array: [tags[3]])
            #expect(book.tags?.count == 1)
        }
    }

    @Test("the methods of an ordered relationship")
    func ordered() throws {
        context.performAndWait {
            let book = Book(context: context)
            let chapters = "abcdefgh".map { name -> Chapter in
                let chapter = Chapter(context: context)
                chapter.title = String(name)
                return chapter
            }
            func order() -> String {
                (book.chapters?.array as? [Chapter] ?? []).compactMap(\.title).joined()
            }
            book.addToChapters(NSOrderedSet(array: [chapters[0], chapters[1]]))
            book.addToChapters(chapters[2])
            #expect(order() == "abc")
            book.insertIntoChapters(chapters[3], at: 0)
            #expect(order() == "dabc")
            book.insertIntoChapters([chapters[4], chapters[5]], at: NSIndexSet(indexSet: [1, 3]))
            #expect(order() == "deafbc")
            book.replaceChapters(at: 0, with: chapters[6])
            #expect(order() == "geafbc")
            book.replaceChapters(at: NSIndexSet(indexSet: [1, 5]), with: [chapters[7], chapters[3]])
            #expect(order() == "ghafbd")
            book.removeFromChapters(at: 0)
            book.removeFromChapters(at: NSIndexSet(indexSet: [1, 2]))
            #expect(order() == "hbd")
            book.removeFromChapters(chapters[1])
            #expect(order() == "hd")
            book.removeFromChapters(NSOrderedSet(array: [chapters[7], chapters[0]]))
            #expect(order() == "d")
            #expect(chapters[3].book === book && chapters[7].book == nil)
        }
    }
}
