import Foundation
import TestSupport
import Testing

@testable import CoreData

@Suite("Saving to-many relationships", .enabled(if: SQLiteShell.isUsable))
struct SaveToManySQLTests {
    let fixture: SQLFixture

    init() throws { fixture = try SQLFixture() }

    /// The name of the join table of a relationship, and its columns: owner, member, member's order.
    private func join(_ entity: String, _ name: String) throws -> SQLJoin {
        let owner = try #require(fixture.store.schema.entity(fixture.entity(entity)))
        guard case .toMany(let index)? = owner.layout.entry(named: name)?.place,
            case .join(let join)? = owner.toMany[index]
        else { preconditionFailure("no join") }
        return join
    }

    private func pairs(_ entity: String, _ name: String) throws -> String {
        let join = try join(entity, name)
        return try fixture.shell(
            "SELECT group_concat(a || '-' || b, ' ') FROM (SELECT \(join.owner.sql) a, \(join.member.sql) b"
                + " FROM \(join.table.sql) ORDER BY 1, 2)")
    }

    private func orders(_ entity: String, _ name: String) throws -> String {
        let join = try join(entity, name)
        let order = try #require(join.memberOrder)
        return try fixture.shell(
            "SELECT group_concat(b || '@' || o, ' ') FROM (SELECT \(join.member.sql) b, \(order.sql) o"
                + " FROM \(join.table.sql) ORDER BY 2)")
    }

    @Test("pairs are written once, from either side, and removed")
    func manyToMany() throws {
        let persons = try fixture.insert("Person", [[:], [:]])
        let tags = try fixture.insert("Tag", [[:], [:]])
        try fixture.relate("Person", "tags", persons[0], add: tags)
        try fixture.relate("Tag", "persons", tags[0], add: [persons[0], persons[1]])
        #expect(try pairs("Person", "tags") == "1-1 1-2 2-1")
        try fixture.relate("Tag", "persons", tags[0], remove: [persons[0]])
        try fixture.relate("Person", "tags", persons[1], remove: [tags[1]])
        #expect(try pairs("Person", "tags") == "1-2 2-1")
    }

    @Test("a reflexive relationship has each pair twice")
    func reflexive() throws {
        let nodes = try fixture.insert("Node", [[:], [:], [:]])
        try fixture.relate("Node", "friends", nodes[0], add: [nodes[1], nodes[2], nodes[0]])
        #expect(try pairs("Node", "friends") == "1-1 1-2 1-3 2-1 3-1")
        try fixture.relate("Node", "friends", nodes[1], remove: [nodes[0]])
        #expect(try pairs("Node", "friends") == "1-1 1-3 3-1")
    }

    @Test("a one-way relationship is a hidden key in the members; members move from owner to owner")
    func oneWay() throws {
        let recipes = try fixture.insert("Recipe", [[:], [:]])
        let steps = try fixture.insert("Step", [[:], [:]])
        let description = try #require(fixture.entity("Recipe").relationshipsByName["steps"])
        guard case .foreignKey(let link)? = try fixture.store.toMany(description, of: recipes[0].entity) else {
            Issue.record("no key"); return
        }
        let keys = { try self.fixture.shell("SELECT Z_PK, \(link.key.sql), Z_OPT FROM ZSTEP") }
        try fixture.relate("Recipe", "steps", recipes[0], add: steps)
        #expect(try keys() == "1|1|1\n2|1|1")
        // In one save, the new owner told before the old one.
        try fixture.save { _ in
            var changes = ChangeSet()
            changes.toMany = [
                .init(relationship: description, owner: recipes[1], added: [steps[0]], removed: [], order: nil),
                .init(relationship: description, owner: recipes[0], added: [], removed: [steps[0]], order: nil),
            ]
            return changes
        }
        #expect(try keys() == "1|2|1\n2|1|1")
    }

    @Test("an ordered relationship is numbered as Core Data does it: 2048, then steps of 1024")
    func order() throws {
        let lists = try fixture.insert("Playlist", [[:]])
        let songs = try fixture.insert("Song", [[:], [:], [:], [:]])
        try fixture.relate("Playlist", "songs", lists[0], add: Array(songs[0...2]), order: Array(songs[0...2]))
        #expect(try orders("Playlist", "songs") == "1@2048 2@3072 3@4096")
        // At the end, in between, and moved.
        try fixture.relate(
            "Playlist", "songs", lists[0], add: [songs[3]], order: [songs[0], songs[3], songs[1], songs[2]])
        #expect(try orders("Playlist", "songs") == "1@2048 4@2560 2@3072 3@4096")
        try fixture.relate("Playlist", "songs", lists[0], order: [songs[2], songs[0], songs[3], songs[1]])
        #expect(try orders("Playlist", "songs") == "3@1024 1@2048 4@2560 2@3072")
        try fixture.relate("Playlist", "songs", lists[0], remove: [songs[0]], order: [songs[2], songs[3], songs[1]])
        #expect(try orders("Playlist", "songs") == "3@1024 4@2560 2@3072")
    }

    @Test("members added without an order, or from the other side, go to the end")
    func append() throws {
        let lists = try fixture.insert("Playlist", [[:]])
        let songs = try fixture.insert("Song", [[:], [:], [:]])
        try fixture.relate("Playlist", "songs", lists[0], add: [songs[1]])
        try fixture.relate("Song", "playlists", songs[0], add: [lists[0]])
        try fixture.relate("Playlist", "songs", lists[0], add: [songs[2]])
        #expect(try orders("Playlist", "songs") == "2@2048 1@3072 3@4096")
    }

    @Test("an ordered one-to-many keeps its keys in the members' rows; who leaves loses the key")
    func orderedForeignKey() throws {
        let lists = try fixture.insert("Playlist", [[:], [:]])
        let songs = try fixture.insert("Song", [["album": lists[0]], ["album": lists[0]], ["album": lists[0]]])
        try fixture.relate("Playlist", "tracks", lists[0], add: songs, order: [songs[1], songs[0], songs[2]])
        let column = try #require(
            fixture.store.schema.entity(fixture.entity("Song"))?.orderColumns.compactMap { $0 }.first
        ).sql
        let keys = { try self.fixture.shell("SELECT Z_PK, \(column), Z_OPT FROM ZSONG") }
        #expect(try keys() == "1|3072|1\n2|2048|1\n3|4096|1")
        let row = try #require(try fixture.row(at: songs[1]))
        let album = try #require(fixture.entity("Playlist").relationshipsByName["tracks"])
        try fixture.save { _ in
            var changes = ChangeSet()
            let new = self.fixture.row("Song", 2)
            changes.updated = [ChangeSet.Update(old: row, new: new, changedSlots: self.fixture.changed(new, "album"))]
            changes.toMany = [
                .init(
                    relationship: album, owner: lists[0], added: [], removed: [songs[1]], order: [songs[0], songs[2]])
            ]
            return changes
        }
        #expect(try keys() == "1|3072|1\n2||2\n3|4096|1")
    }

    @Test("a deleted record takes its pairs and hidden keys with it")
    func deletion() throws {
        let persons = try fixture.insert("Person", [[:], [:]])
        let tags = try fixture.insert("Tag", [[:]])
        try fixture.relate("Tag", "persons", tags[0], add: persons)
        let nodes = try fixture.insert("Node", [[:], [:]])
        try fixture.relate("Node", "friends", nodes[0], add: [nodes[1]])
        let recipes = try fixture.insert("Recipe", [[:]])
        let steps = try fixture.insert("Step", [[:]])
        try fixture.relate("Recipe", "steps", recipes[0], add: steps)
        let rows = try fixture.store.rows(for: [persons[0], nodes[0], recipes[0]])
        try fixture.save { _ in
            var changes = ChangeSet()
            changes.deleted = ContiguousArray(rows.map { ChangeSet.Deletion(old: $0) })
            return changes
        }
        #expect(try pairs("Tag", "persons") == "1-2")
        #expect(try pairs("Node", "friends") == "")
        let description = try #require(fixture.entity("Recipe").relationshipsByName["steps"])
        guard case .foreignKey(let link)? = try fixture.store.toMany(description, of: recipes[0].entity) else {
            Issue.record("no key"); return
        }
        #expect(try fixture.shell("SELECT count(*), count(\(link.key.sql)) FROM ZSTEP") == "1|0")
    }

    // MARK: Order keys

    private func apply(_ current: [Int64?]) -> [Int64] {
        var keys = current
        for change in OrderKeys.changes(current) { keys[change.index] = change.key }
        return keys.compactMap { $0 }
    }

    @Test("order keys: the fewest possible change, and they ascend")
    func orderKeys() {
        #expect(apply([nil, nil, nil]) == [2048, 3072, 4096])
        #expect(OrderKeys.changes([2048, 3072, 4096]).isEmpty)
        #expect(apply([2048, nil]) == [2048, 3072])
        #expect(apply([nil, 2048]) == [1024, 2048])
        #expect(apply([2048, nil, nil, nil, 3072]) == [2048, 2304, 2560, 2816, 3072])
        // The last one moved to the front: one key changes.
        #expect(OrderKeys.changes([4096, 2048, 3072]).count == 1)
        #expect(OrderKeys.changes([3072, 4096, 2048]).count == 1)
        #expect(OrderKeys.changes([]).isEmpty)
    }

    @Test("where no key is free between two, all are numbered anew")
    func renumbering() {
        #expect(apply([5, nil, 6]) == [2048, 3072, 4096])
        #expect(apply([nil, 1]) == [2048, 3072])
        #expect(apply([.max, nil]) == [2048, 3072])
        #expect(apply([.max - 1, nil]) == [2048, 3072])
    }

    @Test("any shuffle of any keys comes out ascending")
    func shuffles() {
        var generator = SystemRandomNumberGenerator()
        for size in [1, 2, 5, 40, 300] {
            for _ in 0..<20 {
                let keys: [Int64?] = (0..<size).map { _ in
                    Int.random(in: 0..<4, using: &generator) == 0
                        ? nil : Int64.random(in: -50...2000, using: &generator)
                }
                let result = apply(keys)
                #expect(result.count == size)
                #expect(zip(result, result.dropFirst()).allSatisfy { $0 < $1 }, "\(keys)")
            }
        }
    }
}
