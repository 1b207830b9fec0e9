import Foundation
import TestSupport
import Testing

@testable import CoreData

@Suite("Fetching by SQL", .enabled(if: SQLiteShell.isUsable))
struct FetchSQLTests {
    let fixture: SQLFixture

    init() throws { fixture = try SQLFixture() }

    private func slot(_ row: Row, _ path: String) -> Int { row.layout.slots.firstIndex { $0.path == path } ?? -1 }

    private func column(_ table: String, _ name: String) throws -> String {
        try fixture.shell("SELECT quote(\(name)) FROM \(table) ORDER BY Z_PK")
    }

    // MARK: Values

    @Test("each kind of attribute reads as it was written, and stands in the file as Core Data stores it")
    func allKinds() throws {
        let uuid = UUID()
        let photo = ExternalData.inlined(Data([1, 2, 3]))
        try fixture.insert(
            "Person",
            [
                [
                    "name": "Zoë", "age": -7, "score": 1.25, "ratio": Float(0.1), "isActive": true, "uuid": uuid,
                    "createdAt": Date(timeIntervalSinceReferenceDate: 0.5), "site": "https://a.org/?q=1",
                    "price": Decimal(string: "3.14")!, "blob": Data([0, 255]), "photo": photo, "tint": Data([9]),
                ]
            ])
        fixture.store.rowCache.removeAll()
        let row = try #require(try fixture.rows(fixture.plan("Person")).first)
        #expect(row.string(slot(row, "name")) == "Zoë")
        #expect(row.integer(slot(row, "age")) == -7)
        #expect(row.double(slot(row, "score")) == 1.25)
        #expect(row.double(slot(row, "ratio")) == Double(Float(0.1)))
        #expect(row.integer(slot(row, "isActive")) == 1)
        #expect(row.uuid(slot(row, "uuid")) == uuid)
        #expect(row.double(slot(row, "createdAt")) == 0.5)
        #expect(row.string(slot(row, "site")) == "https://a.org/?q=1")
        #expect(row.decimal(slot(row, "price")) == Decimal(string: "3.14"))
        #expect(row.data(slot(row, "blob")) == Data([0, 255]))
        #expect(row.data(slot(row, "photo")) == Data([1, 1, 2, 3]))
        #expect(row.data(slot(row, "tint")) == Data([9]))
        #expect(row.isNull(slot(row, "mood")))
        #expect(row.toOne(slot(row, "team"), isPolymorphic: false) == nil)
        #expect(row.version == 1)
        let stored = try fixture.shell(
            "SELECT Z_PK, Z_ENT, Z_OPT, ZNAME, ZAGE, typeof(ZSCORE), ZISACTIVE, hex(ZUUID), typeof(ZPRICE), hex(ZBLOB),"
                + " hex(ZPHOTO), hex(ZTINT), ZCREATEDAT FROM ZPERSON")
        let number = fixture.store.schema.entity(fixture.entity("Person"))!.number
        let hex = uuid.uuidString.replacingOccurrences(of: "-", with: "")
        #expect(stored == "1|\(number)|1|Zoë|-7|real|1|\(hex)|real|00FF|01010203|09|0.5")
    }

    @Test("extreme numbers and texts survive")
    func extremes() throws {
        let numbers = [Int.min, Int.max, 0, -1]
        let doubles = [Double.leastNonzeroMagnitude, .greatestFiniteMagnitude, -0.0, .infinity]
        let texts = ["", "\u{0}x", String(repeating: "x", count: 70_000), "👩‍👩‍👧"]
        for index in 0..<4 {
            try fixture.insert("Employee", [["salary": numbers[index], "score": doubles[index], "name": texts[index]]])
        }
        fixture.store.rowCache.removeAll()
        let rows = try fixture.rows(fixture.plan("Employee"))
        #expect(rows.map { Int($0.integer(slot($0, "salary"))) } == numbers)
        #expect(rows.map { $0.double(slot($0, "score")) } == doubles)
        #expect(rows.map { $0.string(slot($0, "name")) } == texts)
        #expect(try fixture.shell("SELECT length(CAST(ZNAME AS BLOB)) FROM ZPERSON ORDER BY Z_PK") == "0\n2\n70000\n18")
    }

    @Test("values of another storage class are read if they make sense, and are an error naming the place if not")
    func foreignValues() throws {
        try fixture.insert("Person", [[:]])
        fixture.store.rowCache.removeAll()
        func read(_ assignment: String) throws -> Row? {
            try fixture.shell("UPDATE ZPERSON SET \(assignment)")
            fixture.store.rowCache.removeAll()
            return try fixture.rows(fixture.plan("Person")).first
        }
        var row = try #require(try read("ZNAME = x'41', ZAGE = 2.9, ZSCORE = 3, ZCREATEDAT = 5, ZISACTIVE = 7"))
        #expect(row.string(slot(row, "name")) == "A")
        #expect(row.integer(slot(row, "age")) == 2)
        #expect(row.double(slot(row, "score")) == 3)
        #expect(row.double(slot(row, "createdAt")) == 5)
        #expect(row.integer(slot(row, "isActive")) == 1)
        row = try #require(try read("ZNAME = CAST(x'FF41' AS TEXT), ZPRICE = 7, ZBLOB = 'text', ZSITE = 12"))
        #expect(row.string(slot(row, "name")) == "\u{FFFD}A")
        #expect(row.decimal(slot(row, "price")) == 7)
        #expect(row.data(slot(row, "blob")) == Data("text".utf8))
        #expect(row.string(slot(row, "site")) == "12")
        row = try #require(try read("ZUUID = '00112233-4455-6677-8899-AABBCCDDEEFF'"))
        #expect(row.uuid(slot(row, "uuid")).uuidString == "00112233-4455-6677-8899-AABBCCDDEEFF")
        for (assignment, column) in [
            ("ZAGE = 'many'", "ZAGE"), ("ZAGE = x'00'", "ZAGE"), ("ZSCORE = 'x'", "ZSCORE"), ("ZUUID = x'00'", "ZUUID"),
            ("ZCREATEDAT = 'x'", "ZCREATEDAT"), ("ZPRICE = 'x'", "ZPRICE"), ("ZBLOB = 5", "ZBLOB"),
            ("ZTEAM = 'x'", "ZTEAM"), ("Z_ENT = 999", "999"),
        ] {
            let text = reason { _ = try read(assignment) } ?? "no error"
            #expect(text.contains(column) && text.contains("ZPERSON") && text.contains("1"), "\(assignment): \(text)")
            try fixture.shell(
                "UPDATE ZPERSON SET ZAGE = 1, ZSCORE = 1, ZUUID = NULL, ZCREATEDAT = NULL, ZPRICE = NULL, ZBLOB = NULL,"
                    + " ZTEAM = NULL, Z_ENT = (SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = 'Person')")
        }
    }

    @Test("a decimal reads as the shortest number its column stands for")
    func decimals() throws {
        try fixture.insert("Person", [[:]])
        for (real, decimal) in [
            ("0.1", "0.1"), ("3.3333333332999993", "3.3333333332999993"), ("1e20", "100000000000000000000"),
            ("-2.5e-7", "-0.00000025"),
        ] {
            try fixture.shell("UPDATE ZPERSON SET ZPRICE = \(real)")
            fixture.store.rowCache.removeAll()
            let row = try #require(try fixture.rows(fixture.plan("Person")).first)
            #expect(row.decimal(slot(row, "price")) == Decimal(string: decimal), "\(real)")
        }
    }

    @Test("in memory decimals keep all their digits and are compared by value")
    func exactDecimals() throws {
        let memory = try SQLFixture(inMemory: true)
        let long = Decimal(string: "12345678901234567890.123456789012345678")!
        try memory.insert("Person", [["price": long], ["price": Decimal(9)], ["price": Decimal(string: "10.50")!]])
        memory.store.rowCache.removeAll()
        let rows = try memory.rows(memory.plan("Person", sort: [NSSortDescriptor(key: "price", ascending: true)]))
        #expect(rows.map { $0.decimal(slot($0, "price")) } == [9, Decimal(string: "10.5")!, long])
        #expect(try memory.select("Person", "price > 9.5") == [1, 3])
        #expect(try memory.select("Person", "price == 10.5") == [3])
        #expect(try memory.select("Person", "price IN %@", [long, Decimal(9)]) == [1, 2])
    }

    // MARK: Order, window, shapes

    @Test("rows are sorted by keys, over to-one relationships, up and down, nil first ascending")
    func sorting() throws {
        let teams = try fixture.insert("Team", [["name": "Z"], ["name": "A"]])
        try fixture.insert(
            "Person",
            [
                ["name": "b", "age": 1, "team": teams[0]], ["name": "B", "age": 2, "team": teams[1]],
                ["name": "a10", "age": 2], ["age": 3], ["name": "a9", "age": 1, "team": teams[1]],
            ])
        func order(_ sort: NSSortDescriptor...) throws -> [Int64] {
            try fixture.rows(fixture.plan("Person", sort: sort)).map(\.primaryKey)
        }
        let name = { NSSortDescriptor(key: "name", ascending: $0) }
        #expect(try order(name(true)) == [4, 2, 3, 5, 1])
        #expect(try order(name(false)) == [1, 5, 3, 2, 4])
        #expect(try order(NSSortDescriptor(key: "age", ascending: false), name(true)) == [4, 2, 3, 5, 1])
        #expect(try order(NSSortDescriptor(key: "team.name", ascending: true), name(true)) == [4, 3, 2, 5, 1])
        #expect(
            try order(
                NSSortDescriptor(key: "name", ascending: true, selector: "caseInsensitiveCompare:"),
                NSSortDescriptor(key: "age", ascending: true))
                == [4, 3, 5, 1, 2])
        #expect(
            try order(NSSortDescriptor(key: "name", ascending: true, selector: "localizedStandardCompare:")).prefix(3)
                == [4, 5, 3])
        #expect(try order(NSSortDescriptor(key: "SELF", ascending: false)) == [5, 4, 3, 2, 1])
        #expect(try order() == [1, 2, 3, 4, 5])
        #expect(reason { _ = try order(NSSortDescriptor(key: "mood", ascending: true)) }?.contains("transient") == true)
        #expect(reason { _ = try order(NSSortDescriptor(key: "tags", ascending: true)) }?.contains("to-many") == true)
        #expect(reason { _ = try order(NSSortDescriptor(key: "nme", ascending: true)) }?.contains("nme") == true)
        let own = NSSortDescriptor(key: "name", ascending: true) { _, _ in .orderedSame }
        #expect(reason { _ = try order(own) }?.contains("comparator") == true)
    }

    @Test("sorted texts stand in the order memory gives them, for every comparison")
    func collations() throws {
        let names = ["äpfel", "Apfel", "apfel 10", "apfel 9", "Zebra", "zebra", "Éclair", "eclair", "ß", "ss", "", "1"]
        try fixture.insert("Person", names.map { ["name": $0] })
        for selector in [
            "compare:", "caseInsensitiveCompare:", "localizedCompare:", "localizedCaseInsensitiveCompare:",
            "localizedStandardCompare:",
        ] {
            let sort = NSSortDescriptor(key: "name", ascending: true, selector: Selector(selector))
            let rows = try fixture.rows(fixture.plan("Person", sort: [sort]))
            let stored = rows.map { $0.string(slot($0, "name")) }
            let order = try #require(sort.sortOrder)
            for (left, right) in zip(stored, stored.dropFirst()) {
                #expect(order.compare(left, right) != .orderedDescending, "\(selector): \(left) \(right)")
            }
        }
    }

    @Test("limit and offset cut the sorted result; the count knows them too")
    func window() throws {
        try fixture.insert("Person", (1...10).map { ["age": 11 - $0] })
        let sort = [NSSortDescriptor(key: "age", ascending: true)]
        #expect(try fixture.rows(fixture.plan("Person", sort: sort, limit: 3)).map(\.primaryKey) == [10, 9, 8])
        #expect(try fixture.rows(fixture.plan("Person", sort: sort, limit: 2, offset: 8)).map(\.primaryKey) == [2, 1])
        #expect(try fixture.rows(fixture.plan("Person", sort: sort, offset: 9)).map(\.primaryKey) == [1])
        #expect(try fixture.rows(fixture.plan("Person", offset: 20)).isEmpty)
        #expect(try fixture.store.count(fixture.plan("Person")) == 10)
        #expect(try fixture.store.count(fixture.plan("Person", limit: 4)) == 4)
        #expect(try fixture.store.count(fixture.plan("Person", limit: 4, offset: 8)) == 2)
        #expect(try fixture.store.count(fixture.plan("Person", "age > 5")) == 5)
        #expect(try fixture.store.fetchKeys(fixture.plan("Person", sort: sort, limit: 2)).map(\.number) == [10, 9])
    }

    @Test("a parent's request brings subentities, each with its own layout, unless told not to")
    func inheritance() throws {
        try fixture.insert("Person", [["name": "p"]])
        try fixture.insert("Employee", [["name": "e", "salary": 5]])
        let rows = try fixture.rows(fixture.plan("Person"))
        #expect(rows.map { $0.layout.entity.name } == ["Person", "Employee"])
        #expect(rows[1].integer(slot(rows[1], "salary")) == 5)
        #expect(rows[1].key.entity == Int32(fixture.entity("Employee").ordinal))
        #expect(try fixture.rows(fixture.plan("Person", subentities: false)).map(\.primaryKey) == [1])
        #expect(try fixture.rows(fixture.plan("Employee")).map(\.primaryKey) == [2])
        #expect(try fixture.store.count(fixture.plan("Employee")) == 1)
        let keys = try fixture.store.fetchKeys(fixture.plan("Person"))
        #expect(keys.map(\.entity) == rows.map(\.key.entity))
    }

    @Test("more rows than a chunk come in order and end in the row cache")
    func chunks() throws {
        try fixture.insert("Person", (0..<1000).map { ["age": $0] })
        fixture.store.rowCache.removeAll()
        var sizes: [Int] = []
        var keys: [Int64] = []
        try fixture.store.fetchRows(fixture.plan("Person")) { chunk in
            sizes.append(chunk.count)
            keys += chunk.map(\.primaryKey)
        }
        #expect(keys == Array(1...1000))
        #expect(sizes.reduce(0, +) == 1000 && sizes.count > 1)
        let root = Int32(fixture.entity("Person").ordinal)
        #expect((1...1000).allSatisfy { fixture.store.rowCache[root, $0]?.primaryKey == $0 })
    }

    @Test("an error of the receiver stops the fetch and leaves the connection usable")
    func receiverFails() throws {
        try fixture.insert("Person", (0..<600).map { ["age": $0] })
        struct Stop: Error {}
        #expect(throws: Stop.self) { try fixture.store.fetchRows(fixture.plan("Person")) { _ in throw Stop() } }
        #expect(try fixture.store.count(fixture.plan("Person")) == 600)
        #expect(try fixture.rows(fixture.plan("Person")).count == 600)
    }

    @Test("fetches may be nested in a receiver, the same request too")
    func nested() throws {
        try fixture.insert("Person", (0..<300).map { ["age": $0] })
        var inner = 0
        try fixture.store.fetchRows(fixture.plan("Person")) { _ in
            inner += try fixture.rows(fixture.plan("Person")).count
        }
        #expect(inner == 600)
    }

    @Test("dictionaries hold values in their classes, keys of to-one relationships, and no nil")
    func dictionaries() throws {
        let teams = try fixture.insert("Team", [["name": "Red"]])
        let uuid = UUID()
        try fixture.insert(
            "Employee",
            [
                [
                    "name": "a", "age": 3, "score": 0.5, "ratio": Float(0.25), "isActive": true, "uuid": uuid,
                    "createdAt": Date(timeIntervalSinceReferenceDate: 9), "site": "https://a.org/",
                    "price": Decimal(string: "1.5")!, "blob": Data([7]), "photo": ExternalData.inlined(Data([8])),
                    "team": teams[0],
                ], [:],
            ])
        let names = [
            "name", "age", "score", "ratio", "isActive", "uuid", "createdAt", "site", "price", "blob", "photo", "team",
        ]
        let plan = fixture.plan("Employee")
        let found = try fixture.dictionaries(plan, DictionaryPlan(names.map { .init($0, .keyPath($0)) }))
        #expect(found.count == 2)
        #expect(found[1].isEmpty)
        let first = found[0]
        #expect(first["name"] as? String == "a")
        #expect(first["age"] as? NSNumber == 3)
        #expect(first["score"] as? NSNumber == 0.5)
        #expect(first["ratio"] as? NSNumber == 0.25)
        #expect(first["isActive"] as? NSNumber == true)
        #expect(first["uuid"] as? UUID == uuid)
        #expect(first["createdAt"] as? Date == Date(timeIntervalSinceReferenceDate: 9))
        #expect(first["site"] as? URL == URL(string: "https://a.org/"))
        #expect(first["price"] as? NSDecimalNumber == NSDecimalNumber(string: "1.5"))
        #expect(first["blob"] as? Data == Data([7]))
        #expect(first["photo"] as? Data == Data([8]))
        #expect(first["team"] as? ObjectKey == teams[0])
    }

    @Test("distinct dictionaries are told apart by their columns only; ids, composites and aliases are columns too")
    func distinct() throws {
        try fixture.insert("Place", [["name": "x", "position.lat": 1.0], ["name": "x", "position.lat": 2.0]])
        let plan = fixture.plan("Place")
        var columns = DictionaryPlan([.init("alias", .keyPath("name"))])
        columns.isDistinct = true
        #expect(try fixture.dictionaries(plan, columns).map { $0["alias"] as? String } == ["x"])
        columns.columns = [.init("objectID", .keyPath("objectID")), .init("position", .keyPath("position"))]
        let places = try fixture.dictionaries(plan, columns)
        #expect(places.map { ($0["objectID"] as? ObjectKey)?.number } == [1, 2])
        #expect((places[1]["position"] as? [String: Any])?["lat"] as? NSNumber == 2)
    }

    // MARK: Rows by key

    @Test("rows are found by keys of several entities, missing ones are absent")
    func rowsForKeys() throws {
        let persons = try fixture.insert("Person", [["name": "a"], ["name": "b"]])
        let employees = try fixture.insert("Employee", [["name": "c"]])
        let teams = try fixture.insert("Team", [["name": "d"]])
        fixture.store.rowCache.removeAll()
        let missing = fixture.key("Team", 99)
        let unsaved = ObjectKey(number: 1, entity: teams[0].entity, isTemporary: true)
        let keys = [persons[1], teams[0], employees[0], missing, unsaved, persons[0]]
        let rows = try fixture.store.rows(for: keys)
        #expect(
            Set(rows.map { "\($0.layout.entity.name ?? "")\($0.primaryKey)" }) == [
                "Person1", "Person2", "Employee3", "Team1",
            ])
        // An id that names the superentity finds the record of the subentity, one that names a sibling does not.
        #expect(try fixture.row(at: fixture.key("Person", 3))?.layout.entity.name == "Employee")
        #expect(try fixture.row(at: fixture.key("Employee", 1)) == nil)
        #expect(try fixture.store.exists(persons[0]))
        #expect(try fixture.store.exists(fixture.key("Person", 3)))
        #expect(try !fixture.store.exists(fixture.key("Employee", 1)))
        #expect(try !fixture.store.exists(missing))
        #expect(try !fixture.store.exists(unsaved))
    }

    @Test("a lone row is read after a change of the schema, and refused once the file is another store")
    func loneRows() throws {
        let keys = try fixture.insert("Team", [["name": "a"], ["name": "b"]])
        for index in 0..<4 {
            try fixture.shell("CREATE INDEX extra\(index) ON ZTEAM (ZNAME)")
            fixture.store.rowCache.removeAll()
            #expect(try fixture.row(at: keys[0])?.string(0) == "a")
            #expect(try fixture.row(at: keys[1])?.string(0) == "b")
            #expect(try fixture.row(at: fixture.key("Team", 99)) == nil)
        }
        try fixture.shell("UPDATE Z_METADATA SET Z_UUID = 'another'; DROP INDEX extra0")
        fixture.store.rowCache.removeAll()
        do {
            _ = try fixture.row(at: keys[0])
            Issue.record("no error")
        } catch {
            #expect((error as NSError).code == 134070)
        }
    }

    @Test("a lone row is read inside of a fetch from the fetch's own snapshot")
    func loneRowInside() throws {
        let keys = try fixture.insert("Team", [["name": "a"]])
        _ = try fixture.row(at: keys[0])
        try fixture.store.fetchRows(fixture.plan("Team")) { _ in
            try fixture.shell("UPDATE ZTEAM SET ZNAME = 'new', Z_OPT = 2")
            #expect(try fixture.row(at: keys[0])?.string(0) == "a")
        }
        fixture.store.rowCache.removeAll()
        #expect(try fixture.row(at: keys[0])?.string(0) == "new")
    }

    @Test("related keys over every kind of to-many, ordered ones in their order")
    func relatedKeys() throws {
        func related(_ entity: String, _ name: String, _ owner: ObjectKey) throws -> [Int64] {
            try fixture.store.relatedKeys(fixture.entity(entity).relationshipsByName[name]!, of: owner).map(
                \.number)
        }
        let teams = try fixture.insert("Team", [[:], [:]])
        let persons = try fixture.insert("Person", [["team": teams[0]], ["team": teams[1]], ["team": teams[0]]])
        #expect(try related("Team", "persons", teams[0]) == [1, 3])
        let tags = try fixture.insert("Tag", [[:], [:]])
        try fixture.relate("Person", "tags", persons[0], add: tags)
        #expect(try Set(related("Person", "tags", persons[0])) == [1, 2])
        #expect(try related("Tag", "persons", tags[1]) == [1])
        try fixture.shell("DELETE FROM ZTAG WHERE Z_PK = 1")
        #expect(try Set(related("Person", "tags", persons[0])) == [1, 2])
        let lists = try fixture.insert("Playlist", [[:]])
        let songs = try fixture.insert("Song", [["album": lists[0]], ["album": lists[0]], [:]])
        try fixture.relate("Playlist", "songs", lists[0], add: songs, order: [songs[2], songs[0], songs[1]])
        #expect(try related("Playlist", "songs", lists[0]) == [3, 1, 2])
        #expect(try related("Song", "playlists", songs[2]) == [1])
        try fixture.relate("Playlist", "tracks", lists[0], order: [songs[1], songs[0]])
        #expect(try related("Playlist", "tracks", lists[0]) == [2, 1])
        let recipes = try fixture.insert("Recipe", [[:]])
        let steps = try fixture.insert("Step", [[:], [:]])
        try fixture.relate("Recipe", "steps", recipes[0], add: [steps[1]])
        #expect(try related("Recipe", "steps", recipes[0]) == [2])
        let nodes = try fixture.insert("Node", [[:], [:]])
        try fixture.relate("Node", "friends", nodes[0], add: [nodes[1]])
        #expect(try related("Node", "friends", nodes[0]) == [2])
        #expect(try related("Node", "friends", nodes[1]) == [1])
        let manager = try fixture.insert("Employee", [[:]])
        try fixture.insert("Employee", [["manager": manager[0]]])
        #expect(try related("Employee", "reports", manager[0]) == [5])
        #expect(try related("Team", "persons", ObjectKey(number: 1, entity: teams[0].entity, isTemporary: true)) == [])
    }

    @Test("a polymorphic to-one knows its target's entity, by default the destination's")
    func polymorphic() throws {
        let employee = try fixture.insert("Employee", [[:]])
        try fixture.insert("Account", [["number": 1, "owner": employee[0]]])
        fixture.store.rowCache.removeAll()
        var row = try #require(try fixture.rows(fixture.plan("Account")).first)
        let slot = slot(row, "owner")
        #expect(row.toOne(slot, isPolymorphic: true)?.entity == employee[0].entity)
        let column = fixture.store.schema.entity(fixture.entity("Account"))!.columns[slot + 1]!.name
        #expect(try fixture.shell("SELECT \(column) FROM ZACCOUNT") == fixture.shell("SELECT Z_ENT FROM ZPERSON"))
        try fixture.shell("UPDATE ZACCOUNT SET \(column) = NULL")
        fixture.store.rowCache.removeAll()
        row = try #require(try fixture.rows(fixture.plan("Account")).first)
        #expect(row.toOne(slot, isPolymorphic: true)?.entity == Int32(fixture.entity("Person").ordinal))
    }

    @Test("an external value's row holds the reference, the file is read by name, strange names read nothing")
    func external() throws {
        try fixture.insert("Person", [[:]])
        let name = UUID().uuidString
        try fixture.shell("UPDATE ZPERSON SET ZPHOTO = x'02' || CAST('\(name)' AS BLOB) || x'00'")
        let folder = fixture.directory.url.appendingPathComponent(".Library_SUPPORT/_EXTERNAL_DATA")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data([5, 6]).write(to: folder.appendingPathComponent(name))
        fixture.store.rowCache.removeAll()
        let row = try #require(try fixture.rows(fixture.plan("Person")).first)
        let found = row.withBytes(slot(row, "photo")) { bytes -> String? in
            if case .file(let name) = ExternalData(column: bytes) { name } else { nil }
        }
        #expect(found == name)
        #expect(try fixture.store.externalData(named: name) == Data([5, 6]))
        #expect(try fixture.store.externalData(named: UUID().uuidString) == nil)
        #expect(try fixture.store.externalData(named: "../../Library.sqlite") == nil)
        let plan = fixture.plan("Person")
        let columns = DictionaryPlan([.init("photo", .keyPath("photo"))])
        #expect(try fixture.dictionaries(plan, columns).first?["photo"] as? Data == Data([5, 6]))
    }
}
