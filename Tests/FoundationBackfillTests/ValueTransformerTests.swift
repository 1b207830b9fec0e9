import Foundation
import FoundationBackfill
import Testing

@Suite struct ValueTransformerTests {
    private func transformer(_ name: String) throws -> ValueTransformer {
        try #require(ValueTransformer.valueTransformer(forName: NSValueTransformerName(name)))
    }

    @Test func theBuiltInNamesAreRegistered() throws {
        for name in [
            "NSSecureUnarchiveFromData", "NSKeyedUnarchiveFromData", "NSNegateBoolean", "NSIsNil", "NSIsNotNil",
        ] {
            _ = try transformer(name)
        }
        #expect(NSValueTransformerName.secureUnarchiveFromDataTransformerName.rawValue == "NSSecureUnarchiveFromData")
        #expect(ValueTransformer.valueTransformer(forName: NSValueTransformerName("none")) == nil)
    }

    @Test(arguments: ["NSSecureUnarchiveFromData", "NSKeyedUnarchiveFromData"])
    func valuesSurviveTheArchive(name: String) throws {
        let transformer = try transformer(name)
        #expect(Swift.type(of: transformer).allowsReverseTransformation())
        let values: [NSObject] = [
            ["a", "b"] as NSArray, ["k": 1] as NSDictionary, "text" as NSString, NSNumber(value: 2.5),
            NSDate(timeIntervalSinceReferenceDate: 5), NSUUID(), NSSet(array: ["x"]),
        ]
        for value in values {
            let data = try #require(transformer.reverseTransformedValue(value) as? Data)
            #expect(transformer.transformedValue(data) as? NSObject == value)
        }
        let data = try #require(transformer.reverseTransformedValue(["x": [1, 2]]) as? Data)
        #expect(transformer.transformedValue(data) as? [String: [Int]] == ["x": [1, 2]])
        #expect(transformer.transformedValue(nil) == nil)
        #expect(transformer.reverseTransformedValue(nil) == nil)
    }

    @Test func damagedAndForeignDataGiveNil() throws {
        let transformer = try transformer("NSSecureUnarchiveFromData")
        #expect(transformer.transformedValue(Data("bplist00rubbish".utf8)) == nil)
        #expect(transformer.transformedValue("no data") == nil)
        let archive = try NSKeyedArchiver.archivedData(
            withRootObject: NSTimeZone(forSecondsFromGMT: 0), requiringSecureCoding: true)
        #expect(transformer.transformedValue(archive) == nil)
    }

    @Test func noDamageStopsTheProgram() throws {
        let transformer = try transformer("NSSecureUnarchiveFromData")
        let value: NSDictionary = [
            "a": [1, 2.5, Date(), UUID(), Data([1]), NSNull(), NSSet(array: [1])]
                as NSArray,
            "b": NSURL(string: "https://a.example") as Any,
        ]
        let good = try NSKeyedArchiver.archivedData(withRootObject: value, requiringSecureCoding: true)
        var generator = SeededGenerator(state: 7)
        for _ in 0..<3_000 {
            var data = good
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                data[Int.random(in: 0..<data.count, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
            }
            _ = transformer.transformedValue(
                data.prefix(Int.random(in: data.count / 2...data.count, using: &generator)))
            _ = transformer.transformedValue(data)
        }
    }

    private final class Doubling: ValueTransformer {
        override class func allowsReverseTransformation() -> Bool { true }
        override func transformedValue(_ value: Any?) -> Any? { (value as? Int).map { $0 * 2 } }
        override func reverseTransformedValue(_ value: Any?) -> Any? { (value as? Int).map { $0 / 2 } }
    }

    private final class ZonesToo: NSSecureUnarchiveFromDataTransformer {
        override class var allowedTopLevelClasses: [AnyClass] { super.allowedTopLevelClasses + [NSTimeZone.self] }
    }

    @Test func clientsRegisterTheirOwn() throws {
        let name = NSValueTransformerName("Doubling")
        ValueTransformer.setValueTransformer(Doubling(), forName: name)
        #expect(try transformer("Doubling").transformedValue(4) as? Int == 8)
        #expect(try transformer("Doubling").reverseTransformedValue(4) as? Int == 2)
        #expect(ValueTransformer.valueTransformerNames().contains(name))
        ValueTransformer.setValueTransformer(nil, forName: name)
        #expect(ValueTransformer.valueTransformer(forName: name) == nil)
    }

    @Test func aSubclassWidensTheAllowList() throws {
        let zone = NSTimeZone(forSecondsFromGMT: 0)
        let data = try #require(ZonesToo().reverseTransformedValue(zone) as? Data)
        #expect(ZonesToo().transformedValue(data) is NSTimeZone)
    }

    @Test func booleansAndNil() throws {
        #expect(try transformer("NSNegateBoolean").transformedValue(true) as? Bool == false)
        #expect(try transformer("NSIsNil").transformedValue(nil) as? Bool == true)
        #expect(try transformer("NSIsNotNil").transformedValue(1) as? Bool == true)
    }
}
