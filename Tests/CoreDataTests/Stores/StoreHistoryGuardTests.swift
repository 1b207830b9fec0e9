import Foundation
import TestSupport
import Testing

@testable import CoreData

@Suite("A SQLite store that has a history", .enabled(if: SQLiteShell.isUsable))
struct StoreHistoryGuardTests {
    private let fixture: StoreFixture

    init() throws {
        fixture = try StoreFixture()
        try fixture.make(SampleModels.library(), [NSPersistentHistoryTrackingKey: true])
        _ = try sqlite3(fixture.path, "INSERT INTO ATRANSACTION (Z_PK, Z_ENT, ZTIMESTAMP) VALUES (1, 16002, 0)")
    }

    @Test("without tracking it is read-only, with a reason in the log")
    func guarded() throws {
        let store = try fixture.open()
        #expect(store.isReadOnly)
        #expect(store.readOnlyReason?.contains("Forcing into Read Only mode store at") == true)
        let error = try #require(error { try store.write { _, _ in } })
        #expect(error.code == 513)
        #expect(error.userInfo["reason"] as? String == store.readOnlyReason)
        #expect(try store.read { connection, _ in try connection.int64("SELECT count(*) FROM ATRANSACTION") } == 1)
        try store.close()
        #expect(try fixture.folder.contents == ["Store.sqlite"])
    }

    @Test("with tracking it is writable")
    func tracking() throws {
        let store = try fixture.open(SampleModels.library(), [NSPersistentHistoryTrackingKey: true])
        #expect(!store.isReadOnly && store.tracksHistory)
    }

    @Test("once its history is deleted it opens writable without")
    func deleted() throws {
        _ = try sqlite3(fixture.path, "DELETE FROM ATRANSACTION")
        let store = try fixture.open()
        #expect(!store.isReadOnly && !store.tracksHistory)
        #expect(store.schema.history != nil)
    }

    @Test("once it is destroyed nothing holds its successor back")
    func destroyed() throws {
        try fixture.destroy()
        #expect(try !fixture.open().isReadOnly)
    }
}
