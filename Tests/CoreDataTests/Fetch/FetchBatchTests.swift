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

    // MARK: Letting go

    /// Adds persons `n0`… with the salaries 1000… behind the framework's back, which is fast.
    private func addPersons(_ count: Int) throws {
        _ = try sqlite3(
            URL(fileURLWithPath: stack.path),
            """
            WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < \(count))
            INSERT INTO ZPERSON (Z_PK, Z_ENT, Z_OPT, ZNAME, ZSALARY)
            SELECT i + 1000, (SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = 'Person'), 1, 'n' || i, i + 1000 FROM n;
            UPDATE Z_PRIMARYKEY SET Z_MAX = \(count + 1000) WHERE Z_NAME = 'Person';
            """)
    }

    @Test func goingThroughManyRowsKeepsFewOfThem() throws {
        try addPersons(100_000)
        let objects = try context.fetch(request(100))
        var sum = 0
        var most = 0
        for (place, object) in objects.enumerated() {
            sum += object.salaryValue ?? 0
            if place % 20_000 == 0 { most = max(most, objects.count { $0.row != nil }) }
        }
        let raw = try sqlite3(URL(fileURLWithPath: stack.path), "SELECT SUM(ZSALARY) FROM ZPERSON")
        #expect("\(sum)" == raw)
        #expect(most <= 1200)
        #expect(objects.count { $0.row != nil } <= 1200)
        let cache = try #require(stack.store.engine?.rowCache)
        let root = objects[0].layout.rootOrdinal
        #expect(objects.count { cache[root, $0.key.number] != nil } <= 8192)
    }

    @Test func whatWasLetGoIsReadAgain() throws {
        try addPersons(3000)
        let objects = try context.fetch(request())
        for object in objects { _ = object.nameValue }
        #expect(objects[0].isFault)
        stack.store.engine?.rowCache.removeAll()
        #expect(objects[0].nameValue == "p24")
        #expect(objects[1].row != nil)
        #expect(objects[10].row == nil)
        for object in objects { _ = object.nameValue }
        #expect(objects.map(\.nameValue) == (0..<25).reversed().map { "p\($0)" } + (0..<3000).map { "n\($0)" })
    }

    @Test func whatSomebodyHasOrHasChangedIsNotLetGo() throws {
        try addPersons(3000)
        let objects = try context.fetch(request())
        let held = objects[3]
        held.setValue(7, forKey: "mood")
        objects[4].setValue("changed", forKey: "name")
        context.delete(objects[5])
        for object in objects { _ = object.nameValue }
        #expect(loaded(objects)[0..<7] == [false, false, false, true, true, true, false])
        #expect(held.value(forKey: "mood") as? Int == 7)
        #expect(objects[4].nameValue == "changed")
        #expect(objects[5].isDeleted)
        try context.save()
        #expect(
            try sqlite3(URL(fileURLWithPath: stack.path), "SELECT ZNAME FROM ZPERSON WHERE ZSALARY IN (79, 80, 81)")
                .split(separator: "\n").sorted() == ["changed", "p21"])
    }

    @Test func arraysMadeOfTheResultKeepWhatTheyHave() throws {
        try addPersons(3000)
        let objects = try context.fetch(request())
        let sorted = objects.sorted { ($0.nameValue ?? "") < ($1.nameValue ?? "") }
        #expect(sorted.map(\.nameValue) == objects.compactMap(\.nameValue).sorted())
        #expect(objects.allSatisfy { $0.row != nil })
    }

    @Test func aResultThatIsUsedInNoOrderIsKept() throws {
        try addPersons(3000)
        var objects = try context.fetch(request())
        objects.sort { ($0.nameValue ?? "") < ($1.nameValue ?? "") }
        #expect(objects.map(\.nameValue) == objects.compactMap(\.nameValue).sorted())
    }

    @Test func aListGoesWithItsResult() throws {
        var objects: [NSManagedObject]? = try context.fetch(request())
        #expect(objects?.count == 25)
        _ = try context.fetch(request(7))
        #expect(context.fetchBatches.count == 2)
        objects = nil
        context.sweep()
        let others = try context.fetch(request(5))
        #expect(context.fetchBatches.count == 1)
        #expect(others[24].nameValue == "p0")
    }
}
