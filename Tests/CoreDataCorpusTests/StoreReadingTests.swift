import Foundation
import TestSupport
import Testing

/// All that the objects of a real store show is what its rows say.
@Suite("Real stores: reading", .enabled(if: Corpus.isUsable, "the corpus is absent"))
struct StoreReadingTests {
    @Test(
        "every object's attributes, to-one and to-many relationships are those of its row", arguments: Corpus.stores)
    func objects(_ path: String) throws {
        try Corpus.withCopy(of: path) { copy in
            let store = try RealStore(path, at: copy)
            var comparison = try StoreComparison(store)
            try comparison.run()
            #expect(comparison.differences == [])
            print(
                "read \(path): \(comparison.rows) rows, \(comparison.attributes) attributes, \(comparison.toOnes) to-one, "
                    + "\(comparison.members) members")
            try store.close()
        }
    }

    @Test("the comparison itself sees a changed value, key, entity, member and place")
    func comparisonIsSharp() throws {
        func differences(_ path: String, _ change: String) throws -> [String] {
            try Corpus.withCopy(of: path) { copy in
                let changed = copy.deletingLastPathComponent().appendingPathComponent("changed.sqlite")
                try FileGroup.copy(from: copy, to: changed)
                _ = try sqlite3(changed, change)
                let store = try RealStore(path, at: copy)
                var comparison = try StoreComparison(store, file: changed)
                try comparison.run()
                try store.close()
                return comparison.differences
            }
        }
        let bookmarks = "stores/duckduckgo+BrowserServicesKit/Bookmarks_V4.sqlite"
        #expect(try differences(bookmarks, "SELECT 1") == [])
        #expect(try differences(bookmarks, "UPDATE ZBOOKMARKENTITY SET ZTITLE = 'x' WHERE Z_PK = 2").count == 1)
        #expect(try differences(bookmarks, "UPDATE ZBOOKMARKENTITY SET ZPARENT = 9 WHERE Z_PK = 2").count > 1)
        #expect(try differences(bookmarks, "DELETE FROM Z_1FAVORITES WHERE rowid = 1").count > 1)
        #expect(try !differences(bookmarks, "UPDATE ZBOOKMARKENTITY SET Z_FOK_PARENT = -Z_FOK_PARENT").isEmpty)
        let books = "stores/alemar11+CoreDataPlus/SampleModel2_V1.sqlite"
        #expect(try differences(books, "UPDATE ZPAGE SET Z1_BOOK = 2 WHERE Z_PK = 3").count == 1)
        #expect(try differences(books, "UPDATE ZBOOK SET ZPRICE = ZPRICE + 0.001 WHERE Z_PK = 1").count == 1)
    }

    @Test("the bit maps of real history rows are as long as the rule says, and name columns that have values")
    func bitMaps() throws {
        var maps = 0
        var named = 0
        var empty: [String] = []
        for path in Corpus.storesWithModel {
            try Corpus.withCopy(of: path) { copy in
                let store = try RealStore(path, at: copy)
                let database = try RawDatabase(copy)
                let columns = try ExpectedColumns(store.model, database)
                let sql = "SELECT ZENTITY, ZENTITYPK, ZCOLUMNS FROM ACHANGE WHERE ZCHANGETYPE = 1"
                for row in store.hasHistory ? try database.rows(sql) : [] {
                    guard
                        let entity = row[0].integer.flatMap({ columns.names[$0] }).flatMap({
                            store.model.entitiesByName[$0]
                        }),
                        let key = row[1].integer, case .blob(let bits) = row[2]
                    else { continue }
                    let places = columns.historyBits(of: entity)
                    #expect(bits.count == places.count / 8 + 1, "\(entity.title)")
                    maps += 1
                    for (index, place) in places.enumerated() where bits[index / 8] & (128 >> (index % 8)) != 0 {
                        guard let column = place.column else { continue }
                        let table = ExpectedColumns.table(of: entity)
                        let value = try database.column("SELECT \(column) FROM \(table) WHERE Z_PK = \(key)")
                        named += value.count
                        if value == [.null] { empty.append("\(entity.title).\(place.property)") }
                    }
                }
                try store.close()
            }
        }
        #expect(maps > 100 && named > 200)
        // Keys that were taken back later.
        #expect(empty.count <= 8 && empty.allSatisfy { $0.hasPrefix("Asset.") && $0.contains("ighlightBeing") })
    }
}
