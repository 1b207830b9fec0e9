import Foundation
import TestSupport
import Testing

@testable import CoreData

@Suite("Batch delete by SQL", .enabled(if: SQLiteShell.isUsable))
struct BatchDeleteSQLTests {
    let fixture: SQLFixture

    init() throws { fixture = try SQLFixture() }

    @discardableResult
    private func delete(
        _ entity: String, _ format: String? = nil, _ arguments: [Any] = [], sort: [NSSortDescriptor] = [],
        limit: Int = 0,
        offset: Int = 0, subentities: Bool = true, keys: Bool = false
    ) throws -> BatchDeleteOutcome {
        let plan = fixture.plan(
            entity, format, arguments, sort: sort, limit: limit, offset: offset, subentities: subentities)
        return try fixture.store.batchDelete(BatchDeletePlan(selection: .plan(plan), wantsKeys: keys))
    }

    private func left(_ table: String) throws -> String {
        try fixture.shell("SELECT group_concat(Z_PK, ' ') FROM (SELECT Z_PK FROM \(table) ORDER BY Z_PK)")
    }

    // MARK: Selection

    @Test("everything of an entity goes, the counter stays")
    func all() throws {
        try fixture.insert("Tag", (0..<500).map { ["label": "\($0)"] })
        let outcome = try delete("Tag")
        #expect(outcome.count == 500)
        #expect(outcome.keys.isEmpty)
        #expect(try fixture.shell("SELECT count(*) FROM ZTAG") == "0")
        #expect(try fixture.shell("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = 'Tag'") == "500")
        #expect(try fixture.insert("Tag", [[:]]).map(\.number) == [501])
    }

    @Test("a predicate, over relationships too, selects; keys are told if they are wanted")
    func predicate() throws {
        let teams = try fixture.insert("Team", [["name": "Red"], ["name": "Blue"]])
        try fixture.insert("Person", [["age": 1, "team": teams[0]], ["age": 2, "team": teams[1]], ["age": 3]])
        let outcome = try delete("Person", "team.name == 'Red' OR age == 3", keys: true)
        #expect(outcome.count == 2)
        #expect(outcome.keys.map(\.number).sorted() == [1, 3])
        #expect(try left("ZPERSON") == "2")
        #expect(try left("ZTEAM") == "1 2")
        #expect(try delete("Person", "age == 99").count == 0)
        #expect(try delete("Team", "ANY persons.age == 2").count == 1)
        #expect(try fixture.shell("SELECT quote(ZTEAM) FROM ZPERSON") == "NULL")
    }

    @Test("limit, offset and order decide which rows go")
    func window() throws {
        try fixture.insert("Person", (1...10).map { ["age": 11 - $0] })
        let sort = [NSSortDescriptor(key: "age", ascending: true)]
        #expect(try delete("Person", sort: sort, limit: 2, keys: true).keys.map(\.number).sorted() == [9, 10])
        #expect(try delete("Person", sort: sort, limit: 3, offset: 5).count == 3)
        #expect(try left("ZPERSON") == "4 5 6 7 8")
        #expect(try delete("Person", offset: 4).count == 1)
        #expect(try left("ZPERSON") == "4 5 6 7")
    }

    @Test("a parent's request takes the subentities with it, unless told not to")
    func inheritance() throws {
        try fixture.insert("Person", [[:]])
        try fixture.insert("Employee", [[:]])
        try fixture.insert("Person", [[:]])
        #expect(try delete("Employee", keys: true).keys.first?.entity == Int32(fixture.entity("Employee").ordinal))
        try fixture.insert("Employee", [[:]])
        #expect(try delete("Person", subentities: false).count == 2)
        #expect(try left("ZPERSON") == "4")
        let outcome = try delete("Person", keys: true)
        #expect(outcome.keys.map(\.number) == [4])
        #expect(outcome.keys.first?.entity == Int32(fixture.entity("Employee").ordinal))
        #expect(try left("ZPERSON") == "")
    }

    @Test("keys select; missing and unsaved ones are passed over, two hierarchies are refused")
    func keys() throws {
        let tags = try fixture.insert("Tag", [[:], [:], [:]])
        let missing = fixture.key("Tag", 77)
        let unsaved = ObjectKey(number: 2, entity: tags[0].entity, isTemporary: true)
        let selection = BatchDeletePlan.Selection.keys([tags[2], missing, unsaved, tags[0], tags[0]])
        let outcome = try fixture.store.batchDelete(BatchDeletePlan(selection: selection, wantsKeys: true))
        #expect(outcome.count == 2)
        #expect(outcome.keys.map(\.number).sorted() == [1, 3])
        #expect(try left("ZTAG") == "2")
        let team = try fixture.insert("Team", [[:]])
        let mixed = BatchDeletePlan(selection: .keys([tags[1], team[0]]), wantsKeys: false)
        #expect(reason { _ = try fixture.store.batchDelete(mixed) }?.contains("one entity") == true)
        #expect(try left("ZTAG") == "2")
        #expect(try fixture.store.batchDelete(BatchDeletePlan(selection: .keys([]), wantsKeys: true)).count == 0)
        let many = (1...100_000).map { fixture.key("Tag", $0) }
        #expect(try fixture.store.batchDelete(BatchDeletePlan(selection: .keys(many), wantsKeys: false)).count == 1)
    }

    @Test("an unknown key in the predicate is an error and nothing is deleted")
    func faulty() throws {
        try fixture.insert("Tag", [[:]])
        #expect(reason { try delete("Tag", "nope == 1") }?.contains("nope") == true)
        #expect(try left("ZTAG") == "1")
    }

    // MARK: Relationships

    @Test("optional inverses are nullified with their entity column, and their version grows")
    func nullify() throws {
        let teams = try fixture.insert("Team", [["name": "a"], ["name": "b"]])
        try fixture.insert("Person", [["team": teams[0]], ["team": teams[1]], [:]])
        try delete("Team", "name == 'a'")
        #expect(try fixture.shell("SELECT quote(ZTEAM), Z_OPT FROM ZPERSON") == "NULL|2\n2|1\nNULL|1")
        // All of them.
        try delete("Team")
        #expect(try fixture.shell("SELECT quote(ZTEAM), Z_OPT FROM ZPERSON") == "NULL|2\nNULL|2\nNULL|1")
    }

    @Test("a required inverse whose owner stays stops everything with entity and relationship in the reason")
    func required() throws {
        let persons = try fixture.insert("Person", [["name": "a"], ["name": "b"]])
        try fixture.insert("Account", [["number": 1, "owner": persons[0]]])
        do {
            try delete("Person")
            Issue.record("no error")
        } catch {
            let error = error as NSError
            #expect(error.domain == NSCocoaErrorDomain && error.code == 134050)
            #expect(error.localizedFailureReason?.contains("Account") == true)
            #expect(error.localizedFailureReason?.contains("owner") == true)
        }
        #expect(try left("ZPERSON") == "1 2")
        #expect(try fixture.shell("SELECT ZOWNER, Z_OPT FROM ZACCOUNT") == "1|1")
        // Nobody refers to this one.
        #expect(try delete("Person", "name == 'b'").count == 1)
        // And once the owner is gone nothing stands in the way.
        try delete("Account")
        #expect(try delete("Person").count == 1)
    }

    @Test("pairs go from both sides")
    func pairs() throws {
        let persons = try fixture.insert("Person", [["name": "a"], ["name": "b"]])
        let tags = try fixture.insert("Tag", [["label": "x"], ["label": "y"]])
        try fixture.relate("Person", "tags", persons[0], add: tags)
        try fixture.relate("Person", "tags", persons[1], add: tags)
        let table = try #require(
            fixture.store.schema.joins.first { $0.name.contains("TAGS") || $0.name.contains("PERSONS") })
        let count = { try self.fixture.shell("SELECT count(*) FROM \(table.sql)") }
        try delete("Person", "name == 'a'")
        #expect(try count() == "2")
        try delete("Tag", "label == 'x'")
        #expect(try count() == "1")
        try delete("Tag")
        #expect(try count() == "0")
        let nodes = try fixture.insert("Node", [["label": "a"], ["label": "b"], ["label": "c"]])
        try fixture.relate("Node", "friends", nodes[0], add: [nodes[1], nodes[2]])
        try delete("Node", "label == 'b'")
        #expect(
            try fixture.store.relatedKeys(fixture.entity("Node").relationshipsByName["friends"]!, of: nodes[0]).map(
                \.number) == [3])
    }

    @Test("ordered and one-way relationships lose the deleted owner")
    func otherKinds() throws {
        let lists = try fixture.insert("Playlist", [["title": "a"], ["title": "b"]])
        let songs = try fixture.insert("Song", [["album": lists[0]], ["album": lists[1]]])
        try fixture.relate("Playlist", "tracks", lists[0], add: [songs[0]], order: [songs[0]])
        try fixture.relate("Playlist", "songs", lists[0], add: songs, order: songs)
        try delete("Playlist", "title == 'a'")
        let order = try #require(
            fixture.store.schema.entity(fixture.entity("Song"))?.orderColumns.compactMap { $0 }.first)
        #expect(try fixture.shell("SELECT quote(ZALBUM), quote(\(order.sql)) FROM ZSONG") == "NULL|NULL\n2|NULL")
        #expect(
            try fixture.store.relatedKeys(fixture.entity("Song").relationshipsByName["playlists"]!, of: songs[0])
                .isEmpty)
        let recipes = try fixture.insert("Recipe", [[:]])
        let steps = try fixture.insert("Step", [[:]])
        try fixture.relate("Recipe", "steps", recipes[0], add: steps)
        try delete("Recipe")
        #expect(try left("ZSTEP") == "1")
        #expect(
            try fixture.store.relatedKeys(fixture.entity("Recipe").relationshipsByName["steps"]!, of: recipes[0])
                .isEmpty)
    }

    // MARK: Cascades

    @Test("a cascade goes to any depth; keys of what went along stand behind the selected ones")
    func cascade() throws {
        var parent = try fixture.insert("Folder", [["name": "root"]])[0]
        for _ in 0..<300 { parent = try fixture.insert("Folder", [["parent": parent]])[0] }
        try fixture.insert("Folder", [["name": "other"]])
        let outcome = try delete("Folder", "name == 'root'", keys: true)
        #expect(outcome.count == 1)
        #expect(outcome.keys.count == 301)
        #expect(outcome.keys.first?.number == 1)
        #expect(Set(outcome.keys.map(\.number)) == Set(1...301))
        #expect(try left("ZFOLDER") == "302")
    }

    @Test("a cascade round a circle ends")
    func circle() throws {
        let folders = try fixture.insert("Folder", [["name": "a"], ["name": "b"], ["name": "c"]])
        try fixture.shell(
            "UPDATE ZFOLDER SET ZPARENT = (Z_PK % 3) + 1")
        fixture.store.rowCache.removeAll()
        #expect(try delete("Folder", "name == 'b'").count == 1)
        #expect(try left("ZFOLDER") == "")
        #expect(folders.count == 3)
    }

    @Test("a whole table whose rows cascade into itself goes at once")
    func wholeTree() throws {
        let root = try fixture.insert("Folder", [[:]])[0]
        try fixture.insert("Folder", [["parent": root], ["parent": root]])
        let outcome = try delete("Folder", keys: true)
        #expect(outcome.count == 3)
        #expect(outcome.keys.map(\.number).sorted() == [1, 2, 3])
        #expect(try left("ZFOLDER") == "")
    }

    @Test("cascades over other entities, to-one and many-to-many included")
    func acrossEntities() throws {
        let chain = try SQLFixture(model: CascadeModel.make())
        let leaves = try chain.insert("Leaf", [[:], [:], [:]])
        let branches = try chain.insert("Branch", [[:], [:]])
        let roots = try chain.insert("Root", [["tip": leaves[2]], [:]])
        try chain.shell("UPDATE ZBRANCH SET ZROOT = 1 WHERE Z_PK = 1")
        chain.store.rowCache.removeAll()
        try chain.relate("Branch", "leaves", branches[0], add: [leaves[0]])
        try chain.relate("Branch", "leaves", branches[1], add: [leaves[1]])
        let outcome = try chain.store.batchDelete(BatchDeletePlan(selection: .keys([roots[0]]), wantsKeys: true))
        #expect(outcome.count == 1)
        #expect(outcome.keys.count == 4)
        #expect(try chain.shell("SELECT group_concat(Z_PK) FROM ZROOT") == "2")
        #expect(try chain.shell("SELECT group_concat(Z_PK) FROM ZBRANCH") == "2")
        #expect(try chain.shell("SELECT group_concat(Z_PK) FROM ZLEAF") == "2")
        #expect(
            try chain.store.relatedKeys(chain.entity("Branch").relationshipsByName["leaves"]!, of: branches[1]).count
                == 1)
    }

    @Test("deny is not enforced and its inverse nullified; a rule without action leaves the key")
    func otherRules() throws {
        let model = try SQLFixture(model: CascadeModel.make())
        let owners = try model.insert("Owner", [[:]])
        try model.insert("Denied", [["owner": owners[0]]])
        try model.insert("Loose", [["owner": owners[0]]])
        let plan = BatchDeletePlan(selection: .plan(model.plan("Owner")), wantsKeys: false)
        #expect(try model.store.batchDelete(plan).count == 1)
        #expect(try model.shell("SELECT quote(ZOWNER), Z_OPT FROM ZDENIED") == "NULL|2")
        #expect(try model.shell("SELECT quote(ZOWNER), Z_OPT FROM ZLOOSE") == "1|1")
    }

    @Test("a required inverse whose owner goes by a cascade is no hindrance")
    func requiredButCascaded() throws {
        let model = try SQLFixture(model: CascadeModel.make())
        let owners = try model.insert("Owner", [[:]])
        try model.insert("Dependent", [["owner": owners[0]]])
        let plan = BatchDeletePlan(selection: .plan(model.plan("Owner")), wantsKeys: true)
        #expect(try model.store.batchDelete(plan).keys.count == 2)
        #expect(try model.shell("SELECT count(*) FROM ZDEPENDENT") == "0")
    }

    // MARK: Files, cache, space

    @Test(
        "external files of deleted rows go once the rows are gone; those of other rows, and of a failed request, stay")
    func files() throws {
        let folder = fixture.directory.url.appendingPathComponent(".Library_SUPPORT/_EXTERNAL_DATA")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let names = (0..<3).map { _ in UUID().uuidString }
        for name in names { try Data([1]).write(to: folder.appendingPathComponent(name)) }
        let persons = try fixture.insert(
            "Person", [["age": 1], ["age": 2], ["age": 3], ["age": 4, "photo": ExternalData.inlined(Data(count: 37))]])
        for (index, name) in names.enumerated() {
            try fixture.shell(
                "UPDATE ZPERSON SET ZPHOTO = CAST(x'02' || '\(name)' || x'00' AS BLOB) WHERE Z_PK = \(index + 1)")
        }
        func present() throws -> Set<String> {
            Set(try FileManager.default.contentsOfDirectory(atPath: folder.path))
        }
        try delete("Person", "age == 1 OR age == 4")
        #expect(try present() == Set(names[1...]))
        try fixture.insert("Account", [["number": 1, "owner": persons[1]]])
        #expect(reason { try delete("Person") } != nil)
        #expect(try present() == Set(names[1...]))
        try delete("Account")
        try delete("Person")
        #expect(try present().isEmpty)
    }

    @Test("the cache forgets what is gone and what was changed, and nothing else")
    func cache() throws {
        let teams = try fixture.insert("Team", [["name": "a"], ["name": "b"]])
        let persons = try fixture.insert("Person", [["team": teams[0]], ["team": teams[1]]])
        let team = teams[0].entity
        let person = persons[0].entity
        try delete("Team", "name == 'a'")
        #expect(fixture.store.rowCache[team, 1] == nil)
        #expect(fixture.store.rowCache[team, 2] != nil)
        #expect(fixture.store.rowCache[person, 1] == nil)
        #expect(fixture.store.rowCache[person, 2] != nil)
        #expect(try fixture.row(at: persons[0])?.version == 2)
        try delete("Team")
        #expect(fixture.store.rowCache[team, 2] == nil)
    }

    @Test("a fetch that began before the delete goes on with its snapshot, and leaves nothing of it in the cache")
    func slowReader() throws {
        try fixture.insert("Tag", (0..<1000).map { ["label": "\($0)"] })
        fixture.store.rowCache.removeAll()
        let tag = Int32(fixture.entity("Tag").ordinal)
        for format in ["label != 'x'", nil] {
            var seen = 0
            var isDeleted = false
            try fixture.store.fetchRows(fixture.plan("Tag")) { chunk in
                seen += chunk.count
                if !isDeleted { try delete("Tag", format) }
                isDeleted = true
            }
            #expect(seen == 1000)
            let first: Int64 = format == nil ? 1001 : 1
            #expect((first..<first + 1000).allSatisfy { fixture.store.rowCache[tag, $0] == nil })
            try fixture.insert("Tag", (0..<1000).map { ["label": "\($0)"] })
        }
    }

    @Test("a fifth of the free pages is given back each time")
    func space() throws {
        try fixture.insert("Tag", (0..<2000).map { ["label": String(repeating: "x", count: 400) + "\($0)"] })
        let before = try #require(Int(try fixture.shell("PRAGMA page_count")))
        try delete("Tag")
        let after = try #require(Int(try fixture.shell("PRAGMA page_count")))
        let free = try #require(Int(try fixture.shell("PRAGMA freelist_count")))
        #expect(free > 100)
        #expect(abs((before - after) * 4 - free) <= 5)
        #expect(try fixture.shell("PRAGMA integrity_check") == "ok")
    }

    @Test("in memory it works the same")
    func inMemory() throws {
        let memory = try SQLFixture(inMemory: true)
        let teams = try memory.insert("Team", [[:]])
        try memory.insert("Person", [["team": teams[0]], [:]])
        let outcome = try memory.store.batchDelete(
            BatchDeletePlan(selection: .plan(memory.plan("Team")), wantsKeys: true))
        #expect(outcome.keys.map(\.number) == [1])
        #expect(try memory.select("Person", "team == nil") == [1, 2])
    }

    @Test("two requests in a row with the same shape start from nothing")
    func repeated() throws {
        try fixture.insert("Tag", (0..<10).map { ["label": "\($0)"] })
        for label in 0..<10 {
            let outcome = try delete("Tag", "label == %@", ["\(label)"], keys: true)
            #expect(outcome.keys.map(\.number) == [Int64(label + 1)])
        }
        #expect(try left("ZTAG") == "")
    }

    @Test("a read-only store refuses")
    func readOnly() throws {
        try fixture.insert("Tag", [[:]])
        try fixture.store.close()
        let store = try SQLiteStore.open(
            StoreLocation(url: fixture.url), type: NSSQLiteStoreType, url: fixture.url, model: fixture.model,
            configuration: nil, options: [NSReadOnlyPersistentStoreOption: true])
        defer { try? store.close() }
        let plan = BatchDeletePlan(selection: .plan(fixture.plan("Tag")), wantsKeys: false)
        #expect(throws: CocoaError.self) { try store.batchDelete(plan) }
        #expect(throws: CocoaError.self) {
            try store.batchDelete(BatchDeletePlan(selection: .keys([]), wantsKeys: false))
        }
    }
}

/// Delete rules in all their forms.
enum CascadeModel {
    static func make() -> NSManagedObjectModel {
        let root = LibraryModel.entity("Root")
        let branch = LibraryModel.entity("Branch")
        let leaf = LibraryModel.entity("Leaf")
        let owner = LibraryModel.entity("Owner")
        let denied = LibraryModel.entity("Denied")
        let loose = LibraryModel.entity("Loose")
        let dependent = LibraryModel.entity("Dependent")
        LibraryModel.join(branch, "root", to: root, "branches", .oneToMany).to.deleteRule = .cascadeDeleteRule
        LibraryModel.join(branch, "leaves", to: leaf, "branches", .manyToMany).from.deleteRule = .cascadeDeleteRule
        let tip = LibraryModel.relationship("tip", to: leaf)
        tip.maxCount = 1
        tip.deleteRule = .cascadeDeleteRule
        root.properties.append(tip)
        LibraryModel.join(denied, "owner", to: owner, "denied", .oneToMany).to.deleteRule = .denyDeleteRule
        LibraryModel.join(loose, "owner", to: owner, "loose", .oneToMany).to.deleteRule = .noActionDeleteRule
        let (required, dependents) = LibraryModel.join(dependent, "owner", to: owner, "dependents", .oneToMany)
        required.isOptional = false
        dependents.deleteRule = .cascadeDeleteRule
        let model = NSManagedObjectModel()
        model.entities = [root, branch, leaf, owner, denied, loose, dependent]
        return model
    }
}
