import CoreDataModelTools
import Foundation
import TestSupport
import Testing

struct GeneratedFileTests {
    let folder: TemporaryDirectory
    init() throws { folder = try TemporaryDirectory() }

    @Test func theContentsAreWritten() throws {
        let file = GeneratedFile(name: "Person.swift", contents: "class Person {}\n")
        #expect(try file.write(into: folder.url))
        #expect(try String(contentsOf: folder.url("Person.swift"), encoding: .utf8) == "class Person {}\n")
    }

    @Test func aFileThatHoldsTheSameIsNotTouched() throws {
        let file = GeneratedFile(name: "Person.swift", contents: "class Person {}\n")
        try file.write(into: folder.url)
        let path = folder.path("Person.swift")
        let past = Date(timeIntervalSince1970: 1_000_000)
        try FileManager.default.setAttributes([.modificationDate: past], ofItemAtPath: path)
        #expect(try !file.write(into: folder.url))
        #expect(try FileManager.default.attributesOfItem(atPath: path)[.modificationDate] as? Date == past)
        #expect(try GeneratedFile(name: "Person.swift", contents: "other").write(into: folder.url))
        #expect(try String(contentsOf: folder.url("Person.swift"), encoding: .utf8) == "other")
    }
}
