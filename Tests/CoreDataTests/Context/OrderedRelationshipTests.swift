import CoreData
import Foundation
import TestSupport
import Testing

/// The order of an owner's items, in memory and by raw SQL.
@Suite struct OrderedRelationshipTests {
    private let coordinator: NSPersistentStoreCoordinator
    private let context: NSManagedObjectContext
    private let url: URL
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
        url = directory.url("order.sqlite")
        coordinator = NSPersistentStoreCoordinator(managedObjectModel: PlainGraph.model())
        _ = try coordinator.addPersistentStore(ofType: NSSQLiteStoreType, configurationName: nil, at: url)
        context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
    }

    private func makeItems(_ count: Int) -> [NSManagedObject] {
        (1...count).map { context.insert("Item", ["value": $0]) }
    }

    private func makeOwner(_ items: [NSManagedObject]) -> NSManagedObject {
        context.insert("Owner", ["items": NSOrderedSet(array: items)])
    }

    private func values(_ owner: NSManagedObject) -> [Int] {
        (owner.value(forKey: "items") as? NSOrderedSet)?.array
            .compactMap { ($0 as? NSManagedObject)?.value(forKey: "value") as? Int } ?? []
    }

    /// The saved order.
    private func rows(_ owner: NSManagedObject) throws -> String {
        try sqlite3(
            url,
            "SELECT group_concat(ZVALUE) FROM (SELECT ZVALUE FROM ZITEM WHERE ZOWNER = "
                + "\(owner.objectID.uriRepresentation().lastPathComponent.dropFirst()) ORDER BY Z_FOK_OWNER)")
    }

    @Test func aMemberThatComesFromAnotherOwnerStandsWhereItWasPut() throws {
        let items = makeItems(3)
        let former = makeOwner(items)
        let other = makeOwner([])
        try context.save()
        other.setValue(NSOrderedSet(array: [items[2]]), forKey: "items")
        try context.save()
        former.setValue(NSOrderedSet(array: [items[1], items[2], items[0]]), forKey: "items")
        try context.save()
        #expect(try rows(former) == "2,3,1")
        for item in items.reversed() { item.setValue(other, forKey: "owner") }
        try context.save()
        #expect(values(other) == [3, 2, 1])
        #expect(try rows(other) == "3,2,1")
    }

    @Test func anUnsavedOrderOutlivesARefreshThatKeepsChanges() throws {
        let items = makeItems(3)
        let owner = makeOwner(items)
        try context.save()
        owner.mutableOrderedSetValue(forKey: "items").moveObjects(at: [2], to: 0)
        context.refresh(owner, mergeChanges: true)
        #expect(values(owner) == [3, 1, 2])
        owner.mutableOrderedSetValue(forKey: "items").exchangeObject(at: 1, withObjectAt: 2)
        context.refreshAllObjects()
        try context.save()
        #expect(try rows(owner) == "3,2,1")
    }

    @Test func aMemberThatWasTakenAwayComesBackAtTheEnd() throws {
        let items = makeItems(3)
        let owner = makeOwner(items)
        try context.save()
        context.reset()
        let (item, again) = (context.object(with: items[0].objectID), context.object(with: owner.objectID))
        item.setValue(nil, forKey: "owner")
        item.setValue(again, forKey: "owner")
        #expect(values(again) == [2, 3, 1])
        try context.save()
        #expect(try rows(again) == "2,3,1")
    }

    @Test func theLiveViewPutsMembersWhereItIsTold() throws {
        let items = makeItems(6)
        let owner = makeOwner(Array(items[..<4]))
        let view = owner.mutableOrderedSetValue(forKey: "items")
        view.insert(items[4], at: 1)
        #expect(values(owner) == [1, 5, 2, 3, 4])
        view.insert(items[4], at: 3)
        #expect(values(owner) == [1, 5, 2, 3, 4])
        view.exchangeObject(at: 4, withObjectAt: 0)
        #expect(values(owner) == [4, 5, 2, 3, 1])
        view.replaceObject(at: 2, with: items[5])
        #expect(values(owner) == [4, 5, 6, 3, 1])
        #expect(items[1].value(forKey: "owner") == nil)
        view.moveObjects(at: [0, 3], to: 1)
        #expect(values(owner) == [5, 4, 3, 6, 1])
        view.remove(items[2])
        view.moveObjects(at: [3], to: 0)
        #expect(values(owner) == [1, 5, 4, 6])
        #expect((view.array as? [NSManagedObject])?.compactMap { $0.value(forKey: "value") as? Int } == [1, 5, 4, 6])
        try context.save()
        #expect(try rows(owner) == "1,5,4,6")
    }

    @Test func membersAreFoundAfterManyWereMoved() throws {
        let items = makeItems(60)
        let owner = makeOwner(items)
        let view = owner.mutableOrderedSetValue(forKey: "items")
        for place in 0..<60 { view.moveObjects(at: [59], to: place) }
        #expect(values(owner) == (1...60).reversed())
        for item in items where (item.value(forKey: "value") as? Int ?? 0) % 2 == 0 {
            item.setValue(nil, forKey: "owner")
        }
        #expect(values(owner) == (1...60).reversed().filter { $0 % 2 == 1 })
        try context.save()
        #expect(try rows(owner) == values(owner).map(String.init).joined(separator: ","))
    }

    @Test func aViewThatIsHeldShowsWhatWasReadAnew() throws {
        let items = makeItems(3)
        let owner = makeOwner(Array(items[..<2]))
        try context.save()
        let view = owner.mutableOrderedSetValue(forKey: "items")
        view.add(items[2])
        #expect(view.count == 3)
        context.rollback()
        #expect(values(owner) == [1, 2])
        #expect(view.count == 2)
        #expect(!view.contains(items[2]))
        context.refresh(owner, mergeChanges: false)
        items[2].setValue(owner, forKey: "owner")
        #expect(view.count == 3)
        view.moveObjects(at: [2], to: 0)
        #expect(values(owner) == [3, 1, 2])
    }
}
