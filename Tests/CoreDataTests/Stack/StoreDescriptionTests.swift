import CoreData
import Foundation
import Testing

@Suite("Store description")
struct StoreDescriptionTests {
    private let url = URL(fileURLWithPath: "/tmp/Some.sqlite")

    @Test("a new description is of a SQLite store that migrates by inference and loads synchronously")
    func defaults() {
        let description = NSPersistentStoreDescription(url: url)
        #expect(description.type == "SQLite")
        #expect(description.url == url)
        #expect(description.configuration == nil)
        #expect(description.shouldMigrateStoreAutomatically)
        #expect(description.shouldInferMappingModelAutomatically)
        #expect(!description.shouldAddStoreAsynchronously)
        #expect(!description.isReadOnly)
        #expect(description.sqlitePragmas.isEmpty)
    }

    @Test("the bare initialiser describes a store at /dev/null")
    func bare() {
        #expect(NSPersistentStoreDescription().url?.absoluteString == "file:///dev/null")
    }

    @Test("flags stand in the options under Apple's keys")
    func options() {
        let description = NSPersistentStoreDescription(url: url)
        description.shouldAddStoreAsynchronously = true
        #expect(
            Set(description.options.keys) == [
                "NSAddStoreAsynchronouslyOption", "NSInferMappingModelAutomaticallyOption",
                "NSMigratePersistentStoresAutomaticallyOption",
            ])
        #expect(description.options["NSAddStoreAsynchronouslyOption"] == NSNumber(value: true))
        description.isReadOnly = true
        #expect(description.options[NSReadOnlyPersistentStoreOption] == NSNumber(value: true))
        description.setOption(nil, forKey: NSReadOnlyPersistentStoreOption)
        #expect(!description.isReadOnly)
        description.timeout = 1.5
        #expect(description.options[NSPersistentStoreTimeoutOption] == NSNumber(value: 1.5))
    }

    @Test("pragmas are gathered under one option and can be taken back")
    func pragmas() {
        let description = NSPersistentStoreDescription(url: url)
        description.setValue("DELETE" as NSString, forPragmaNamed: "journal_mode")
        description.setValue("FULL" as NSString, forPragmaNamed: "synchronous")
        #expect(
            description.sqlitePragmas as? [String: NSString] == ["journal_mode": "DELETE", "synchronous": "FULL"])
        description.setValue(nil, forPragmaNamed: "journal_mode")
        #expect(description.sqlitePragmas.keys.sorted() == ["synchronous"])
        description.setValue(nil, forPragmaNamed: "synchronous")
        #expect(description.options[NSSQLitePragmasOption] == nil)
    }

    @Test("a copy is equal and independent")
    func copying() throws {
        let description = NSPersistentStoreDescription(url: url)
        description.configuration = "Cloud"
        description.setOption("x" as NSString, forKey: "key")
        let copy = try #require(description.copy() as? NSPersistentStoreDescription)
        #expect(copy == description)
        copy.setOption(nil, forKey: "key")
        copy.url = URL(fileURLWithPath: "/tmp/Other.sqlite")
        #expect(copy != description)
        #expect(description.options["key"] == "x" as NSString)
        #expect(description.url == url)
    }
}
