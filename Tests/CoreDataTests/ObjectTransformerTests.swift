import Foundation
import TestSupport
import Testing

@testable import CoreData

/// Values of transformable attributes on their way through a store's file.
@Suite("Transformable values") struct ObjectTransformerTests {
    /// A store of one entity `Thing` with a text `name` and a transformable `value`.
    private final class Things {
        let folder: TemporaryDirectory
        let path: String
        let context: NSManagedObjectContext

        init(transformer: String? = nil) throws {
            folder = try TemporaryDirectory()
            path = folder.path("things.sqlite")
            let thing = ObjectTestModel.entity("Thing")
            let value = ObjectTestModel.attribute("value", .transformableAttributeType)
            value.valueTransformerName = transformer
            thing.properties = [ObjectTestModel.attribute("name", .stringAttributeType), value]
            let model = NSManagedObjectModel()
            model.entities = [thing]
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
            _ = try coordinator.addPersistentStore(
                ofType: NSSQLiteStoreType, configurationName: nil, at: URL(fileURLWithPath: path))
            context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            context.persistentStoreCoordinator = coordinator
        }

        func insert(_ value: Any?) -> NSManagedObject {
            let thing = NSEntityDescription.insertNewObject(forEntityName: "Thing", into: context)
            thing.setValue("a", forKey: "name")
            thing.setValue(value, forKey: "value")
            return thing
        }

        /// What a context that knows nothing reads of the only thing.
        func stored() throws -> NSManagedObject {
            context.reset()
            return try #require(try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Thing")).first)
        }

        func roundTrip(_ value: Any) throws -> Any? {
            _ = insert(value)
            try context.save()
            return try stored().value(forKey: "value")
        }

        /// Puts bytes in place of the stored value.
        func place(_ bytes: Data) throws {
            let digits = bytes.map { String(format: "%02X", $0) }.joined()
            _ = try sqlite3(path, "UPDATE ZTHING SET ZVALUE = X'\(digits)', Z_OPT = Z_OPT + 1")
        }
    }

    private static let date = Date(timeIntervalSinceReferenceDate: 700_000_000.25)
    private static let uuid = UUID()

    static let values: [String: @Sendable () -> NSObject] = [
        "array of texts": { ["a", "", "ü€😀"] as NSArray },
        "empty array": { NSArray() },
        "dictionary": { ["one": 1, "two": 2.5] as NSDictionary },
        "empty dictionary": { NSDictionary() },
        "text": { "plain" as NSString },
        "number": { NSNumber(value: Int64.max) },
        "negative": { NSNumber(value: -1) },
        "date": { date as NSDate },
        "data": { Data([0, 1, 255]) as NSData },
        "UUID": { uuid as NSUUID },
        "URL": { NSURL(string: "https://example.org/a%20b?c=d#e") ?? NSURL(fileURLWithPath: "/") },
        "null in an array": { [NSNull(), "a"] as NSArray },
        "set": { NSSet(array: ["a", "b"]) },
        "nested": {
            [
                "list": ["a", 1, 2.5, date, Data([1, 2]), uuid, URL(string: "https://example.org") as Any, ["deep"]],
                "map": ["inner": ["x": [date], "y": Data()]],
            ] as NSDictionary
        },
        "many": { (0..<2000).map { "text \($0)" } as NSArray },
    ]

    @Test(
        "archives of Foundation's values come back equal, with the default transformer and its names",
        arguments: values.keys.sorted(), [nil, "NSSecureUnarchiveFromData", "NSKeyedUnarchiveFromData"])
    func roundTrip(_ name: String, _ transformer: String?) throws {
        let things = try Things(transformer: transformer)
        let make = try #require(Self.values[name])
        let value = make()
        let found = try #require(try things.roundTrip(value))
        #expect(value.isEqual(found), "\(found)")
        #expect(try sqlite3(things.path, "SELECT substr(ZVALUE, 1, 8) FROM ZTHING") == "bplist00")
    }

    @Test("Swift's values come back as such")
    func swiftValues() throws {
        let things = try Things()
        #expect(try things.roundTrip(["a", "b"]) as? [String] == ["a", "b"])
        #expect(try Things().roundTrip(["k": [1, 2]]) as? [String: [Int]] == ["k": [1, 2]])
        #expect(try Things().roundTrip(["yes": true, "no": false]) as? [String: Bool] == ["yes": true, "no": false])
        #expect(try Things().roundTrip([Self.uuid]) as? [UUID] == [Self.uuid])
        #expect(try Things().roundTrip(["at": Self.date]) as? [String: Date] == ["at": Self.date])
        #expect(try Things().roundTrip(URL(string: "https://example.org") as Any) as? URL != nil)
    }

    @Test("nil is NULL, and a new value is an update")
    func changes() throws {
        let things = try Things()
        let thing = things.insert(nil)
        try things.context.save()
        #expect(try sqlite3(things.path, "SELECT typeof(ZVALUE) FROM ZTHING") == "null")
        thing.setValue(["a"] as NSArray, forKey: "value")
        try things.context.save()
        #expect(try things.stored().value(forKey: "value") as? [String] == ["a"])
        try things.stored().setValue(nil, forKey: "value")
        try things.context.save()
        #expect(try sqlite3(things.path, "SELECT typeof(ZVALUE), Z_OPT FROM ZTHING") == "null|3")
    }

    // MARK: Transformers of the program

    /// Texts as their bytes, backwards.
    private final class Backwards: ValueTransformer {
        override class func allowsReverseTransformation() -> Bool { true }
        override func transformedValue(_ value: Any?) -> Any? {
            (value as? String).map { Data($0.utf8.reversed()) }
        }
        override func reverseTransformedValue(_ value: Any?) -> Any? {
            (value as? Data).map { String(decoding: $0.reversed(), as: UTF8.self) }
        }
    }

    /// An archive of a class of its own.
    private final class Zones: NSSecureUnarchiveFromDataTransformer {
        override class var allowedTopLevelClasses: [AnyClass] { super.allowedTopLevelClasses + [NSTimeZone.self] }
    }

    /// Nothing comes back.
    private final class OneWay: ValueTransformer {
        override func transformedValue(_ value: Any?) -> Any? { Data([1]) }
    }

    @Test("a registered transformer makes the bytes of the column, and the value of the bytes")
    func ownTransformer() throws {
        ValueTransformer.setValueTransformer(Backwards(), forName: NSValueTransformerName("ObjectTransformerBackwards"))
        for name in ["ObjectTransformerBackwards", ".ObjectTransformerBackwards"] {
            let things = try Things(transformer: name)
            #expect(try things.roundTrip("abc") as? String == "abc")
            #expect(try sqlite3(things.path, "SELECT CAST(ZVALUE AS TEXT) FROM ZTHING") == "cba")
        }
    }

    @Test("a secure transformer with more classes archives and reads them; the default one does not read them")
    func moreClasses() throws {
        ValueTransformer.setValueTransformer(Zones(), forName: NSValueTransformerName("ObjectTransformerZones"))
        let things = try Things(transformer: "ObjectTransformerZones")
        let zone = NSTimeZone(forSecondsFromGMT: 3600)
        #expect((try things.roundTrip(zone) as? NSTimeZone)?.secondsFromGMT == 3600)
        let plain = try Things()
        #expect(try plain.roundTrip(zone) == nil)
    }

    @Test("what cannot be transformed stops the save with entity and attribute in the reason")
    func refusals() throws {
        ValueTransformer.setValueTransformer(Backwards(), forName: NSValueTransformerName("ObjectTransformerRefusing"))
        ValueTransformer.setValueTransformer(OneWay(), forName: NSValueTransformerName("ObjectTransformerOneWay"))
        for (transformer, value) in [
            ("ObjectTransformerRefusing", NSNumber(value: 1)), (nil, NSObject()),
            (nil, NSArray(array: [NSDecimalNumber(value: 1)])), ("ObjectTransformerNobody", "a" as NSString),
        ] as [(String?, NSObject)] {
            let things = try Things(transformer: transformer)
            _ = things.insert(value)
            let error = #expect(throws: NSError.self) { try things.context.save() }
            #expect(error?.domain == NSCocoaErrorDomain && error?.code == 134060)
            #expect(error?.localizedFailureReason?.contains("Thing.value") == true)
            #expect(try sqlite3(things.path, "SELECT count(*) FROM ZTHING") == "0")
        }
        let oneWay = try Things(transformer: "ObjectTransformerOneWay")
        #expect(try oneWay.roundTrip("a") == nil)
    }

    // MARK: Hostile archives

    static let hostile: [String: @Sendable () throws -> Data] = [
        "no archive": { Data("rubbish".utf8) },
        "empty": { Data() },
        "a cut archive": { try archive(["a", "b"] as NSArray).prefix(90) },
        "another class": { try archive(NSTimeZone(forSecondsFromGMT: 0)) },
        "another class inside": { try archive(["zone": NSTimeZone(forSecondsFromGMT: 0)] as NSDictionary) },
        "a class nobody knows": {
            Data(try archive(["a"] as NSArray).map { $0 }.replacing("NSArray".utf8, with: "NSArroy".utf8))
        },
        "a list that holds itself": { try cyclic() },
        "a property list": {
            try PropertyListSerialization.data(fromPropertyList: ["a": 1], format: .binary, options: 0)
        },
    ]

    private static func archive(_ object: NSObject) throws -> Data {
        try NSKeyedArchiver.archivedData(withRootObject: object, requiringSecureCoding: true)
    }

    /// An archive of `[["a"]]` in which the inner list's member is the outer list.
    private static func cyclic() throws -> Data {
        let data = try archive([["a"] as NSArray] as NSArray)
        var format = PropertyListSerialization.PropertyListFormat.binary
        let xml = try PropertyListSerialization.data(
            fromPropertyList: try PropertyListSerialization.propertyList(from: data, format: &format),
            format: .binary, options: 0)
        // The reference to the text, which is object 3 of the archive, becomes one to the root, which is object 1.
        var bytes = Array(xml)
        for index in bytes.indices.dropLast() where bytes[index] == 0x80 && bytes[index + 1] == 3 {
            bytes[index + 1] = 1
        }
        return Data(bytes)
    }

    @Test(
        "an archive that cannot be read is an error; the object reads nil for it, and its bytes stay",
        arguments: hostile.keys.sorted())
    func hostileArchives(_ name: String) throws {
        let things = try Things()
        _ = things.insert(["a"] as NSArray)
        try things.context.save()
        let make = try #require(Self.hostile[name])
        let bytes = try make()
        try things.place(bytes)
        things.context.reset()
        things.context.persistentStoreCoordinator?.persistentStores.first?.engine?.rowCache.removeAll()
        let thing = try things.stored()
        #expect(thing.value(forKey: "value") == nil)
        #expect(thing.value(forKey: "name") as? String == "a")
        let attribute = try #require(thing.entity.attributesByName["value"])
        let error = #expect(throws: NSError.self) { try ArchivedValue.decode(bytes, attribute) }
        #expect(error?.domain == NSCocoaErrorDomain && error?.code == 134060)
        #expect(error?.localizedFailureReason?.contains("Thing.value") == true)
        thing.setValue("b", forKey: "name")
        try things.context.save()
        let digits = bytes.map { String(format: "%02X", $0) }.joined()
        #expect(try sqlite3(things.path, "SELECT hex(ZVALUE), ZNAME FROM ZTHING") == "\(digits)|b")
    }
}
