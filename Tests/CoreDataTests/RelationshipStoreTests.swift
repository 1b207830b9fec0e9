import Foundation
import Testing

@testable import CoreData

/// Relationships of saved objects: read from the store, kept up without loading the other end, and written.
@Suite struct RelationshipStoreTests {
    let stack: ObjectTestStack

    init() throws { stack = try ObjectTestStack.inMemory() }

    var context: NSManagedObjectContext { stack.context }

    /// The object as another context sees it.
    func seen(_ object: NSManagedObject, in other: NSManagedObjectContext? = nil) throws -> NSManagedObject {
        try (other ?? stack.another()).existingObject(with: object.objectID)
    }

    func names(_ objects: NSSet, _ key: String = "name") -> Set<String> {
        Set(objects.compactMap { ($0 as? NSManagedObject)?.value(forKey: key) as? String })
    }

    @Test func relationshipsOfNewObjectsAreStored() throws {
        let team = stack.insert("Team", ["name": "Red"])
        let ann = stack.insert("Person", ["name": "Ann", "team": team])
        let bob = stack.insert("Captain", ["name": "Bob", "team": team, "spouse": ann, "mentor": ann])
        let group = stack.insert("Group", ["name": "G", "people": [ann, bob]])
        bob.setValue(NSSet(array: [ann]), forKey: "friends")
        ann.setValue(NSSet(array: [team]), forKey: "favourites")
        try context.save()

        let other = stack.another()
        let red = try seen(team, in: other)
        #expect(names(red.set("members")) == ["Ann", "Bob"])
        let captain = try seen(bob, in: other)
        #expect(captain.object("spouse")?.value(forKey: "name") as? String == "Ann")
        #expect(captain.object("mentor")?.object("spouse") === captain)
        #expect(names(captain.set("friends")) == ["Ann"] && names(captain.set("groups")) == ["G"])
        let her = try seen(ann, in: other)
        #expect(names(her.set("friends")) == ["Bob"] && names(her.set("favourites")) == ["Red"])
        #expect(names(try seen(group, in: other).set("people")) == ["Ann", "Bob"])
        #expect(her.object("spouse") === captain)
    }

    @Test func theSameSetStaysOverASave() throws {
        let team = stack.insert("Team")
        stack.insert("Person", ["team": team])
        let set = team.set("members")
        try context.save()
        #expect(team.set("members") === set)
    }

    @Test func relatingToASavedTeamLoadsNeitherItsValuesNorItsMembers() throws {
        let saved = stack.insert("Team", ["name": "Red"])
        for _ in 0..<3 { stack.insert("Person", ["team": saved]) }
        try context.save()
        let other = stack.another()
        let team = other.object(with: saved.objectID)
        let person = NSEntityDescription.insertNewObject(forEntityName: "Person", into: other)
        person.setValue(team, forKey: "team")
        #expect(team.isFault && team.hasFault(forRelationshipNamed: "members"))
        #expect(team.isUpdated && other.updatedObjects == [team])
        #expect(team.set("members").count == 4)
        person.setValue(nil, forKey: "team")
        #expect(team.set("members").count == 3)
        person.setValue(team, forKey: "team")
        try other.save()
        context.refreshAllObjects()
        #expect(saved.set("members").count == 4)
    }

    @Test func movingASavedMemberIsSeenByTheUnloadedFormerTeam() throws {
        let one = stack.insert("Team")
        let two = stack.insert("Team")
        let people = (0..<3).map { _ in stack.insert("Person", ["team": one]) }
        try context.save()
        let other = stack.another()
        let former = other.object(with: one.objectID)
        let next = other.object(with: two.objectID)
        other.object(with: people[0].objectID).setValue(next, forKey: "team")
        next.mutableSetValue(forKey: "members").add(other.object(with: people[1].objectID))
        #expect(former.set("members").count == 1 && next.set("members").count == 2)
        try other.save()
        #expect(try seen(one).set("members").count == 1)
        #expect(try seen(two).set("members").count == 2)
    }

    @Test func takingASavedPartnerAwayFromItsFormerOne() throws {
        let ann = stack.insert("Person", ["name": "Ann"])
        let bob = stack.insert("Person", ["name": "Bob", "spouse": ann])
        let cid = stack.insert("Person", ["name": "Cid"])
        try context.save()
        let other = stack.another()
        other.object(with: cid.objectID).setValue(other.object(with: ann.objectID), forKey: "spouse")
        #expect(other.object(with: bob.objectID).object("spouse") == nil)
        try other.save()
        #expect(try seen(ann).object("spouse")?.objectID == cid.objectID)
        #expect(try seen(bob).object("spouse") == nil)
    }

    @Test func manyToManyChangesOfSavedObjectsAreStored() throws {
        let groups = (0..<3).map { stack.insert("Group", ["name": "G\($0)"]) }
        let people = (0..<3).map { stack.insert("Person", ["name": "P\($0)", "groups": [groups[0]]]) }
        try context.save()
        let other = stack.another()
        let first = other.object(with: people[0].objectID)
        first.mutableSetValue(forKey: "groups").remove(other.object(with: groups[0].objectID))
        other.object(with: groups[1].objectID).mutableSetValue(forKey: "people").add(first)
        other.object(with: groups[0].objectID).mutableSetValue(forKey: "people").remove(
            other.object(with: people[1].objectID))
        try other.save()
        #expect(names(try seen(people[0]).set("groups")) == ["G1"])
        #expect(names(try seen(groups[0]).set("people")) == ["P2"])
        #expect(names(try seen(people[1]).set("groups")) == [])
    }

    @Test func selfInverseChangesOfSavedObjectsAreStoredOnBothEnds() throws {
        let people = (0..<3).map { stack.insert("Person", ["name": "P\($0)"]) }
        people[2].setValue([people[0], people[1]], forKey: "friends")
        try context.save()
        #expect(names(try seen(people[0]).set("friends")) == ["P2"])
        people[1].mutableSetValue(forKey: "friends").remove(people[2])
        people[1].mutableSetValue(forKey: "friends").add(people[0])
        try context.save()
        #expect(names(try seen(people[2]).set("friends")) == ["P0"])
        #expect(names(try seen(people[0]).set("friends")) == ["P1", "P2"])
    }

    @Test func theOrderIsStored() throws {
        let team = stack.insert("Team")
        let events = (0..<4).map { stack.insert("Event", ["title": "\($0)"]) }
        team.setValue([events[2], events[0], events[1]], forKey: "events")
        try context.save()
        func stored() throws -> String {
            try seen(team).list("events").map { $0.value(forKey: "title") as? String ?? "?" }.joined()
        }
        #expect(try stored() == "201")
        events[3].setValue(team, forKey: "team")
        try context.save()
        #expect(try stored() == "2013")
        team.mutableOrderedSetValue(forKey: "events").moveObjects(at: IndexSet(integer: 3), to: 0)
        try context.save()
        #expect(try stored() == "3201")
        team.mutableOrderedSetValue(forKey: "events").removeObject(at: 1)
        try context.save()
        #expect(try stored() == "301")

        // Appending to a list that was not loaded.
        let other = stack.another()
        other.object(with: events[2].objectID).setValue(other.object(with: team.objectID), forKey: "team")
        try other.save()
        #expect(try stored() == "3012")
    }

    @Test func aRefreshReadsMembersAnewAndKeepsChanges() throws {
        let team = stack.insert("Team")
        stack.insert("Person", ["name": "Ann", "team": team])
        try context.save()
        #expect(team.set("members").count == 1)
        let other = stack.another()
        NSEntityDescription.insertNewObject(forEntityName: "Person", into: other)
            .setValuesForKeys(["name": "Bob", "team": other.object(with: team.objectID)])
        try other.save()
        #expect(team.set("members").count == 1, "a loaded set does not change by itself")
        stack.insert("Person", ["name": "Cid", "team": team])
        context.refresh(team, mergeChanges: true)
        #expect(names(team.set("members")) == ["Ann", "Bob", "Cid"])
    }

    @Test func rollbackBringsTheMembersBack() throws {
        let team = stack.insert("Team")
        let ann = stack.insert("Person", ["name": "Ann", "team": team])
        try context.save()
        ann.setValue(nil, forKey: "team")
        stack.insert("Person", ["name": "Bob", "team": team])
        #expect(names(team.set("members")) == ["Bob"])
        context.rollback()
        #expect(names(team.set("members")) == ["Ann"] && ann.object("team") === team)
    }

    @Test func permanentIDsBeforeASaveKeepRelationshipsRight() throws {
        let team = stack.insert("Team")
        let ann = stack.insert("Person", ["name": "Ann", "team": team])
        let bob = stack.insert("Person", ["name": "Bob"])
        team.mutableSetValue(forKey: "members").add(bob)
        try context.obtainPermanentIDs(for: [ann, bob, team])
        #expect(!ann.objectID.isTemporaryID)
        #expect(names(team.set("members")) == ["Ann", "Bob"] && ann.object("team") === team)
        ann.setValue(nil, forKey: "team")
        #expect(names(team.set("members")) == ["Bob"])
        team.mutableSetValue(forKey: "members").add(bob)
        #expect(team.set("members").count == 1)
        ann.setValue(team, forKey: "team")
        try context.save()
        #expect(names(try seen(team).set("members")) == ["Ann", "Bob"])
    }
}
