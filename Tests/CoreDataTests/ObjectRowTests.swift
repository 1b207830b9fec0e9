import Foundation
import Testing

@testable import CoreData

/// The rows that objects make for a save, and what objects read out of rows.
@Suite struct ObjectRowTests {
    let model = ObjectTestModel.make()
    let date = Date(timeIntervalSinceReferenceDate: 700_000_000.25)
    let uuid = UUID()

    func object(_ entity: String = "Person") throws -> NSManagedObject {
        model.freeze()
        return NSManagedObject(entity: try #require(model.entitiesByName[entity]), insertInto: nil)
    }

    func filled() throws -> NSManagedObject {
        let person = try object()
        person.setDefaultValues()
        person.setValuesForKeys([
            "name": "A name of more than fifteen bytes", "small": -3, "big": Int64.max, "score": 1.25, "ratio": 0.5,
            "createdAt": date, "uuid": uuid, "price": Decimal(string: "0.1") ?? 0, "photo": Data([1, 2, 3]),
            "file": Data([9, 8]), "link": try #require(URL(string: "https://example.org/")),
            "tags": NSArray(array: ["a", "b"]), "counter": 50,
            "address": ["street": "Rue", "place": ["latitude": 1.0, "longitude": 2.0]],
        ])
        return person
    }

    func row(_ object: NSManagedObject, key: Int64 = 5, version: Int64 = 1) throws -> Row {
        try object.makeRow(primaryKey: key, version: version) { $0 }
    }

    func loaded(_ row: Row) throws -> NSManagedObject {
        let person = try object(row.layout.entity.name ?? "")
        person.adopt(key: row.key, storeLink: nil)
        person.state.insert(.fault)
        person.row = row
        return person
    }

    @Test func everyValueGoesThroughARow() throws {
        let row = try row(filled())
        #expect(row.primaryKey == 5 && row.version == 1)
        let person = try loaded(row)
        #expect(person.isFault)
        #expect(person.value(forKey: "name") as? String == "A name of more than fifteen bytes")
        #expect(!person.isFault)
        #expect(person.value(forKey: "age") as? Int == 7)
        #expect(person.value(forKey: "small") as? Int == -3)
        #expect(person.value(forKey: "big") as? Int64 == .max)
        #expect(person.value(forKey: "score") as? Double == 1.25)
        #expect(person.value(forKey: "ratio") as? Float == 0.5)
        #expect(person.value(forKey: "isActive") as? Bool == true)
        #expect(person.value(forKey: "createdAt") as? Date == date)
        #expect(person.value(forKey: "uuid") as? UUID == uuid)
        #expect(person.value(forKey: "price") as? Decimal == Decimal(string: "0.1"))
        #expect(person.value(forKey: "photo") as? Data == Data([1, 2, 3]))
        #expect(person.value(forKey: "file") as? Data == Data([9, 8]))
        #expect((person.value(forKey: "link") as? URL)?.absoluteString == "https://example.org/")
        #expect(person.value(forKey: "tags") as? [String] == ["a", "b"])
        #expect(person.value(forKeyPath: "address.place.longitude") as? Double == 2)
        #expect(person.value(forKey: "counter") as? Int == 0, "a transient value is not stored: the default counts")
    }

    @Test func anExternallyStorableValueHasItsPrefixByteInTheRow() throws {
        let row = try row(filled())
        let slot = try #require(row.layout.slots.firstIndex { $0.path == "file" })
        #expect(row.data(slot) == Data([1, 9, 8]))
    }

    @Test func unsetAttributesAreNull() throws {
        let row = try row(object())
        #expect(row.layout.slots.indices.allSatisfy { row.isNull($0) })
    }

    @Test func aChangeOfFixedSizeLeavesTheOtherValuesAlone() throws {
        let person = try loaded(row(filled()))
        person.setValue(8, forKey: "age")
        person.setValue(nil, forKey: "score")
        let new = try row(person, version: 2)
        let old = try #require(person.row)
        let age = try #require(new.layout.slots.firstIndex { $0.path == "age" })
        let score = try #require(new.layout.slots.firstIndex { $0.path == "score" })
        #expect(new.version == 2 && new.integer(age) == 8 && new.isNull(score))
        var changed: [Int] = []
        person.changedSlots(to: new).forEach { changed.append($0) }
        #expect(changed == [age, score])
        for slot in new.layout.slots.indices where !changed.contains(slot) {
            #expect(new.hasEqualValue(slot, as: old), "\(new.layout.slots[slot].path)")
        }
    }

    @Test func aChangedTextMovesTheOthersAndKeepsThem() throws {
        let person = try loaded(row(filled()))
        person.setValue("Bo", forKey: "name")
        person.setValue(["x"] as NSArray, forKey: "tags")
        let new = try row(person, version: 2)
        var changed: Set<String> = []
        person.changedSlots(to: new).forEach { changed.insert(new.layout.slots[$0].path) }
        #expect(changed == ["name", "tags"])
        let again = try loaded(new)
        #expect(again.value(forKey: "name") as? String == "Bo")
        #expect(again.value(forKey: "tags") as? [String] == ["x"])
        #expect(again.value(forKey: "photo") as? Data == Data([1, 2, 3]))
        #expect(again.value(forKey: "uuid") as? UUID == uuid)
    }

    @Test func anEqualValueIsNoChangedSlot() throws {
        let person = try loaded(row(filled()))
        person.setValue("A name of more than fifteen bytes", forKey: "name")
        person.setValue(Int64.max, forKey: "big")
        person.setValue(Decimal(string: "0.10"), forKey: "price")
        let new = try row(person, version: 2)
        #expect(person.changedSlots(to: new).isEmpty)
    }

    @Test func savingKeepsTransientAndDecodedValues() throws {
        let person = try filled()
        let tags = person.value(forKey: "tags") as? NSArray
        let row = try row(person)
        person.adopt(key: row.key, storeLink: nil)
        person.adoptSaved(row) { $0 }
        #expect(person.value(forKey: "counter") as? Int == 50)
        #expect(person.value(forKey: "tags") as? NSArray === tags)
        #expect(person.value(forKey: "name") as? String == "A name of more than fifteen bytes")
        #expect(person.overlay == nil)
        person.turnIntoFault()
        #expect(person.isFault)
        person.row = row
        #expect(person.value(forKey: "counter") as? Int == 0)
    }

    @Test func aNewerSnapshotShowsWhereNothingWasChanged() throws {
        let person = try loaded(row(filled()))
        person.setValue("Mine", forKey: "name")
        person.setValue(7, forKey: "age")
        let theirs = try loaded(row(filled()))
        theirs.setValue("Theirs", forKey: "name")
        theirs.setValue(99, forKey: "age")
        theirs.setValue(["new"] as NSArray, forKey: "tags")
        person.refreshSnapshot(try row(theirs, version: 2))
        #expect(person.value(forKey: "name") as? String == "Mine")
        #expect(person.value(forKey: "age") as? Int == 99, "a value set to what it was is no change")
        #expect(person.value(forKey: "tags") as? [String] == ["new"])
        person.discardChanges()
        #expect(person.value(forKey: "name") as? String == "Theirs")
    }

    @Test func aRowOfASubentityKeepsItsOwnColumns() throws {
        let captain = try object("Captain")
        captain.setValue(3, forKey: "rank")
        captain.setValue("Cap", forKey: "name")
        let stored = try row(captain)
        // Asked for as a person, before its own entity was known.
        let person = try object("Person")
        person.adopt(key: ObjectKey(number: 5, entity: person.layout.ordinal), storeLink: nil)
        person.state.insert(.fault)
        person.row = stored
        // Kept up before its fault fires.
        _ = person.beginUpkeep(person.changeNumber(toMany: 0))
        person.setValue("Captain", forKey: "name")
        #expect(person.entity.name == "Captain" && person.value(forKey: "rank") as? Int == 3)
        #expect(person.overlay?.header.changed.contains(person.changeNumber(toMany: 0)) == true)
        let new = try row(person, version: 2)
        #expect(new.layout === captain.layout)
        let rank = try #require(new.layout.slots.firstIndex { $0.path == "rank" })
        #expect(new.integer(rank) == 3)
    }

    @Test func aMissingTransformerIsAnErrorThatNamesTheAttribute() throws {
        let model = ObjectTestModel.make { entities in
            (entities["Person"]?.attributesByName["tags"])?.valueTransformerName = "NoSuchTransformer"
        }
        model.freeze()
        let person = NSManagedObject(entity: try #require(model.entitiesByName["Person"]), insertInto: nil)
        person.setValue(["a"] as NSArray, forKey: "tags")
        let error = #expect(throws: NSError.self) { _ = try row(person) }
        #expect(error?.domain == NSCocoaErrorDomain && error?.code == 134060)
        #expect(error?.localizedFailureReason?.contains("Person.tags") == true)
    }

    @Test func temporaryKeysBecomePermanentInTheRow() throws {
        let person = try object()
        let slot = try #require(person.layout.slots.firstIndex { $0.path == "team" })
        let team = try #require(model.entitiesByName["Team"])
        person.changes[slot] = .key(ObjectKey(number: 77, entity: Int32(team.ordinal), isTemporary: true))
        let row = try person.makeRow(primaryKey: 1, version: 1) {
            ObjectKey(number: $0.number + 1000, entity: $0.entity)
        }
        #expect(row.toOne(slot, isPolymorphic: false) == ObjectKey(number: 1077, entity: Int32(team.ordinal)))
    }

    @Test func aPolymorphicToOneKeepsTheTargetsEntity() throws {
        let person = try object()
        let slot = try #require(person.layout.slots.firstIndex { $0.path == "mentor" })
        let captain = try #require(model.entitiesByName["Captain"])
        person.changes[slot] = .key(ObjectKey(number: 9, entity: Int32(captain.ordinal)))
        let first = try row(person)
        #expect(first.toOne(slot, isPolymorphic: true)?.entity == Int32(captain.ordinal))
        let again = try loaded(first)
        again.setValue("Ann", forKey: "name")
        #expect(try row(again, version: 2).toOne(slot, isPolymorphic: true)?.entity == Int32(captain.ordinal))
        again.changes[slot] = .null
        let cleared = try row(again, version: 3)
        #expect(cleared.isNull(slot) && cleared.isNull(slot + 1))
    }
}
