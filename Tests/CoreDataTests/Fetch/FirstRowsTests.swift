import Foundation
import TestSupport
import Testing

@testable import CoreData

/// Sorted requests with a limit: equal rows come by primary key, whatever way SQLite goes.
@Suite(.enabled(if: SQLiteShell.isUsable)) struct FirstRowsTests {
    private func model(indexed: Bool) -> NSManagedObjectModel {
        let item = Office.entity(
            "Item", [Office.attribute("name", .stringAttributeType), Office.attribute("rank", .integer32AttributeType)])
        if indexed, let name = item.propertiesByName["name"] {
            let element = NSFetchIndexElementDescription(property: name, collationType: .binary)
            item.indexes = [NSFetchIndexDescription(name: "byName", elements: [element])]
        }
        let model = NSManagedObjectModel()
        model.entities = [item]
        return model
    }

    @Test(arguments: [false, true]) func tiesComeByPrimaryKey(_ indexed: Bool) throws {
        let fixture = try SQLFixture(model: model(indexed: indexed))
        try fixture.insert("Item", (0..<200).map { ["name": "n\($0 % 3)", "rank": $0 / 50] })
        for ascending in [true, false] {
            for limit in [1, 7, 70, 200, 0] {
                let sort = [NSSortDescriptor(key: "name", ascending: ascending)]
                let rows = try fixture.rows(fixture.plan("Item", sort: sort, limit: limit, offset: limit == 7 ? 3 : 0))
                let raw = try fixture.shell(
                    "SELECT Z_PK FROM ZITEM ORDER BY ZNAME \(ascending ? "" : "DESC"), Z_PK LIMIT \(limit == 0 ? -1 : limit)"
                        + " OFFSET \(limit == 7 ? 3 : 0)")
                #expect(rows.map { String($0.primaryKey) }.joined(separator: "\n") == raw)
            }
        }
    }

    @Test func anIndexThatOnlyTheFileHasChangesNothing() throws {
        let fixture = try SQLFixture(model: model(indexed: false))
        try fixture.insert("Item", (0..<60).map { ["name": "n\($0 % 3)", "rank": 60 - $0] })
        try fixture.shell("CREATE INDEX other ON ZITEM (ZNAME, ZRANK)")
        let sort = [NSSortDescriptor(key: "name", ascending: true)]
        for limit in [5, 50, 0] {
            let expected = try fixture.shell(
                "SELECT Z_PK FROM ZITEM ORDER BY ZNAME, Z_PK LIMIT \(limit == 0 ? -1 : limit)")
            #expect(
                try fixture.rows(fixture.plan("Item", sort: sort, limit: limit)).map { String($0.primaryKey) }
                    .joined(separator: "\n") == expected)
            #expect(
                try fixture.store.fetchKeys(fixture.plan("Item", sort: sort, limit: limit)).map { String($0.number) }
                    .joined(separator: "\n") == expected)
        }
    }

    @Test func manyIdsSelectTheirRows() throws {
        let fixture = try SQLFixture(model: model(indexed: false))
        let keys = try fixture.insert("Item", (0..<300).map { ["name": "n\($0)", "rank": $0] })
        let wanted = stride(from: 0, to: 300, by: 3).map { keys[$0] }
        let ids = wanted.map { fixture.id($0) } + [fixture.id(keys[1], store: UUID().uuidString)]
        #expect(try fixture.select("Item", "SELF IN %@", ids) == wanted.map(\.number))
        #expect(try fixture.select("Item", "NOT (SELF IN %@)", ids).count == 200)
        #expect(try fixture.select("Item", "SELF IN %@", [fixture.id(keys[5])]) == [keys[5].number])
        #expect(try fixture.select("Item", "SELF IN %@", [NSManagedObjectID]()).isEmpty)
    }
}
