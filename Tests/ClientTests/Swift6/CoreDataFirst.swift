// A file of a client that imports CoreData before Foundation.
import CoreData
import Foundation
import Testing

/// A small store as an app would keep it.
final class Repository {
    let container: NSPersistentContainer
    var context: NSManagedObjectContext { container.viewContext }

    init() throws {
        let person = NSEntityDescription()
        person.name = "Person"
        let name = NSAttributeDescription()
        name.name = "name"
        name.attributeType = .stringAttributeType
        name.isOptional = false
        let age = NSAttributeDescription()
        age.name = "age"
        age.attributeType = .integer64AttributeType
        age.isOptional = true
        person.properties = [name, age]
        let model = NSManagedObjectModel()
        model.entities = [person]
        container = NSPersistentContainer(name: "People", managedObjectModel: model)
        let description = NSPersistentStoreDescription()
        description.type = NSInMemoryStoreType
        container.persistentStoreDescriptions = [description]
        var failure: Error?
        container.loadPersistentStores { _, error in failure = error }
        if let failure { throw failure }
    }

    func add(_ name: String, age: Int?) {
        let person = NSEntityDescription.insertNewObject(forEntityName: "Person", into: context)
        person.setValue(name, forKey: "name")
        person.setValue(age, forKey: "age")
    }

    func names(where predicate: NSPredicate? = nil, by order: NSSortDescriptor...) throws -> [String] {
        let request: NSFetchRequest<NSManagedObject> = NSFetchRequest(entityName: "Person")
        request.predicate = predicate
        request.sortDescriptors = order
        return try context.fetch(request).compactMap { $0.value(forKey: "name") as? String }
    }
}

struct CoreDataFirstTests {
    private let repository: Repository

    init() throws {
        repository = try Repository()
        repository.add("Ann", age: 31)
        repository.add("bob", age: 17)
        repository.add("Zoë", age: nil)
        try repository.context.save()
    }

    @Test("predicates given as parameters select in the store")
    func selecting() throws {
        let byName = NSSortDescriptor(key: "name", ascending: true)
        #expect(try repository.names(where: NSPredicate(format: "age >= %d", 18), by: byName) == ["Ann"])
        #expect(try repository.names(where: NSPredicate(format: "age == nil"), by: byName) == ["Zoë"])
        #expect(try repository.names(where: NSPredicate(format: "name CONTAINS[cd] %@", "ZOE"), by: byName) == ["Zoë"])
        #expect(
            try repository.names(where: NSPredicate(format: "name IN %@", ["Ann", "bob"]), by: byName) == [
                "Ann", "bob",
            ])
    }

    @Test("an untyped request works as with Apple's framework")
    func untyped() throws {
        let request = NSFetchRequest<NSFetchRequestResult>(entityName: "Person")
        request.predicate = .named("Ann")
        let found: [Any] = try repository.context.fetch(request)
        #expect((found.first as? NSManagedObject)?.value(forKey: "age") as? Int == 31)
        #expect(try repository.context.count(for: request) == 1)
    }

    @Test("a comparison predicate and its expressions are made without a qualified name")
    func building() throws {
        let adults = NSComparisonPredicate(
            leftExpression: NSExpression(forKeyPath: "age"), rightExpression: NSExpression(forConstantValue: 18),
            modifier: .direct, type: .greaterThanOrEqualTo, options: [])
        #expect(try repository.names(where: adults, by: NSSortDescriptor(key: "name", ascending: true)) == ["Ann"])
    }

    @Test("work in the background comes back with its value or its error")
    func background() async throws {
        let count = try await repository.container.performBackgroundTask { context in
            try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Person"))
        }
        #expect(count == 3)
        await #expect(throws: CocoaError.self) {
            try await repository.container.performBackgroundTask { context in
                _ = NSEntityDescription.insertNewObject(forEntityName: "Person", into: context)
                try context.save()
            }
        }
    }
}
