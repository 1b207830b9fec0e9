import CoreDataSQLite
import Foundation
import TestSupport
import Testing

@testable import CoreData

@Suite("Transactions of a SQLite store", .enabled(if: SQLiteShell.isUsable))
struct StoreTransactionTests {
    private static let count = "SELECT count(*) FROM ZTAG"
    private static let insert = "INSERT INTO ZTAG (Z_ENT, Z_OPT, ZLABEL) VALUES (4, 1, 'red')"

    /// A WAL store, one with a rollback journal, and one in memory.
    private static func stores(in folder: TemporaryDirectory) throws -> [SQLiteStore] {
        let model = SampleModels.library()
        func file(_ name: String, _ mode: String) throws -> SQLiteStore {
            let url = folder.url(name)
            return try SQLiteStore.open(
                .file(url.path), type: NSSQLiteStoreType, url: url, model: model, configuration: nil,
                options: [NSSQLitePragmasOption: ["journal_mode": mode]])
        }
        let memory = try SQLiteStore.open(
            .memory, type: NSInMemoryStoreType, url: nil, model: model, configuration: nil, options: nil)
        return [try file("wal", "wal"), try file("delete", "delete"), memory]
    }

    @Test("what a write did is read afterwards, and what failed is not")
    func readAndWrite() throws {
        let folder = try TemporaryDirectory()
        for store in try Self.stores(in: folder) {
            try store.write { connection, _ in try connection.execute(Self.insert) }
            struct Stop: Error {}
            #expect(throws: Stop.self) {
                try store.write { connection, _ in
                    try connection.execute(Self.insert)
                    throw Stop()
                }
            }
            #expect(try store.read { connection, _ in try connection.int64(Self.count) } == 1)
        }
    }

    @Test("a read inside of a read, or of a write, of the same thread works on every kind of store")
    func nestedReads() throws {
        let folder = try TemporaryDirectory()
        for store in try Self.stores(in: folder) {
            let counts = try store.read { outer, snapshot in
                try store.read { inner, innerSnapshot in
                    #expect(inner === outer && innerSnapshot == snapshot)
                    return try inner.int64(Self.count)
                }
            }
            #expect(counts == 0)
            try store.write { connection, _ in
                try connection.execute(Self.insert)
                #expect(try store.read { inner, _ in try inner.int64(Self.count) } == 1)
            }
        }
    }

    @Test("a write inside of a read works beside readers, else it is an error, not a wait")
    func nestedWrites() throws {
        let folder = try TemporaryDirectory()
        for store in try Self.stores(in: folder) {
            let start = Date()
            let failure = try store.read { connection, _ in
                let failure = error { try store.write { connection, _ in try connection.execute(Self.insert) } }
                let count = try connection.int64(Self.count)
                #expect(count == 0, "the snapshot stays")
                return failure
            }
            #expect((failure == nil) == store.pool.isConcurrent)
            #expect(failure.map { $0.code == 134070 } ?? true)
            #expect(Date().timeIntervalSince(start) < 2)
            let nested = error { try store.write { _, _ in try store.write { _, _ in } } }
            #expect(nested?.code == 134070)
        }
    }

    @Test("readers do not wait for a writer in WAL mode")
    func readersBesideWriter() throws {
        let fixture = try StoreFixture()
        let store = try fixture.open()
        try store.write { connection, _ in
            try connection.execute(Self.insert)
            let done = DispatchSemaphore(value: 0)
            let seen = Identifiers()
            Thread.detachNewThread {
                let count = try? store.read { connection, _ in try connection.int64(Self.count) }
                seen.add("\(count ?? -1)")
                done.signal()
            }
            #expect(done.wait(timeout: .now() + 3) == .success)
            #expect(seen.all == ["0"])
        }
    }

    @Test("a lock of another process is an error with SQLite's 5 after the timeout")
    func busy() throws {
        let fixture = try StoreFixture()
        let store = try fixture.open(SampleModels.library(), [NSPersistentStoreTimeoutOption: NSNumber(value: 0.2)])
        let holder = try SQLiteConnection(path: fixture.path, access: .readWrite)
        try holder.write {
            let start = Date()
            let error = try #require(error { try store.write { _, _ in } })
            #expect(error.domain == NSCocoaErrorDomain)
            #expect(error.userInfo["NSSQLiteErrorDomain"] as? Int == 5)
            #expect(Date().timeIntervalSince(start) < 2)
        }
        try store.write { _, _ in }
    }

    @Test("a missing table is error 256 with SQLite's 1")
    func missingTable() throws {
        let fixture = try StoreFixture()
        let store = try fixture.open()
        let error = try #require(
            error { try store.read { connection, _ in _ = try connection.int64("SELECT a FROM b") } })
        #expect(error.code == 256)
        #expect(error.userInfo["NSSQLiteErrorDomain"] as? Int == 1)
    }

    @Test("after close nothing is open and reading is an error")
    func close() throws {
        let fixture = try StoreFixture()
        let store = try fixture.open()
        _ = try store.read { connection, _ in try connection.int64(Self.count) }
        #expect(!openDescriptors(under: fixture.folder.path).isEmpty)
        try store.close()
        #expect(openDescriptors(under: fixture.folder.path).isEmpty)
        #expect(error { try store.read { _, _ in } } != nil)
        #expect(try fixture.folder.contents == ["Store.sqlite"])
    }

    @Test("rows read in a snapshot from before a commit are not admitted to the row cache")
    func snapshotNumbers() throws {
        let fixture = try StoreFixture()
        let store = try fixture.open()
        try store.read { _, early in
            store.rowCache.commit(written: [], deleted: [], roots: { _ in 1 })
            try store.write { _, late in #expect(late > early) }
        }
    }
}

@Suite("Identity of a SQLite store", .enabled(if: SQLiteShell.isUsable))
struct StoreIdentityTests {
    private static let names = "SELECT group_concat(ZNAME) FROM ZAUTHOR"

    private func insertAuthor(_ store: SQLiteStore, _ name: String) throws {
        try store.write { connection, _ in
            try connection.execute("INSERT INTO ZAUTHOR (Z_ENT, Z_OPT, ZNAME) VALUES (1, 1, '\(name)')")
        }
    }

    @Test("a store that slept through a reset gets the removed-store error and writes nothing")
    func reset() throws {
        let fixture = try StoreFixture()
        let sleeper = try fixture.open()
        try insertAuthor(sleeper, "Ada")
        // Its connections have statements prepared and know the schema.
        #expect(try sleeper.read { connection, _ in try connection.text(Self.names) } == "Ada")

        try fixture.destroy()
        let fresh = try fixture.open()
        try insertAuthor(fresh, "Bob")
        #expect(fresh.identifier != sleeper.identifier)

        for _ in 0..<2 {
            let error = try #require(error { try insertAuthor(sleeper, "Eve") })
            #expect(error.domain == NSCocoaErrorDomain && error.code == 134070)
            #expect((error.userInfo["NSPersistentStoreURLKey"] as? URL) == fixture.url)
            #expect(error.userInfo["reason"] as? String != nil)
        }
        #expect(error { _ = try sleeper.read { connection, _ in try connection.text(Self.names) } }?.code == 134070)
        #expect(try fresh.read { connection, _ in try connection.text(Self.names) } == "Bob")
        #expect(sleeper.isRemoved && !fresh.isRemoved)
    }

    @Test("readers find it out too")
    func reading() throws {
        let fixture = try StoreFixture()
        let sleeper = try fixture.open()
        #expect(try sleeper.read { connection, _ in try connection.text(Self.names) } == nil)
        try fixture.destroy()
        #expect(error { try sleeper.read { _, _ in } }?.code == 134070)
    }

    @Test("the handler is told once, outside of any transaction, and the cache is empty")
    func handler() throws {
        let fixture = try StoreFixture()
        let store = try fixture.open()
        let calls = Identifiers()
        store.onRemoval { [unowned store] in
            calls.add("removed")
            if error({ try store.close() }) != nil { calls.add("close failed") }
        }
        try fixture.destroy()
        for _ in 0..<3 { #expect(error { try store.read { _, _ in } } != nil) }
        #expect(calls.all == ["removed"])
    }

    @Test("a snapshot that was open when the store was reset is read to its end")
    func openSnapshot() throws {
        let fixture = try StoreFixture()
        let store = try fixture.open()
        try insertAuthor(store, "Ada")
        try store.read { connection, _ in
            try fixture.destroy()
            #expect(try connection.text(Self.names) == "Ada")
        }
        #expect(error { try store.read { _, _ in } }?.code == 134070)
    }

    @Test("an index made by somebody else does not end the store's use")
    func newIndex() throws {
        let fixture = try StoreFixture()
        let store = try fixture.open()
        try insertAuthor(store, "Ada")
        _ = try sqlite3(fixture.path, "CREATE INDEX mine ON ZAUTHOR (ZNAME)")
        #expect(try store.read { connection, _ in try connection.text(Self.names) } == "Ada")
        try insertAuthor(store, "Bob")
    }

    @Test("a migration by somebody else does")
    func migrated() throws {
        let fixture = try StoreFixture()
        let store = try fixture.open()
        let model = SampleModels.library()
        model.entitiesByName["Tag"]?.versionHashModifier = "2"
        try fixture.open(model, [NSIgnorePersistentStoreVersioningOption: true]).close()
        _ = try sqlite3(fixture.path, "ALTER TABLE ZTAG ADD COLUMN ZCOLOUR VARCHAR")
        #expect(error { try store.read { _, _ in } }?.code == 134100)
    }

    @Test("a renamed column does, and nothing is read by position")
    func renamedColumn() throws {
        let fixture = try StoreFixture()
        let store = try fixture.open()
        _ = try sqlite3(fixture.path, "ALTER TABLE ZAUTHOR RENAME COLUMN ZNAME TO ZTITLE")
        #expect(error { try store.read { _, _ in } }?.code == 134020)
    }
}
