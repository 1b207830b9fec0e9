import CoreData
import Foundation
import TestSupport
import Testing

/// Requests that two stores answer together.
@Suite struct MergedFetchTests {
    private let coordinator: NSPersistentStoreCoordinator
    private let stores: [NSPersistentStore]
    private let directory: TemporaryDirectory
    private let context: NSManagedObjectContext

    /// Names a–f and ranks 0–5 in turn in the left and the right store; the kinds are "x" and "y", and nil for "f".
    init() throws {
        let item = Office.entity(
            "Item",
            [
                Office.attribute("name", .stringAttributeType), Office.attribute("rank", .integer32AttributeType),
                Office.attribute("kind", .stringAttributeType), Office.attribute("cost", .decimalAttributeType),
            ])
        let model = NSManagedObjectModel()
        model.entities = [item]
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let directory = try TemporaryDirectory()
        let stores = try ["left", "right"].map { name in
            try coordinator.addPersistentStore(
                ofType: NSSQLiteStoreType, configurationName: nil, at: directory.url(name + ".sqlite"))
        }
        let writer = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        writer.persistentStoreCoordinator = coordinator
        for (rank, name) in ["a", "b", "c", "d", "e", "f"].enumerated() {
            let item = writer.insert("Item", ["name": name, "rank": rank, "cost": Decimal(rank / 2)])
            if name != "f" { item.setValue(rank < 3 ? "x" : "y", forKey: "kind") }
            writer.assign(item, to: stores[rank % 2])
        }
        try writer.save()
        self.coordinator = coordinator
        self.directory = directory
        self.stores = stores
        context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
    }

    private func request<T>(
        _ type: T.Type, sort: String? = "rank", ascending: Bool = true, limit: Int = 0, offset: Int = 0
    ) -> NSFetchRequest<T> {
        let request = NSFetchRequest<T>(entityName: "Item")
        request.sortDescriptors = sort.map { [NSSortDescriptor(key: $0, ascending: ascending)] }
        request.fetchLimit = limit
        request.fetchOffset = offset
        return request
    }

    private func rows(_ columns: [Any], _ request: NSFetchRequest<NSDictionary>) throws -> [NSDictionary] {
        request.resultType = .dictionaryResultType
        request.propertiesToFetch = columns
        return try context.fetch(request)
    }

    @Test(arguments: [(0, 0), (2, 0), (2, 1), (0, 4), (3, 5), (3, 6), (9, 0), (.max, 2)])
    func theWindowIsOneOverBoth(_ limit: Int, _ offset: Int) throws {
        let all = ["a", "b", "c", "d", "e", "f"]
        let expected = Array(all.dropFirst(offset).prefix(limit == 0 ? 6 : limit))
        #expect(
            try context.fetch(request(NSManagedObject.self, limit: limit, offset: offset)).map(\.nameValue) == expected)
        let rows = try rows(["name"], request(NSDictionary.self, limit: limit, offset: offset))
        #expect(rows.map { $0["name"] as? String } == expected)
        let ids = request(NSManagedObjectID.self, limit: limit, offset: offset)
        ids.resultType = .managedObjectIDResultType
        let found = try context.fetch(ids)
        #expect(found.map { context.object(with: $0).nameValue } == expected)
        #expect(try context.count(for: request(NSManagedObject.self, limit: limit, offset: offset)) == expected.count)
    }

    @Test func idsRegisterNoObject() throws {
        let ids = request(NSManagedObjectID.self, limit: 3)
        ids.resultType = .managedObjectIDResultType
        #expect(try context.fetch(ids).count == 3)
        #expect(context.registeredObjects.isEmpty)
    }

    @Test func withoutAnOrderTheFirstStoreComesFirst() throws {
        #expect(
            try context.fetch(request(NSManagedObject.self, sort: nil)).map(\.nameValue)
                == ["a", "c", "e", "b", "d", "f"])
        #expect(try context.fetch(request(NSManagedObject.self, sort: nil, limit: 1)).map(\.nameValue) == ["a"])
    }

    @Test func sortingByWhatIsNotShown() throws {
        let rows = try rows(["name"], request(NSDictionary.self, ascending: false, limit: 4))
        #expect(rows.map { $0["name"] as? String } == ["f", "e", "d", "c"])
        #expect(rows.allSatisfy { $0.count == 1 })
    }

    @Test func nilComesFirstAscendingAndLastDescending() throws {
        for ascending in [true, false] {
            let kinds = try rows(["kind"], request(NSDictionary.self, sort: "kind", ascending: ascending))
                .map { $0["kind"] as? String }
            #expect(kinds == (ascending ? [nil, "x", "x", "x", "y", "y"] : ["y", "y", "x", "x", "x", nil]))
        }
    }

    @Test func tiesKeepTheOrderOfTheStores() throws {
        let rows = try rows(["name"], request(NSDictionary.self, sort: "cost"))
        #expect(rows.map { $0["name"] as? String } == ["a", "b", "c", "d", "e", "f"])
    }

    @Test func distinctRowsComeOnceOverBoth() throws {
        let request = request(NSDictionary.self, sort: "kind")
        request.returnsDistinctResults = true
        #expect(try rows(["kind"], request).map { $0["kind"] as? String } == [nil, "x", "y"])
        #expect(try context.count(for: request) == 3)
        request.fetchLimit = 2
        request.fetchOffset = 1
        #expect(try rows(["kind"], request).map { $0["kind"] as? String } == ["x", "y"])
        request.fetchOffset = 0
        request.sortDescriptors = [NSSortDescriptor(key: "rank", ascending: false)]
        #expect(try rows(["cost"], request).map { $0["cost"] as? NSDecimalNumber } == [2, 1])
    }

    @Test func affectedStoresAreAskedAlone() throws {
        let request = request(NSManagedObject.self)
        request.affectedStores = [stores[1]]
        #expect(try context.fetch(request).map(\.nameValue) == ["b", "d", "f"])
        #expect(try context.count(for: request) == 3)
        let ids = self.request(NSManagedObjectID.self)
        ids.resultType = .managedObjectIDResultType
        ids.affectedStores = [stores[0]]
        #expect(try context.fetch(ids).count == 3)
    }

    @Test func aFetchExpressionIsEvaluatedOverBoth() throws {
        let inner = NSFetchRequest<NSFetchRequestResult>(entityName: "Item")
        inner.predicate = NSPredicate(format: "kind == 'x'")
        let request = request(NSManagedObject.self)
        request.predicate = NSPredicate(format: "SELF IN FETCH(%@, %@, NO)", inner, context)
        #expect(try context.fetch(request).map(\.nameValue) == ["a", "b", "c"])
    }

    @Test func objectsAreFaultsUntilTheyAreRead() throws {
        let objects = try context.fetch(request(NSManagedObject.self, limit: 2, offset: 1))
        #expect(objects.allSatisfy { $0.isFault })
        #expect(context.registeredObjects.count == 2)
        #expect(objects.map(\.nameValue) == ["b", "c"])
    }

    @Test func orderAndWindowAreThoseOfTheSavedRecords() throws {
        let objects = try context.fetch(request(NSManagedObject.self))
        objects[0].setValue(9, forKey: "rank")
        let saved = request(NSManagedObject.self, limit: 2)
        saved.includesPendingChanges = false
        #expect(try context.fetch(saved).map(\.nameValue) == ["a", "b"])
        #expect(try context.fetch(request(NSManagedObject.self)).map(\.nameValue) == ["b", "c", "d", "e", "f", "a"])
        // The window holds a and b; a, which comes last now, still is in it.
        #expect(try context.fetch(request(NSManagedObject.self, limit: 2)).map(\.nameValue) == ["b", "a"])
    }

    @Test func groupsAndAggregatesOverBothAreRefused() throws {
        let count = Shops.aggregate("count", "rank")
        let grouped = request(NSDictionary.self, sort: nil)
        grouped.propertiesToGroupBy = ["kind"]
        for request in [grouped, request(NSDictionary.self, sort: nil)] {
            let error = try #require(throws: NSError.self) { _ = try rows([count], request) }
            #expect(error.localizedFailureReason?.contains("affectedStores") == true)
            #expect(errorCode { _ = try context.count(for: request) } == 134060)
            request.affectedStores = [stores[0]]
            #expect(try rows([count], request).compactMap { $0["count_rank"] as? Int }.reduce(0, +) == 3)
        }
    }

    @Test func aBatchSizeChangesNothing() throws {
        let request = request(NSManagedObject.self)
        request.fetchBatchSize = 2
        #expect(try context.fetch(request).map(\.nameValue) == ["a", "b", "c", "d", "e", "f"])
        request.sortDescriptors = nil
        #expect(try context.fetch(request).map(\.nameValue) == ["a", "c", "e", "b", "d", "f"])
    }

    @Test func unsavedOnesAreCountedOnce() throws {
        let objects = try context.fetch(request(NSManagedObject.self))
        objects[0].setValue("y", forKey: "kind")
        context.delete(objects[1])
        context.insert("Item", ["name": "g", "kind": "x"])
        let kind = request(NSManagedObject.self)
        kind.predicate = NSPredicate(format: "kind == 'x'")
        #expect(try context.count(for: kind) == 2)
        #expect(try context.fetch(kind).map(\.nameValue) == ["g", "c"])
        #expect(try context.count(for: request(NSManagedObject.self)) == 6)
    }
}
