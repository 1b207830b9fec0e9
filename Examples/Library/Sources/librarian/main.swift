// Works with every kind of class in the model and stops at the first thing that is not as it should be.
import Catalog
import CoreData
import Foundation

func check(_ isRight: Bool, _ what: String, line: UInt = #line) {
    guard isRight else { fatalError("\(what) (line \(line))") }
}

let container = try Catalog.container()
let context = container.viewContext

// Hand-written accessors.
let book = Novel(context: context)
check(book.log == ["insert", "init"] && book.genre == "unknown", "initialiser and hooks")
book.title = "Emma"
book.isbn = "978-0"
book.pages = 474
book.price = NSDecimalNumber(string: "9.90")
book.published = Date(timeIntervalSinceReferenceDate: 0)
book.cover = Data([1, 2])
book.link = URL(string: "https://example.org/emma")
book.rating = 4.5
book.isLent = true
book.shelf = .readingRoom
book.condition = .worn
book.keywords = ["match", "making"]
book.copies = 3
book.jot("reserved")
check(book.title == "Emma" && book.isbn == "978-0" && book.pages == 474, "texts and numbers")
check(book.price == NSDecimalNumber(string: "9.9") && book.rating == 4.5 && book.isLent, "decimal, double, bool")
check(book.published?.timeIntervalSinceReferenceDate == 0 && book.cover == Data([1, 2]), "date and data")
check(book.identifier != nil && book.link?.host == "example.org" && book.copies == 3, "uuid, url, number")
check(book.shelf == .readingRoom && book.value(forKey: "shelf") as? Int == 1, "an enumeration of another module")
check(book.condition == .worn && book.keywords == ["match", "making"] && book.jotting == "reserved", "others")
check(book.shouting == "EMMA", "a stored property")

// Generated classes and properties, and the hand-written methods of relationships.
let author = Author(context: context)
author.name = "Jane Austen"
author.addToBooks(book)
check(book.author == author && author.initials == "JA", "an inverse")
let tag = Tag(context: context)
tag.name = "classic"
book.addToTags(tag)
check(book.tags == [tag] && tag.books?.contains(book) == true, "a to-many relationship")
let second = Chapter(context: context)
let first = Chapter(context: context)
second.heading = "II"
first.heading = "I"
book.addToChapters(second)
book.insertIntoChapters(first, at: 0)
check(book.chapters?.array as? [Chapter] == [first, second], "an ordered relationship")

// A rule of the class, by its method's name.
try context.save()
check(book.isbn == "9780" && book.log.last == "save", "validateIsbn(_:) changed the value")
book.isbn = "none"
do {
    try context.save()
    check(false, "validateIsbn(_:) refuses")
} catch {
    check((error as NSError).code == CocoaError.validationStringPatternMatching.rawValue, "\(error)")
}
book.isbn = "1"
try context.save()

// Key paths.
let request: NSFetchRequest<Book> = Book.fetchRequest()
request.sortDescriptors = [NSSortDescriptor(keyPath: \Book.title, ascending: false)]
let plain = Book(entity: Book.entity(), insertInto: context)
plain.title = "Abbey"
try context.save()
check(try context.fetch(request).map(\.title) == ["Emma", "Abbey"], "sorting by a key path")
let novels = NSFetchRequest<Novel>(entityName: "Novel")
novels.sortDescriptors = [NSSortDescriptor(keyPath: \Novel.title, ascending: true)]
check(try context.fetch(novels) == [book], "a key path of a subclass")
check(NSExpression(forKeyPath: \Author.name).keyPath == "name", "a key path of a generated property")
let expression: NSExpression = NSExpression(forKeyPath: \Book.pages)
check(expression.keyPath == "pages", "NSExpression in a file that imports Foundation")

// Objects that are read again are of the class, by whatever name the model knows it.
let other = container.newBackgroundContext()
try other.performAndWait {
    let everything: NSFetchRequest<Book> = Book.fetchRequest()
    let found = try other.fetch(everything)
    check(Set(found.map { String(describing: type(of: $0)) }) == ["Novel", "Book"], "classes of fetched objects")
    let novel = found.compactMap { $0 as? Novel }.first
    check(novel?.title == "Emma" && novel?.log == ["init", "fetch"], "a fetched object's hooks")
    check(novel?.tags.first?.name == "classic" && novel?.author?.name == "Jane Austen", "relationships")
}

// One class under two versions of the model, in turn.
let contexts = try ["Catalog", "Catalog 2"].map(Catalog.context(version:))
let books = contexts.map { context in context.performAndWait { Book(context: context) } }
for round in 0..<3 {
    for (index, book) in books.enumerated() {
        book.title = "\(index) \(round)"
        book.pages = Int32(round)
        check(book.title == "\(index) \(round)" && book.pages == Int32(round), "two versions")
    }
}
check(books[0].entity.attributesByName["blurb"] == nil && books[1].entity.attributesByName["blurb"] != nil, "versions")

// A class of the program.
let desks = NSPersistentContainer(name: "Desk")
check(desks.managedObjectModel.entitiesByName["Desk"]?.managedObjectClassName == ".Desk", "the program's own model")
let desk = NSEntityDescription.entity(forEntityName: "Desk", in: desks.viewContext).map {
    Desk(entity: $0, insertInto: nil)
}
desk?.label = "A"
check(desk?.label == "A", "a class of the program")
print("librarian: all is well")
