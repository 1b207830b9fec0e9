import Foundation
import TestSupport
import Testing

@testable import CoreDataTool

@Suite("model generate")
struct GenerateCommandTests {
    let folder: TemporaryDirectory
    let model: String
    let output: String

    init() throws {
        folder = try TemporaryDirectory()
        model = folder.path("Library.xcdatamodel")
        output = folder.path("Sources/Generated")
        try FileManager.default.createDirectory(atPath: model, withIntermediateDirectories: true)
        try write("codeGenerationType=\"class\"", "codeGenerationType=\"category\"")
    }

    private func write(_ book: String, _ author: String, attribute: String = "title") throws {
        let text = """
            <?xml version="1.0" encoding="UTF-8"?>
            <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
                <entity name="Book" representedClassName="Book" \(book)>
                    <attribute name="\(attribute)" attributeType="String"/>
                </entity>
                <entity name="Author" representedClassName="Author" \(author)/>
            </model>
            """
        try text.write(toFile: model + "/contents", atomically: true, encoding: .utf8)
    }

    private var names: [String] { (try? FileManager.default.contentsOfDirectory(atPath: output).sorted()) ?? [] }

    @Test("the files are written, and the listing says which")
    func writing() throws {
        let run = ToolRun("model", "generate", "--output", output, model)
        #expect(run.code == 0)
        #expect(run.errors == "")
        let expected = [
            "Author+CoreDataProperties.swift", "Book+CoreDataClass.swift", "Book+CoreDataProperties.swift",
        ]
        #expect(names == expected)
        #expect(
            run.output.split(separator: "\n").sorted()
                == expected.map { "written   \(output)/\($0)"[...] })
        let again = ToolRun("model", "generate", "-o", output, model)
        #expect(again.output.split(separator: "\n").allSatisfy { $0.hasPrefix("unchanged ") })
    }

    @Test("--json")
    func json() throws {
        let json = try ToolRun("model", "generate", "--json", "--output", output, model).json()
        let files = try #require(json["files"] as? [[String: Any]])
        #expect(files.count == 3)
        #expect(files.allSatisfy { $0["isChanged"] as? Bool == true })
        let classes = try #require(json["classes"] as? [[String: Any]])
        #expect(classes.map { $0["name"] as? String } == ["Book", "Author"])
        #expect(classes.map { $0["codegen"] as? String } == ["class", "category"])
        #expect(classes.map { $0["entities"] as? [String] } == [["Book"], ["Author"]])
        #expect(json["output"] as? String == output)
        #expect(json["leftovers"] as? [String] == [])
    }

    @Test("a file that was not generated is kept, and nothing is written")
    func somebodysFile() throws {
        try FileManager.default.createDirectory(atPath: output, withIntermediateDirectories: true)
        let path = output + "/Book+CoreDataProperties.swift"
        try "import CoreData\n".write(toFile: path, atomically: true, encoding: .utf8)
        let run = ToolRun("model", "generate", "--output", output, model)
        #expect(run.code == 1)
        #expect(run.errors.contains("\(path): the file was not generated, so it is not replaced. Nothing was written."))
        #expect(names == ["Book+CoreDataProperties.swift"])
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "import CoreData\n")
        let json = try ToolRun("model", "generate", "--json", "--output", output, model).json()
        #expect((json["error"] as? [String: Any])?["kind"] as? String == "exists")
    }

    @Test("a file of an entity that is hand-written now is left, with a warning")
    func leftovers() throws {
        #expect(ToolRun("model", "generate", "--output", output, model).code == 0)
        try write("codeGenerationType=\"category\"", "codeGenerationType=\"category\"")
        let run = ToolRun("model", "generate", "--output", output, model)
        #expect(run.code == 0)
        #expect(run.errors.contains("\(output)/Book+CoreDataClass.swift is left of an entity"))
        #expect(names.contains("Book+CoreDataClass.swift"))
    }

    @Test("a model without generated code says so; --codegen generates all the same")
    func manual() throws {
        try write("", "codeGenerationType=\"none\"")
        let run = ToolRun("model", "generate", "--output", output, model)
        #expect(run.code == 0)
        #expect(run.output.contains("Nothing to write"))
        #expect(run.output.contains("--codegen class"))
        #expect(ToolRun("model", "generate", "--output", output, "--codegen", "category", model).code == 0)
        #expect(names == ["Author+CoreDataProperties.swift", "Book+CoreDataProperties.swift"])
        let wrong = ToolRun("model", "generate", "--output", output, "--codegen", "clas", model)
        #expect(wrong.code == 2)
        #expect(wrong.errors.contains("Did you mean 'class'?"))
    }

    @Test("what cannot be generated names entity and property")
    func problems() throws {
        try write("codeGenerationType=\"class\"", "", attribute: "my title")
        let run = ToolRun("model", "generate", "--output", output, model)
        #expect(run.code == 1)
        #expect(run.errors.contains("\(model): Book.my title: 'my title' is no name of a property in Swift."))
        #expect(names.isEmpty)
    }

    @Test("what is missing")
    func missing() {
        let noOutput = ToolRun("model", "generate", model)
        #expect(noOutput.code == 2)
        #expect(noOutput.errors.contains("--output is missing"))
        let noModel = ToolRun("model", "generate", "--output", output, folder.path("None.xcdatamodeld"))
        #expect(noModel.code == 1)
        #expect(noModel.errors.contains("there is no such model"))
        let compiled = ToolRun("model", "generate", "--output", output, folder.path)
        #expect(compiled.code == 1)
        #expect(compiled.errors.contains("an .xcdatamodeld or .xcdatamodel"))
    }

    @Test("with the module's own files, also what the plugin writes for them")
    func sources() throws {
        let own = folder.path("Sources/Author.swift")
        try FileManager.default.createDirectory(
            atPath: folder.path("Sources"), withIntermediateDirectories: true)
        try """
        import CoreData

        public class Author: NSManagedObject {
            @NSManaged public var pseudonym: String?
        }
        """.write(toFile: own, atomically: true, encoding: .utf8)
        let words = [
            "model", "generate", "-o", output, "--module", "Library", "--sources", folder.path("Sources"), model,
        ]
        let run = ToolRun(words)
        #expect(run.code == 0, "\(run.errors)")
        #expect(names.contains("Library+Managed.swift"))
        let text = try String(contentsOfFile: output + "/Library+Managed.swift", encoding: .utf8)
        #expect(text.contains("Author._register("))
        #expect(text.contains("Book._register("))
        #expect(text.contains("pseudonym"))
        // Its own files are no sources of a second run.
        let again = ToolRun(words)
        #expect(again.code == 0)
        #expect(again.output.split(separator: "\n").allSatisfy { $0.hasPrefix("unchanged ") })
        #expect(try String(contentsOfFile: output + "/Library+Managed.swift", encoding: .utf8) == text)
    }

    @Test("--sources without a module, or with code that cannot be completed")
    func wrongSources() throws {
        let noModule = ToolRun("model", "generate", "-o", output, "--sources", folder.path, model)
        #expect(noModule.code == 2)
        #expect(noModule.errors.contains("--sources needs --module"))
        try """
        import CoreData
        class Author: NSManagedObject { @NSManaged var x: (Int, Int) }
        """.write(toFile: folder.path("Author.swift"), atomically: true, encoding: .utf8)
        let run = ToolRun(
            "model", "generate", "-o", output, "--module", "Library", "--sources", folder.path, model)
        #expect(run.code == 1)
        #expect(run.errors.contains("Author.swift:2: error:"))
        #expect(names.isEmpty)
    }
}
