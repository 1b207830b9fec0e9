import CoreData
import CoreDataReset
import Foundation

/// Runs the demo on one store and prints what a person would want to know of each step.
struct Demo {
    private let container: NSPersistentContainer
    private let description: NSPersistentStoreDescription

    init(_ description: NSPersistentStoreDescription) throws {
        self.description = description
        container = NSPersistentContainer(name: "Library")
        container.persistentStoreDescriptions = [description]
        var failure: (any Error)?
        container.loadPersistentStores { _, error in failure = error }
        if let failure { throw failure }
    }

    func run() throws {
        let live = try fill()
        try show("1. Made three authors with their books and tags")
        try watch(live, while: "2. Delete every record, keep the store", deleteAllRecords)
        try show("   What is left")
        _ = try fill()
        try show("3. New records, with new keys")
        try resetStores()
        try show("4. Destroyed the store and rebuilt it")
        try container.close()
    }

    func fillOnly() throws {
        _ = try fill()
        try container.close()
    }

    // MARK: Steps

    /// Fills the store and returns the live objects.
    private func fill() throws -> [NSManagedObject] {
        let context = container.viewContext
        func insert(_ entity: String, _ values: [String: Any]) -> NSManagedObject {
            let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
            object.setValuesForKeys(values)
            return object
        }
        let tags = ["classic", "travel"].map { insert("Tag", ["name": $0]) }
        let works = [
            "Jules Verne": ["Around the World in Eighty Days", "Michel Strogoff"],
            "Selma Lagerlöf": ["The Wonderful Adventures of Nils"],
            "Stanisław Lem": ["The Cyberiad", "Solaris", "Fiasco"],
        ]
        var made = tags
        for (name, titles) in works.sorted(by: { $0.key < $1.key }) {
            let author = insert("Author", ["name": name])
            made.append(author)
            for title in titles {
                let book = insert("Book", ["title": title, "author": author])
                book.mutableSetValue(forKey: "tags").add(tags[title.count % 2])
                made.append(book)
            }
        }
        try context.save()
        return made
    }

    /// One call: a transaction a store, and every context follows.
    private func deleteAllRecords() throws {
        show(try container.deleteAllRecords())
    }

    /// One call: there is no moment without a store, and the same contexts go on.
    private func resetStores() throws {
        let report = try container.resetStores()
        show(report)
        for store in report.stores {
            print(
                "   store \(store.identifierBefore.prefix(8))… is gone, \(store.identifierAfter.prefix(8))… took its place"
            )
        }
    }

    // MARK: Printing

    private func show(_ report: ResetReport) {
        for line in report.description.split(separator: "\n") { print("   | \(line)") }
    }

    private func watch(_ objects: [NSManagedObject], while title: String, _ work: () throws -> Void) throws {
        print(title)
        try work()
        let gone = objects.filter { $0.isDeleted || $0.managedObjectContext == nil }.count
        print("   \(gone) of \(objects.count) live objects know that they are gone")
    }

    private func show(_ title: String) throws {
        let counts = try container.managedObjectModel.entities.compactMap(\.name).sorted().map { name in
            let count = try container.viewContext.count(for: NSFetchRequest<NSFetchRequestResult>(entityName: name))
            return "\(name) \(count)"
        }
        print("\(title): \(counts.joined(separator: ", "))")
    }
}
