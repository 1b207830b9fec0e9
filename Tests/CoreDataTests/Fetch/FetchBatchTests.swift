import Foundation
import TestSupport
import Testing

@testable import CoreData

/// `fetchBatchSize`: what is read when.
@Suite struct FetchBatchTests {
    private let stack: OfficeStack
    private let context: NSManagedObjectContext

    init() throws {
        stack = try OfficeStack(.file)
        let writer = stack.makeContext(isKept: false)
        let team = writer.insert("Team", ["name": "T"])
        for number in 0..<25 { writer.person("p\(number)", 100 - number).setValue(team, forKey: "team") }
        try writer.save()
        // What was just written need not be read.
        stack.store.engine?.rowCache.removeAll()
        context = stack.makeContext()
    }

    private func request(_ size: Int = 10, sort: String = "salary") -> NSFetchRequest<NSManagedObject> {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
        request.sortDescriptors = [NSSortDescriptor(key: sort, ascending: true)]
        request.fetchBatchSize = size
        return request
    }

    private func loaded(_ objects: [NSManagedObject]) -> [Bool] { objects.map { $0.row != nil } }

    @Test func theFetchReadsNoRows() throws {
        let objects = try context.fetch(request())
        #expect(objects.count == 25)
        #expect(!loaded(objects).contains(true))
    }

    @Test func aFirstAccessReadsItsBatch() throws {
        let objects = try context.fetch(request())
        #expect(objects[12].nameValue == "p12")
        #expect(loaded(objects) == (0..<25).map { (10..<20).contains($0) })
        #expect(objects.map(\.isFault) == (0..<25).map { $0 != 12 })
        #expect(objects[24].salaryValue == 100)
        #expect(loaded(objects) == (0..<25).map { $0 >= 10 })
    }

    @Test func theResultIsTheSame() throws {
        let names = try context.fetch(request()).map(\.nameValue)
        #expect(names == (0..<25).reversed().map { "p\($0)" })
        for size in [1, 7, 25, 1000] {
            #expect(try stack.makeContext().fetch(request(size)).map(\.nameValue) == names)
        }
    }

    @Test func withoutAnOrderItIsTheSameToo() throws {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
        let names = try context.fetch(request).map(\.nameValue)
        request.fetchBatchSize = 10
        #expect(try stack.makeContext().fetch(request).map(\.nameValue) == names)
    }

    @Test func objectsThatAreLoadedStayAsTheyAre() throws {
        let loadedOne = try #require(try context.one("p3"))
        loadedOne.setValue("changed", forKey: "name")
        let objects = try context.fetch(request())
        #expect(objects.contains { $0 === loadedOne })
        #expect(objects[22].nameValue == "p2")
        #expect(loadedOne.nameValue == "changed")
        #expect(loadedOne.hasChanges)
    }

    @Test func unsavedObjectsTakeTheirPlaces() throws {
        context.person("new", 95)
        let objects = try context.fetch(request())
        #expect(
            objects.map(\.nameValue)[20...21] == ["p5", "new"] || objects.map(\.nameValue)[19...20] == ["p5", "new"])
        #expect(objects.count == 26)
    }

    @Test func aRefreshedObjectIsReadAlone() throws {
        let objects = try context.fetch(request())
        _ = objects[0].nameValue
        _ = try sqlite3(URL(fileURLWithPath: stack.path), "UPDATE ZPERSON SET ZNAME = 'x', Z_OPT = Z_OPT + 1")
        context.refresh(objects[0], mergeChanges: false)
        stack.store.engine?.rowCache.removeAll()
        #expect(objects[0].nameValue == "x")
        #expect(objects[1].row?.version == 1)
    }

    @Test func aRecordThatIsGoneStopsNobody() throws {
        let objects = try context.fetch(request())
        _ = try sqlite3(URL(fileURLWithPath: stack.path), "DELETE FROM ZPERSON WHERE ZNAME = 'p23'")
        #expect(objects[1].nameValue == nil)
        #expect(objects[1].isDeleted)
        #expect(objects[2].nameValue == "p22")
    }

    @Test func aResetForgetsTheBatches() throws {
        let objects = try context.fetch(request())
        context.reset()
        #expect(context.fetchBatches.isEmpty)
        #expect(objects[0].managedObjectContext == nil)
    }

    @Test func listsThatAreReadThroughAreLetGo() throws {
        for object in try context.fetch(request()) { _ = object.nameValue }
        #expect(context.fetchBatches.isEmpty)
        for _ in 0..<40 { _ = try stack.makeContext().fetch(request()) }
        for _ in 0..<40 { _ = try context.fetch(request()) }
        #expect(context.fetchBatches.count <= 16)
    }

    @Test func whatIsNotToBeFaultsIsReadAtOnce() throws {
        let request = request()
        request.returnsObjectsAsFaults = false
        #expect(try context.fetch(request).allSatisfy { !$0.isFault })
        request.returnsObjectsAsFaults = true
        request.fetchLimit = 5
        #expect(!loaded(try stack.makeContext().fetch(request)).contains(false))
    }

    @Test func relationshipsArePrefetchedBatchByBatch() throws {
        let request = request()
        request.relationshipKeyPathsForPrefetching = ["team"]
        let objects = try context.fetch(request)
        #expect(context.registeredObjects.count == 25)
        _ = objects[0].nameValue
        #expect(context.identityMap.count == 26)
        #expect((objects[0].value(forKey: "team") as? NSManagedObject)?.isFault == false)
    }

    @Test func manyObjectsOfSeveralEntities() throws {
        let writer = stack.makeContext()
        for number in 0..<5 { writer.insert("Boss", ["name": "b\(number)", "salary": 90 - number, "title": "Dr"]) }
        try writer.save()
        let objects = try context.fetch(request())
        #expect(
            objects.filter { $0.entity.name == "Boss" }.compactMap { $0.value(forKey: "title") as? String }.count == 5)
    }
}
