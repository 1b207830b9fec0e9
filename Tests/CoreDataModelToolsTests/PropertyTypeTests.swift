import CoreData
import CoreDataModelTools
import Foundation
import Testing

@Suite("the types of generated properties")
struct PropertyTypeTests {
    /// Attribute type, scalar setting as the editor writes it, type in Swift.
    static let types: [(String, String?, String)] = [
        ("Integer 16", "YES", "Int16"), ("Integer 16", "NO", "NSNumber?"), ("Integer 16", nil, "NSNumber?"),
        ("Integer 32", "YES", "Int32"), ("Integer 32", "NO", "NSNumber?"),
        ("Integer 64", "YES", "Int64"), ("Integer 64", "NO", "NSNumber?"),
        ("Double", "YES", "Double"), ("Double", "NO", "NSNumber?"),
        ("Float", "YES", "Float"), ("Float", "NO", "NSNumber?"),
        ("Boolean", "YES", "Bool"), ("Boolean", "NO", "NSNumber?"),
        ("Date", "YES", "TimeInterval"), ("Date", "NO", "Date?"), ("Date", nil, "Date?"),
        ("Decimal", nil, "NSDecimalNumber?"), ("Decimal", "YES", "NSDecimalNumber?"),
        ("String", nil, "String?"), ("Binary", nil, "Data?"), ("UUID", "NO", "UUID?"), ("UUID", "YES", "UUID?"),
        ("URI", nil, "URL?"), ("Transformable", nil, "NSObject?"), ("", nil, "Any?"),
    ]

    @Test("whether an attribute is optional makes no difference", arguments: [true, false])
    func attributes(_ isOptional: Bool) throws {
        for (type, scalar, expected) in Self.types {
            let model = try ModelFixture(
                """
                <entity name="Note" representedClassName="Note" codeGenerationType="class">
                    <attribute name="value" attributeType="\(type)" \(isOptional ? #"optional="YES""# : "")
                        \(scalar.map { "usesScalarValueType=\"\($0)\"" } ?? "") transient="YES"/>
                </entity>
                """)
            let property = try #require(try model.generator().classes.first?.properties.first)
            #expect(property.type == expected, "\(type) \(scalar ?? "-")")
            #expect(property.isGenerated)
        }
    }

    @Test(
        "custom classes",
        arguments: [
            ("Article", "Article?"), (".Article", "Article?"), ("App.Article", "Article?"),
            ("Other.Article", "Other.Article?"), ("[Int64]", "[Int64]?"), ("[String: [Int]]", "[String: [Int]]?"),
            ("Set<String>", "Set<String>?"), ("[String]?", "[String]?"), (".NSArray", "NSArray?"),
            ("any NSCoding & NSCopying", "(any NSCoding & NSCopying)?"), (" UIColor ", "UIColor?"),
            ("class", "`class`?"),
        ])
    func customClass(_ text: String, _ expected: String) throws {
        let property = try #require(try transformable(text).generator(module: "App").classes.first?.properties.first)
        #expect(property.type == expected)
    }

    @Test(
        "what is no type is an error that names the place",
        arguments: ["A; import B", "[Int", "A>", "NSArray&lt;NSString *>", "A{}", "3", "A\u{2028}B", "?", "."])
    func noType(_ text: String) throws {
        let problem = try #require(try transformable(text).problem())
        #expect(problem.hasPrefix("Library.xcdatamodel: Note.value: its custom class '"))
        #expect(problem.hasSuffix("' is no type in Swift."))
    }

    private func transformable(_ customClass: String) throws -> ModelFixture {
        let text = customClass.replacingOccurrences(of: "& ", with: "&amp; ").replacingOccurrences(
            of: "<", with: "&lt;"
        )
        .replacingOccurrences(of: "&amp;lt;", with: "&lt;")
        return try ModelFixture(
            """
            <entity name="Note" representedClassName="Note" codeGenerationType="class">
                <attribute name="value" attributeType="Transformable" customClassName="\(text)"/>
            </entity>
            """)
    }

    @Test("a class that hides a type of the frameworks")
    func hiddenTypes() throws {
        let model = try ModelFixture(
            """
            <entity name="Data" representedClassName="Data" codeGenerationType="class">
                <attribute name="bytes" attributeType="Binary"/>
                <attribute name="size" attributeType="Integer 32" usesScalarValueType="YES"/>
            </entity>
            <entity name="Int32" representedClassName=".Int32"/>
            <entity name="NSManagedObject" representedClassName=".NSManagedObject"/>
            """)
        let files = try model.files()
        let text = try #require(files["Data+CoreDataProperties.swift"])
        #expect(text.contains("public var bytes: Foundation.Data? {"))
        #expect(text.contains("public var size: Swift.Int32 {"))
        #expect(
            files["Data+CoreDataClass.swift"]?.contains("public class Data: CoreData.NSManagedObject {") == true)
    }

    @Test("a relationship to an entity without a class, and a fetched property")
    func others() throws {
        let generator = try ModelCodeGenerator(modelAt: ModelFixture.showcase, module: nil)
        let book = try #require(generator.classes.first { $0.name == "Book" })
        let types = Dictionary(uniqueKeysWithValues: book.properties.map { ($0.name, $0.type) })
        #expect(types["shelf"] == "NSManagedObject?")
        #expect(types["neighbours"] == "[Book]")
        #expect(types["place"] == "[String: Any]?")
        #expect(types["chapters"] == "NSOrderedSet?")
        #expect(book.properties.first { $0.name == "tags" }?.kind == .toMany("Tag", isOrdered: false))
    }
}
