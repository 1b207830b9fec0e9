import CoreData
import Foundation
import FoundationBackfill
import TestSupport
import Testing

struct SourceModelTests {
    private func attribute(_ text: String) throws -> NSAttributeDescription {
        let model = try SourceFolder.model("<entity name=\"E\"><attribute name=\"a\" \(text)/></entity>")
        return try #require(model.entitiesByName["E"]?.attributesByName["a"])
    }

    @Test func anAttributeThatIsNotMarkedOptionalIsRequired() throws {
        #expect(try !attribute("attributeType=\"String\"").isOptional)
        #expect(try attribute("attributeType=\"String\" optional=\"YES\"").isOptional)
    }

    @Test func allTypesAreKnownByTheEditorsNames() throws {
        let types: [(String, NSAttributeDescription.AttributeType)] = [
            ("String", .string), ("Boolean", .boolean), ("Integer 16", .integer16), ("Integer 32", .integer32),
            ("Integer 64", .integer64), ("Double", .double), ("Float", .float), ("Decimal", .decimal), ("Date", .date),
            ("Binary", .binaryData), ("UUID", .uuid), ("URI", .uri), ("Transformable", .transformable),
        ]
        for (name, type) in types { #expect(try attribute("attributeType=\"\(name)\"").type == type) }
        #expect(try attribute("transient=\"YES\"").type == .undefined)
        #expect(throws: NSError.self) { try attribute("attributeType=\"Complex\"") }
        #expect(throws: NSError.self) { try attribute("optional=\"YES\"") }
    }

    @Test(arguments: [
        ("Integer 16", "-1", "-1"), ("Integer 64", "0.0", "0"), ("Integer 32", "NO", "0"), ("Boolean", "YES", "1"),
        ("Boolean", "0", "0"), ("Boolean", "0.0", "0"), ("Double", "0", "0.0"), ("Float", "1.5", "1.5"),
        ("Decimal", "0.1", "0.1"), ("Decimal", "12345678901234567890.125", "12345678901234567890.125"),
    ])
    func defaultsOfNumbersAreReadInEveryFormFoundInTheWild(_ type: String, _ text: String, _ value: String) throws {
        let attribute = try attribute("attributeType=\"\(type)\" defaultValueString=\"\(text)\"")
        #expect((attribute.defaultValue as? NSNumber)?.stringValue == value)
    }

    @Test func defaultsOfOtherTypesAreRead() throws {
        #expect(try attribute("attributeType=\"String\" defaultValueString=\"\"").defaultValue as? String == "")
        let uuid = "11111111-1111-1111-1111-111111111111"
        #expect(
            try attribute("attributeType=\"UUID\" defaultValueString=\"\(uuid)\"").defaultValue as? UUID
                == UUID(uuidString: uuid))
        #expect(try attribute("attributeType=\"UUID\" defaultValueString=\"empy\"").defaultValue == nil)
        #expect(
            try attribute("attributeType=\"Date\" defaultDateTimeInterval=\"-978332400\"").defaultValue as? Date
                == Date(timeIntervalSinceReferenceDate: -978_332_400))
        #expect(
            try attribute("attributeType=\"URI\" defaultValueString=\"https://example.com\"").defaultValue as? URL
                == URL(string: "https://example.com"))
        #expect(try attribute("attributeType=\"String\"").defaultValue == nil)
    }

    @Test func limitsBecomePredicatesWhoseWarningsAreErrorCodes() throws {
        let number = try attribute("attributeType=\"Integer 16\" minValueString=\"1\" maxValueString=\"8\"")
        #expect(number.validationPredicates.map(\.formatText) == ["SELF >= 1", "SELF <= 8"])
        #expect(number.validationWarnings as? [Int] == [1620, 1610])
        let text = try attribute(
            "attributeType=\"String\" minValueString=\"2\" maxValueString=\"3\" regularExpressionString=\"[a-z]*\"")
        #expect(
            text.validationPredicates.map(\.formatText) == ["length >= 2", "length <= 3", "SELF MATCHES \"[a-z]*\""])
        #expect(text.validationWarnings as? [Int] == [1670, 1660, 1680])
        #expect(text.validationPredicates.map { $0.evaluate(with: "abcd") } == [true, false, true])
        let date = try attribute("attributeType=\"Date\" minDateTimeInterval=\"0\" maxDateTimeInterval=\"10\"")
        #expect(date.validationWarnings as? [Int] == [1640, 1630])
        #expect(date.validationPredicates[0].evaluate(with: Date(timeIntervalSinceReferenceDate: 5)))
        #expect(!date.validationPredicates[1].evaluate(with: Date(timeIntervalSinceReferenceDate: 11)))
        #expect(try attribute("attributeType=\"Date\" minValueString=\"12/4/2013\"").validationPredicates.isEmpty)
    }

    @Test func relationshipsAreReadWithCountsRulesAndInverses() throws {
        let model = try SourceFolder.model(
            """
            <entity name="Book">
              <relationship name="author" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Author"
                inverseName="books" inverseEntity="Author"/>
              <relationship name="pages" toMany="YES" minCount="1" maxCount="9" deletionRule="Cascade" ordered="YES"
                destinationEntity="Page"/>
              <relationship name="shelf" maxCount="1" deletionRule="Deny" destinationEntity="Page" elementID="place"/>
              <relationship name="other" maxCount="1" deletionRule="No Action" destinationEntity="Page"/>
            </entity>
            <entity name="Author">
              <relationship name="books" toMany="YES" deletionRule="Nullify" destinationEntity="Book" inverseName="author"
                inverseEntity="Book"/>
            </entity>
            <entity name="Page"/>
            """)
        let book = try #require(model.entitiesByName["Book"])
        let author = try #require(book.relationshipsByName["author"])
        #expect(!author.isToMany && author.isOptional && author.deleteRule == .nullifyDeleteRule)
        #expect(author.inverseRelationship === model.entitiesByName["Author"]?.relationshipsByName["books"])
        let pages = try #require(book.relationshipsByName["pages"])
        #expect(pages.isToMany && pages.isOrdered && !pages.isOptional)
        #expect((pages.minCount, pages.maxCount) == (1, 9))
        #expect(pages.deleteRule == .cascadeDeleteRule && pages.inverseRelationship == nil)
        #expect(book.relationshipsByName["shelf"]?.deleteRule == .denyDeleteRule)
        #expect(book.relationshipsByName["shelf"]?.renamingIdentifier == "place")
        #expect(book.relationshipsByName["other"]?.deleteRule == .noActionDeleteRule)
        #expect(model.entitiesByName["Author"]?.relationshipsByName["books"]?.maxCount == 0)
    }

    @Test func entitiesAreReadWithClassParentAndConstraints() throws {
        let model = try SourceFolder.model(
            """
            <entity name="Child" representedClassName=".Child" parentEntity="Parent" elementID="Kid" versionHashModifier="2"/>
            <entity name="Parent" isAbstract="YES">
              <attribute name="a" attributeType="String"/><attribute name="b" attributeType="String"/>
              <userInfo><entry key="k" value="v"/></userInfo>
              <uniquenessConstraints>
                <uniquenessConstraint><constraint value="a"/><constraint value="b"/></uniquenessConstraint>
                <uniquenessConstraint><constraint value="b"/></uniquenessConstraint>
              </uniquenessConstraints>
            </entity>
            """)
        let (child, parent) = (model.entitiesByName["Child"]!, model.entitiesByName["Parent"]!)
        #expect(child.superentity === parent)
        #expect(child.managedObjectClassName == ".Child")
        #expect(child.renamingIdentifier == "Kid")
        #expect(child.versionHashModifier == "2")
        #expect(child.propertiesByName.count == 2)
        #expect(parent.managedObjectClassName == "NSManagedObject")
        #expect(parent.isAbstract && !child.isAbstract)
        #expect(parent.userInfo?["k"] as? String == "v")
        #expect(parent.uniquenessConstraints as? [[String]] == [["a", "b"], ["b"]])
        #expect(model.versionIdentifiers == ["v1"])
    }

    @Test func derivedAndCompositeAttributesAreRead() throws {
        let model = try SourceFolder.model(
            """
            <entity name="E">
              <attribute name="name" attributeType="String"/>
              <attribute name="key" optional="YES" attributeType="String" derived="YES" derivationExpression="canonical:(name)"/>
              <attribute name="count" optional="YES" attributeType="Integer 64" derived="YES" derivationExpression="es.@count"/>
              <attribute name="place" optional="YES" attributeType="Composite" composite="Line"/>
              <relationship name="es" toMany="YES" deletionRule="Nullify" destinationEntity="E"/>
            </entity>
            <composite name="Point"><attribute name="x" attributeType="Double" optional="YES" defaultValueString="1"/>
              <attribute name="y" attributeType="Double"/></composite>
            <composite name="Line"><attribute name="from" attributeType="Composite" composite="Point"/>
              <attribute name="to" attributeType="Composite" composite="Point"/></composite>
            """)
        let entity = try #require(model.entitiesByName["E"])
        let key = try #require(entity.attributesByName["key"] as? NSDerivedAttributeDescription)
        #expect(key.derivationExpression?.description == "canonical:(name)")
        let count = try #require(entity.attributesByName["count"] as? NSDerivedAttributeDescription)
        #expect(count.derivationExpression?.description == "count:(es)")
        let place = try #require(entity.attributesByName["place"] as? NSCompositeAttributeDescription)
        #expect(place.type == .composite)
        let from = try #require(place.elements.first as? NSCompositeAttributeDescription)
        #expect(from.elements.map(\.name) == ["x", "y"])
        #expect(from.elements[0].defaultValue as? Double == 1)
    }

    @Test func indexesOfAllAgesBecomeFetchIndexes() throws {
        let model = try SourceFolder.model(
            """
            <entity name="Old">
              <attribute name="a" attributeType="String" indexed="YES"/><attribute name="b" attributeType="String"/>
              <compoundIndexes><compoundIndex><index value="a"/><index value="b"/></compoundIndex></compoundIndexes>
            </entity>
            <entity name="New">
              <attribute name="a" attributeType="String"/><attribute name="b" attributeType="Double"/>
              <fetchIndex name="byA" partialIndexPredicate="b &gt; 1"><fetchIndexElement property="a" type="Binary" order="descending"/></fetchIndex>
              <fetchIndex name="byB"><fetchIndexElement property="b" type="Binary" order="ascending"/></fetchIndex>
              <fetchIndex name="tree"><fetchIndexElement property="b" type="RTree" order="ascending"/></fetchIndex>
            </entity>
            """)
        let old = try #require(model.entitiesByName["Old"])
        #expect(old.indexes.map(\.name) == ["a", "a_b"])
        #expect(old.indexes[1].elements.map { $0.propertyName } == ["a", "b"])
        let new = try #require(model.entitiesByName["New"])
        #expect(new.indexes.map(\.name) == ["b", "byA", "byB", "tree"])
        #expect(!new.indexes[1].elements[0].isAscending)
        #expect(new.indexes[1].partialIndexPredicate?.formatText == "b > 1")
        #expect(new.indexes[3].elements[0].collationType == .rTree)
    }

    @Test func requestsAndConfigurationsAreRead() throws {
        let model = try SourceFolder.model(
            """
            <entity name="E"><attribute name="n" attributeType="Integer 16"/>
              <fetchedProperty name="same" optional="YES">
                <fetchRequest name="fetchedPropertyFetchRequest" entity="E" predicateString="n == $FETCH_SOURCE.n"/>
              </fetchedProperty></entity>
            <entity name="F"/>
            <fetchRequest name="big" entity="E" predicateString="n &gt; $MIN" fetchLimit="100" fetchBatchSize="10" resultType="2"
              includeSubentities="YES" returnDistinctResults="YES"/>
            <fetchRequest name="plain" entity="F"/>
            <fetchRequest name="broken" entity="F" predicateString="n &gt;"/>
            <configuration name="Cloud"><memberEntity name="F"/></configuration>
            """)
        let big = try #require(model.fetchRequestTemplate(forName: "big"))
        #expect(big.entity === model.entitiesByName["E"])
        #expect(big.predicate?.formatText == "n > $MIN")
        #expect(big.fetchLimit == 100)
        #expect(big.resultType == .dictionaryResultType)
        #expect(big.returnsDistinctResults && big.includesSubentities && !big.returnsObjectsAsFaults)
        let plain = try #require(model.fetchRequestTemplate(forName: "plain"))
        #expect(plain.predicate == nil && plain.returnsObjectsAsFaults && plain.includesSubentities)
        #expect(model.fetchRequestTemplate(forName: "broken") == nil)
        let same = model.entitiesByName["E"]?.propertiesByName["same"] as? NSFetchedPropertyDescription
        #expect(same?.fetchRequest?.predicate?.formatText == "n == $FETCH_SOURCE.n")
        #expect(model.configurations == ["Cloud"])
        #expect(model.entities(forConfigurationName: "Cloud")?.map { $0.name! } == ["F"])
    }

    @Test func theCurrentVersionIsTheMarkedOne() throws {
        let folder = try SourceFolder()
        try folder.write("<entity name=\"One\"/>", to: "M.xcdatamodeld/M.xcdatamodel")
        let bundle = folder.url.appendingPathComponent("M.xcdatamodeld")
        #expect(NSManagedObjectModel(contentsOf: bundle)?.entities.map { $0.name! } == ["One"])
        try folder.write("<entity name=\"Two\"/>", to: "M.xcdatamodeld/M 2.xcdatamodel")
        #expect(NSManagedObjectModel(contentsOf: bundle)?.entities.map { $0.name! } == ["One"])
        try folder.writeMarker("M 2.xcdatamodel", in: "M.xcdatamodeld")
        #expect(NSManagedObjectModel(contentsOf: bundle)?.entities.map { $0.name! } == ["Two"])
        let versions = try NSManagedObjectModel.versionURLs(of: bundle)
        #expect(versions.map(\.lastPathComponent) == ["M 2.xcdatamodel", "M.xcdatamodel"])
        #expect(NSManagedObjectModel(contentsOf: versions[1])?.entities.map { $0.name! } == ["One"])
        try folder.writeMarker("M 3.xcdatamodel", in: "M.xcdatamodeld")
        #expect(NSManagedObjectModel(contentsOf: bundle) == nil)
    }

    @Test func whatIsNoModelGivesNil() throws {
        #expect(NSManagedObjectModel(contentsOf: URL(fileURLWithPath: "/nowhere/M.xcdatamodeld")) == nil)
        #expect(NSManagedObjectModel(contentsOf: URL(fileURLWithPath: "/nowhere/M.momd")) == nil)
        #expect(NSManagedObjectModel(contentsOf: URL(fileURLWithPath: "/tmp")) == nil)
    }

    @Test(arguments: [
        "<entity/>", "<entity name=\"A\"/><entity name=\"A\"/>", "<entity name=\"A\" parentEntity=\"B\"/>",
        "<entity name=\"A\" parentEntity=\"A\"/>",
        "<entity name=\"A\" parentEntity=\"B\"/><entity name=\"B\" parentEntity=\"A\"/>",
        "<entity name=\"A\"><attribute attributeType=\"String\"/></entity>",
        "<entity name=\"A\"><relationship name=\"r\" destinationEntity=\"B\"/></entity>",
        "<entity name=\"A\"><relationship name=\"r\" destinationEntity=\"A\" deletionRule=\"Explode\"/></entity>",
        "<entity name=\"A\"><attribute name=\"c\" attributeType=\"Composite\" composite=\"C\"/></entity>",
        "<entity name=\"A\"><attribute name=\"c\" attributeType=\"Composite\" composite=\"C\"/></entity>"
            + "<composite name=\"C\"><attribute name=\"c\" attributeType=\"Composite\" composite=\"C\"/></composite>",
        "<entity name=\"A\"><attribute name=\"d\" attributeType=\"String\" derived=\"YES\" derivationExpression=\"((\"/></entity>",
        "<entity name=\"A\"><fetchIndex name=\"i\"><fetchIndexElement property=\"x\"/></fetchIndex></entity>",
        "<configuration name=\"C\"><memberEntity name=\"A\"/></configuration>",
    ])
    func aFaultyModelIsAnErrorWithAReason(_ inside: String) throws {
        let error = try #require(throws: NSError.self) { try SourceFolder.model(inside) }
        #expect(error.domain == NSCocoaErrorDomain)
        #expect(error.localizedFailureReason?.isEmpty == false)
    }

    @Test func hostileXMLIsAnError() throws {
        let deep = String(repeating: "<a>", count: 5000) + String(repeating: "</a>", count: 5000)
        let width = (0..<20).map { "<attribute name=\"a\($0)\" attributeType=\"Composite\" composite=\"C\"/>" }.joined()
        let chain = (1..<8).map { level in
            let elements = (0..<30).map {
                "<attribute name=\"a\($0)\" attributeType=\"Composite\" composite=\"C\(level + 1)\"/>"
            }
            return "<composite name=\"C\(level)\">\(elements.joined())</composite>"
        }
        let bomb =
            "<entity name=\"E\">\(width.replacingOccurrences(of: "\"C\"", with: "\"C1\""))</entity>\(chain.joined())"
            + "<composite name=\"C8\"><attribute name=\"x\" attributeType=\"Double\"/></composite>"
        for inside in [deep, bomb, "<entity name=\"A\">", "&undefined;", "\u{0}"] {
            #expect(throws: NSError.self, "\(inside.prefix(40))") { try SourceFolder.model(inside) }
        }
        let folder = try SourceFolder()
        try folder.write("", to: "M.xcdatamodel")
        let file = folder.url.appendingPathComponent("M.xcdatamodel/contents")
        let entities =
            "<!DOCTYPE model [<!ENTITY a \"aaaaaaaaaa\">"
            + (0..<9).map {
                "<!ENTITY \(["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"][$0 + 1]) \""
                    + String(repeating: "&\(["a", "b", "c", "d", "e", "f", "g", "h", "i"][$0]);", count: 10) + "\">"
            }.joined()
            + "]><model><entity name=\"&j;\"/></model>"
        try Data(entities.utf8).write(to: file)
        #expect(throws: NSError.self) {
            try NSManagedObjectModel.loadModel(at: folder.url.appendingPathComponent("M.xcdatamodel"))
        }
    }
}
