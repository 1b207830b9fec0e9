import CoreData
import Foundation
import Testing

struct VersionHashTests {
    /// The entity User of a public sample, as its compiled model states it (VERSION-HASH.md, section 1).
    private func user() -> NSEntityDescription {
        let name = attribute("name")
        name.isOptional = false
        return entity("User", [name, attribute("petName")])
    }

    @Test func aHashIsTheOneAppleStates() {
        let user = user()
        #expect(user.versionHash.prefix(8).elementsEqual([0x6B, 0x31, 0xF4, 0xE9, 0x7B, 0x69, 0x1D, 0x16]))
        #expect(user.versionHash.suffix(4).elementsEqual([0xFE, 0x4B, 0xE7, 0x98]))
        #expect(user.versionHash.count == 32)
        #expect(user.propertiesByName["name"]!.versionHash.prefix(4).elementsEqual([0x8C, 0xB9, 0x96, 0x5C]))
        #expect(user.propertiesByName["petName"]!.versionHash.prefix(4).elementsEqual([0x36, 0x00, 0xCE, 0xED]))
    }

    @Test func xcodesTemplateHasTheHashOfPublicLogs() {
        let event = entity("Event", [attribute("timeStamp", .date)])
        #expect(event.versionHash.prefix(8).elementsEqual([0x54, 0x31, 0xC0, 0x46, 0xD3, 0x0E, 0x7F, 0x32]))
    }

    @Test func equalDefinitionsHaveEqualHashes() {
        #expect(model(user()).entityVersionHashesByName == model(user()).entityVersionHashesByName)
        #expect(Library().model.entityVersionHashesByName == Library().model.entityVersionHashesByName)
    }

    @Test func theOrderOfPropertiesDoesNotCount() {
        let forward = entity("E", [attribute("a"), attribute("B"), attribute("c")])
        let backward = entity("E", [attribute("c"), attribute("B"), attribute("a")])
        #expect(forward.versionHash == backward.versionHash)
    }

    static let changesThatCount: [(String, @Sendable (Library) -> Void)] = [
        ("attribute name", { $0.book.attributesByName["title"]!.name = "Title" }),
        ("attribute type", { $0.book.attributesByName["pageCount"]!.type = .integer64 }),
        ("optional", { $0.book.attributesByName["title"]!.isOptional = false }),
        ("transient", { $0.book.attributesByName["title"]!.isTransient = true }),
        ("property modifier", { $0.book.attributesByName["title"]!.versionHashModifier = "2" }),
        ("external storage", { $0.book.attributesByName["title"]!.allowsExternalBinaryDataStorage = true }),
        ("preserved", { $0.book.attributesByName["title"]!.preservesValueInHistoryOnDeletion = true }),
        ("destination", { $0.book.relationshipsByName["author"]!.destinationEntity = $0.book }),
        ("inverse", { $0.book.relationshipsByName["author"]!.inverseRelationship = nil }),
        ("maximum", { $0.book.relationshipsByName["author"]!.maxCount = 0 }),
        ("minimum", { $0.book.relationshipsByName["author"]!.minCount = 1 }),
        ("ordered", { $0.book.relationshipsByName["author"]!.isOrdered = true }),
        ("entity name", { $0.book.name = "Volume" }),
        ("abstract", { $0.book.isAbstract = true }),
        ("entity modifier", { $0.book.versionHashModifier = "2" }),
        ("uniqueness", { $0.book.uniquenessConstraints = [["title"]] }),
        ("a property more", { $0.book.properties.append(attribute("isbn")) }),
    ]

    @Test(arguments: changesThatCount.indices)
    func thisChangesTheHashOfTheEntityAndItsSubentities(_ index: Int) {
        let library = Library()
        let (book, novel, author) = (library.book.versionHash, library.novel.versionHash, library.author.versionHash)
        Self.changesThatCount[index].1(library)
        #expect(library.book.versionHash != book, "\(Self.changesThatCount[index].0)")
        #expect(library.novel.versionHash != novel)
        if Self.changesThatCount[index].0 != "entity name" { #expect(library.author.versionHash == author) }
    }

    static let changesThatDoNotCount: [(String, @Sendable (Library) -> Void)] = [
        ("class name", { $0.book.managedObjectClassName = "Volume" }),
        ("user info", { $0.book.userInfo = ["a": "b"] }),
        ("property's user info", { $0.book.attributesByName["title"]!.userInfo = ["a": "b"] }),
        ("default", { $0.book.attributesByName["title"]!.defaultValue = "x" }),
        ("value class", { $0.book.attributesByName["title"]!.attributeValueClassName = "X" }),
        ("transformer", { $0.book.attributesByName["title"]!.valueTransformerName = "X" }),
        ("renaming", { $0.book.attributesByName["title"]!.renamingIdentifier = "name" }),
        ("delete rule", { $0.book.relationshipsByName["author"]!.deleteRule = .cascadeDeleteRule }),
        (
            "validation",
            {
                $0.book.attributesByName["title"]!.setValidationPredicates(
                    [NSPredicate(format: "length > 0")], withValidationWarnings: [""])
            }
        ),
        (
            "fetched property",
            {
                let fetched = NSFetchedPropertyDescription()
                fetched.name = "others"
                $0.book.properties.append(fetched)
            }
        ),
        (
            "index",
            {
                let element = NSFetchIndexElementDescription(
                    property: $0.book.attributesByName["title"]!, collationType: .binary)
                $0.book.indexes = [NSFetchIndexDescription(name: "byTitle", elements: [element])]
            }
        ),
    ]

    @Test(arguments: changesThatDoNotCount.indices)
    func thisLeavesAllHashesAsTheyWere(_ index: Int) {
        let library = Library()
        let before = library.model.entityVersionHashesByName
        Self.changesThatDoNotCount[index].1(library)
        #expect(library.model.entityVersionHashesByName == before, "\(Self.changesThatDoNotCount[index].0)")
    }

    @Test func aSubentitysChangeLeavesItsParentsHash() {
        let library = Library()
        let before = library.model.entityVersionHashesByName
        library.novel.properties.append(attribute("chapters", .integer16))
        let after = library.model.entityVersionHashesByName
        #expect(after["Novel"] != before["Novel"])
        #expect(after.filter { $0.key != "Novel" } == before.filter { $0.key != "Novel" })
    }

    @Test func transientPropertiesOfAnEntityDoNotCount() {
        let plain = user()
        let more = user()
        let cache = attribute("cache", .undefined)
        cache.isTransient = true
        more.properties.append(cache)
        #expect(plain.versionHash == more.versionHash)
    }

    @Test func aRelationshipThatIsItsOwnInverseHashesLikeOneWithout() {
        let with = entity("Person")
        let friends = relationship("friends", to: with)
        friends.inverseRelationship = friends
        with.properties = [friends]
        let without = entity("Person")
        without.properties = [relationship("friends", to: without)]
        #expect(with.versionHash == without.versionHash)
    }

    @Test func aFrozenModelKeepsItsHashes() {
        let library = Library()
        let before = library.model.entityVersionHashesByName
        let property = library.book.attributesByName["title"]!.versionHash
        library.model.freeze()
        #expect(library.model.entityVersionHashesByName == before)
        #expect(library.book.versionHash == before["Book"])
        #expect(library.book.attributesByName["title"]!.versionHash == property)
    }

    @Test func aDerivedAttributesHashIsThatOfItsExpressionAlone() {
        let derived = NSDerivedAttributeDescription()
        derived.name = "bookCount"
        derived.type = .integer64
        derived.derivationExpression = NSExpression(format: "books.@count")
        let other = NSDerivedAttributeDescription()
        other.name = "another"
        other.type = .integer32
        other.isOptional = false
        other.derivationExpression = NSExpression(forFunction: "count:", arguments: [NSExpression(forKeyPath: "books")])
        #expect(derived.versionHash == other.versionHash)
        // SHA-256 of "count:(books)", by sha256sum.
        #expect(derived.versionHash.prefix(4).elementsEqual([0x6A, 0x58, 0x26, 0x07]))
    }
}
