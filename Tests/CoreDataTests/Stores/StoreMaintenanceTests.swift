import Foundation
import TestSupport
import Testing

@testable import CoreData

@Suite("Space of a SQLite store", .enabled(if: SQLiteShell.isUsable))
struct StoreMaintenanceTests {
    @Test("deleting most rows gives pages back after the save", arguments: ["wal", "delete"])
    func shrinks(_ mode: String) throws {
        let fixture = try StoreFixture()
        let store = try fixture.open(SampleModels.library(), [NSSQLitePragmasOption: ["journal_mode": mode]])
        try store.write { connection, _ in
            try connection.execute(
                """
                WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
                INSERT INTO ZBOOK (Z_PK, Z_ENT, ZCOVER) SELECT i, 2, zeroblob(10000) FROM n
                """)
        }
        let before = try #require(try Int(sqlite3(fixture.path, "PRAGMA page_count")))
        #expect(before > 4000)
        try store.write { connection, _ in
            try connection.execute("DELETE FROM ZBOOK WHERE Z_PK % 5 != 0")
        } afterCommit: { _, connection in
            store.reclaimFreePages(connection)
        }
        let after = try #require(try Int(sqlite3(fixture.path, "PRAGMA page_count")))
        #expect(after < before / 3)
        #expect(try sqlite3(fixture.path, "PRAGMA freelist_count; PRAGMA integrity_check") == "0\nok")
        try store.close()
        let size = try FileManager.default.attributesOfItem(atPath: fixture.path)[.size] as? Int
        #expect(size == after * 4096)
    }

    @Test("a file made without incremental vacuum is left as it is")
    func otherFiles() throws {
        let fixture = try StoreFixture()
        try fixture.make(SampleModels.library(), [NSSQLitePragmasOption: ["auto_vacuum": "0"]])
        #expect(try sqlite3(fixture.path, "PRAGMA auto_vacuum") == "0")
        let store = try fixture.open()
        try store.write { connection, _ in try connection.execute("INSERT INTO ZBOOK (ZCOVER) VALUES (zeroblob(99999))")
        }
        try store.write { connection, _ in
            try connection.execute("DELETE FROM ZBOOK")
        } afterCommit: { _, connection in
            store.reclaimFreePages(connection)
        }
        #expect(try sqlite3(fixture.path, "PRAGMA freelist_count") != "0")
    }

    @Test("the vacuum option rebuilds the file when the store is added, the analyze option counts it")
    func options() throws {
        let fixture = try StoreFixture()
        try fixture.make()
        _ = try sqlite3(
            fixture.path, "INSERT INTO ZBOOK (Z_ENT, ZCOVER) VALUES (2, zeroblob(99999)); DELETE FROM ZBOOK")
        #expect(try sqlite3(fixture.path, "PRAGMA freelist_count") != "0")
        try fixture.open(SampleModels.library(), [NSSQLiteManualVacuumOption: true, NSSQLiteAnalyzeOption: true])
            .close()
        #expect(try sqlite3(fixture.path, "PRAGMA freelist_count") == "0")
        #expect(try sqlite3(fixture.path, "SELECT count(*) FROM sqlite_master WHERE name = 'sqlite_stat1'") == "1")
        try fixture.open().close()
    }
}
