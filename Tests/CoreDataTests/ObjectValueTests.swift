import Foundation
import Testing

@testable import CoreData

/// Values of an object that belongs to no context: what is set is read back in Apple's types.
@Suite struct ObjectValueTests {
    let model = ObjectTestModel.make()

    func person() throws -> NSManagedObject {
        model.freeze()
        let entity = try #require(model.entitiesByName["Person"])
        return NSManagedObject(entity: entity, insertInto: nil)
    }

    @Test func numbersComeBackAsEveryNumberType() throws {
        let person = try person()
        person.setValue(42, forKey: "age")
        #expect(person.value(forKey: "age") as? Int == 42)
        #expect(person.value(forKey: "age") as? Int64 == 42)
        #expect(person.value(forKey: "age") as? Int32 == 42)
        #expect(person.value(forKey: "age") as? Int16 == 42)
        #expect(person.value(forKey: "age") as? Double == 42)
        #expect((person.value(forKey: "age") as? NSNumber)?.intValue == 42)
        person.setValue(true, forKey: "isActive")
        #expect(person.value(forKey: "isActive") as? Bool == true)
        #expect(person.value(forKey: "isActive") as? Int == 1)
    }

    @Test(arguments: [Int8(5), Int64(5), UInt16(5), 5.0, Float(5), NSNumber(value: 5)] as [any Sendable])
    func anyNumberTypeIsTakenForAnInteger(_ value: any Sendable) throws {
        let person = try person()
        person.setValue(value, forKey: "big")
        #expect(person.value(forKey: "big") as? Int == 5)
    }

    @Test func aFloatKeepsTheValueOfAFloat() throws {
        let person = try person()
        person.setValue(0.1, forKey: "ratio")
        #expect(person.value(forKey: "ratio") as? Float == Float(0.1))
    }

    @Test func textDatesBytesAndIdentifiersComeBackAsSwiftValues() throws {
        let person = try person()
        let date = Date(timeIntervalSinceReferenceDate: 123.5)
        let uuid = UUID()
        let url = try #require(URL(string: "https://example.org/a?b=c"))
        let data = Data((0..<200).map { UInt8($0) })
        person.setValue("Zoë, a rather longer name", forKey: "name")
        person.setValue(date, forKey: "createdAt")
        person.setValue(uuid, forKey: "uuid")
        person.setValue(url, forKey: "link")
        person.setValue(data, forKey: "photo")
        #expect(person.value(forKey: "name") as? String == "Zoë, a rather longer name")
        #expect(person.value(forKey: "createdAt") as? Date == date)
        #expect((person.value(forKey: "createdAt") as? NSDate)?.timeIntervalSinceReferenceDate == 123.5)
        #expect(person.value(forKey: "uuid") as? UUID == uuid)
        #expect(person.value(forKey: "link") as? URL == url)
        #expect(person.value(forKey: "photo") as? Data == data)
    }

    @Test func decimalsAreExactAndBridgeToNSDecimalNumber() throws {
        let person = try person()
        let decimal = try #require(Decimal(string: "12345678901234567890.123456789"))
        person.setValue(NSDecimalNumber(decimal: decimal), forKey: "price")
        #expect(person.value(forKey: "price") as? Decimal == decimal)
        #expect((person.value(forKey: "price") as? NSDecimalNumber)?.decimalValue == decimal)
        person.setValue(decimal, forKey: "price")
        #expect(person.value(forKey: "price") as? Decimal == decimal)
    }

    @Test func defaultsCanBeReadAtOnceAndNilWins() throws {
        let person = try person()
        #expect(person.value(forKey: "age") as? Int == 7)
        #expect(person.value(forKey: "isActive") as? Bool == true)
        #expect(person.value(forKey: "counter") as? Int == 0)
        #expect(person.value(forKey: "name") == nil)
        person.setValue(nil, forKey: "age")
        #expect(person.value(forKey: "age") == nil)
    }

    @Test func anOptionalInAnAnyCountsAsItsValue() throws {
        let person = try person()
        let absent: String? = nil
        person.setValue(absent as Any, forKey: "name")
        #expect(person.value(forKey: "name") == nil)
        let present: String? = "Ann"
        person.setValue(present as Any, forKey: "name")
        #expect(person.value(forKey: "name") as? String == "Ann")
    }

    @Test func aTransformableGivesBackTheSameInstance() throws {
        let person = try person()
        let tags = NSMutableArray(array: ["a"])
        person.setValue(tags, forKey: "tags")
        #expect(person.value(forKey: "tags") as? NSMutableArray === tags)
    }

    @Test func aTransientOfUndefinedTypeTakesAnything() throws {
        struct Anything: Equatable { var x = 1 }
        let person = try person()
        person.setValue(Anything(x: 4), forKey: "scratch")
        #expect(person.value(forKey: "scratch") as? Anything == Anything(x: 4))
    }

    @Test func aCompositeIsADictionaryByElementAndMayNest() throws {
        let person = try person()
        #expect(person.value(forKey: "address") == nil)
        let given: [String: Any] = ["street": "Rue", "place": ["latitude": 12.5, "longitude": 34.51446212994721]]
        person.setValue(given, forKey: "address")
        let address = try #require(person.value(forKey: "address") as? [String: Any])
        #expect(address["street"] as? String == "Rue")
        #expect((address["place"] as? [String: Any])?["longitude"] as? Double == 34.51446212994721)
        #expect(person.value(forKeyPath: "address.place.latitude") as? Double == 12.5)
        person.setValue(1.5, forKeyPath: "address.place.latitude")
        #expect(person.value(forKeyPath: "address.place.latitude") as? Double == 1.5)
        #expect(person.value(forKeyPath: "address.street") as? String == "Rue")
        person.setValue(["street": "Platz"], forKey: "address")
        #expect((person.value(forKey: "address") as? [String: Any])?.count == 1)
    }

    @Test func valuesAreReadAndSetManyAtATime() throws {
        let person = try person()
        person.setValuesForKeys(["name": "Ann", "age": 30, "link": NSNull()])
        let values = person.dictionaryWithValues(forKeys: ["name", "age", "link"])
        #expect(values["name"] as? String == "Ann")
        #expect(values["age"] as? Int == 30)
        #expect(values["link"] is NSNull)
        person["name"] = "Bob"
        #expect(person["name"] as? String == "Bob")
    }

    @Test func descriptionOfAnObjectNamesItsEntityAndValues() throws {
        let person = try person()
        person.setValue("Ann", forKey: "name")
        #expect(person.description.contains("entity: Person"))
        #expect(person.description.contains("name = \"Ann\""))
    }

    @Test func objectsAreEqualOnlyToThemselves() throws {
        let one = try person()
        let other = try person()
        #expect(one == one)
        #expect(one != other)
        #expect(one.managedObjectContext == nil)
        #expect(!one.isFault && !one.isInserted && !one.hasChanges)
    }
}
