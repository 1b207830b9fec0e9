import CoreDataModelTools
import Foundation
import TestSupport
import Testing

struct TargetCompilationTests {
    let folder: TemporaryDirectory
    init() throws { folder = try TemporaryDirectory() }

    func model(_ name: String) throws -> URL {
        let url = folder.url(name)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        let text = """
            <?xml version="1.0"?><model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
            <entity name="Tag" representedClassName="Tag" codeGenerationType="class">
            <attribute name="name" optional="YES" attributeType="String"/></entity></model>
            """
        try Data(text.utf8).write(to: url.appendingPathComponent("contents"))
        return url
    }

    @Test func codeAndModelAreWritten() throws {
        let source = folder.url("Book.swift")
        try Data("import CoreData\nclass Book: NSManagedObject { @NSManaged var tag: Tag? }".utf8).write(to: source)
        let output = folder.url("out")
        let compilation = try TargetCompilation(arguments: [
            "--module", "App", "--output", output.path, "--model", try model("M.xcdatamodel").path, "--source",
            source.path,
        ])
        let (lines, hasErrors) = try compilation.run()
        #expect(lines.isEmpty && !hasErrors)
        let classes = try String(contentsOf: output.appendingPathComponent("M+CoreDataModel.swift"), encoding: .utf8)
        #expect(classes.contains("class Tag: NSManagedObject"))
        let managed = try String(contentsOf: output.appendingPathComponent("App+Managed.swift"), encoding: .utf8)
        #expect(managed.contains("$s3App4BookC3tagAA3TagCSgvg") && managed.contains("\\Tag.name"))
        #expect(FileManager.default.fileExists(atPath: output.path + "/M.xcdatamodel/contents"))
    }

    @Test func errorsLeaveNoFiles() throws {
        let source = folder.url("Book.swift")
        try Data("class Book: NSManagedObject { @NSManaged var tag: Nothing? }".utf8).write(to: source)
        let output = folder.url("out")
        let (lines, hasErrors) = try TargetCompilation(arguments: [
            "--module", "App", "--output", output.path, "--source", source.path,
        ]).run()
        #expect(hasErrors && lines.count == 1 && !FileManager.default.fileExists(atPath: output.path))
    }

    @Test func aModelThatCannotBeReadIsAnErrorOfItsFile() throws {
        let url = folder.url("Bad.xcdatamodel")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        try Data("no".utf8).write(to: url.appendingPathComponent("contents"))
        let (lines, hasErrors) = try TargetCompilation(arguments: [
            "--module", "App", "--output", folder.path("out"), "--model", url.path,
        ]).run()
        #expect(hasErrors && lines.first?.hasPrefix(url.path + ":1: error: ") == true)
    }

    @Test func wrongArgumentsAreRefused() {
        for arguments in [
            ["--module"], ["--output", "x"], ["--odd", "x"], ["--module", "A", "--dependency-source", "x"],
        ] {
            #expect(throws: TargetCompilation.BadArguments.self) { try TargetCompilation(arguments: arguments) }
        }
    }
}
