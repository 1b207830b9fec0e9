import CoreData
import Foundation
import TestSupport
import Testing

/// Aggregates over all records and over groups, each attribute type, in files and in memory.
@Suite struct AggregateFetchTests {
    private static let kinds = OfficeStack.Kind.allCases

    @Test(arguments: kinds) func smallestAndLargestOfEachTypeComeInTheAttributesOwnType(_ kind: OfficeStack.Kind) throws
    {
        let shops = try Shops(kind)
        #expect(try shops.value(Shops.aggregate("min", "kind")) as? String == "book")
        #expect(try shops.value(Shops.aggregate("max", "kind")) as? String == "pen")
        #expect(try shops.value(Shops.aggregate("max", "small")) as? Int == 4)
        #expect(try shops.value(Shops.aggregate("min", "amount")) as? Int == 10)
        #expect(try shops.value(Shops.aggregate("max", "big")) as? Int == Int(1) << 40 + 4)
        #expect(try shops.value(Shops.aggregate("min", "price")) as? Double == 0.5)
        #expect(try shops.value(Shops.aggregate("max", "ratio")) as? Float == 1)
        #expect(try shops.value(Shops.aggregate("max", "cost")) as? NSDecimalNumber == NSDecimalNumber(string: "0.5"))
        #expect(try shops.value(Shops.aggregate("min", "isPaid")) as? Bool == false)
        #expect(try shops.value(Shops.aggregate("max", "day")) as? Date == Date(timeIntervalSinceReferenceDate: 400))
        #expect(
            try shops.value(Shops.aggregate("max", "code")) as? UUID
                == UUID(uuidString: "00000000-0000-0000-0000-000000000004"))
        #expect(try shops.value(Shops.aggregate("min", "site")) as? URL == URL(string: "https://a.org/0"))
        #expect(try shops.value(Shops.aggregate("max", "scan")) as? Data == Data([4, 7]))
    }

    @Test(arguments: kinds) func sumsAndAveragesAreNumbers(_ kind: OfficeStack.Kind) throws {
        let shops = try Shops(kind)
        #expect(try shops.value(Shops.aggregate("sum", "amount")) as? Int == 150)
        #expect(try shops.value(Shops.aggregate("sum", "big")) as? Int == 5 * (Int(1) << 40) + 10)
        #expect(try shops.value(Shops.aggregate("sum", "price")) as? Double == 12.5)
        #expect(try shops.value(Shops.aggregate("sum", "ratio")) as? Double == 2.5)
        #expect(try shops.value(Shops.aggregate("sum", "isPaid")) as? Int == 3)
        #expect(try shops.value(Shops.aggregate("sum", "cost")) as? NSDecimalNumber == NSDecimalNumber(string: "1.5"))
        #expect(try shops.value(Shops.aggregate("average", "amount")) as? Double == 30)
        #expect(try shops.value(Shops.aggregate("average", "price")) as? Double == 2.5)
        #expect(
            try shops.value(Shops.aggregate("average", "cost")) as? NSDecimalNumber == NSDecimalNumber(string: "0.3"))
    }

    @Test func decimalsInMemoryAreSummedExactly() throws {
        let shops = try Shops(.memory)
        shops.context.insert("Sale", ["cost": Decimal(string: "12345678901234567890.123456789")])
        try shops.context.save()
        #expect(
            try shops.value(Shops.aggregate("sum", "cost")) as? NSDecimalNumber
                == NSDecimalNumber(string: "12345678901234567891.623456789"))
    }

    @Test(arguments: kinds) func theDeclaredTypeDecidesWhatComes(_ kind: OfficeStack.Kind) throws {
        let shops = try Shops(kind)
        #expect(
            try shops.value(Shops.aggregate("sum", "amount", .decimalAttributeType)) as? NSDecimalNumber == 150)
        #expect(try shops.value(Shops.aggregate("average", "amount", .integer32AttributeType)) as? Int == 30)
        #expect(try shops.value(Shops.aggregate("max", "amount", .doubleAttributeType)) as? Double == 50)
        #expect(try shops.value(Shops.aggregate("max", "amount", .stringAttributeType)) as? String == "50")
        #expect(try shops.value(Shops.aggregate("count", "amount", .booleanAttributeType)) as? Bool == true)
    }

    @Test(arguments: kinds) func countsPassOverNil(_ kind: OfficeStack.Kind) throws {
        let shops = try Shops(kind)
        #expect(try shops.value(Shops.aggregate("count", "kind")) as? Int == 5)
        #expect(try shops.value(Shops.aggregate("count", "shop")) as? Int == 5)
        #expect(try shops.value(Shops.aggregate("count", "objectID")) as? Int == 6)
        let all = Shops.column(
            "all", NSExpression(forFunction: "count:", arguments: [NSExpression.expressionForEvaluatedObject()]))
        #expect(try shops.value(all) as? Int == 6)
    }

    @Test(arguments: kinds) func aggregatesOfNothing(_ kind: OfficeStack.Kind) throws {
        let shops = try Shops(kind)
        #expect(try shops.value(Shops.aggregate("count", "amount"), where: "FALSEPREDICATE") as? Int == 0)
        #expect(try shops.value(Shops.aggregate("sum", "amount"), where: "FALSEPREDICATE") as? Int == 0)
        #expect(try shops.value(Shops.aggregate("sum", "price"), where: "FALSEPREDICATE") as? Double == 0)
        #expect(try shops.value(Shops.aggregate("sum", "cost"), where: "FALSEPREDICATE") as? NSDecimalNumber == 0)
        #expect(try shops.value(Shops.aggregate("max", "amount"), where: "FALSEPREDICATE") == nil)
        #expect(try shops.value(Shops.aggregate("average", "cost"), where: "FALSEPREDICATE") == nil)
    }

    @Test func collectionOperatorsInAKeyPathAreAggregates() throws {
        let shops = try Shops()
        func value(_ path: String) throws -> Any? {
            try shops.value(Shops.column("it", NSExpression(forKeyPath: path)))
        }
        #expect(try value("@max.amount") as? Int == 50)
        #expect(try value("@sum.price") as? Double == 12.5)
        #expect(try value("@avg.amount") as? Double == 30)
        #expect(try value("@min.day") as? Date == Date(timeIntervalSinceReferenceDate: 0))
        #expect(try value("@count") as? Int == 6)
        #expect(try value("@count.kind") as? Int == 5)
        #expect(errorCode { _ = try value("@stddev.amount") } == 134060)
        #expect(errorCode { _ = try value("@max") } == 134060)
    }

    @Test func whatHasNoValueIsRefused() throws {
        let shops = try Shops()
        for (function, key) in [
            ("sum", "kind"), ("sum", "day"), ("average", "day"), ("average", "code"), ("max", "shop"), ("sum", "scan"),
        ] {
            #expect(errorCode { _ = try shops.value(Shops.aggregate(function, key)) } == 134060, "\(function) \(key)")
        }
        #expect(errorCode { _ = try shops.value(Shops.aggregate("max", "mood")) } == 134060)
        #expect(errorCode { _ = try shops.value(Shops.aggregate("max", "nothing")) } == 134060)
    }

    @Test func wholeNumbersThatDoNotFitBecomeReal() throws {
        let shops = try Shops()
        for _ in 0..<2 { shops.context.insert("Sale", ["big": Int.max]) }
        try shops.context.save()
        let sum = try #require(try shops.value(Shops.aggregate("sum", "big")) as? NSNumber)
        #expect(abs(sum.doubleValue - 2 * Double(Int.max)) < 1e14)
    }

    @Test(arguments: kinds) func functionsCalculateWithAggregates(_ kind: OfficeStack.Kind) throws {
        let shops = try Shops(kind)
        func value(_ format: String) throws -> Any? {
            try shops.value(Shops.column("it", NSExpression(format: format)))
        }
        #expect(try value("sum(amount) / count(amount)") as? Int == 30)
        #expect(try value("max(amount) - min(amount) + 1") as? Int == 41)
        #expect(try value("sum(price * 2)") as? Double == 25)
        #expect(try value("median(amount)") as? Double == 30)
    }
}
