import Foundation
import Testing

@testable import CoreData

/// Both ends of a relationship are right at once, whichever end is set.
@Suite struct RelationshipTests {
    let stack = ObjectTestStack()

    // MARK: To-one and to-many

    @Test func settingAToOneAddsToTheInverseToMany() {
        let team = stack.insert("Team")
        let people = (0..<3).map { _ in stack.insert("Person") }
        for person in people { person.setValue(team, forKey: "team") }
        #expect(team.set("members") == NSSet(array: people))
    }

    @Test func settingAToManySetsTheInverseToOnes() {
        let team = stack.insert("Team")
        let person = stack.insert("Person")
        team.setValue(NSSet(array: [person]), forKey: "members")
        #expect(person.object("team") === team)
        #expect(team.set("members").count == 1)
    }

    @Test func aMovedChildLeavesItsFormerParent() {
        let one = stack.insert("Team")
        let other = stack.insert("Team")
        let person = stack.insert("Person", ["team": one])
        person.setValue(other, forKey: "team")
        #expect(one.set("members").count == 0 && other.set("members") == setOf(person))
        one.mutableSetValue(forKey: "members").add(person)
        #expect(person.object("team") === one && other.set("members").count == 0 && one.set("members") == setOf(person))
    }

    @Test func clearingAToOneTakesTheObjectOutOfTheInverse() {
        let team = stack.insert("Team")
        let person = stack.insert("Person", ["team": team])
        person.setValue(nil, forKey: "team")
        #expect(person.object("team") == nil && team.set("members").count == 0)
    }

    @Test func settingATomanyUnrelatesFormerMembersThatAreNotInIt() {
        let team = stack.insert("Team")
        let people = (0..<4).map { _ in stack.insert("Person", ["team": team]) }
        team.setValue([people[1], people[2]], forKey: "members")
        #expect(team.set("members") == NSSet(array: [people[1], people[2]]))
        #expect(people[0].object("team") == nil && people[3].object("team") == nil)
        #expect(people[1].object("team") === team)
        team.setValue(nil, forKey: "members")
        #expect(team.set("members").count == 0 && people[1].object("team") == nil)
    }

    // MARK: One-to-one

    @Test func oneToOneIsSetFromEitherEnd() {
        let person = stack.insert("Person")
        let badge = stack.insert("Event")
        person.setValue(badge, forKey: "badge")
        #expect(badge.object("holder") === person)
        let other = stack.insert("Person")
        badge.setValue(other, forKey: "holder")
        #expect(other.object("badge") === badge && person.object("badge") == nil)
    }

    @Test func takingAnothersPartnerLeavesTheOtherAlone() {
        let a = stack.insert("Person")
        let b = stack.insert("Event")
        let c = stack.insert("Person")
        let d = stack.insert("Event")
        a.setValue(d, forKey: "badge")
        c.setValue(b, forKey: "badge")
        a.setValue(b, forKey: "badge")
        #expect(a.object("badge") === b && b.object("holder") === a)
        #expect(c.object("badge") == nil && d.object("holder") == nil)
    }

    @Test func aSelfInverseToOneJoinsPairs() {
        let people = (0..<4).map { _ in stack.insert("Person") }
        people[0].setValue(people[1], forKey: "spouse")
        people[2].setValue(people[3], forKey: "spouse")
        people[0].setValue(people[2], forKey: "spouse")
        #expect(people[0].object("spouse") === people[2] && people[2].object("spouse") === people[0])
        #expect(people[1].object("spouse") == nil && people[3].object("spouse") == nil)
        people[0].setValue(people[0], forKey: "spouse")
        #expect(people[0].object("spouse") === people[0] && people[2].object("spouse") == nil)
    }

    // MARK: Many-to-many

    @Test func manyToManyIsKeptOnBothEnds() {
        let people = (0..<2).map { _ in stack.insert("Person") }
        let groups = (0..<2).map { _ in stack.insert("Group") }
        people[0].setValue(NSSet(array: groups), forKey: "groups")
        groups[1].mutableSetValue(forKey: "people").add(people[1])
        #expect(groups[0].set("people") == setOf(people[0]))
        #expect(groups[1].set("people") == NSSet(array: people))
        #expect(people[1].set("groups") == setOf(groups[1]))
        groups[1].mutableSetValue(forKey: "people").remove(people[0])
        #expect(people[0].set("groups") == setOf(groups[0]))
    }

    @Test func aSelfInverseToManyIsSymmetric() {
        let people = (0..<3).map { _ in stack.insert("Person") }
        people[0].setValue(NSSet(array: [people[1], people[2], people[0]]), forKey: "friends")
        #expect(people[1].set("friends") == setOf(people[0]))
        #expect(people[0].set("friends").count == 3)
        people[1].mutableSetValue(forKey: "friends").remove(people[0])
        #expect(people[0].set("friends") == NSSet(array: [people[2], people[0]]))
        people[0].mutableSetValue(forKey: "friends").remove(people[0])
        #expect(people[0].set("friends") == setOf(people[2]))
    }

    // MARK: One-way

    @Test func oneWayRelationshipsChangeOneEndOnly() {
        let person = stack.insert("Person")
        let captain = stack.insert("Captain")
        let team = stack.insert("Team")
        person.setValue(captain, forKey: "mentor")
        person.mutableSetValue(forKey: "favourites").add(team)
        #expect(person.object("mentor") === captain)
        #expect(person.set("favourites") == setOf(team))
        person.setValue(nil, forKey: "mentor")
        person.mutableSetValue(forKey: "favourites").removeAllObjects()
        #expect(person.object("mentor") == nil && person.set("favourites").count == 0)
    }

    // MARK: Sets that are handed out

    @Test func theSameSetComesBackUntilSomethingChanges() {
        let team = stack.insert("Team")
        let person = stack.insert("Person", ["team": team])
        let set = team.set("members")
        #expect(team.set("members") === set)
        #expect(type(of: set) == NSSet.self)
        #expect(team.value(forKey: "members") as? Set<NSManagedObject> == Set([person]))
        stack.insert("Person", ["team": team])
        #expect(set.count == 1, "what was handed out does not change")
        #expect(team.set("members").count == 2)
    }

    @Test func theMutableSetIsLive() {
        let team = stack.insert("Team")
        let proxy = team.mutableSetValue(forKey: "members")
        let people = (0..<4).map { _ in stack.insert("Person", ["team": team]) }
        #expect(proxy.count == 4 && proxy.contains(people[0]))
        proxy.intersect([people[0], people[1]])
        #expect(people[2].object("team") == nil && proxy.count == 2)
        proxy.setSet([people[2], people[0]])
        #expect(team.set("members") == NSSet(array: [people[0], people[2]]))
        proxy.union([people[3]])
        proxy.minus([people[0]])
        #expect(Set(proxy.allObjects.compactMap { $0 as? NSManagedObject }) == Set([people[2], people[3]]))
        let hasTheOthers = proxy.isEqual(to: [people[2], people[3]])
        #expect(hasTheOthers)
        var seen = 0
        for case let object as NSManagedObject in proxy { seen += object === people[2] || object === people[3] ? 1 : 0 }
        #expect(seen == 2)
        proxy.removeAllObjects()
        #expect(people[3].object("team") == nil && proxy.count == 0)
    }

    @Test func addingThatIsThereAlreadyChangesNothing() {
        let team = stack.insert("Team")
        let person = stack.insert("Person", ["team": team])
        let group = stack.insert("Group")
        for _ in 0..<3 {
            team.mutableSetValue(forKey: "members").add(person)
            group.mutableSetValue(forKey: "people").add(person)
        }
        #expect(team.set("members").count == 1 && group.set("people").count == 1 && person.set("groups").count == 1)
        team.mutableSetValue(forKey: "members").remove(stack.insert("Person"))
        #expect(team.set("members").count == 1)
    }

    @Test func idsOfARelationshipComeWithoutObjects() {
        let team = stack.insert("Team")
        let person = stack.insert("Person", ["team": team])
        #expect(team.objectIDs(forRelationshipNamed: "members") == [person.objectID])
        #expect(person.objectIDs(forRelationshipNamed: "team") == [team.objectID])
        #expect(person.objectIDs(forRelationshipNamed: "spouse") == [])
        #expect(!team.hasFault(forRelationshipNamed: "members"))
    }

    @Test func keyPathsLeadOverRelationships() {
        let team = stack.insert("Team", ["name": "Red"])
        let people = ["Ann", "Bob"].map { stack.insert("Person", ["name": $0, "team": team]) }
        #expect(people[0].value(forKeyPath: "team.name") as? String == "Red")
        people[0].setValue("Blue", forKeyPath: "team.name")
        #expect(team.value(forKey: "name") as? String == "Blue")
        #expect(team.value(forKeyPath: "members.@count") as? Int == 2)
        #expect(stack.insert("Person").value(forKeyPath: "team.name") == nil)
    }

    @Test func manyMembersAreAddedAndRemovedInEitherOrder() {
        let team = stack.insert("Team")
        let people = (0..<2000).map { _ in stack.insert("Person") }
        for person in people { person.setValue(team, forKey: "team") }
        #expect(team.set("members").count == 2000)
        for index in stride(from: 1998, through: 0, by: -2) { people[index].setValue(nil, forKey: "team") }
        #expect(team.set("members").count == 1000)
        for index in stride(from: 0, to: 2000, by: 2) { people[index].setValue(team, forKey: "team") }
        #expect(team.set("members") == NSSet(array: people))
    }

    @Test func bothEndsCountAsChanged() {
        let team = stack.insert("Team")
        let person = stack.insert("Person")
        person.setValue(team, forKey: "team")
        #expect(team.changedValues().keys.contains("members"))
        #expect((team.changedValues()["members"] as? NSSet) == setOf(person))
        #expect(person.changedValues()["team"] as? NSManagedObject === team)
    }
}
