import Foundation
import TestSupport
import Testing

@testable import CoreDataTool

@Suite("model port")
struct PortCommandTests {
    private let folder: TemporaryDirectory
    private var path: String { folder.url.path }

    init() throws {
        folder = try TemporaryDirectory()
        try write("Sources/Person.swift", Self.person)
        try write("Sources/List.swift", "let path = #keyPath(Person.name)\nlet other = #keyPath(Boss.title)\n")
        try write(
            "Sources/M.xcdatamodeld/M.xcdatamodel/contents",
            """
            <model><entity name="Boss" representedClassName=".Boss" codeGenerationType="class">
            <attribute name="title" attributeType="String"/></entity></model>
            """)
    }

    /// As Xcode writes it, and what people add.
    private static let person = """
        import Foundation

        public class NSManagedObject: NSObject {}

        @objc(Person)
        public class Person: NSManagedObject {
            @objc public var name: String? { nil }
            public @objc dynamic var age: Int { 0 }
            /// Done.
            @objc(isDone) var done: Bool {
                @objc(isDone2) get { false }
            }
            @objc func sort() -> String { "\\(#keyPath(Person.name)) \\(#keyPath(age))" }
            @objc enum Kind: Int { case open
                case closed }
            @nonobjc public class func request() {}
        }

        extension Person {

            @objc(addTagsObject:)
            @available(*, deprecated)
            public func addToTags(_ value: Int) {}

        }
        """

    private func write(_ name: String, _ text: String) throws {
        let url = folder.url(name)
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: url)
    }

    private func read(_ name: String) throws -> String { try String(contentsOf: folder.url(name), encoding: .utf8) }

    @Test("without --fix nothing is changed and the exit code says that there is something to do")
    func plan() throws {
        let before = try fingerprint(of: folder.url)
        let run = ToolRun("model", "port", path)
        #expect(run.code == 1)
        #expect(run.errors == "")
        #expect(run.output.contains("\(path)/Sources/Person.swift:5:1: @objc(Person)\n"))
        #expect(run.output.contains("\(path)/Sources/List.swift:1:12: #keyPath(Person.name)\n"))
        #expect(run.output.contains("\n-let path = #keyPath(Person.name)\n"))
        #expect(run.output.contains("\n+let other = \"title\"\n"))
        #expect(run.output.hasSuffix("11 places in 2 files: 11 to be put right with --fix.\n"))
        #expect(try fingerprint(of: folder.url) == before)
    }

    @Test("with --fix the files are changed, and a second run finds nothing")
    func fix() throws {
        chmod(folder.url("Sources/Person.swift").path, 0o640)
        let run = ToolRun("model", "port", "--fix", path)
        #expect(run.code == 0, "\(run.errors)")
        #expect(run.output.hasSuffix("11 places in 2 files: 11 put right.\n"))
        #expect(try read("Sources/List.swift") == "let path = \"name\"\nlet other = \"title\"\n")
        var information = stat()
        #expect(stat(folder.url("Sources/Person.swift").path, &information) == 0)
        #expect(information.st_mode & 0o7777 == 0o640)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.url("Sources").path)
        #expect(names.sorted() == ["List.swift", "M.xcdatamodeld", "Person.swift"])
        let before = try fingerprint(of: folder.url)
        let again = ToolRun("model", "port", "--fix", path)
        #expect(again.code == 0)
        #expect(again.output == "Nothing to do in 2 Swift files.\n")
        #expect(try fingerprint(of: folder.url) == before)
    }

    @Test("the changed files compile here")
    func compiles() throws {
        let arguments = ["swiftc", "-typecheck", "-swift-version", "6", "-parse-as-library"]
        let before = try Subprocess.run("/usr/bin/env", arguments + [folder.url("Sources/Person.swift").path])
        #expect(!before.isSuccess)
        #expect(ToolRun("model", "port", "--fix", folder.url("Sources/Person.swift").path).code == 0)
        let after = try Subprocess.run("/usr/bin/env", arguments + [folder.url("Sources/Person.swift").path])
        #expect(after.isSuccess, "\(after.errorOutput)")
    }

    @Test("what is to be done by hand is named, and the exit code says that it is left")
    func byHand() throws {
        try write("Sources/View.swift", "let s = #selector(tap)\n")
        let run = ToolRun("model", "port", "--fix", path)
        #expect(run.code == 1)
        #expect(run.output.contains("View.swift:1:9: #selector(tap) (by hand: "))
        #expect(run.output.hasSuffix("12 places in 3 files: 11 put right, 1 left to do by hand.\n"))
        #expect(try read("Sources/View.swift") == "let s = #selector(tap)\n")
    }

    @Test("JSON says the same")
    func json() throws {
        let run = ToolRun("model", "port", "--json", path)
        #expect(run.code == 1)
        let json = try run.json()
        #expect(json["isFixed"] as? Bool == false)
        #expect(json["fixable"] as? Int == 11)
        #expect(json["byHand"] as? Int == 0)
        let files = try #require(json["files"] as? [[String: Any]])
        #expect(
            files.compactMap { ($0["path"] as? String)?.split(separator: "/").last } == ["List.swift", "Person.swift"])
        let finding = try #require((files[0]["findings"] as? [[String: Any]])?.first)
        #expect(finding["kind"] as? String == "keyPath")
        #expect(finding["line"] as? Int == 1)
        #expect(finding["column"] as? Int == 12)
        #expect((files[0]["difference"] as? [String])?.first == "@@ -1,2 +1,2 @@")
    }

    @Test("a file in another encoding is named and left as it is; the others are changed")
    func encoding() throws {
        let latin = Data([0x2F, 0x2F, 0x20, 0xE4, 0x0A]) + Data("@objc class A {}\n".utf8)
        try latin.write(to: folder.url("Sources/Latin.swift"))
        let run = ToolRun("model", "port", "--fix", path)
        #expect(run.code == 1)
        #expect(run.errors.contains("Latin.swift: it is not UTF-8"))
        #expect(try Data(contentsOf: folder.url("Sources/Latin.swift")) == latin)
        #expect(try read("Sources/List.swift").hasPrefix("let path = \"name\""))
    }

    @Test("hidden folders, links and other files are passed over")
    func others() throws {
        try write(".build/x.swift", "@objc class A {}")
        try write("Sources/notes.txt", "@objc class A {}")
        try FileManager.default.createSymbolicLink(
            at: folder.url("Sources/Link.swift"), withDestinationURL: folder.url(".build/x.swift"))
        try FileManager.default.createSymbolicLink(at: folder.url("Sources/Loop"), withDestinationURL: folder.url)
        let run = ToolRun("model", "port", path)
        #expect(run.output.hasSuffix("11 places in 2 files: 11 to be put right with --fix.\n"))
    }

    @Test("a missing folder is an error")
    func missing() {
        let run = ToolRun("model", "port", path + "/gone")
        #expect(run.code == 1)
        #expect(run.errors.contains("there is no such folder"))
    }

    @Test("a file that may not be written stops it with a message")
    func forbidden() throws {
        guard geteuid() != 0 else { return }
        chmod(folder.url("Sources/List.swift").path, 0o444)
        let run = ToolRun("model", "port", "--fix", path)
        #expect(run.code == 1)
        #expect(run.errors.contains("it cannot be changed"))
        #expect(try read("Sources/List.swift").hasPrefix("let path = #keyPath"))
    }
}
