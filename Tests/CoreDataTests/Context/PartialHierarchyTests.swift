import CoreData
import Foundation
import TestSupport
import Testing

/// A store whose configuration holds subentities without the root entity they come from.
@Suite("Configurations without a root entity") struct PartialHierarchyTests {
    private let folder: TemporaryDirectory
    private let path: String
    private let coordinator: NSPersistentStoreCoordinator

    /// Person (root, not in the store) has Boss, and Boss has Chief; Company has `staff` of persons.
    private static func model() -> NSManagedObjectModel {
        let person = Office.entity("Person", [Office.attribute("name", .stringAttributeType)])
        let boss = Office.entity("Boss", [Office.attribute("title", .stringAttributeType)])
        let chief = Office.entity("Chief", [Office.attribute("rank", .integer32AttributeType, default: 0)])
        let worker = Office.entity("Worker", [])
        let company = Office.entity("Company", [Office.attribute("name", .stringAttributeType)])
        let club = Office.entity("Club", [Office.attribute("name", .stringAttributeType)])
        Office.relate(person, "company", to: company, "staff", toMany: true, rule: .cascadeDeleteRule)
        Office.relateMany(boss, "clubs", club, "members")
        boss.uniquenessConstraints = [["title"]]
        boss.subentities = [chief]
        person.subentities = [boss, worker]
        let model = NSManagedObjectModel()
        model.entities = [person, boss, chief, worker, company, club]
        model.setEntities([boss, chief, company, club], forConfigurationName: "Upstairs")
        return model
    }

    init() throws {
        folder = try TemporaryDirectory()
        path = folder.path("upstairs.sqlite")
        coordinator = NSPersistentStoreCoordinator(managedObjectModel: Self.model())
        _ = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: "Upstairs", at: URL(fileURLWithPath: path))
        let context = makeContext()
        let company = context.insert("Company", ["name": "Acme"])
        for (name, title) in [("Ann", "a"), ("Bob", "b")] {
            context.insert("Boss", ["name": name, "title": title, "company": company])
        }
        context.insert("Chief", ["name": "Cid", "title": "c", "rank": 7])
        let club = context.insert("Club", ["name": "Golf"])
        club.setValue(Set(try context.all("Boss")), forKey: "members")
        try context.save()
    }

    private func makeContext() -> NSManagedObjectContext {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        return context
    }

    private func shell(_ sql: String) throws -> String { try sqlite3(path, sql) }

    private func names(_ objects: [NSManagedObject]) -> [String] { objects.compactMap(\.nameValue).sorted() }

    private func names(_ value: Any?) -> [String] { names(Array(value as? Set<NSManagedObject> ?? [])) }

    @Test("the records stand in the table of the hierarchy; numbers count what the store holds")
    func layout() throws {
        #expect(
            try shell("SELECT Z_ENT, Z_NAME, Z_SUPER, Z_MAX FROM Z_PRIMARYKEY ORDER BY 1")
                == "1|Club|0|1\n2|Company|0|1\n3|Boss|0|3\n4|Chief|3|0")
        #expect(try shell("SELECT Z_ENT, ZNAME FROM ZPERSON ORDER BY ZNAME") == "3|Ann\n3|Bob\n4|Cid")
    }

    @Test("fetches by entity, with and without subentities, and by predicate over relationships")
    func fetching() throws {
        let context = makeContext()
        #expect(names(try context.all("Boss")) == ["Ann", "Bob", "Cid"])
        #expect(names(try context.all("Chief")) == ["Cid"])
        let request = NSFetchRequest<NSManagedObject>(entityName: "Boss")
        request.includesSubentities = false
        #expect(names(try context.fetch(request)) == ["Ann", "Bob"])
        #expect(try context.count("Boss") == 3)
        #expect(try context.all("Company", NSPredicate(format: "ANY staff.name == 'Ann'")).count == 1)
        #expect(try context.all("Company", NSPredicate(format: "staff.@count == 2")).count == 1)
        #expect(names(try context.all("Boss", NSPredicate(format: "company.name == 'Acme'"))) == ["Ann", "Bob"])
    }

    @Test("faults fire, and relationships to the entity that is not there find the records below it")
    func faulting() throws {
        let context = makeContext()
        let cid = try #require(try context.all("Chief").first)
        let other = makeContext()
        #expect(try other.existingObject(with: cid.objectID).value(forKey: "rank") as? Int == 7)
        let company = try #require(try other.all("Company").first)
        #expect(names(company.value(forKey: "staff")) == ["Ann", "Bob"])
        #expect(names(try #require(try other.all("Club").first).value(forKey: "members")) == ["Ann", "Bob", "Cid"])
        let ann = try #require(try other.all("Boss", NSPredicate(format: "name == 'Ann'")).first)
        #expect((ann.value(forKey: "company") as? NSManagedObject)?.nameValue == "Acme")
    }

    @Test("new objects get permanent ids before the save, and keys go on counting")
    func permanentIDs() throws {
        let context = makeContext()
        let dan = context.insert("Chief", ["name": "Dan", "title": "d"])
        try context.obtainPermanentIDs(for: [dan])
        #expect(!dan.objectID.isTemporaryID)
        try context.save()
        #expect(try shell("SELECT Z_PK, Z_ENT FROM ZPERSON WHERE ZNAME = 'Dan'") == "4|4")
        #expect(try shell("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = 3") == "4")
    }

    @Test("updates and deletions, with cascades")
    func changing() throws {
        let context = makeContext()
        let ann = try #require(try context.all("Boss", NSPredicate(format: "name == 'Ann'")).first)
        ann.setValue("Anna", forKey: "name")
        try context.save()
        #expect(try shell("SELECT ZNAME, Z_OPT FROM ZPERSON WHERE Z_PK = \(key(ann))") == "Anna|2")
        context.delete(ann)
        try context.save()
        #expect(try shell("SELECT ZNAME FROM ZPERSON ORDER BY 1") == "Bob\nCid")
        context.delete(try #require(try context.all("Company").first))
        try context.save()
        #expect(try shell("SELECT ZNAME FROM ZPERSON") == "Cid")
    }

    private func key(_ object: NSManagedObject) -> String {
        String(object.objectID.uriRepresentation().lastPathComponent.dropFirst())
    }

    private func execute(_ request: NSBatchDeleteRequest) throws -> [NSManagedObjectID] {
        request.resultType = .resultTypeObjectIDs
        let result = try makeContext().execute(request) as? NSBatchDeleteResult
        return result?.result as? [NSManagedObjectID] ?? []
    }

    @Test("batch deletes by request")
    func batchDeleteByRequest() throws {
        let request = NSFetchRequest<NSFetchRequestResult>(entityName: "Boss")
        request.predicate = NSPredicate(format: "title IN {'a', 'c'}")
        #expect(
            try execute(NSBatchDeleteRequest(fetchRequest: request)).compactMap(\.entity.name).sorted() == [
                "Boss", "Chief",
            ])
        #expect(try shell("SELECT ZNAME FROM ZPERSON") == "Bob")
        let all = NSFetchRequest<NSFetchRequestResult>(entityName: "Boss")
        #expect(try execute(NSBatchDeleteRequest(fetchRequest: all)).count == 1)
        #expect(try shell("SELECT count(*) FROM ZPERSON") == "0")
    }

    @Test("batch deletes by ids")
    func batchDeleteByIDs() throws {
        let ids = try makeContext().all("Boss", NSPredicate(format: "title != 'b'")).map(\.objectID)
        #expect(try Set(execute(NSBatchDeleteRequest(objectIDs: ids))) == Set(ids))
        #expect(try shell("SELECT ZNAME FROM ZPERSON") == "Bob")
    }

    @Test("batch deletes that cascade to the entity that is not there take the records below it")
    func batchDeleteCascade() throws {
        let companies = NSFetchRequest<NSFetchRequestResult>(entityName: "Company")
        let ids = try execute(NSBatchDeleteRequest(fetchRequest: companies))
        #expect(ids.compactMap(\.entity.name).sorted() == ["Boss", "Boss", "Company"])
        #expect(try shell("SELECT ZNAME FROM ZPERSON") == "Cid")
    }

    @Test("a conflict with a uniqueness constraint shows the stored record and can be settled")
    func constraint() throws {
        let context = makeContext()
        let dan = context.insert("Boss", ["name": "Dan", "title": "c"])
        do {
            try context.save()
            Issue.record("no conflict")
        } catch {
            let error = error as NSError
            #expect(error.code == NSManagedObjectConstraintMergeError)
            let conflict = (error.userInfo["conflictList"] as? [NSConstraintConflict])?.first
            #expect(conflict?.databaseObject?.entity.name == "Chief")
            #expect(conflict?.databaseSnapshot?["name"] as? String == "Cid")
            #expect(conflict?.conflictingObjects == [dan])
        }
        context.mergePolicy = NSMergePolicy.mergeByPropertyStoreTrump
        try context.save()
        #expect(try shell("SELECT count(*), max(ZNAME) FROM ZPERSON WHERE ZTITLE = 'c'") == "1|Cid")
    }

    @Test("two siblings without their parent share the table and its keys")
    func siblings() throws {
        let model = Self.model()
        let boss = try #require(model.entitiesByName["Boss"])
        let worker = try #require(model.entitiesByName["Worker"])
        model.setEntities([boss, worker], forConfigurationName: "Mixed")
        let mixed = NSPersistentStoreCoordinator(managedObjectModel: model)
        let path = folder.path("mixed.sqlite")
        _ = try mixed.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: "Mixed", at: URL(fileURLWithPath: path))
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = mixed
        let first = context.insert("Worker", ["name": "Wim"])
        try context.save()
        context.insert("Boss", ["name": "Ben", "title": "b"])
        try context.save()
        #expect(try sqlite3(path, "SELECT Z_PK, Z_ENT, ZNAME FROM ZPERSON ORDER BY 1") == "1|2|Wim\n2|1|Ben")
        try context.execute(NSBatchDeleteRequest(objectIDs: [first.objectID]))
        #expect(try sqlite3(path, "SELECT ZNAME FROM ZPERSON") == "Ben")
    }
}
