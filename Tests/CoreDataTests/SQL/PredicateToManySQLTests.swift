import Foundation
import TestSupport
import Testing

@testable import CoreData

@Suite("To-many predicates in SQL", .enabled(if: SQLiteShell.isUsable))
struct PredicateToManySQLTests {
    let fixture: SQLFixture

    init() throws {
        fixture = try SQLFixture()
        let teams = try fixture.insert("Team", [["name": "Red"], ["name": "Blue"], ["name": "Empty"]])
        let persons = try fixture.insert(
            "Person",
            [
                ["name": "a", "age": 10, "team": teams[0]], ["name": "b", "age": 20, "team": teams[0]],
                ["name": "c", "age": 30, "team": teams[1]], ["name": "d", "team": teams[1]],
            ])
        let tags = try fixture.insert("Tag", [["label": "x"], ["label": "y"], ["label": "z"]])
        try fixture.relate("Person", "tags", persons[0], add: [tags[0], tags[1]])
        try fixture.relate("Tag", "persons", tags[1], add: [persons[1]])
    }

    @Test("ANY, ALL and NONE over a one-to-many")
    func oneToMany() throws {
        #expect(try fixture.select("Team", "ANY persons.age == 10") == [1])
        #expect(try fixture.select("Team", "ANY persons.age > 15") == [1, 2])
        #expect(try fixture.select("Team", "NOT (ANY persons.age > 15)") == [3])
        #expect(try fixture.select("Team", "NONE persons.age > 15") == [3])
        #expect(try fixture.select("Team", "ALL persons.age >= 10") == [1, 3])
        #expect(try fixture.select("Team", "ALL persons.age > 10") == [3])
        #expect(try fixture.select("Team", "ANY persons.name IN {'a', 'c'}") == [1, 2])
        #expect(try fixture.select("Team", "ANY persons.name ==[c] 'A'") == [1])
        #expect(try fixture.select("Team", "ANY persons.age == nil") == [2])
        #expect(try fixture.select("Team", "ANY persons.team.name == 'Blue'") == [2])
        #expect(try fixture.select("Person", "ANY team.persons.age == 20") == [1, 2])
    }

    @Test("ANY over a many-to-many, from both sides")
    func manyToMany() throws {
        #expect(try fixture.select("Person", "ANY tags.label == 'y'") == [1, 2])
        #expect(try fixture.select("Tag", "ANY persons.name == 'a'") == [1, 2])
        #expect(try fixture.select("Tag", "ANY persons.team.name == 'Red'") == [1, 2])
        let y = fixture.id(fixture.key("Tag", 2))
        #expect(try fixture.select("Person", "ANY tags == %@", y) == [1, 2])
        #expect(try fixture.select("Person", "tags CONTAINS %@", y) == [1, 2])
        #expect(try fixture.select("Person", "%@ IN tags", y) == [1, 2])
        #expect(try fixture.select("Person", "ANY tags IN %@", [y]) == [1, 2])
        #expect(try fixture.select("Person", "NOT (tags CONTAINS %@)", y) == [3, 4])
    }

    @Test("what is no collection is the only member of itself, as in memory")
    func oneMember() throws {
        try fixture.insert("Person", [["name": "e"]])
        #expect(try fixture.select("Person", "ANY team.name == 'Red'") == [1, 2])
        #expect(try fixture.select("Person", "ALL team.name == 'Red'") == [1, 2])
        #expect(try fixture.select("Person", "NONE team.name == 'Red'") == [3, 4, 5])
        #expect(try fixture.select("Person", "ANY team == %@", fixture.id(fixture.key("Team", 2))) == [3, 4])
        #expect(try fixture.select("Person", "ANY age IN {10, 30}") == [1, 3])
    }

    @Test("@count counts members")
    func count() throws {
        #expect(try fixture.select("Team", "persons.@count == 2") == [1, 2])
        #expect(try fixture.select("Team", "persons.@count == 0") == [3])
        #expect(try fixture.select("Person", "tags.@count > 1") == [1])
        #expect(try fixture.select("Person", "team.persons.@count == 2 AND tags.@count == 0") == [3, 4])
    }

    @Test("over ordered, one-way and reflexive relationships")
    func otherKinds() throws {
        let lists = try fixture.insert("Playlist", [["title": "one"], ["title": "two"]])
        let songs = try fixture.insert("Song", [["title": "s"], ["title": "t", "album": lists[1]]])
        try fixture.relate("Playlist", "songs", lists[0], add: songs, order: songs)
        #expect(try fixture.select("Playlist", "ANY songs.title == 't'") == [1])
        #expect(try fixture.select("Song", "ANY playlists.title == 'one'") == [1, 2])
        #expect(try fixture.select("Playlist", "ANY tracks.title == 't'") == [2])
        let recipes = try fixture.insert("Recipe", [["title": "r"], ["title": "q"]])
        let steps = try fixture.insert("Step", [["text": "stir"]])
        try fixture.relate("Recipe", "steps", recipes[1], add: steps)
        #expect(try fixture.select("Recipe", "ANY steps.text == 'stir'") == [2])
        #expect(try fixture.select("Recipe", "steps.@count == 0") == [1])
        let nodes = try fixture.insert("Node", [["label": "m"], ["label": "n"], ["label": "o"]])
        try fixture.relate("Node", "friends", nodes[0], add: [nodes[1]])
        #expect(try fixture.select("Node", "ANY friends.label == 'm'") == [2])
        #expect(try fixture.select("Node", "ANY friends.label == 'n'") == [1])
    }

    @Test("what SQL cannot say is an error that names it")
    func refusals() throws {
        func refusal(_ entity: String, _ format: String, _ arguments: Any...) -> String {
            reason { _ = try fixture.store.count(fixture.plan(entity, format, arguments)) } ?? "no error"
        }
        #expect(refusal("Team", "persons.age > 5").contains("to-many key not allowed here"))
        #expect(refusal("Team", "persons == nil").contains("to-many key not allowed here"))
        #expect(refusal("Person", "nme == 'x'").contains("keypath nme not found in entity Person"))
        #expect(refusal("Person", "team.nme == 'x'").contains("keypath nme not found in entity Team"))
        #expect(refusal("Person", "name.length == 3").contains("name"))
        #expect(refusal("Person", "salary > 3").contains("keypath salary not found in entity Person"))
        #expect(refusal("Person", "mood == 'x'").contains("transient"))
        #expect(refusal("Person", "tint == 'x'").contains("tint"))
        #expect(refusal("Person", "createdAt CONTAINS '1'").contains("createdAt"))
        #expect(refusal("Person", "name == $who").contains("$who"))
        #expect(refusal("Person", "name MATCHES '('").contains("regular expression"))
        #expect(refusal("Person", "team == 'x'").contains("team"))
        let block = NSPredicate { _, _ in true }
        var plan = fixture.plan("Person")
        plan.predicate = block
        #expect(reason { _ = try fixture.store.count(plan) }?.contains("block") == true)
    }
}
