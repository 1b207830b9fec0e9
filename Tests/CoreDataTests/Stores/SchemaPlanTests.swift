import Foundation
import Testing

@testable import CoreData

/// The names and the order of tables and columns, against texts written by hand after Core Data's rules.
@Suite("Schema plan")
struct SchemaPlanTests {
    private func tables(_ model: NSManagedObjectModel) -> [String] {
        SchemaPlan(model: model, configuration: nil).statements().filter { $0.hasPrefix("CREATE TABLE Z") }
            .filter { !$0.hasPrefix("CREATE TABLE Z_PRIMARYKEY") && !$0.hasPrefix("CREATE TABLE Z_M") }
            .map { statement in
                statement.replacingOccurrences(of: "CREATE TABLE ", with: "")
                    .replacingOccurrences(of: "Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER", with: "…")
            }
    }

    private func model(_ entities: NSEntityDescription...) -> NSManagedObjectModel {
        let model = NSManagedObjectModel()
        model.entities = entities
        return model
    }

    @Test("each attribute type has its declared type and band, names in byte order inside it")
    func bands() {
        let types: [(String, NSAttributeType)] = [
            ("url", .URIAttributeType), ("zoo", .integer16AttributeType), ("Apple", .booleanAttributeType),
            ("apple2", .integer64AttributeType), ("blob", .binaryDataAttributeType), ("float", .floatAttributeType),
            ("date", .dateAttributeType), ("double", .doubleAttributeType), ("price", .decimalAttributeType),
            ("id", .UUIDAttributeType), ("name", .stringAttributeType), ("any", .transformableAttributeType),
        ]
        let thing = SampleModels.entity("Thing", types.map { SampleModels.attribute($0.0, $0.1) })
        let hidden = SampleModels.attribute("hidden", .stringAttributeType)
        hidden.isTransient = true
        thing.properties += [hidden]
        #expect(
            tables(model(thing)) == [
                "ZTHING ( …, ZAPPLE INTEGER, ZAPPLE2 INTEGER, ZZOO INTEGER, ZDATE TIMESTAMP, ZDOUBLE FLOAT, "
                    + "ZFLOAT FLOAT, ZPRICE DECIMAL, ZNAME VARCHAR, ZURL VARCHAR, ZID BLOB, ZANY BLOB, ZBLOB BLOB )"
            ])
    }

    @Test("subentities share the root's table; the same name gets a number from the second on")
    func inheritance() {
        let root = SampleModels.entity("Root", [SampleModels.attribute("name", .stringAttributeType)])
        root.isAbstract = true
        let one = SampleModels.entity("One", [SampleModels.attribute("text", .stringAttributeType)])
        let two = SampleModels.entity(
            "two",
            [SampleModels.attribute("text", .stringAttributeType), SampleModels.attribute("a", .stringAttributeType)])
        let three = SampleModels.entity("Three", [SampleModels.attribute("text", .integer16AttributeType)])
        root.subentities = [two, three, one]
        let model = model(root, one, two, three)
        // One, Three, two: by name without regard to case.
        #expect(
            tables(model) == ["ZROOT ( …, ZTEXT INTEGER, ZNAME VARCHAR, ZTEXT1 VARCHAR, ZA VARCHAR, ZTEXT2 VARCHAR )"])
        let schema = try? SQLSchema(SchemaPlan(model: model, configuration: nil), file: nil)
        #expect(schema?.entity(two)?.columns.map { $0?.name } == ["ZNAME", "ZTEXT2", "ZA"])
        #expect(schema?.entity(three)?.columns.map { $0?.name } == ["ZNAME", "ZTEXT"])
        #expect(schema?.entity(root)?.numbers == [1, 2, 3, 4])
        #expect(schema?.entity(root)?.table === schema?.entity(two)?.table)
    }

    @Test("a key to an entity with subentities is followed by the target's entity")
    func polymorphicKeys() throws {
        let model = SampleModels.library()
        let loan = SampleModels.entity("Loan", [])
        let book = try #require(model.entitiesByName["Book"])
        model.entities += [loan]
        SampleModels.relate(loan, "book", 1, book, "loans", 0)
        let schema = try SQLSchema(SchemaPlan(model: model, configuration: nil), file: nil)
        #expect(tables(model).contains("ZLOAN ( …, ZBOOK INTEGER, Z2_BOOK INTEGER )"))
        #expect(schema.entity(loan)?.columns.map { $0?.name } == ["ZBOOK", "Z2_BOOK"])
        let loans = try #require(book.slotLayout.toManyEntries.firstIndex { $0.name == "loans" })
        guard case .foreignKey(let key) = schema.entity(book)?.toMany[loans] else {
            Issue.record("loans are found by key")
            return
        }
        #expect(key.key.name == "ZBOOK" && key.entity?.name == "Z2_BOOK" && key.order == nil)
        #expect(key.table.name == "ZLOAN" && key.inverseSlot == 0)
    }

    @Test("an ordered to-many has its order keys in the members' rows, behind all integers")
    func orderKeys() throws {
        let list = SampleModels.entity("List", [])
        let item = SampleModels.entity("Item", [SampleModels.attribute("done", .booleanAttributeType)])
        let model = model(list, item)
        SampleModels.relate(list, "items", 0, item, "list", 1).0.isOrdered = true
        SampleModels.relate(item, "next", 1, item, "previous", 1)
        #expect(
            tables(model) == [
                "ZITEM ( …, ZDONE INTEGER, ZLIST INTEGER, ZNEXT INTEGER, ZPREVIOUS INTEGER, Z_FOK_LIST INTEGER )",
                "ZLIST ( … )",
            ])
        let schema = try SQLSchema(SchemaPlan(model: model, configuration: nil), file: nil)
        guard case .foreignKey(let key) = schema.entity(list)?.toMany[0] else {
            Issue.record("items are found by key")
            return
        }
        #expect(key.order?.name == "Z_FOK_LIST")
        let slot = try #require(key.inverseSlot)
        #expect(schema.entity(item)?.orderColumns[slot]?.name == "Z_FOK_LIST")
        #expect(schema.entity(item)?.orderColumns.compactMap { $0 }.count == 1)
    }

    @Test("a to-many without inverse has a hidden key, named by the owner's number, in the members' table")
    func hiddenKeys() throws {
        let cart = SampleModels.entity("Cart", [])
        let item = SampleModels.entity("Item", [SampleModels.attribute("name", .stringAttributeType)])
        let items = NSRelationshipDescription()
        items.name = "items"
        items.destinationEntity = item
        cart.properties = [items]
        let model = model(cart, item)
        #expect(tables(model) == ["ZCART ( … )", "ZITEM ( …, Z1ITEMS INTEGER, ZNAME VARCHAR )"])
        let schema = try SQLSchema(SchemaPlan(model: model, configuration: nil), file: nil)
        guard case .foreignKey(let key) = schema.entity(cart)?.toMany[0] else {
            Issue.record("items are found by key")
            return
        }
        #expect(key.key.name == "Z1ITEMS" && key.inverseSlot == nil && key.table.name == "ZITEM")
    }

    @Test("the elements of a composite stand where its name sorts, in their own order, numbered on a clash")
    func composites() {
        let person = NSCompositeAttributeDescription()
        person.name = "person"
        person.elements = [
            SampleModels.attribute("name", .stringAttributeType), SampleModels.attribute("id", .stringAttributeType),
        ]
        let entity = SampleModels.entity(
            "Letter",
            [
                person, SampleModels.attribute("id", .stringAttributeType),
                SampleModels.attribute("zip", .stringAttributeType),
            ])
        #expect(
            tables(model(entity)) == ["ZLETTER ( …, ZID VARCHAR, ZNAME VARCHAR, ZID1 VARCHAR, ZZIP VARCHAR )"])
    }

    @Test("transient relationships have no column and no table")
    func transientRelationships() throws {
        let one = SampleModels.entity("One", [])
        let two = SampleModels.entity("Two", [])
        let model = model(one, two)
        for (name, count) in [("a", 1), ("b", 0)] {
            let pair = SampleModels.relate(one, name, count, two, name + "s", 0)
            pair.0.isTransient = true
            pair.1.isTransient = true
        }
        #expect(tables(model) == ["ZONE ( … )", "ZTWO ( … )"])
        let schema = try SQLSchema(SchemaPlan(model: model, configuration: nil), file: nil)
        #expect(schema.entity(one)?.columns.count == 1 && schema.entity(one)?.columns[0] == nil)
        #expect(schema.joins.isEmpty)
    }

    // MARK: Join tables

    @Test("a join table is named after the lower number, or after the one side that has subentities")
    func joinTables() {
        #expect(
            tables(SampleModels.library()).contains {
                $0.hasPrefix("Z_2TAGS ( Z_2BOOKS INTEGER, Z_4TAGS INTEGER, PRIMARY KEY (Z_2BOOKS, Z_4TAGS) )")
            })
        let apple = SampleModels.entity("Apple", [])
        let tree = SampleModels.entity("Tree", [])
        let oak = SampleModels.entity("Oak", [])
        tree.subentities = [oak]
        let model = model(apple, tree, oak)
        SampleModels.relate(apple, "trees", 0, tree, "apples", 0)
        #expect(
            tables(model).contains(
                "Z_2APPLES ( Z_2TREES INTEGER, Z_1APPLES INTEGER, PRIMARY KEY (Z_2TREES, Z_1APPLES) )"))
    }

    @Test("inside one entity it is named after the later name; ordered sides add order keys")
    func selfJoin() throws {
        let person = SampleModels.entity("Person", [])
        let model = model(person)
        let pair = SampleModels.relate(person, "blockedBy", 0, person, "blocking", 0)
        pair.1.isOrdered = true
        #expect(
            tables(model) == [
                "ZPERSON ( … )",
                "Z_1BLOCKING ( Z_1BLOCKEDBY INTEGER, Z_1BLOCKING INTEGER, Z_FOK_1BLOCKING INTEGER, "
                    + "PRIMARY KEY (Z_1BLOCKEDBY, Z_1BLOCKING) )",
            ])
        let schema = try SQLSchema(SchemaPlan(model: model, configuration: nil), file: nil)
        let joins = person.slotLayout.toManyEntries.map { entry in
            (
                entry.name,
                schema.entity(person)?.toMany[person.slotLayout.toManyEntries.firstIndex { $0 === entry } ?? 0]
            )
        }
        for case (let name, .join(let join)?) in joins {
            // Who is among somebody's `blocking` stands in the column of that name.
            #expect(join.member.name == (name == "blocking" ? "Z_1BLOCKING" : "Z_1BLOCKEDBY"))
            #expect(join.owner.name == (name == "blocking" ? "Z_1BLOCKEDBY" : "Z_1BLOCKING"))
            #expect(join.memberOrder?.name == (name == "blocking" ? "Z_FOK_1BLOCKING" : nil))
            #expect(join.ownerOrder?.name == (name == "blocking" ? nil : "Z_FOK_1BLOCKING"))
        }
        #expect(joins.count == 2)
    }

    @Test("a relationship that is its own inverse has a column REFLEXIVE")
    func reflexive() {
        let person = SampleModels.entity("Person", [])
        let friends = NSRelationshipDescription()
        friends.name = "friends"
        friends.destinationEntity = person
        friends.inverseRelationship = friends
        person.properties = [friends]
        #expect(
            tables(model(person)).contains(
                "Z_1FRIENDS ( Z_1FRIENDS INTEGER, REFLEXIVE INTEGER, PRIMARY KEY (Z_1FRIENDS, REFLEXIVE) )"))
    }

    @Test("equal names of join columns get numbers")
    func joinColumns() {
        let a = SampleModels.entity("A", [])
        let b = SampleModels.entity("B", [])
        let tag = SampleModels.entity("Tag", [])
        let model = model(a, b, tag)
        SampleModels.relate(a, "tags", 0, tag, "as", 0)
        SampleModels.relate(b, "tags", 0, tag, "bs", 0)
        #expect(tables(model).contains("Z_1TAGS ( Z_1AS INTEGER, Z_3TAGS INTEGER, PRIMARY KEY (Z_1AS, Z_3TAGS) )"))
        #expect(tables(model).contains("Z_2TAGS ( Z_2BS INTEGER, Z_3TAGS1 INTEGER, PRIMARY KEY (Z_2BS, Z_3TAGS1) )"))
    }

    // MARK: Indexes

    @Test("fetch indexes and constraints")
    func indexes() throws {
        let model = SampleModels.library()
        let book = try #require(model.entitiesByName["Book"])
        func element(_ name: String, _ ascending: Bool = true) throws -> NSFetchIndexElementDescription {
            let element = NSFetchIndexElementDescription(
                property: try #require(book.propertiesByName[name]), collationType: .binary)
            element.isAscending = ascending
            return element
        }
        book.uniquenessConstraints = [["title", "author"]]
        let partial = NSFetchIndexDescription(name: "priced", elements: [try element("price")])
        partial.partialIndexPredicate = NSPredicate(format: "price != nil")
        book.indexes = [
            NSFetchIndexDescription(name: "byTitle", elements: [try element("title"), try element("added", false)]),
            NSFetchIndexDescription(name: "byAuthor", elements: [try element("author")]), partial,
        ]
        let statements = SchemaPlan(model: model, configuration: nil).statements()
        #expect(
            statements.filter { $0.contains("INDEX Z_Book") } == [
                "CREATE INDEX Z_Book_byTitle ON ZBOOK (ZTITLE COLLATE BINARY ASC, ZADDED COLLATE BINARY DESC)",
                "CREATE INDEX Z_Book_priced ON ZBOOK (ZPRICE COLLATE BINARY ASC) WHERE  ZPRICE IS NOT NULL",
                "CREATE UNIQUE INDEX Z_Book_UNIQUE_title_author ON ZBOOK (ZTITLE COLLATE BINARY ASC, "
                    + "ZAUTHOR COLLATE BINARY ASC)",
            ])
    }

    @Test("names that are no plain words are quoted")
    func quoting() {
        #expect(SQLIdentifier.sql("ZTITLE") == "ZTITLE")
        #expect(SQLIdentifier.sql("ZÜBER") == "ZÜBER")
        #expect(SQLIdentifier.sql("1A") == "\"1A\"")
        #expect(SQLIdentifier.sql("A\"; DROP TABLE B; --") == "\"A\"\"; DROP TABLE B; --\"")
    }
}
