import Foundation
import TestSupport
import Testing

@testable import CoreData

@Suite("Opening a SQLite store", .enabled(if: SQLiteShell.isUsable))
struct StoreOpeningTests {
    @Test("an existing store keeps identifier and metadata")
    func existing() throws {
        let fixture = try StoreFixture()
        let first = try fixture.open()
        try first.close()
        let second = try fixture.open()
        #expect(second.identifier == first.identifier)
        #expect(second.metadata["NSStoreUUID"] as? String == first.identifier)
        try second.close()
        #expect(try fixture.folder.contents == ["Store.sqlite"])
    }

    @Test("a file that is no database is error 259 with SQLite's 26, and stays as it is")
    func noDatabase() throws {
        let fixture = try StoreFixture()
        try Data("This is a text, and a long one, about nothing that a database would hold.".utf8).write(
            to: fixture.url)
        let before = FileGroup.contents(of: fixture.url)
        let error = try #require(error { _ = try fixture.open() })
        #expect(error.domain == NSCocoaErrorDomain && error.code == 259)
        #expect(error.userInfo["NSSQLiteErrorDomain"] as? Int == 26)
        #expect(error.userInfo[NSFilePathErrorKey] as? String == fixture.path)
        #expect(FileGroup.contents(of: fixture.url) == before)
    }

    @Test("another program's database is a clear error, and stays as it is")
    func otherDatabase() throws {
        let fixture = try StoreFixture()
        _ = try sqlite3(fixture.path, "CREATE TABLE recipe (name TEXT); INSERT INTO recipe VALUES ('bread')")
        let before = FileGroup.contents(of: fixture.url)
        let error = try #require(error { _ = try fixture.open() })
        #expect(error.code == 259)
        #expect((error.userInfo["reason"] as? String)?.contains("no Core Data store") == true)
        #expect(FileGroup.contents(of: fixture.url) == before)
    }

    @Test("a folder is an error")
    func folder() throws {
        let fixture = try StoreFixture()
        try FileManager.default.createDirectory(at: fixture.url, withIntermediateDirectories: false)
        #expect(error { _ = try fixture.open() }?.code == 256)
    }

    @Test("a damaged header is an error, not a stop")
    func damagedHeader() throws {
        let fixture = try StoreFixture()
        try fixture.make()
        var data = try Data(contentsOf: fixture.url)
        data.replaceSubrange(100..<400, with: Data(repeating: 0xA5, count: 300))
        try data.write(to: fixture.url)
        #expect(error { _ = try fixture.open() }?.code == 259)
    }

    @Test("the read-only option does not make a file")
    func readOnlyMissing() throws {
        let fixture = try StoreFixture()
        #expect(
            error { _ = try fixture.open(SampleModels.library(), [NSReadOnlyPersistentStoreOption: true]) }?.code == 260
        )
        #expect(try fixture.folder.contents == [])
    }

    @Test("a read-only store reads, refuses to write, and leaves no file behind")
    func readOnly() throws {
        let fixture = try StoreFixture()
        try fixture.make()
        let before = FileGroup.contents(of: fixture.url)
        let store = try fixture.open(SampleModels.library(), [NSReadOnlyPersistentStoreOption: true])
        #expect(store.isReadOnly && store.readOnlyReason == nil)
        #expect(try store.read { connection, _ in try connection.int64("SELECT count(*) FROM Z_PRIMARYKEY") } == 4)
        let error = try #require(error { try store.write { _, _ in } })
        #expect(error.domain == NSCocoaErrorDomain && error.code == 513)
        try store.close()
        #expect(FileGroup.contents(of: fixture.url) == before)
    }

    @Test("a store in a rollback-journal mode keeps it and gets one connection", arguments: ["delete", "truncate"])
    func rollbackJournal(_ mode: String) throws {
        let fixture = try StoreFixture()
        try fixture.make(SampleModels.library(), [NSSQLitePragmasOption: ["journal_mode": mode]])
        #expect(try sqlite3(fixture.path, "PRAGMA journal_mode") == "delete")
        let store = try fixture.open()
        #expect(!store.pool.isConcurrent)
        try store.write { connection, _ in try connection.execute("INSERT INTO ZTAG VALUES (1, 4, 1, 'red')") }
        #expect(try store.read { connection, _ in try connection.text("SELECT ZLABEL FROM ZTAG") } == "red")
        try store.close()
        #expect(try fixture.folder.contents == ["Store.sqlite"])
        #expect(try sqlite3(fixture.path, "PRAGMA journal_mode") == "delete")
    }

    @Test("asking for another journal mode moves the log into the file")
    func journalModeOption() throws {
        let fixture = try StoreFixture()
        let store = try fixture.open()
        try store.write { connection, _ in try connection.execute("INSERT INTO ZTAG VALUES (1, 4, 1, 'red')") }
        try store.close()
        let options: [AnyHashable: Any] = [NSSQLitePragmasOption: ["journal_mode": "DELETE"] as NSDictionary]
        try fixture.open(SampleModels.library(), options).close()
        #expect(try sqlite3(fixture.path, "PRAGMA journal_mode; SELECT ZLABEL FROM ZTAG") == "delete\nred")
    }

    @Test("a store of the time before cached models opens")
    func noModelCache() throws {
        let fixture = try StoreFixture()
        try fixture.make()
        _ = try sqlite3(fixture.path, "DROP TABLE Z_MODELCACHE")
        let store = try fixture.open()
        #expect(store.schema.entitiesInOrder.count == 4)
    }

    @Test("metadata that are missing fit no model, and are no stop")
    func noMetadata() throws {
        let fixture = try StoreFixture()
        try fixture.make()
        _ = try sqlite3(fixture.path, "UPDATE Z_METADATA SET Z_PLIST = NULL")
        #expect(error { _ = try fixture.open() }?.code == 134100)
        _ = try sqlite3(fixture.path, "DELETE FROM Z_METADATA")
        #expect(error { _ = try fixture.open() }?.code == 259)
    }

    @Test(
        "metadata beyond the bounds are an error", arguments: ["zeroblob(20000000)", "'text'", "x'62706c6973743030'"])
    func metadataBounds(_ value: String) throws {
        let fixture = try StoreFixture()
        try fixture.make()
        _ = try sqlite3(fixture.path, "UPDATE Z_METADATA SET Z_PLIST = \(value)")
        #expect(error { _ = try fixture.open() }?.code == 259)
    }

    @Test("a store of another type is error 134010")
    func typeMismatch() throws {
        let fixture = try StoreFixture()
        try fixture.make()
        let plist: [String: Any] = [
            "NSStoreType": "XML", "NSStoreModelVersionHashes": SampleModels.library().entityVersionHashesByName,
        ]
        let data = try PropertyListSerialization.data(fromPropertyList: plist, format: .binary, options: 0)
        let hex = data.map { String(format: "%02x", $0) }.joined()
        _ = try sqlite3(fixture.path, "UPDATE Z_METADATA SET Z_PLIST = x'\(hex)'")
        let error = try #require(error { _ = try fixture.open() })
        #expect(error.domain == NSCocoaErrorDomain && error.code == 134010)
    }

    @Test("a column that somebody took away is error 134020 naming it")
    func missingColumn() throws {
        let fixture = try StoreFixture()
        try fixture.make()
        _ = try sqlite3(fixture.path, "ALTER TABLE ZAUTHOR DROP COLUMN ZNAME")
        let error = try #require(error { _ = try fixture.open() })
        #expect(error.code == 134020)
        #expect((error.userInfo["reason"] as? String)?.contains("ZNAME") == true)
    }

    @Test("columns added behind, as migrations do, do not matter")
    func addedColumns() throws {
        let fixture = try StoreFixture()
        try fixture.make()
        _ = try sqlite3(fixture.path, "ALTER TABLE ZAUTHOR ADD COLUMN ZOTHER VARCHAR")
        let store = try fixture.open()
        let author = try #require(store.schema.model.entitiesByName["Author"])
        #expect(store.schema.entity(author)?.columns.map { $0?.name } == ["ZNAME", "ZBORN"])
    }

    @Test("numbers of entities are the file's, not the model's")
    func entityNumbers() throws {
        let fixture = try StoreFixture()
        try fixture.make()
        _ = try sqlite3(fixture.path, "UPDATE Z_PRIMARYKEY SET Z_ENT = 9 WHERE Z_NAME = 'Author'")
        let store = try fixture.open()
        let author = try #require(store.schema.model.entitiesByName["Author"])
        #expect(store.schema.entity(author)?.number == 9)
        #expect(store.schema.ordinal(number: 9) == Int32(author.ordinal))
        #expect(store.schema.ordinal(number: 1) == nil)
        #expect(store.schema.ordinal(number: -1) == nil)
        #expect(store.schema.ordinal(number: 1 << 40) == nil)
    }
}

@Suite("A store of another model", .enabled(if: SQLiteShell.isUsable))
struct StoreCompatibilityTests {
    private func changed() -> NSManagedObjectModel {
        let model = SampleModels.library()
        model.entitiesByName["Tag"]?.properties += [SampleModels.attribute("colour", .stringAttributeType)]
        model.entities += [SampleModels.entity("Shelf", [SampleModels.attribute("room", .stringAttributeType)])]
        return model
    }

    @Test("it is refused with 134100, its metadata, and the entities that differ")
    func refused() throws {
        let fixture = try StoreFixture()
        let identifier = try fixture.open().identifier
        let error = try #require(error { _ = try fixture.open(changed()) })
        #expect(error.domain == NSCocoaErrorDomain && error.code == 134100)
        #expect(
            error.userInfo["reason"] as? String
                == "The model used to open the store is incompatible with the one used to create the store")
        let metadata = try #require(error.userInfo["metadata"] as? [String: Any])
        #expect(metadata["NSStoreUUID"] as? String == identifier)
        #expect((metadata["NSStoreModelVersionHashes"] as? [String: Data])?.count == 4)
        #expect(error.userInfo["entities"] as? [String] == ["Book", "Shelf", "Tag"].filter { $0 != "Book" })
        #expect(error.localizedRecoverySuggestion?.contains("changed: Tag") == true)
        #expect(error.localizedRecoverySuggestion?.contains("only in the model: Shelf") == true)
    }

    @Test("nothing of it changes, with rows in the log or without", arguments: [false, true], [false, true])
    func untouched(_ hasLog: Bool, _ migrates: Bool) throws {
        let fixture = try StoreFixture()
        try fixture.make()
        if hasLog {
            // A copy of a store that is in use: rows in the log, no shared memory.
            let store = try fixture.open()
            try store.write { connection, _ in try connection.execute("INSERT INTO ZTAG VALUES (1, 4, 1, 'red')") }
            try FileGroup.copy(from: fixture.url, to: fixture.folder.url("copy"))
            try store.close()
            for suffix in ["", "-wal"] {
                try? FileManager.default.removeItem(atPath: fixture.path + suffix)
                try FileManager.default.moveItem(
                    atPath: fixture.folder.path("copy") + suffix, toPath: fixture.path + suffix)
            }
        }
        let before = FileGroup.contents(of: fixture.url)
        #expect(before.keys.contains("-wal") == hasLog)
        let options: [AnyHashable: Any] = [
            NSMigratePersistentStoresAutomaticallyOption: migrates, NSInferMappingModelAutomaticallyOption: migrates,
        ]
        #expect(error { _ = try fixture.open(changed(), options) }?.code == 134100)
        #expect(FileGroup.contents(of: fixture.url) == before)
    }

    @Test("the option to ignore versions opens it and writes the new hashes")
    func ignored() throws {
        let fixture = try StoreFixture()
        try fixture.make()
        let model = SampleModels.library()
        model.entitiesByName["Tag"]?.versionHashModifier = "2"
        #expect(error { _ = try fixture.open(model) }?.code == 134100)
        try fixture.open(model, [NSIgnorePersistentStoreVersioningOption: true]).close()
        try fixture.open(model).close()
    }

    @Test("a subentity that changed is a difference too")
    func subentity() throws {
        let fixture = try StoreFixture()
        try fixture.make()
        let model = SampleModels.library()
        model.entitiesByName["Novel"]?.versionHashModifier = "2"
        let error = try #require(error { _ = try fixture.open(model) })
        #expect(error.code == 134100)
        #expect(error.userInfo["entities"] as? [String] == ["Novel"])
    }
}

@Suite("Traces of a migration", .enabled(if: SQLiteShell.isUsable))
struct MigrationTraceTests {
    @Test("a join table with other numbers is found by the rest of its names")
    func renumberedJoin() throws {
        let fixture = try StoreFixture()
        try fixture.make()
        _ = try sqlite3(
            fixture.path,
            """
            ALTER TABLE Z_2TAGS RENAME TO "Z_15TAGS";
            ALTER TABLE Z_15TAGS RENAME COLUMN Z_2BOOKS TO Z_15BOOKS;
            ALTER TABLE Z_15TAGS RENAME COLUMN Z_4TAGS TO Z_22TAGS1;
            """)
        let schema = try fixture.open().schema
        #expect(schema.joins.map(\.name) == ["Z_15TAGS"])
        #expect(schema.joins.map(\.first.name) == ["Z_15BOOKS"])
        #expect(schema.joins.map(\.second.name) == ["Z_22TAGS1"])
        let tag = try #require(schema.model.entitiesByName["Tag"])
        guard case .join(let join) = schema.entity(tag)?.toMany[0] else {
            Issue.record("a tag's books are found by a join")
            return
        }
        #expect(join.owner.name == "Z_22TAGS1" && join.member.name == "Z_15BOOKS" && join.members.name == "ZBOOK")
    }

    @Test("a join table named after the other side is found")
    func otherSide() throws {
        let fixture = try StoreFixture()
        try fixture.make()
        _ = try sqlite3(fixture.path, "ALTER TABLE Z_2TAGS RENAME TO Z_4BOOKS")
        #expect(try fixture.open().schema.joins.map(\.name) == ["Z_4BOOKS"])
    }

    @Test("the entity column of a key may have another number")
    func entityColumn() throws {
        let model = SampleModels.library()
        let loan = SampleModels.entity("Loan", [])
        model.entities += [loan]
        SampleModels.relate(loan, "book", 1, try #require(model.entitiesByName["Book"]), "loans", 0)
        let fixture = try StoreFixture()
        try fixture.make(model)
        _ = try sqlite3(fixture.path, "ALTER TABLE ZLOAN RENAME COLUMN Z2_BOOK TO Z17_BOOK")
        #expect(try fixture.open(model).schema.entity(loan)?.columns.map { $0?.name } == ["ZBOOK", "Z17_BOOK"])
    }

    @Test("a join table that is missing is an error that names the relationship")
    func missingJoin() throws {
        let fixture = try StoreFixture()
        try fixture.make()
        _ = try sqlite3(fixture.path, "DROP TABLE Z_2TAGS")
        let error = try #require(error { _ = try fixture.open() })
        #expect(error.code == 134020)
        #expect((error.userInfo["reason"] as? String)?.contains("'tags'") == true)
    }
}
