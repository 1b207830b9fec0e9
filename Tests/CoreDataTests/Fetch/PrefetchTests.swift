import Foundation
import TestSupport
import Testing

@testable import CoreData

/// `relationshipKeyPathsForPrefetching`: each kind of relationship, and paths.
@Suite struct PrefetchTests {
    private let coordinator: NSPersistentStoreCoordinator
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
        coordinator = NSPersistentStoreCoordinator(managedObjectModel: LibraryModel.make())
        _ = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: directory.url("library.sqlite"))
    }

    /// The contexts live as long as the test, and with them their objects.
    private final class Kept {
        var contexts: [NSManagedObjectContext] = []
    }
    private let kept = Kept()

    private func makeContext() -> NSManagedObjectContext {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        kept.contexts.append(context)
        return context
    }

    private func fetch(
        _ entity: String, _ paths: [String], in context: NSManagedObjectContext, sort: String
    ) throws -> [NSManagedObject] {
        let request = NSFetchRequest<NSManagedObject>(entityName: entity)
        request.relationshipKeyPathsForPrefetching = paths
        request.sortDescriptors = [NSSortDescriptor(key: sort, ascending: true)]
        return try context.fetch(request)
    }

    /// What still has to be read when the members' values are asked for.
    private func isAtHand(_ object: NSManagedObject, _ key: String) -> Bool {
        guard !object.hasFault(forRelationshipNamed: key) else { return false }
        let members =
            (object.value(forKey: key) as? NSSet)?.allObjects ?? (object.value(forKey: key) as? NSOrderedSet)?.array
        return members?.allSatisfy { ($0 as? NSManagedObject)?.row != nil } ?? false
    }

    @Test func manyToMany() throws {
        let writer = makeContext()
        let tags = ["x", "y"].map { writer.insert("Tag", ["label": $0]) }
        writer.insert("Person", ["name": "a"]).setValue(Set(tags), forKey: "tags")
        writer.insert("Employee", ["name": "b"]).setValue(Set([tags[1]]), forKey: "tags")
        writer.insert("Person", ["name": "c"])
        try writer.save()
        let context = makeContext()
        let persons = try fetch("Person", ["tags"], in: context, sort: "name")
        #expect(persons.allSatisfy { isAtHand($0, "tags") })
        let labels = persons.map { person in
            (person.value(forKey: "tags") as? Set<NSManagedObject> ?? []).compactMap {
                $0.value(forKey: "label") as? String
            }
            .sorted()
        }
        #expect(labels == [["x", "y"], ["y"], []])
    }

    @Test func orderedManyToManyKeepsItsOrder() throws {
        let writer = makeContext()
        let songs = ["1", "2", "3"].map { writer.insert("Song", ["title": $0]) }
        for (name, order) in [("a", [2, 0, 1]), ("b", [1, 2]), ("c", [])] {
            writer.insert("Playlist", ["title": name])
                .setValue(NSOrderedSet(array: order.map { songs[$0] }), forKey: "songs")
        }
        try writer.save()
        let lists = try fetch("Playlist", ["songs"], in: makeContext(), sort: "title")
        #expect(lists.allSatisfy { isAtHand($0, "songs") })
        let titles = lists.map { list in
            (list.value(forKey: "songs") as? NSOrderedSet)?.array.compactMap {
                ($0 as? NSManagedObject)?.value(forKey: "title") as? String
            }
        }
        #expect(titles == [["3", "1", "2"], ["2", "3"], []])
    }

    @Test func orderedToManyKeepsItsOrder() throws {
        let writer = makeContext()
        let songs = ["1", "2", "3"].map { writer.insert("Song", ["title": $0]) }
        writer.insert("Playlist", ["title": "a"]).setValue(NSOrderedSet(array: [songs[1], songs[0]]), forKey: "tracks")
        writer.insert("Playlist", ["title": "b"]).setValue(NSOrderedSet(array: [songs[2]]), forKey: "tracks")
        try writer.save()
        let lists = try fetch("Playlist", ["tracks"], in: makeContext(), sort: "title")
        let titles = lists.map { list in
            (list.value(forKey: "tracks") as? NSOrderedSet)?.array.compactMap {
                ($0 as? NSManagedObject)?.value(forKey: "title") as? String
            }
        }
        #expect(lists.allSatisfy { isAtHand($0, "tracks") })
        #expect(titles == [["2", "1"], ["3"]])
    }

    @Test func aRelationshipWithoutInverse() throws {
        let writer = makeContext()
        let steps = ["1", "2"].map { writer.insert("Step", ["text": $0]) }
        writer.insert("Recipe", ["title": "a"]).setValue(Set(steps), forKey: "steps")
        try writer.save()
        let recipes = try fetch("Recipe", ["steps"], in: makeContext(), sort: "title")
        #expect(recipes.allSatisfy { isAtHand($0, "steps") })
        #expect((recipes[0].value(forKey: "steps") as? NSSet)?.count == 2)
    }

    @Test func aRelationshipThatIsItsOwnInverse() throws {
        let writer = makeContext()
        let nodes = ["1", "2", "3"].map { writer.insert("Node", ["label": $0]) }
        nodes[0].setValue(Set([nodes[1], nodes[2]]), forKey: "friends")
        try writer.save()
        let found = try fetch("Node", ["friends"], in: makeContext(), sort: "label")
        #expect(found.map { ($0.value(forKey: "friends") as? NSSet)?.count } == [2, 1, 1])
        #expect(found.allSatisfy { isAtHand($0, "friends") })
    }

    @Test func pathsGoOverSeveralRelationships() throws {
        let writer = makeContext()
        let tag = writer.insert("Tag", ["label": "x"])
        let team = writer.insert("Team", ["name": "T"])
        for name in ["a", "b"] {
            let person = writer.insert("Employee", ["name": name])
            person.setValue(team, forKey: "team")
            person.setValue(Set([tag]), forKey: "tags")
            writer.insert("Account", ["number": 1, "owner": person])
        }
        try writer.save()
        let context = makeContext()
        let teams = try fetch("Team", ["persons.tags", "persons.accounts"], in: context, sort: "name")
        let persons = try #require(teams[0].value(forKey: "persons") as? Set<NSManagedObject>)
        #expect(persons.count == 2)
        #expect(persons.allSatisfy { isAtHand($0, "tags") && isAtHand($0, "accounts") })
        let accounts = try fetch("Account", ["owner.team.persons"], in: makeContext(), sort: "number")
        let home = try #require(accounts[0].value(forKeyPath: "owner.team") as? NSManagedObject)
        #expect(isAtHand(home, "persons"))
    }

    @Test func unsavedChangesOfTheMembersStay() throws {
        let writer = makeContext()
        let tags = ["x", "y"].map { writer.insert("Tag", ["label": $0]) }
        writer.insert("Person", ["name": "a"]).setValue(Set([tags[0]]), forKey: "tags")
        try writer.save()
        let context = makeContext()
        let person = try #require(try context.all("Person").first)
        let other = try #require(try context.all("Tag", NSPredicate(format: "label == 'y'")).first)
        person.mutableSetValue(forKey: "tags").add(other)
        _ = try fetch("Person", ["tags"], in: context, sort: "name")
        #expect((person.value(forKey: "tags") as? NSSet)?.count == 2)
    }

    @Test func unknownKeysAndAttributesInAPathAreNoRelationships() throws {
        let writer = makeContext()
        writer.insert("Team", ["name": "T"])
        try writer.save()
        #expect(
            try fetch("Team", ["nothing", "name", "persons.nothing.else"], in: makeContext(), sort: "name").count == 1)
    }

    @Test func subentitiesMayHaveTheRelationshipAlone() throws {
        let writer = makeContext()
        let boss = writer.insert("Employee", ["name": "a"])
        writer.insert("Employee", ["name": "b", "manager": boss])
        writer.insert("Person", ["name": "c"])
        try writer.save()
        let persons = try fetch("Person", ["reports"], in: makeContext(), sort: "name")
        #expect((persons[0].value(forKey: "reports") as? NSSet)?.count == 1)
        #expect(isAtHand(persons[0], "reports"))
    }
}
