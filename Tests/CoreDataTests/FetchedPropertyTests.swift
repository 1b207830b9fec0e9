import Foundation
import TestSupport
import Testing

@testable import CoreData

/// Fetched properties of writers in cities: what their requests find, and for how long.
@Suite("Fetched properties") struct FetchedPropertyTests {
    private let folder: TemporaryDirectory
    private let coordinator: NSPersistentStoreCoordinator
    private let context: NSManagedObjectContext
    private let path: String

    init() throws {
        folder = try TemporaryDirectory()
        path = folder.path("writers.sqlite")
        coordinator = NSPersistentStoreCoordinator(managedObjectModel: Self.model())
        _ = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: URL(fileURLWithPath: path))
        context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        let cities = ["Bonn", "Rome"].map { name -> NSManagedObject in
            let city = NSEntityDescription.insertNewObject(forEntityName: "City", into: context)
            city.setValue(name, forKey: "name")
            return city
        }
        for (name, city, age) in [("Ann", 0, 30), ("Bob", 0, 40), ("Cid", 1, 50), ("Dan", 0, 60), ("Eve", nil, 70)] {
            let writer = NSEntityDescription.insertNewObject(forEntityName: "Writer", into: context)
            writer.setValuesForKeys(["name": name, "age": age])
            writer.setValue(city.map { cities[$0] }, forKey: "city")
        }
        try context.save()
        context.reset()
    }

    private static func property(
        _ name: String, _ entity: String, _ format: String?, limit: Int? = nil
    ) -> NSFetchedPropertyDescription {
        let property = NSFetchedPropertyDescription()
        property.name = name
        let request = NSFetchRequest<NSFetchRequestResult>(entityName: entity)
        request.predicate = format.map { NSPredicate(format: $0) }
        request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: false)]
        property.fetchRequest = request
        if let limit { property.userInfo = ["limit": limit] }
        return property
    }

    private static func model() -> NSManagedObjectModel {
        let writer = NSEntityDescription()
        writer.name = "Writer"
        let city = NSEntityDescription()
        city.name = "City"
        let home = ObjectTestModel.toOne("city", city)
        let people = ObjectTestModel.toMany("writers", writer)
        ObjectTestModel.join(home, people)
        writer.properties = [
            ObjectTestModel.attribute("name", .stringAttributeType),
            ObjectTestModel.attribute("age", .integer32AttributeType), home,
            property("all", "Writer", nil),
            property("grown", "Writer", "age >= 50"),
            property("me", "Writer", "SELF == $FETCH_SOURCE"),
            property("neighbours", "Writer", "city == $FETCH_SOURCE.city AND SELF != $FETCH_SOURCE"),
            property("namesakes", "Writer", "city.name == $FETCH_SOURCE.city.name"),
            property("elders", "Writer", "age > $FETCH_SOURCE.age"),
            property("townsfolk", "Writer", "SELF IN $FETCH_SOURCE.city.writers"),
            property("crowded", "City", "$FETCH_SOURCE.city.writers.@count > 2 AND SELF == $FETCH_SOURCE.city"),
            property("young", "Writer", "age <= $FETCHED_PROPERTY.userInfo.limit", limit: 40),
            property("misnamed", "Writer", "name == $FETCH_SOURCE.nickname"),
        ]
        city.properties = [
            ObjectTestModel.attribute("name", .stringAttributeType), people,
            property("authors", "Writer", "city == $FETCH_SOURCE"),
        ]
        let model = NSManagedObjectModel()
        model.entities = [writer, city]
        return model
    }

    private func writer(_ name: String) throws -> NSManagedObject {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Writer")
        request.predicate = NSPredicate(format: "name == %@", name)
        return try #require(try context.fetch(request).first)
    }

    private func names(_ object: NSManagedObject, _ key: String) -> [String]? {
        (object.value(forKey: key) as? NSArray)?.compactMap {
            ($0 as? NSManagedObject)?.value(forKey: "name") as? String
        }
    }

    @Test(
        "the result is an array in the request's order",
        arguments: [
            ("all", "Ann", ["Eve", "Dan", "Cid", "Bob", "Ann"]),
            ("grown", "Ann", ["Eve", "Dan", "Cid"]),
            ("me", "Bob", ["Bob"]),
            ("neighbours", "Bob", ["Dan", "Ann"]),
            ("neighbours", "Cid", []),
            ("namesakes", "Cid", ["Cid"]),
            ("elders", "Cid", ["Eve", "Dan"]),
            ("townsfolk", "Ann", ["Dan", "Bob", "Ann"]),
            ("crowded", "Ann", ["Bonn"]),
            ("crowded", "Cid", []),
            ("young", "Eve", ["Bob", "Ann"]),
        ])
    func results(_ key: String, _ name: String, _ expected: [String]) throws {
        #expect(names(try writer(name), key) == expected)
    }

    @Test("a path through nil is nil: who has no city is at home with all who have none")
    func pathThroughNil() throws {
        #expect(names(try writer("Eve"), "neighbours") == [])
        #expect(names(try writer("Eve"), "namesakes") == ["Eve"])
        #expect(names(try writer("Eve"), "townsfolk") == [])
    }

    @Test("from the other side of the relationship")
    func otherEntity() throws {
        let city = try #require(try writer("Ann").value(forKey: "city") as? NSManagedObject)
        #expect(names(city, "authors") == ["Dan", "Bob", "Ann"])
    }

    @Test("unsaved changes count, of the source too")
    func unsavedChanges() throws {
        let cid = try writer("Cid")
        let ann = try writer("Ann")
        cid.setValue(ann.value(forKey: "city"), forKey: "city")
        #expect(names(ann, "neighbours") == ["Dan", "Cid", "Bob"])
        #expect(names(cid, "neighbours") == ["Dan", "Bob", "Ann"])
        let new = NSEntityDescription.insertNewObject(forEntityName: "Writer", into: context)
        new.setValuesForKeys(["name": "Fay", "age": 5])
        #expect(names(new, "me") == ["Fay"])
        #expect(names(new, "young") == ["Fay", "Bob", "Ann"])
    }

    @Test("the result stays until the object is refreshed")
    func caching() throws {
        let ann = try writer("Ann")
        #expect(names(ann, "neighbours") == ["Dan", "Bob"])
        let first = ann.value(forKey: "neighbours") as? NSArray
        let bob = try writer("Bob")
        bob.setValue(nil, forKey: "city")
        try context.save()
        #expect(names(ann, "neighbours") == ["Dan", "Bob"])
        #expect(ann.value(forKey: "neighbours") as? NSArray === first)
        context.refresh(ann, mergeChanges: false)
        #expect(names(ann, "neighbours") == ["Dan"])
        bob.setValue(ann.value(forKey: "city"), forKey: "city")
        try context.save()
        context.refreshAllObjects()
        #expect(names(ann, "neighbours") == ["Dan", "Bob"])
        #expect(!ann.hasChanges)
    }

    @Test("nothing of it is stored")
    func store() throws {
        #expect(try sqlite3(path, "SELECT name FROM pragma_table_info('ZCITY')") == "Z_PK\nZ_ENT\nZ_OPT\nZNAME")
    }

    @Test("a key that the source does not have finds nothing and does not stop the program")
    func unknownKey() throws {
        #expect(names(try writer("Ann"), "misnamed") == [])
    }

    @Test("a request with key paths of constants is one of values")
    func ordinaryRequests() throws {
        let ann = try writer("Ann")
        let request = NSFetchRequest<NSManagedObject>(entityName: "Writer")
        request.predicate = NSPredicate(format: "age > $SOURCE.age AND city.name == $PLACE.name")
            .withSubstitutionVariables(["SOURCE": ann, "PLACE": ["name": "Bonn"]])
        request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
        #expect(try context.fetch(request).compactMap { $0.value(forKey: "name") as? String } == ["Bob", "Dan"])
        request.predicate = NSPredicate(format: "age > $SOURCE.shoeSize").withSubstitutionVariables(["SOURCE": ann])
        #expect(throws: NSError.self) { try context.fetch(request) }
    }

    @Test("it cannot be set")
    func readOnly() async throws {
        let result = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let tests = try FetchedPropertyTests()
            try tests.writer("Ann").setValue([] as NSArray, forKey: "all")
        }
        let text = String(decoding: result.standardErrorContent, as: UTF8.self)
        #expect(text.contains("Writer.all is a fetched property"))
    }
}
