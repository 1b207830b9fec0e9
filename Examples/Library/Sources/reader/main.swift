// A second program with the same library, and no use of its classes' names.
import Catalog
import CoreData

let context = try Catalog.container().viewContext
let book = NSEntityDescription.insertNewObject(forEntityName: "Book", into: context)
let chapter = NSEntityDescription.insertNewObject(forEntityName: "Chapter", into: context)
book.setValue("Persuasion", forKey: "title")
guard (book as? Book)?.title == "Persuasion", chapter is Chapter else {
    fatalError("not of their classes: \(book), \(chapter)")
}
print("reader: all is well")
