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
        try store.close()
        #expect(try fixture.folder.contents == ["Store.sqlite"])
    }
}
