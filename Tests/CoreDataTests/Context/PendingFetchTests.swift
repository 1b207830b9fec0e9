import CoreData
import Foundation
import Testing

/// Saved: alpha 22, bravo 25, charlie 10. Unsaved: alpha → 5, charlie → 21, bravo deleted, delta 30 and echo 40 inserted.
@Suite struct PendingFetchTests {
    private let stack: OfficeStack
    private let context: NSManagedObjectContext

    init() throws {
        stack = try OfficeStack()
        try stack.fill(("alpha", 22), ("bravo", 25), ("charlie", 10))
        context = stack.makeContext()
        let saved = try context.all("Person", sort: "name")
        saved[0].setValue(5, forKey: "salary")
        saved[2].setValue(21, forKey: "salary")
        context.delete(saved[1])
        context.person("delta", 30)
        context.person("echo", 40)
    }

    private func request<T>(_ type: T.Type, _ format: String? = "salary > 20") -> NSFetchRequest<T> {
        let request = NSFetchRequest<T>(entityName: "Person")
        request.predicate = format.map { NSPredicate(format: $0) }
        request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
        return request
    }

    @Test func objectsShowTheUnsavedState() throws {
        let result = try context.fetch(request(NSManagedObject.self))
        #expect(result.map(\.nameValue) == ["charlie", "delta", "echo"])
        #expect(result.map(\.salaryValue) == [21, 30, 40])
    }

    @Test func withoutPendingChangesMembershipIsTheStores() throws {
        let request = request(NSManagedObject.self)
        request.includesPendingChanges = false
        let result = try context.fetch(request)
        #expect(result.map(\.nameValue) == ["alpha", "bravo"])
        #expect(result.map(\.salaryValue) == [5, 25])
    }

    @Test func countsFollowMembership() throws {
        let request = request(NSNumber.self)
        #expect(try context.count(for: request) == 3)
        request.resultType = .countResultType
        #expect(try context.fetch(request) == [3])
        request.includesPendingChanges = false
        #expect(try context.count(for: request) == 2)
    }

    @Test func dictionariesShowTheStore() throws {
        let request = request(NSDictionary.self)
        request.resultType = .dictionaryResultType
        let rows = try context.fetch(request)
        #expect(rows.map { $0["name"] as? String } == ["alpha", "bravo"])
        #expect(rows.map { $0["salary"] as? Int } == [22, 25])
    }

    @Test func theWindowIsCutInTheStoreAndTheLimitAppliedAgain() throws {
        let request = request(NSManagedObject.self, nil)
        request.sortDescriptors = [NSSortDescriptor(key: "salary", ascending: true)]
        request.fetchOffset = 1
        request.fetchLimit = 2
        #expect(try context.fetch(request).map(\.nameValue) == ["alpha", "charlie"])
    }

    @Test func idsOfPendingInsertsAreTemporary() throws {
        let request = request(NSManagedObjectID.self)
        request.resultType = .managedObjectIDResultType
        let ids = try context.fetch(request)
        #expect(ids.count == 3)
        #expect(ids.filter { $0.isTemporaryID }.count == 2)
        #expect(ids.filter { !$0.isTemporaryID } == [try context.one("charlie")?.objectID])
    }

    @Test func withoutOrderPendingObjectsFollow() throws {
        let request = request(NSManagedObject.self)
        request.sortDescriptors = nil
        #expect(Set(try context.fetch(request).compactMap(\.nameValue)) == ["charlie", "delta", "echo"])
        request.predicate = nil
        #expect(try context.fetch(request).compactMap(\.nameValue) == ["alpha", "charlie", "delta", "echo"])
        request.fetchLimit = 3
        #expect(try context.fetch(request).count == 3)
    }

    @Test func pendingObjectsTakeTheirPlaceInTheOrder() throws {
        context.person("azure", 50)
        context.person("dune", 50)
        let request = request(NSManagedObject.self, nil)
        #expect(
            try context.fetch(request).compactMap(\.nameValue) == [
                "alpha", "azure", "charlie", "delta", "dune", "echo",
            ])
        request.sortDescriptors = [
            NSSortDescriptor(key: "salary", ascending: false), NSSortDescriptor(key: "name", ascending: true),
        ]
        #expect(
            try context.fetch(request).compactMap(\.nameValue) == [
                "azure", "dune", "echo", "delta", "charlie", "alpha",
            ])
    }

    @Test func pendingSubentitiesCountOnlyIfIncluded() throws {
        context.insert("Boss", ["name": "zulu", "salary": 99])
        let request = request(NSManagedObject.self)
        #expect(try context.fetch(request).last?.nameValue == "zulu")
        request.includesSubentities = false
        #expect(try context.fetch(request).compactMap(\.nameValue) == ["charlie", "delta", "echo"])
        #expect(try context.count("Boss") == 1)
    }

    @Test func anEditedValueIsWhatIsFound() throws {
        #expect(try context.all("Person", NSPredicate(format: "salary == 22")).isEmpty)
        #expect(try context.all("Person", NSPredicate(format: "salary == 5")).map(\.nameValue) == ["alpha"])
        let request = request(NSManagedObject.self, "salary == 22")
        request.includesPendingChanges = false
        #expect(try context.fetch(request).map(\.nameValue) == ["alpha"])
    }

    @Test func aResetBringsTheSavedStateBack() throws {
        context.reset()
        #expect(try context.fetch(request(NSManagedObject.self)).map(\.nameValue) == ["alpha", "bravo"])
    }

    @Test func anotherContextSeesNothingOfIt() throws {
        #expect(try stack.makeContext().fetch(request(NSManagedObject.self)).map(\.nameValue) == ["alpha", "bravo"])
    }
}
