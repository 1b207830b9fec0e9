import CoreData
import Foundation
import Testing

@testable import CoreData

enum Mood: Int16 { case calm, merry }
enum Colour: String { case red, green }

/// A subclass as a person would write it by hand, and as generated code looks.
class TypedPerson: NSManagedObject {
    private static let nameProperty = _ManagedProperty("name")
    private static let ageProperty = _ManagedProperty("age")
    private static let smallProperty = _ManagedProperty("small")
    private static let bigProperty = _ManagedProperty("big")
    private static let scoreProperty = _ManagedProperty("score")
    private static let ratioProperty = _ManagedProperty("ratio")
    private static let activeProperty = _ManagedProperty("isActive")
    private static let createdProperty = _ManagedProperty("createdAt")
    private static let uuidProperty = _ManagedProperty("uuid")
    private static let priceProperty = _ManagedProperty("price")
    private static let photoProperty = _ManagedProperty("photo")
    private static let linkProperty = _ManagedProperty("link")
    private static let tagsProperty = _ManagedProperty("tags")
    private static let counterProperty = _ManagedProperty("counter")
    private static let addressProperty = _ManagedProperty("address")

    var fullName: String? {
        get { _get(Self.nameProperty) }
        set { _set(Self.nameProperty, newValue) }
    }
    var sureName: String {
        get { _get(Self.nameProperty) }
        set { _set(Self.nameProperty, newValue) }
    }
    var colour: Colour? {
        get { _get(Self.nameProperty) }
        set { _set(Self.nameProperty, newValue) }
    }
    var age: Int32 {
        get { _get(Self.ageProperty) }
        set { _set(Self.ageProperty, newValue) }
    }
    var ageNumber: NSNumber? {
        get { _get(Self.ageProperty) }
        set { _set(Self.ageProperty, newValue) }
    }
    var ageAsDouble: Double {
        get { _get(Self.ageProperty) }
        set { _set(Self.ageProperty, newValue) }
    }
    var small: Int16 {
        get { _get(Self.smallProperty) }
        set { _set(Self.smallProperty, newValue) }
    }
    var mood: Mood? {
        get { _get(Self.smallProperty) }
        set { _set(Self.smallProperty, newValue) }
    }
    var big: Int64 {
        get { _get(Self.bigProperty) }
        set { _set(Self.bigProperty, newValue) }
    }
    var bigInt: Int {
        get { _get(Self.bigProperty) }
        set { _set(Self.bigProperty, newValue) }
    }
    var score: Double {
        get { _get(Self.scoreProperty) }
        set { _set(Self.scoreProperty, newValue) }
    }
    var ratio: Float {
        get { _get(Self.ratioProperty) }
        set { _set(Self.ratioProperty, newValue) }
    }
    var isActive: Bool {
        get { _get(Self.activeProperty) }
        set { _set(Self.activeProperty, newValue) }
    }
    var createdAt: Date? {
        get { _get(Self.createdProperty) }
        set { _set(Self.createdProperty, newValue) }
    }
    var uuid: UUID? {
        get { _get(Self.uuidProperty) }
        set { _set(Self.uuidProperty, newValue) }
    }
    var price: NSDecimalNumber? {
        get { _get(Self.priceProperty) }
        set { _set(Self.priceProperty, newValue) }
    }
    var priceValue: Decimal? {
        get { _get(Self.priceProperty) }
        set { _set(Self.priceProperty, newValue) }
    }
    var photo: Data? {
        get { _get(Self.photoProperty) }
        set { _set(Self.photoProperty, newValue) }
    }
    var webLink: URL? {
        get { _get(Self.linkProperty) }
        set { _set(Self.linkProperty, newValue) }
    }
    var tags: [String]? {
        get { _get(Self.tagsProperty) }
        set { _set(Self.tagsProperty, newValue) }
    }
    var tagList: NSArray? {
        get { _get(Self.tagsProperty) }
        set { _set(Self.tagsProperty, newValue) }
    }
    var counter: Int32 {
        get { _get(Self.counterProperty) }
        set { _set(Self.counterProperty, newValue) }
    }
    var address: [String: Any]? {
        get { _get(Self.addressProperty) }
        set { _set(Self.addressProperty, newValue) }
    }
}

final class TypedCaptain: TypedPerson {
    private static let rankProperty = _ManagedProperty("rank")
    var rank: Int16 {
        get { _get(Self.rankProperty) }
        set { _set(Self.rankProperty, newValue) }
    }

    override func validateValue(_ value: inout Any?, forKey key: String) throws {
        try super.validateValue(&value, forKey: key)
    }
}

@Suite struct ObjectAccessorTests {
    let model = ObjectTestModel.make { entities in
        entities["Person"]?.managedObjectClassName = "CoreDataTests.TypedPerson"
        entities["Captain"]?.managedObjectClassName = "CoreDataTests.TypedCaptain"
    }

    func person() throws -> TypedPerson {
        model.freeze()
        return TypedPerson(entity: try #require(model.entitiesByName["Person"]), insertInto: nil)
    }

    @Test func everyTypeIsSetAndRead() throws {
        let person = try person()
        let date = Date(timeIntervalSinceReferenceDate: 1)
        let uuid = UUID()
        person.fullName = "Ann"
        person.age = 3
        person.small = 4
        person.big = 5
        person.score = 1.5
        person.ratio = 0.25
        person.isActive = false
        person.createdAt = date
        person.uuid = uuid
        person.priceValue = Decimal(string: "1.10")
        person.photo = Data([1])
        person.webLink = URL(string: "a:b")
        person.tags = ["x"]
        person.counter = 9
        person.address = ["street": "S"]
        #expect(person.fullName == "Ann" && person.sureName == "Ann")
        #expect(person.age == 3 && person.ageNumber == 3 && person.ageAsDouble == 3)
        #expect(person.small == 4 && person.big == 5 && person.bigInt == 5)
        #expect(person.score == 1.5 && person.ratio == 0.25 && !person.isActive)
        #expect(person.createdAt == date && person.uuid == uuid)
        #expect(person.price == NSDecimalNumber(string: "1.1") && person.priceValue == Decimal(string: "1.1"))
        #expect(person.photo == Data([1]) && person.webLink?.absoluteString == "a:b")
        #expect(person.tags == ["x"] && person.counter == 9)
        #expect(person.address?["street"] as? String == "S")
        #expect(person.value(forKey: "age") as? Int == 3)
        person.tagList = ["y", "z"]
        #expect(person.tagList == ["y", "z"])
    }

    @Test func nilReadsAsZeroOrEmptyWhereTheTypeHasNoNil() throws {
        let person = try person()
        person.setValue(nil, forKey: "age")
        #expect(person.age == 0 && person.small == 0 && person.big == 0 && person.score == 0 && person.ratio == 0)
        #expect(person.sureName == "" && person.fullName == nil && person.ageNumber == nil)
        #expect(person.createdAt == nil && person.price == nil && person.tags == nil && person.address == nil)
    }

    @Test func defaultsShowInAccessors() throws {
        let person = try person()
        #expect(person.age == 7 && person.isActive && person.counter == 0)
    }

    @Test func enumsAreKeptByTheirRawValue() throws {
        let person = try person()
        person.mood = .merry
        #expect(person.small == 1 && person.mood == .merry)
        person.colour = .green
        #expect(person.fullName == "green" && person.colour == .green)
        person.small = 77
        #expect(person.mood == nil)
        person.colour = nil
        #expect(person.fullName == nil)
    }

    @Test func anAccessorOfAnotherNumberTypeConverts() throws {
        let person = try person()
        person.ageAsDouble = 12
        #expect(person.age == 12)
        person.ageNumber = nil
        #expect(person.value(forKey: "age") == nil)
    }

    @Test func primitiveAccessorsMeanThePropertyWithoutTheWord() throws {
        let property = _ManagedProperty("primitiveName")
        let person = try person()
        person._setPrimitive(property, "Ann")
        #expect(person.fullName == "Ann" && (person._get(property) as String?) == "Ann")
        person._setPrimitive(_ManagedProperty("primitiveName"), Colour?.some(.green))
        #expect(person.fullName == "green")
    }

    @Test func methodsDoNotTellACapital() throws {
        let person = try person()
        person.fullName = "Ann"
        #expect((person._get(_ManagedProperty("Name")) as String?) == "Ann")
    }

    @Test func valuesAreReadAsFoundationsClassesAndAsOptionalNumbers() throws {
        let person = try person()
        person.fullName = "Ann"
        person.createdAt = Date(timeIntervalSinceReferenceDate: 1)
        person.photo = Data([1])
        person.webLink = URL(string: "a:b")
        person.isActive = true
        func value<T>(_ name: String) -> T? { person._getValue(_ManagedProperty(name)) }
        #expect((value("name") as NSString?) == "Ann")
        #expect((value("createdAt") as NSDate?)?.timeIntervalSinceReferenceDate == 1)
        #expect((value("photo") as NSData?)?.length == 1)
        #expect((value("link") as NSURL?)?.absoluteString == "a:b")
        #expect((value("age") as Int?) == 7 && (value("isActive") as Bool?) == true)
        person._setValue(_ManagedProperty("name"), NSString(string: "Bob"))
        person._setValue(_ManagedProperty("age"), Int?.some(9))
        #expect(person.fullName == "Bob" && person.age == 9)
    }

    @Test func oneAccessorServesSubentitiesAndSeveralModels() throws {
        let captain = TypedCaptain(
            entity: try {
                model.freeze(); return try #require(model.entitiesByName["Captain"])
            }(), insertInto: nil)
        // Another model where the same name stands at another slot.
        let other = NSEntityDescription()
        other.name = "Person"
        other.properties = [
            ObjectTestModel.attribute("aardvark", .stringAttributeType),
            ObjectTestModel.attribute("name", .stringAttributeType),
        ]
        let otherModel = NSManagedObjectModel()
        otherModel.entities = [other]
        otherModel.freeze()
        let stranger = TypedPerson(entity: other, insertInto: nil)
        let person = try person()
        for round in 0..<3 {
            captain.fullName = "C\(round)"
            captain.rank = Int16(round)
            stranger.fullName = "S\(round)"
            person.fullName = "P\(round)"
            #expect(captain.fullName == "C\(round)" && captain.rank == Int16(round))
            #expect(stranger.fullName == "S\(round)" && stranger.value(forKey: "aardvark") == nil)
            #expect(person.fullName == "P\(round)")
        }
    }

    @Test func classesAreFoundByTheModelsName() throws {
        model.freeze()
        let person = try #require(model.entitiesByName["Person"])
        let captain = try #require(model.entitiesByName["Captain"])
        let team = try #require(model.entitiesByName["Team"])
        #expect(NSManagedObject.runtimeClass(of: person) == TypedPerson.self)
        #expect(NSManagedObject.runtimeClass(of: captain) == TypedCaptain.self)
        #expect(NSManagedObject.runtimeClass(of: team) == NSManagedObject.self)
        let made = NSManagedObject.instantiate(TypedCaptain.self, captain)
        #expect(type(of: made) == TypedCaptain.self)
    }

    @Test func bareAndDottedClassNamesMeanTheModuleOfKnownClasses() throws {
        TypedPerson._register()
        for name in ["TypedCaptain", ".TypedCaptain"] {
            let entity = ObjectTestModel.entity("Anything", class: name)
            #expect(NSManagedObject.runtimeClass(of: entity) == TypedCaptain.self, "\(name)")
        }
    }

    @Test func aClassThatCannotBeFoundIsNSManagedObject() {
        let entity = ObjectTestModel.entity("Anything", class: "No.SuchClass")
        #expect(NSManagedObject.runtimeClass(of: entity) == NSManagedObject.self)
    }

    @Test func onlyClassesThatOverrideAMethodCountAsDoingSo() {
        class Other: TypedCaptain2 {}
        class TypedCaptain2: TypedPerson {
            var extra = 1
            override func willSave() {}
        }
        #expect(OverriddenMethods(of: NSManagedObject.self).isEmpty)
        #expect(!OverriddenMethods.hasOwnValueRules(TypedPerson.self))
        #expect(!OverriddenMethods.hasOwnValueRules(Other.self))
        #expect(OverriddenMethods.hasOwnValueRules(TypedCaptain.self))
        #expect(OverriddenMethods(of: TypedCaptain2.self) == .willSave)
        #expect(OverriddenMethods(of: Other.self) == .willSave)
        class Careful: NSManagedObject {
            override func didSave() {}
            override func validateForUpdate() throws {}
        }
        #expect(OverriddenMethods(of: Careful.self) == [.didSave, .validateForUpdate])
    }

    @Test func eachMethodThatSavingCallsIsSeenToBeOverridden() {
        class ValueRule: NSManagedObject {
            override func validateValue(_ value: inout Any?, forKey key: String) throws {}
        }
        class InsertRule: NSManagedObject { override func validateForInsert() throws {} }
        class UpdateRule: NSManagedObject { override func validateForUpdate() throws {} }
        class DeleteRule: NSManagedObject { override func validateForDelete() throws {} }
        class Before: NSManagedObject { override func willSave() {} }
        class After: NSManagedObject { override func didSave() {} }
        #expect(OverriddenMethods(of: ValueRule.self) == .validateValue)
        #expect(OverriddenMethods(of: InsertRule.self) == .validateForInsert)
        #expect(OverriddenMethods(of: UpdateRule.self) == .validateForUpdate)
        #expect(OverriddenMethods(of: DeleteRule.self) == .validateForDelete)
        #expect(OverriddenMethods(of: Before.self) == .willSave)
        #expect(OverriddenMethods(of: After.self) == .didSave)
    }
}
