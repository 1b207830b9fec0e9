import CoreData
import CoreDataModelTools
import Foundation
import Testing

@Suite("classes of generated code")
struct ClassNameTests {
    @Test(
        "names of classes",
        arguments: [
            ("Note", "Note", nil), (".Note", "Note", nil), ("App.Note", "Note", nil), ("Other.Note", "Note", "Other"),
            ("App.Outer.Note", "Outer.Note", nil), (".Outer.Note", "Outer.Note", nil),
            ("Folder.Note", "Folder.Note", nil),
            ("class", "`class`", nil), (".Type", "`Type`", nil), ("Größe", "Größe", nil),
        ] as [(String, String, String?)])
    func names(_ text: String, _ name: String, _ module: String?) throws {
        let model = try ModelFixture(
            """
            <entity name="Folder" representedClassName=".Folder" codeGenerationType="class"/>
            <entity name="Note" representedClassName="\(text)" codeGenerationType="class"/>
            """)
        let type = try #require(try model.generator(module: "App").classes.last)
        #expect(type.name == name)
        #expect(type.module == module)
        #expect(type.modelNames == [text])
        #expect(type.entityNames == ["Note"])
    }

    @Test("names that are none", arguments: ["No-te", "3D", "A..B", ".", "A.", "No te", "_", "A;B"])
    func wrongNames(_ text: String) throws {
        let model = try ModelFixture(
            #"<entity name="Note" representedClassName="\#(text)" codeGenerationType="class"/>"#)
        #expect(
            model.problem() == "Library.xcdatamodel: Note: its class '\(text)' is no name of a class in Swift.")
    }

    @Test(
        "an entity without a class of its own has no code", arguments: ["", #"representedClassName="NSManagedObject""#])
    func plain(_ attribute: String) throws {
        let model = try ModelFixture(#"<entity name="Note" \#(attribute) codeGenerationType="class"/>"#)
        #expect(try model.generator().classes.isEmpty)
        #expect(try model.files().isEmpty)
    }

    @Test(
        "how much is generated",
        arguments: [
            (#"codeGenerationType="class""#, ["Note+CoreDataClass.swift", "Note+CoreDataProperties.swift"]),
            (#"codeGenerationType="category""#, ["Note+CoreDataProperties.swift"]),
            (#"codeGenerationType="none""#, []), ("", []),
        ])
    func codeGeneration(_ attribute: String, _ files: [String]) throws {
        let model = try ModelFixture(
            """
            <entity name="Note" representedClassName="Note" \(attribute)>
                <attribute name="text" attributeType="String"/>
            </entity>
            """)
        #expect(try model.files().keys.sorted() == files)
        let type = try #require(try model.generator().classes.first)
        #expect(type.properties.map(\.name) == ["text"])
        #expect(type.properties.map(\.isGenerated) == [!files.isEmpty])
        #expect(try model.files(forced: .class).count == 2)
    }

    @Test("a nested class is declared in the type around it")
    func nested() throws {
        let model = try ModelFixture(
            #"<entity name="Note" representedClassName=".Outer.Note" codeGenerationType="class"/>"#)
        let files = try model.files()
        #expect(
            files["Outer.Note+CoreDataClass.swift"]?.contains(
                """
                extension Outer {

                    nonisolated public class Note: NSManagedObject {

                    }

                }

                """) == true)
        #expect(files["Outer.Note+CoreDataProperties.swift"]?.contains("extension Outer.Note {") == true)
    }

    @Test("a subentity's class is a subclass, and has its own properties only")
    func inheritance() throws {
        let model = try ModelFixture(
            """
            <entity name="Child" representedClassName="Child" parentEntity="Middle" codeGenerationType="class">
                <attribute name="c" attributeType="String"/>
            </entity>
            <entity name="Middle" representedClassName=".Root" parentEntity="Root" codeGenerationType="class">
                <attribute name="b" attributeType="String"/>
            </entity>
            <entity name="Root" representedClassName=".Root" isAbstract="YES" codeGenerationType="class">
                <attribute name="a" attributeType="String"/>
            </entity>
            """)
        let classes = try model.generator().classes
        #expect(classes.map(\.name) == ["Child", "Root"])
        #expect(classes.map(\.superclass) == ["Root", "NSManagedObject"])
        #expect(classes.map { $0.properties.map(\.name) } == [["c"], ["b", "a"]])
        #expect(classes.map(\.isIdentifiable) == [false, true])
        // The entity above the others of the class.
        #expect(classes.map(\.fetchedEntityName) == ["Child", "Root"])
    }

    @Test("below an entity without a class the class is a managed object's")
    func inheritanceWithoutClass() throws {
        let model = try ModelFixture(
            """
            <entity name="Child" representedClassName="Child" parentEntity="Root" codeGenerationType="class"/>
            <entity name="Root"/>
            """)
        #expect(try model.generator().classes.map(\.superclass) == ["NSManagedObject"])
    }

    @Test("entities that share a class: one class with the properties of all, and no request of its own")
    func shared() throws {
        let model = try ModelFixture(
            """
            <entity name="A" representedClassName="Note" codeGenerationType="class">
                <attribute name="text" attributeType="String"/>
            </entity>
            <entity name="B" representedClassName=".Note">
                <attribute name="text" attributeType="String"/>
                <attribute name="size" attributeType="Double"/>
            </entity>
            """)
        let type = try #require(try model.generator().classes.first)
        #expect(type.entityNames == ["A", "B"])
        #expect(type.modelNames == ["Note", ".Note"])
        #expect(type.properties.map(\.name) == ["text", "size"])
        #expect(type.properties.map(\.isGenerated) == [true, false])
        let text = try #require(try model.files()["Note+CoreDataProperties.swift"])
        #expect(!text.contains("fetchRequest"))
        #expect(!text.contains("size"))
    }

    @Test("entities that share a class must agree")
    func disagreement() throws {
        let types = try ModelFixture(
            """
            <entity name="A" representedClassName="Note" codeGenerationType="class">
                <attribute name="text" attributeType="String"/>
            </entity>
            <entity name="B" representedClassName="Note" codeGenerationType="class">
                <attribute name="text" attributeType="Double"/>
            </entity>
            """)
        #expect(
            types.problem() == "Library.xcdatamodel: B.text: its type is 'NSNumber?' here, and 'String?' in another "
                + "entity of class 'Note'.")
        let parents = try ModelFixture(
            """
            <entity name="A" representedClassName="Note" codeGenerationType="class"/>
            <entity name="B" representedClassName="Note" parentEntity="C" codeGenerationType="class"/>
            <entity name="C" representedClassName="Top" codeGenerationType="class"/>
            """)
        #expect(
            parents.problem() == "Library.xcdatamodel: B: its class 'Note' would be a subclass of 'Top' here, and of "
                + "'NSManagedObject' by entity 'A', which shares the class.")
    }

    @Test("keywords are written in backticks", arguments: ["default", "in", "operator", "Self", "Any"])
    func keywords(_ name: String) throws {
        let property = try #require(try attribute(name).generator().classes.first?.properties.first)
        #expect(property.name == name)
        #expect(property.swiftName == "`\(name)`")
    }

    @Test("names that no property can have", arguments: ["Type", "Protocol", "hashValue", "validateForInsert"])
    func impossible(_ name: String) throws {
        let problem = try #require(try attribute(name).problem())
        #expect(problem.hasPrefix("Library.xcdatamodel: Note.\(name): "))
    }

    @Test(
        "names that Core Data reserves", arguments: ["self", "class", "objectID", "description", "hash", "isDeleted"])
    func reserved(_ name: String) throws {
        let problem = try #require(try attribute(name).problem())
        #expect(problem.hasPrefix("Library.xcdatamodel: "))
        #expect(problem.contains("'\(name)'") && problem.contains("'Note'"))
    }

    @Test("names that are no identifiers", arguments: ["a-b", "1a", "a b", "a.b", "a\"", "a`"])
    func odd(_ name: String) throws {
        let model = try attribute(name.replacingOccurrences(of: "\"", with: "&quot;"))
        #expect(model.problem() == "Library.xcdatamodel: Note.\(name): '\(name)' is no name of a property in Swift.")
        // Where the code is written by hand the name is somebody else's affair.
        #expect(model.problem(forced: .manual) == nil)
    }

    private func attribute(_ name: String) throws -> ModelFixture {
        try ModelFixture(
            """
            <entity name="Note" representedClassName="Note" codeGenerationType="class">
                <attribute name="\(name)" attributeType="String"/>
            </entity>
            """)
    }

    @Test("relationships whose methods would have the same names")
    func sameMethods() throws {
        let model = try ModelFixture(
            """
            <entity name="Note" representedClassName="Note" codeGenerationType="class">
                <relationship name="Items" optional="YES" toMany="YES" destinationEntity="Note"/>
                <relationship name="items" optional="YES" toMany="YES" destinationEntity="Note"/>
            </entity>
            """)
        #expect(
            model.problem() == "Library.xcdatamodel: Note.items: its methods would have the same names as those of "
                + "'Items': addToItems.")
    }

    @Test(
        "Identifiable, where the type of 'id' allows it",
        arguments: [
            (#"attributeType="UUID""#, true), (#"attributeType="Integer 64" usesScalarValueType="YES""#, true),
            (#"attributeType="Transformable""#, true),
            (#"attributeType="Transformable" customClassName="Color""#, false), ("", false),
        ])
    func identifiable(_ attribute: String, _ isIdentifiable: Bool) throws {
        let model = try ModelFixture(
            """
            <entity name="Note" representedClassName="Note" codeGenerationType="class">
                <attribute name="id" optional="YES" transient="YES" \(attribute)/>
            </entity>
            """)
        #expect(try model.generator().classes.first?.isIdentifiable == isIdentifiable)
        #expect(
            try model.files()["Note+CoreDataProperties.swift"]?.contains("extension Note: Identifiable")
                == isIdentifiable)
    }

    @Test("a hand-written class in another module is looked for there, if there is such a module")
    func imports() throws {
        let model = try ModelFixture(
            """
            <entity name="Base" representedClassName="Kit.Base"/>
            <entity name="Note" representedClassName="App.Note" parentEntity="Base" codeGenerationType="class">
                <relationship name="folder" optional="YES" maxCount="1" destinationEntity="Folder"/>
            </entity>
            <entity name="Folder" representedClassName="Desk.Folder"/>
            """)
        let text = try #require(try model.files(module: "App")["Note+CoreDataProperties.swift"])
        #expect(
            text.contains(
                """
                import Foundation
                #if canImport(Desk)
                import Desk
                #endif
                #if canImport(Kit)
                import Kit
                #endif

                """))
        #expect(try model.files()["Note+CoreDataProperties.swift"]?.contains("Kit\n") == false)
    }

    @Test("a model that cannot be read is named")
    func unreadable() throws {
        let url = ModelFixture.targetFolder.appendingPathComponent("None.xcdatamodel")
        #expect {
            try ModelCodeGenerator(modelAt: url, module: nil)
        } throws: { error in
            "\(error)".hasPrefix("None.xcdatamodel: ")
        }
        #expect {
            try ModelCodeGenerator(modelAt: url.deletingPathExtension().appendingPathExtension("mom"), module: nil)
        } throws: { error in
            "\(error)".contains("the form in which Xcode keeps a model")
        }
    }
}
