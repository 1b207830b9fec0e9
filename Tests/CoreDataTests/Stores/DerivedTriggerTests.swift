import CoreDataSQLite
import Foundation
import FoundationBackfill
import TestSupport
import Testing

@testable import CoreData

@Suite("Triggers of derived attributes")
struct DerivedTriggerTests {
    private func open(_ derivations: [(name: String, type: NSAttributeType, text: String)]) throws -> (
        StoreFixture, SQLiteStore
    ) {
        let model = SampleModels.library()
        let author = try #require(model.entitiesByName["Author"])
        for derivation in derivations {
            let attribute = NSDerivedAttributeDescription()
            attribute.name = derivation.name
            attribute.attributeType = derivation.type
            attribute.derivationExpression = try NSExpression.derivation(format: derivation.text)
            author.properties += [attribute]
        }
        let fixture = try StoreFixture()
        return (fixture, try fixture.open(model))
    }

    private func values(_ store: SQLiteStore, _ column: String) throws -> String {
        try store.read { connection, _ in
            try connection.text(
                "SELECT group_concat(v, ' ') FROM (SELECT Z_PK || ':' || IFNULL(\(column), '-') AS v FROM ZAUTHOR ORDER BY Z_PK)"
            )
                ?? ""
        }
    }

    private func run(_ store: SQLiteStore, _ statements: String...) throws {
        for statement in statements { try store.write { connection, _ in try connection.execute(statement) } }
    }

    @Test("a count follows rows that come, move and go", arguments: ["books.@count", "count:(books)"])
    func count(_ text: String) throws {
        let (_fixture, store) = try open([("total", .integer64AttributeType, text)])
        defer { withExtendedLifetime(_fixture) {} }
        try run(store, "INSERT INTO ZAUTHOR (Z_PK, Z_ENT) VALUES (1, 1), (2, 1)")
        #expect(try values(store, "ZTOTAL") == "1:0 2:0")
        try run(store, "INSERT INTO ZBOOK (Z_PK, Z_ENT, ZAUTHOR) VALUES (1, 2, 1), (2, 2, 1), (3, 3, 2), (4, 2, NULL)")
        #expect(try values(store, "ZTOTAL") == "1:2 2:1")
        try run(store, "UPDATE ZBOOK SET ZAUTHOR = 2 WHERE Z_PK = 1")
        #expect(try values(store, "ZTOTAL") == "1:1 2:2")
        try run(store, "UPDATE ZBOOK SET ZAUTHOR = NULL WHERE Z_PK = 3", "DELETE FROM ZBOOK WHERE Z_PK = 2")
        #expect(try values(store, "ZTOTAL") == "1:0 2:1")
    }

    @Test("the records that triggers changed are told to the writer")
    func reported() throws {
        let (_fixture, store) = try open([("total", .integer64AttributeType, "books.@count")])
        defer { withExtendedLifetime(_fixture) {} }
        try run(store, "INSERT INTO ZAUTHOR (Z_PK, Z_ENT) VALUES (1, 1), (2, 1)")
        try store.write { connection, _ in
            #expect(store.triggeredChanges.records.isEmpty)
            try connection.execute("INSERT INTO ZBOOK (Z_PK, Z_ENT, ZAUTHOR) VALUES (1, 2, 2)")
            #expect(store.triggeredChanges.records == [TriggeredChanges.Record(entity: 1, key: 2)])
        }
    }

    @Test("sums, extremes and averages follow the members' values too")
    func aggregates() throws {
        let (_fixture, store) = try open([
            ("total", .integer64AttributeType, "sum:(books.pages)"),
            ("least", .integer64AttributeType, "books.@min.pages"),
            ("most", .integer64AttributeType, "books.@max.pages"), ("mean", .doubleAttributeType, "books.@avg.pages"),
        ])
        defer { withExtendedLifetime(_fixture) {} }
        func all() throws -> [String] { try ["ZTOTAL", "ZLEAST", "ZMOST", "ZMEAN"].map { try values(store, $0) } }
        try run(store, "INSERT INTO ZAUTHOR (Z_PK, Z_ENT) VALUES (1, 1)")
        #expect(try all() == ["1:0", "1:-", "1:-", "1:-"])
        try run(
            store,
            "INSERT INTO ZBOOK (Z_PK, Z_ENT, ZAUTHOR, ZPAGES) VALUES (1, 2, 1, 100), (2, 2, 1, 50), (3, 2, NULL, 7)")
        #expect(try all() == ["1:150", "1:50", "1:100", "1:75.0"])
        try run(store, "UPDATE ZBOOK SET ZPAGES = 10 WHERE Z_PK = 1")
        #expect(try all() == ["1:60", "1:10", "1:50", "1:30.0"])
        try run(store, "UPDATE ZBOOK SET ZAUTHOR = 1 WHERE Z_PK = 3", "DELETE FROM ZBOOK WHERE Z_PK = 2")
        #expect(try all() == ["1:17", "1:7", "1:10", "1:8.5"])
    }

    @Test("a count over a many-to-many relationship counts the pairs")
    func manyToMany() throws {
        let model = SampleModels.library()
        let attribute = NSDerivedAttributeDescription()
        attribute.name = "uses"
        attribute.attributeType = .integer64AttributeType
        attribute.derivationExpression = try NSExpression.derivation(format: "books.@count")
        model.entitiesByName["Tag"]?.properties += [attribute]
        let fixture = try StoreFixture()
        let store = try fixture.open(model)
        try run(
            store, "INSERT INTO ZTAG (Z_PK, Z_ENT) VALUES (1, 4), (2, 4)",
            "INSERT INTO Z_2TAGS (Z_2BOOKS, Z_4TAGS) VALUES (1, 1), (2, 1), (1, 2)",
            "DELETE FROM Z_2TAGS WHERE Z_2BOOKS = 1 AND Z_4TAGS = 2")
        let uses = try store.read { connection, _ in try connection.text("SELECT group_concat(ZUSES) FROM ZTAG") }
        #expect(uses == "2,0")
    }

    @Test("a derivation that triggers cannot compute makes none", arguments: ["canonical:(name)", "now()"])
    func others(_ text: String) throws {
        let (_fixture, store) = try open([("derived", .stringAttributeType, text)])
        defer { withExtendedLifetime(_fixture) {} }
        try run(store, "INSERT INTO ZAUTHOR (Z_PK, Z_ENT, ZNAME) VALUES (1, 1, 'Ada')")
        #expect(try values(store, "ZDERIVED") == "1:-")
    }
}

@Suite("R-tree indexes")
struct SpatialIndexTests {
    @Test("the R-tree follows its table")
    func followed() throws {
        let place = SampleModels.entity(
            "Place",
            [
                SampleModels.attribute("latitude", .doubleAttributeType),
                SampleModels.attribute("longitude", .doubleAttributeType),
            ])
        let model = NSManagedObjectModel()
        model.entities = [place]
        place.indexes = [
            NSFetchIndexDescription(
                name: "bounds",
                elements: place.properties.map { NSFetchIndexElementDescription(property: $0, collationType: .rTree) })
        ]
        let fixture = try StoreFixture()
        let store = try fixture.open(model)
        try store.write { connection, _ in
            try connection.execute(
                """
                INSERT INTO ZPLACE (Z_PK, ZLATITUDE, ZLONGITUDE) VALUES (1, 10.5, 20.5), (2, 50, 60), (3, 11, 21);
                UPDATE ZPLACE SET ZLATITUDE = 51 WHERE Z_PK = 3; DELETE FROM ZPLACE WHERE Z_PK = 2
                """)
        }
        let text = try store.read { connection, _ in
            try connection.text(
                "SELECT group_concat(Z_PK || ':' || ZLATITUDE_MIN || ':' || ZLONGITUDE_MAX) FROM Z_RT_Place_bounds")
        }
        #expect(text == "1:10.5:20.5,3:51.0:21.0")
    }
}
