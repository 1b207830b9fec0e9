import Foundation
import TestSupport
import Testing

@testable import CoreData

@Suite("Options of a SQLite store")
struct StoreOptionTests {
    @Test("pragmas are set on every connection, readers too")
    func pragmas() throws {
        let fixture = try StoreFixture()
        let store = try fixture.open(
            SampleModels.library(),
            [NSSQLitePragmasOption: ["secure_delete": "1", "cache_size": "-500", "synchronous": "FULL"]])
        for write in [false, true] {
            func check(_ name: String, _ value: Int64) throws {
                let found =
                    write
                    ? try store.write { connection, _ in try connection.pragma(name) }
                    : try store.read { connection, _ in try connection.pragma(name) }
                #expect(found == value, "\(name)")
            }
            try check("secure_delete", 1)
            try check("cache_size", -500)
            try check("synchronous", 2)
        }
    }

    @Test("without the pragma commits are synced with the checkpoint")
    func synchronous() throws {
        let fixture = try StoreFixture()
        let store = try fixture.open()
        #expect(try store.write { connection, _ in try connection.pragma("synchronous") } == 1)
    }

    @Test(
        "a pragma that is no name or no value is an error that names the option, and no file is made",
        arguments: [
            ("journal_mode; DROP TABLE x", "wal"), ("secure_delete", "1; DROP TABLE x"), ("", "1"),
            ("schema_version", "5"), ("writable_schema", "1"), ("journal_mode", "paper"), ("cache_size", ""),
        ])
    func badPragma(_ name: String, _ value: String) throws {
        let fixture = try StoreFixture()
        let error = try #require(
            error { _ = try fixture.open(SampleModels.library(), [NSSQLitePragmasOption: [name: value]]) })
        #expect(error.domain == NSCocoaErrorDomain && error.code == 134060)
        #expect(error.userInfo["option"] as? String == NSSQLitePragmasOption)
        #expect(try fixture.folder.contents == [])
    }

    @Test("options may be numbers or truth values of either world, and nonsense is an error")
    func types() throws {
        let options = try SQLiteStoreOptions([
            NSReadOnlyPersistentStoreOption: NSNumber(value: true), NSPersistentHistoryTrackingKey: true,
            NSPersistentStoreTimeoutOption: NSNumber(value: 2.5), NSPersistentStoreConnectionPoolMaxSizeKey: 1,
        ])
        #expect(options.isReadOnly && options.tracksHistory)
        #expect(options.timeout == 2.5 && options.readers == 1)
        #expect(error { _ = try SQLiteStoreOptions([NSReadOnlyPersistentStoreOption: "perhaps"]) }?.code == 134060)
        #expect(error { _ = try SQLiteStoreOptions([NSPersistentStoreTimeoutOption: "soon"]) }?.code == 134060)
        #expect(error { _ = try SQLiteStoreOptions([NSSQLitePragmasOption: ["a"]]) }?.code == 134060)
    }

    @Test("unreasonable numbers are clamped")
    func clamped() throws {
        func readers(_ value: Int) throws -> Int {
            try SQLiteStoreOptions([NSPersistentStoreConnectionPoolMaxSizeKey: value]).readers
        }
        #expect(try readers(0) == 1)
        #expect(try readers(-5) == 1)
        #expect(try readers(100_000) == 64)
        #expect(try SQLiteStoreOptions([NSPersistentStoreTimeoutOption: -1]).timeout == 0)
        #expect(try SQLiteStoreOptions([NSPersistentStoreTimeoutOption: Double.nan]).timeout > 0)
    }
}
