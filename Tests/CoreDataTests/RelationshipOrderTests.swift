import Foundation
import Testing

@testable import CoreData

/// Ordered relationships: the order is the one given, and the live list follows every change.
@Suite struct RelationshipOrderTests {
    let stack = ObjectTestStack()

    func make() -> (team: NSManagedObject, events: [NSManagedObject]) {
        let team = stack.insert("Team")
        return (team, (0..<5).map { stack.insert("Event", ["title": "\($0)"]) })
    }

    func titles(_ team: NSManagedObject) -> String {
        team.list("events").map { $0.value(forKey: "title") as? String ?? "?" }.joined()
    }

    @Test func membersStandInTheOrderTheyWereAdded() {
        let (team, events) = make()
        for index in [3, 1, 4] { events[index].setValue(team, forKey: "team") }
        #expect(titles(team) == "314")
        #expect(team.value(forKey: "events") is NSOrderedSet)
    }

    @Test func settingAListGivesItsOrder() {
        let (team, events) = make()
        team.setValue(NSOrderedSet(array: [events[2], events[0], events[1]]), forKey: "events")
        #expect(titles(team) == "201")
        team.setValue([events[1], events[2]], forKey: "events")
        #expect(titles(team) == "12")
        #expect(events[0].object("team") == nil && events[1].object("team") === team)
    }

    @Test func theMutableListWritesThroughEveryWayOfChangingIt() {
        let (team, events) = make()
        let list = team.mutableOrderedSetValue(forKey: "events")
        list.addObjects(from: Array(events[0..<3]))
        #expect(titles(team) == "012")
        list.insert(events[3], at: 1)
        #expect(titles(team) == "0312")
        list.exchangeObject(at: 0, withObjectAt: 3)
        #expect(titles(team) == "2310")
        list.moveObjects(at: IndexSet([0, 1]), to: 2)
        #expect(titles(team) == "1023")
        list.replaceObject(at: 0, with: events[4])
        #expect(titles(team) == "4023" && events[1].object("team") == nil)
        list.removeObject(at: 1)
        #expect(titles(team) == "423" && events[0].object("team") == nil)
        list[0] = events[1]
        #expect(titles(team) == "123")
        list.insert([events[0], events[4]], at: IndexSet([0, 4]))
        #expect(titles(team) == "01234")
        list.removeObjects(at: IndexSet([1, 3]))
        #expect(titles(team) == "024")
        list.sort { left, right in
            let left = (left as? NSManagedObject)?.value(forKey: "title") as? String ?? ""
            let right = (right as? NSManagedObject)?.value(forKey: "title") as? String ?? ""
            return right.compare(left)
        }
        #expect(titles(team) == "420")
        list.removeObjects(in: [events[2]])
        list.union(NSOrderedSet(array: [events[0], events[1]]))
        #expect(titles(team) == "401")
        list.intersect(NSOrderedSet(array: [events[1], events[4]]))
        #expect(titles(team) == "41")
        list.minusSet([events[4]])
        list.unionSet([events[3]])
        #expect(titles(team) == "13")
        list.removeAllObjects()
        #expect(titles(team) == "" && events[1].object("team") == nil)
    }

    @Test func theMutableListSeesChangesOfTheOtherEnd() {
        let (team, events) = make()
        let list = team.mutableOrderedSetValue(forKey: "events")
        events[0].setValue(team, forKey: "team")
        events[1].setValue(team, forKey: "team")
        #expect(list.array as? [NSManagedObject] == [events[0], events[1]])
        #expect(list.count == 2 && list.contains(events[1]) && list.index(of: events[1]) == 1)
        events[0].setValue(nil, forKey: "team")
        #expect(list.firstObject as? NSManagedObject === events[1])
        team.setValue([events[3], events[1]], forKey: "events")
        #expect(list.map { ($0 as? NSManagedObject)?.value(forKey: "title") as? String } == ["3", "1"])
    }

    @Test func aMemberThatMovesLeavesTheFormerList() {
        let (team, events) = make()
        let other = stack.insert("Team")
        team.setValue(Array(events[0..<3]), forKey: "events")
        other.mutableOrderedSetValue(forKey: "events").insert(events[1], at: 0)
        #expect(titles(team) == "02" && titles(other) == "1")
    }

    @Test func anEqualMemberCountsOnce() {
        let (team, events) = make()
        let list = team.mutableOrderedSetValue(forKey: "events")
        list.add(events[0])
        list.add(events[0])
        list.insert(events[0], at: 0)
        #expect(list.count == 1)
    }
}
