import CoreData
import Foundation
import TestSupport
import Testing

/// Columns of dictionary results.
@Suite struct DictionaryFetchTests {
    private let byAmount = [NSSortDescriptor(key: "amount", ascending: true)]

    @Test func keyPathsOverToOneRelationships() throws {
        let shops = try Shops()
        let rows = try shops.context.fetch(
            shops.request(["amount", "shop.name", "shop.town", "shop.town.name"], sort: byAmount))
        #expect(rows.map { $0["shop.name"] as? String } == [nil, "North", "North", "North", "South", "South"])
        #expect(
            rows.map { ($0["shop.town"] as? NSManagedObjectID)?.entity.name } == [
                nil, "Town", "Town", "Town", nil, nil,
            ])
        #expect(rows[1]["shop.town.name"] as? String == "Bonn")
    }

    @Test func aRelationshipOfARelatedObjectNamesTheMostSpecificEntity() throws {
        let shops = try Shops()
        let self_ = Shops.column("me", .expressionForEvaluatedObject(), .objectIDAttributeType)
        let rows = try shops.context.fetch(shops.request(["name", self_, "objectID"], of: "Shop"))
        for row in rows {
            let id = try #require(row["me"] as? NSManagedObjectID)
            #expect(id.entity.name == (row["name"] as? String == "South" ? "Market" : "Shop"))
            #expect(row["objectID"] as? NSManagedObjectID == id)
            #expect(try shops.context.existingObject(with: id).nameValue == row["name"] as? String)
        }
        let sales = try shops.context.fetch(shops.request(["shop.self"], sort: byAmount))
        #expect(
            sales.map { ($0["shop.self"] as? NSManagedObjectID)?.entity.name }
                == [nil, "Shop", "Shop", "Shop", "Market", "Market"])
    }

    @Test func pathsThatLeadNowhereAreErrorsNamingThem() throws {
        let shops = try Shops()
        for (path, word) in [
            ("shop.colour", "colour"), ("shop.name.length", "shop.name.length"), ("shop.sales", "shop.sales"),
            ("shop.sales.amount", "shop.sales.amount"), ("colour", "colour"), ("mood", "mood"), ("kind.length", "kind"),
        ] {
            let error = try #require(throws: NSError.self) { _ = try shops.context.fetch(shops.request([path])) }
            #expect(error.code == 134060)
            #expect(error.localizedFailureReason?.contains(word) == true, "\(error)")
        }
    }

    @Test func aToManyColumnIsRefused() throws {
        let shops = try Shops()
        let sales = Shops.column("sales", NSExpression(forKeyPath: "sales"))
        #expect(errorCode { _ = try shops.context.fetch(shops.request([sales], of: "Shop")) } == 134060)
        let count = Shops.column("count", NSExpression(forKeyPath: "sales.@count"))
        let rows = try shops.context.fetch(
            shops.request(["name", count], of: "Shop", sort: [NSSortDescriptor(key: "count", ascending: false)]))
        #expect(rows.map { $0["name"] as? String } == ["North", "South"])
        #expect(rows.map { $0["count"] as? Int } == [3, 2])
    }

    @Test func transformableValuesComeDecodedOverPathsToo() throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: LibraryModel.make())
        _ = try coordinator.addPersistentStore(ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        context.insert("Account", ["owner": context.insert("Person", ["tint": ["red", "blue"]])])
        try context.save()
        let request = NSFetchRequest<NSDictionary>(entityName: "Account")
        request.resultType = .dictionaryResultType
        request.propertiesToFetch = [
            "owner.tint", Shops.column("tint", NSExpression(forKeyPath: "owner.tint"), .transformableAttributeType),
        ]
        let row = try #require(try context.fetch(request).first)
        #expect(row["owner.tint"] as? [String] == ["red", "blue"])
        #expect(row["tint"] as? [String] == ["red", "blue"])
    }

    @Test func constantsAreColumns() throws {
        let shops = try Shops()
        let columns = [
            Shops.column("one", NSExpression(forConstantValue: 1)),
            Shops.column("text", NSExpression(forConstantValue: "x")),
            Shops.column("none", NSExpression(forConstantValue: nil)),
        ]
        let rows = try shops.context.fetch(shops.request(columns, where: "amount == 10"))
        #expect(rows.count == 1)
        #expect(rows[0]["one"] as? Int == 1)
        #expect(rows[0]["text"] as? String == "x")
        #expect(rows[0]["none"] == nil)
    }

    @Test func anExpressionDescriptionWithoutExpressionIsAnError() throws {
        let shops = try Shops()
        let empty = NSExpressionDescription()
        empty.name = "empty"
        #expect(errorCode { _ = try shops.context.fetch(shops.request([empty])) } == 134060)
    }

    @Test func distinctRowsAreToldApartByTheColumnsAlone() throws {
        let shops = try Shops()
        let request = shops.request(["kind", "shop.name"], sort: [NSSortDescriptor(key: "kind", ascending: true)])
        request.returnsDistinctResults = true
        let rows = try shops.context.fetch(request)
        #expect(
            Set(rows.map { "\($0["kind"] ?? "-")/\($0["shop.name"] ?? "-")" })
                == ["-/-", "book/North", "book/South", "pen/North", "pen/South"])
        #expect(rows.count == 5)
        #expect(try shops.context.count(for: request) == 5)
        request.fetchLimit = 2
        request.fetchOffset = 1
        #expect(try shops.context.fetch(request).map { $0["kind"] as? String } == ["book", "book"])
        #expect(try shops.context.count(for: request) == 2)
    }

    /// `é` in one code and in two: SQLite's DISTINCT tells them apart, with and without an order by what is not shown.
    @Test(arguments: ["kind", "big"]) func textsOfOtherCodesAreDistinct(_ order: String) throws {
        let shops = try Shops()
        for (index, kind) in ["\u{E9}", "e\u{301}", "\u{E9}"].enumerated() {
            shops.context.insert("Sale", ["kind": kind, "big": index - 10])
        }
        try shops.context.save()
        let request = shops.request(["kind"], sort: [NSSortDescriptor(key: order, ascending: true)])
        request.predicate = NSPredicate(format: "big < 0")
        request.returnsDistinctResults = true
        let kinds = try shops.context.fetch(request).map { Array(($0["kind"] as? String ?? "").utf8) }
        #expect(Set(kinds) == [[0xC3, 0xA9], [0x65, 0xCC, 0x81]])
        #expect(kinds.count == 2)
    }

    @Test(arguments: OfficeStack.Kind.allCases) func distinctRowsStandWhereTheFirstOfThemWould(
        _ kind: OfficeStack.Kind
    ) throws {
        let shops = try Shops(kind)
        // Books have the amounts 10, 30, 50, pens 20, 40.
        let request = shops.request(["kind"], sort: [NSSortDescriptor(key: "amount", ascending: false)])
        request.returnsDistinctResults = true
        #expect(try shops.context.fetch(request).map { $0["kind"] as? String } == ["book", "pen", nil])
        request.sortDescriptors = [NSSortDescriptor(key: "amount", ascending: true)]
        #expect(try shops.context.fetch(request).map { $0["kind"] as? String } == [nil, "book", "pen"])
        request.fetchOffset = 1
        request.fetchLimit = 1
        #expect(try shops.context.fetch(request).map { $0["kind"] as? String } == ["book"])
        #expect(try shops.context.count(for: request) == 1)
    }

    @Test func distinctIsIgnoredForOtherTypes() throws {
        let shops = try Shops()
        let request = NSFetchRequest<NSManagedObject>(entityName: "Sale")
        request.returnsDistinctResults = true
        #expect(try shops.context.fetch(request).count == 6)
        #expect(try shops.context.count(for: request) == 6)
    }

    @Test func objectsComeWholeWhateverPropertiesAreAskedFor() throws {
        let shops = try Shops()
        let request = NSFetchRequest<NSManagedObject>(entityName: "Sale")
        request.propertiesToFetch = ["kind"]
        request.predicate = NSPredicate(format: "amount == 10")
        #expect(try shops.context.fetch(request).first?.value(forKey: "price") as? Double == 0.5)
    }

    @Test func tiesComeByPrimaryKey() throws {
        let shops = try Shops()
        for ascending in [true, false] {
            let request = shops.request(
                ["amount"], where: "amount != nil", sort: [NSSortDescriptor(key: "kind", ascending: ascending)])
            let amounts = try shops.context.fetch(request).compactMap { $0["amount"] as? Int }
            #expect(amounts == (ascending ? [10, 30, 50, 20, 40] : [20, 40, 10, 30, 50]))
        }
    }

    @Test func nilComesFirstAscendingAndLastDescending() throws {
        let shops = try Shops()
        for key in ["amount", "shop.name", "shop.town.name"] {
            for ascending in [true, false] {
                let rows = try shops.context.fetch(
                    shops.request([key], sort: [NSSortDescriptor(key: key, ascending: ascending)]))
                #expect((ascending ? rows.first : rows.last)?[key] == nil)
                #expect((ascending ? rows.last : rows.first)?[key] != nil)
            }
        }
    }
}
