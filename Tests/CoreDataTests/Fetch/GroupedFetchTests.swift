import CoreData
import Foundation
import TestSupport
import Testing

/// `propertiesToGroupBy` and `havingPredicate`.
@Suite struct GroupedFetchTests {
    private let count = Shops.aggregate("count", "amount")
    private let sum = Shops.aggregate("sum", "amount")

    private func byKind(_ ascending: Bool = true) -> [NSSortDescriptor] {
        [NSSortDescriptor(key: "kind", ascending: ascending)]
    }

    @Test(arguments: OfficeStack.Kind.allCases) func eachGroupIsOneRow(_ kind: OfficeStack.Kind) throws {
        let shops = try Shops(kind)
        let rows = try shops.context.fetch(shops.request(["kind", count, sum], by: ["kind"], sort: byKind()))
        #expect(rows.map { $0["kind"] as? String } == [nil, "book", "pen"])
        #expect(rows.map { $0["count_amount"] as? Int } == [0, 3, 2])
        #expect(rows.map { $0["sum_amount"] as? Int } == [0, 90, 60])
        #expect(Set(rows[0].allKeys.compactMap { $0 as? String }) == ["count_amount", "sum_amount"])
    }

    @Test func groupsAgreeWithTheShell() throws {
        let shops = try Shops()
        let rows = try shops.context.fetch(shops.request(["kind", sum], by: ["kind"], sort: byKind()))
        let raw = try sqlite3(shops.url, "SELECT ZKIND, SUM(ZAMOUNT) FROM ZSALE GROUP BY ZKIND ORDER BY ZKIND")
        #expect(
            rows.map { "\($0["kind"] ?? "")|\($0["sum_amount"] as? Int == 0 ? "" : "\($0["sum_amount"] ?? "")")" }
                .joined(separator: "\n") == raw)
    }

    @Test func propertiesAreNamedOrDescribed() throws {
        let shops = try Shops()
        let sale = try #require(shops.coordinator.managedObjectModel.entitiesByName["Sale"])
        let kind = try #require(sale.propertiesByName["kind"])
        let rows = try shops.context.fetch(shops.request([kind, count], by: [kind], sort: byKind()))
        #expect(rows.map { $0["count_amount"] as? Int } == [0, 3, 2])
    }

    @Test func toOneRelationshipsAreGroupsOfObjects() throws {
        let shops = try Shops()
        let rows = try shops.context.fetch(
            shops.request(
                ["shop", count], by: ["shop"], sort: [NSSortDescriptor(key: "count_amount", ascending: false)]))
        let ids = rows.map { $0["shop"] as? NSManagedObjectID }
        #expect(ids.map { $0?.entity.name } == ["Shop", "Market", nil])
        #expect(rows.map { $0["count_amount"] as? Int } == [3, 2, 0])
        #expect(shops.context.registeredObjects.isEmpty)
    }

    @Test func keyPathsOverToOneRelationshipsAreGroups() throws {
        let shops = try Shops()
        let rows = try shops.context.fetch(
            shops.request(
                ["shop.name", "shop.town.name", count], by: ["shop.name", "shop.town.name"],
                sort: [NSSortDescriptor(key: "shop.name", ascending: true)]))
        #expect(rows.map { $0["shop.name"] as? String } == [nil, "North", "South"])
        #expect(rows.map { $0["shop.town.name"] as? String } == [nil, "Bonn", nil])
        #expect(rows.map { $0["count_amount"] as? Int } == [0, 3, 2])
    }

    @Test func aComputedColumnIsAGroup() throws {
        let shops = try Shops()
        let isPaid = Shops.column("paid", NSExpression(forKeyPath: "isPaid"), .booleanAttributeType)
        let rows = try shops.context.fetch(
            shops.request([isPaid, count], by: [isPaid], sort: [NSSortDescriptor(key: "paid", ascending: true)]))
        #expect(rows.map { $0["paid"] as? Bool } == [nil, false, true])
        #expect(rows.map { $0["count_amount"] as? Int } == [0, 2, 3])
    }

    @Test(arguments: OfficeStack.Kind.allCases) func aCalculationWithConstantsIsAGroup(
        _ kind: OfficeStack.Kind
    ) throws {
        let shops = try Shops(kind)
        let part = Shops.column("part", NSExpression(format: "amount / 20"), .integer32AttributeType)
        let rows = try shops.context.fetch(
            shops.request([part, count], by: [part], sort: [NSSortDescriptor(key: "part", ascending: true)]))
        // 10; 20 and 30; 40 and 50; and the sale without an amount.
        #expect(rows.map { $0["part"] as? Int } == [nil, 0, 1, 2])
        #expect(rows.map { $0["count_amount"] as? Int } == [0, 1, 2, 2])
    }

    @Test func groupsAreSortedByWhatTheyHaveOneValueOf() throws {
        let shops = try Shops()
        func rows(_ key: String, by groups: [String]) throws -> [NSDictionary] {
            try shops.context.fetch(
                shops.request([count], by: groups, sort: [NSSortDescriptor(key: key, ascending: false)]))
        }
        #expect(try rows("shop.name", by: ["shop"]).map { $0["count_amount"] as? Int } == [2, 3, 0])
        #expect(try rows("kind", by: ["kind"]).map { $0["count_amount"] as? Int } == [2, 3, 0])
        let error = try #require(throws: NSError.self) { _ = try rows("amount", by: ["kind"]) }
        #expect(error.localizedFailureReason?.contains("amount in a sort descriptor") == true)
    }

    @Test func havingTestsWhatAGroupHasOneValueOf() throws {
        let shops = try Shops()
        func rows(_ having: String) throws -> [NSDictionary] {
            try shops.context.fetch(
                shops.request(["shop", count], by: ["shop"], having: NSPredicate(format: having)))
        }
        #expect(try rows("shop.name == 'North' AND $count_amount == 3").count == 1)
        for having in ["amount > 20", "SELF.amount > 20", "SELF != nil", "kind == 'pen' OR $count_amount > 1"] {
            let error = try #require(throws: NSError.self) { _ = try rows(having) }
            #expect(error.localizedFailureReason?.contains("in havingPredicate") == true)
        }
    }

    @Test func sortingByAnAggregate() throws {
        let shops = try Shops()
        for (ascending, kinds) in [(true, [nil, "pen", "book"]), (false, ["book", "pen", nil])] {
            let rows = try shops.context.fetch(
                shops.request(
                    ["kind", sum], by: ["kind"], sort: [NSSortDescriptor(key: "sum_amount", ascending: ascending)]))
            #expect(rows.map { $0["kind"] as? String } == kinds)
        }
    }

    @Test func predicateComesBeforeTheGroupsAndTheWindowAfterThem() throws {
        let shops = try Shops()
        let request = shops.request(["kind", count], by: ["kind"], where: "amount < 45", sort: byKind())
        #expect(try shops.context.fetch(request).map { $0["count_amount"] as? Int } == [2, 2])
        request.fetchLimit = 1
        request.fetchOffset = 1
        #expect(try shops.context.fetch(request).map { $0["kind"] as? String } == ["pen"])
    }

    @Test func havingNamesColumnsAsVariables() throws {
        let shops = try Shops()
        let variable = NSPredicate(format: "%@ > 2", NSExpression(forVariable: "count_amount"))
        for having in [variable, NSPredicate(format: "$count_amount > 2")] {
            let rows = try shops.context.fetch(shops.request(["kind", count], by: ["kind"], having: having))
            #expect(rows.map { $0["kind"] as? String } == ["book"])
        }
        let grouped = NSPredicate(format: "kind == 'pen' OR $count_amount == 0")
        let rows = try shops.context.fetch(
            shops.request(["kind", count], by: ["kind"], having: grouped, sort: byKind()))
        #expect(rows.map { $0["kind"] as? String } == [nil, "pen"])
    }

    // Apple's framework raises exceptions for these.

    @Test func havingNamesNoColumnAsAKeyPath() throws {
        let shops = try Shops()
        let request = shops.request(["kind", count], by: ["kind"], having: NSPredicate(format: "count_amount > 1"))
        let error = try #require(throws: NSError.self) { _ = try shops.context.fetch(request) }
        #expect(error.localizedFailureReason == "keypath count_amount not found in entity Sale")
    }

    @Test func havingCallsNoAggregate() throws {
        let shops = try Shops()
        let function = NSExpression(forFunction: "count:", arguments: [NSExpression(forKeyPath: "kind")])
        let request = shops.request(["kind", count], by: ["kind"], having: NSPredicate(format: "%@ > 1", function))
        #expect(errorCode { _ = try shops.context.fetch(request) } == 134060)
    }

    @Test func groupsNeedTheDictionaryType() throws {
        let shops = try Shops()
        let request = NSFetchRequest<NSManagedObject>(entityName: "Sale")
        request.propertiesToGroupBy = ["kind"]
        let error = try #require(throws: NSError.self) { _ = try shops.context.fetch(request) }
        #expect(error.localizedFailureReason == "Invalid fetch request: GROUP BY requires NSDictionaryResultType")
    }

    @Test func havingNeedsGroups() throws {
        let shops = try Shops()
        let request = shops.request([count], having: NSPredicate(format: "$count_amount > 1"))
        #expect(errorCode { _ = try shops.context.fetch(request) } == 134060)
    }

    @Test func aColumnThatIsNeitherGroupedNorComputedIsRefused() throws {
        let shops = try Shops()
        for columns in [["kind", "amount"], ["shop.name"]] {
            let error = try #require(throws: NSError.self) {
                _ = try shops.context.fetch(shops.request(columns, by: ["kind"]))
            }
            #expect(error.localizedFailureReason?.contains("GROUP BY") == true)
        }
    }

    @Test func groupsAreCounted() throws {
        let shops = try Shops()
        let request = shops.request(["kind", count], by: ["kind"])
        #expect(try shops.context.count(for: request) == 3)
        request.havingPredicate = NSPredicate(format: "$count_amount > 0")
        #expect(try shops.context.count(for: request) == 2)
        request.fetchLimit = 1
        #expect(try shops.context.count(for: request) == 1)
        #expect(try shops.context.count(for: shops.request([count])) == 1)
    }

    @Test func aCopyKeepsGroups() throws {
        let request = NSFetchRequest<NSDictionary>(entityName: "Sale")
        #expect(request.propertiesToGroupBy == nil)
        #expect(request.havingPredicate == nil)
        request.propertiesToGroupBy = ["kind"]
        request.havingPredicate = NSPredicate(value: true)
        let copy = try #require(request.copy() as? NSFetchRequest<NSDictionary>)
        #expect(copy.propertiesToGroupBy as? [String] == ["kind"])
        #expect(copy.havingPredicate == NSPredicate(value: true))
    }
}
