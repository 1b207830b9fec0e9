import Foundation
import TestSupport
import Testing

@testable import CoreData

@Suite("Creating a SQLite store", .enabled(if: SQLiteShell.isUsable))
struct StoreCreationTests {
    @Test("the file is there, complete and in WAL mode, as soon as the store is added")
    func complete() throws {
        let fixture = try StoreFixture()
        let store = try fixture.open()
        #expect(!store.isReadOnly)
        #expect(
            try sqlite3(fixture.path, "PRAGMA journal_mode; PRAGMA page_size; PRAGMA auto_vacuum") == "wal\n4096\n2")
        #expect(try sqlite3(fixture.path, "PRAGMA integrity_check") == "ok")
        #expect(
            try sqlite3(fixture.path, "SELECT * FROM Z_PRIMARYKEY")
                == "1|Author|0|0\n2|Book|0|0\n3|Novel|2|0\n4|Tag|0|0")
        #expect(try sqlite3(fixture.path, "SELECT Z_VERSION, Z_UUID FROM Z_METADATA") == "1|\(store.identifier)")
        #expect(UUID(uuidString: store.identifier)?.uuidString == store.identifier)
        try store.close()
        #expect(try fixture.folder.contents == ["Store.sqlite"])
    }

    @Test("tables, keys and indexes follow Core Data's rules")
    func tables() throws {
        let fixture = try StoreFixture()
        try fixture.make()
        let text = try sqlite3(fixture.path, "SELECT sql FROM sqlite_master WHERE sql NOT NULL ORDER BY rowid")
        #expect(
            text == """
                CREATE TABLE ZAUTHOR ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZBORN TIMESTAMP, ZNAME VARCHAR )
                CREATE TABLE ZBOOK ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZPAGES INTEGER, ZAUTHOR INTEGER, ZADDED TIMESTAMP, ZPRICE DECIMAL, ZTITLE VARCHAR, ZGENRE VARCHAR, ZCOVER BLOB )
                CREATE TABLE Z_2TAGS ( Z_2BOOKS INTEGER, Z_4TAGS INTEGER, PRIMARY KEY (Z_2BOOKS, Z_4TAGS) )
                CREATE TABLE ZTAG ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZLABEL VARCHAR )
                CREATE INDEX ZBOOK_ZAUTHOR_INDEX ON ZBOOK (ZAUTHOR)
                CREATE INDEX Z_2TAGS_Z_4TAGS_INDEX ON Z_2TAGS (Z_4TAGS, Z_2BOOKS)
                CREATE INDEX ZBOOK_Z_ENT_INDEX ON ZBOOK (Z_ENT)
                CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER)
                CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB)
                CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB)
                """)
    }

    @Test("metadata have Core Data's keys and types")
    func metadata() throws {
        let fixture = try StoreFixture()
        let model = SampleModels.library()
        model.versionIdentifiers = ["2.0"]
        let identifier = try fixture.open(model).identifier
        let hex = try sqlite3(fixture.path, "SELECT hex(Z_PLIST) FROM Z_METADATA")
        let data = try #require(Data(hex: hex))
        var format = PropertyListSerialization.PropertyListFormat.xml
        let object = try PropertyListSerialization.propertyList(from: data, format: &format)
        let metadata = try #require(object as? [String: Any])
        #expect(format == .binary)
        #expect(
            Set(metadata.keys) == [
                "NSPersistenceFrameworkVersion", "NSStoreModelVersionHashes", "NSStoreModelVersionHashesVersion",
                "NSStoreModelVersionHashesDigest", "NSStoreModelVersionChecksumKey", "NSStoreModelVersionIdentifiers",
                "NSStoreType", "_NSAutoVacuumLevel",
            ])
        #expect(metadata["NSPersistenceFrameworkVersion"] as? Int == 1344)
        #expect(metadata["NSStoreModelVersionHashesVersion"] as? Int == 3)
        #expect(metadata["NSStoreModelVersionIdentifiers"] as? [String] == ["2.0"])
        #expect(metadata["NSStoreType"] as? String == "SQLite")
        #expect(metadata["_NSAutoVacuumLevel"] as? String == "2")
        #expect(metadata["NSStoreModelVersionHashes"] as? [String: Data] == model.entityVersionHashesByName)
        #expect(metadata["NSStoreModelVersionChecksumKey"] as? String == model.versionChecksum)
        #expect(try fixture.metadata()["NSStoreUUID"] as? String == identifier)
    }

    @Test("the model is cached in the store")
    func modelCache() throws {
        let fixture = try StoreFixture()
        let model = SampleModels.library()
        try fixture.make(model)
        let data = try #require(Data(hex: try sqlite3(fixture.path, "SELECT hex(Z_CONTENT) FROM Z_MODELCACHE")))
        let cached = try NSManagedObjectModel.model(fromStoreCache: data)
        #expect(cached.entityVersionHashesByName == model.entityVersionHashesByName)
    }

    @Test("a zero-length file counts as no store yet")
    func zeroLength() throws {
        let fixture = try StoreFixture()
        try Data().write(to: fixture.url)
        try fixture.make()
        #expect(try sqlite3(fixture.path, "PRAGMA journal_mode; SELECT count(*) FROM Z_PRIMARYKEY") == "wal\n4")
    }

    @Test("a missing folder is error 512 with the system's number")
    func missingFolder() throws {
        let fixture = try StoreFixture("missing/Store.sqlite")
        let error = try #require(error { try fixture.make() })
        #expect(error.domain == NSCocoaErrorDomain && error.code == 512)
        #expect(error.userInfo["reason"] as? String == "Failed to create file; code = 2")
        #expect(error.userInfo[NSFilePathErrorKey] as? String == fixture.path)
        #expect(try fixture.folder.contents == [])
    }

    @Test("a file in the place of the folder is error 512")
    func fileForFolder() throws {
        let fixture = try StoreFixture("file/Store.sqlite")
        try Data("text".utf8).write(to: fixture.folder.url("file"))
        let error = try #require(error { try fixture.make() })
        #expect(error.code == 512)
        #expect(error.userInfo["reason"] as? String == "Failed to create file; code = 20")
    }

    @Test("a configuration's store has its entities only, numbered from 1")
    func configuration() throws {
        let fixture = try StoreFixture()
        let model = SampleModels.library()
        let note = SampleModels.entity("Note", [SampleModels.attribute("text", .stringAttributeType)])
        let log = SampleModels.entity("Log", [SampleModels.attribute("line", .stringAttributeType)])
        model.entities += [note, log]
        model.setEntities([note, log], forConfigurationName: "Local")
        let store = try fixture.open(model, configuration: "Local")
        #expect(try sqlite3(fixture.path, "SELECT Z_ENT, Z_NAME FROM Z_PRIMARYKEY") == "1|Log\n2|Note")
        #expect(store.schema.entity(note)?.number == 2)
        #expect(store.schema.ordinal(number: 1) == Int32(log.ordinal))
        #expect(store.schema.entity(model.entitiesByName["Book"] ?? note) == nil)
        let hashes = store.metadata["NSStoreModelVersionHashes"] as? [String: Data]
        #expect(hashes?.keys.sorted() == ["Log", "Note"])
        try store.close()
        try fixture.open(model, configuration: "Local").close()
    }

    @Test("with history tracking the history's tables are there")
    func history() throws {
        let fixture = try StoreFixture()
        let model = SampleModels.library()
        for name in ["title", "pages"] {
            model.entitiesByName["Book"]?.attributesByName[name]?.preservesValueInHistoryOnDeletion = true
        }
        let store = try fixture.open(model, [NSPersistentHistoryTrackingKey: true])
        #expect(
            try sqlite3(fixture.path, "SELECT * FROM Z_PRIMARYKEY WHERE Z_ENT > 16000")
                == "16001|CHANGE|0|0\n16002|TRANSACTION|0|0\n16003|TRANSACTIONSTRING|0|0")
        #expect(store.schema.history?.tombstoneColumns == ["ZTOMBSTONE0", "ZTOMBSTONE1"])
        #expect(store.schema.history?.hasStringTable == true)
        #expect(store.tracksHistory)
    }

    @Test("history tables are added to a store that was made without")
    func historyLater() throws {
        let fixture = try StoreFixture()
        try fixture.make()
        let store = try fixture.open(SampleModels.library(), [NSPersistentHistoryTrackingKey: NSNumber(value: true)])
        #expect(store.schema.history != nil)
        #expect(try sqlite3(fixture.path, "SELECT count(*) FROM ACHANGE") == "0")
    }

    @Test("two that make the same store at once get one store")
    func concurrent() throws {
        let fixture = try StoreFixture()
        let identifiers = Identifiers()
        DispatchQueue.concurrentPerform(iterations: 6) { _ in
            do {
                let store = try fixture.open()
                identifiers.add(store.identifier)
                try store.close()
            } catch { identifiers.add("\(error)") }
        }
        #expect(Set(identifiers.all).count == 1)
        #expect(identifiers.all.count == 6)
    }
}

final class Identifiers: @unchecked Sendable {
    private let lock = NSLock()
    private var values: [String] = []
    func add(_ value: String) { lock.withLock { values.append(value) } }
    var all: [String] { lock.withLock { values } }
}

extension Data {
    /// The bytes of an answer of SQLite's `hex`.
    init?(hex: String) {
        let digits = Array(hex.utf8)
        guard digits.count.isMultiple(of: 2), !digits.isEmpty else { return nil }
        self.init(capacity: digits.count / 2)
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let byte = UInt8(String(decoding: digits[index...index + 1], as: UTF8.self), radix: 16) else {
                return nil
            }
            append(byte)
        }
    }
}
