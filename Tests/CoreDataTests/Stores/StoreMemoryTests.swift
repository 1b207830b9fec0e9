import CoreDataSQLite
import Foundation
import TestSupport
import Testing

@testable import CoreData

@Suite("A SQLite store in memory")
struct StoreMemoryTests {
    private func open(
        _ location: StoreLocation, _ type: String = NSSQLiteStoreType,
        _ model: NSManagedObjectModel = SampleModels.library(), _ options: [AnyHashable: Any] = [:]
    ) throws -> SQLiteStore {
        try SQLiteStore.open(
            location, type: type, url: nil, model: model, configuration: nil, options: options)
    }

    private func insert(_ store: SQLiteStore, _ label: String) throws {
        try store.write { connection, _ in
            try connection.execute("INSERT INTO ZTAG (Z_ENT, Z_OPT, ZLABEL) VALUES (4, 1, '\(label)')")
        }
    }

    private func labels(_ store: SQLiteStore) throws -> String? {
        try store.read { connection, _ in
            try connection.text("SELECT group_concat(ZLABEL) FROM (SELECT ZLABEL FROM ZTAG ORDER BY Z_PK)")
        }
    }

    @Test("two do not share their data, and what is closed is gone")
    func separate() throws {
        let one = try open(.memory, NSInMemoryStoreType)
        let other = try open(.memory)
        try insert(one, "red")
        #expect(try labels(one) == "red")
        #expect(try labels(other) == nil)
        #expect(one.identifier != other.identifier)
        #expect(one.metadata["NSStoreType"] as? String == "InMemory")
        #expect(other.metadata["NSStoreType"] as? String == "SQLite")
        #expect(one.metadata["NSStoreModelVersionHashes"] as? [String: Data] == one.model.entityVersionHashesByName)
        try one.close()
        #expect(try labels(open(.memory, NSInMemoryStoreType)) == nil)
    }

    @Test("those of one name share data and identifier while one of them is open")
    func shared() throws {
        let name = StoreLocation.sharedMemory(UUID().uuidString)
        let one = try open(name)
        let other = try open(name)
        #expect(one.identifier == other.identifier)
        try insert(one, "red")
        try insert(other, "blue")
        #expect(try labels(one) == "red,blue")
        try one.close()
        #expect(try labels(other) == "red,blue")
        try other.close()
        let fresh = try open(name)
        #expect(try labels(fresh) == nil)
        #expect(fresh.identifier != other.identifier)
    }

    @Test("another model does not fit a shared store that is open")
    func sharedCompatibility() throws {
        let name = StoreLocation.sharedMemory(UUID().uuidString)
        let store = try open(name)
        let model = SampleModels.library()
        model.entitiesByName["Tag"]?.versionHashModifier = "2"
        #expect(error { _ = try open(name, NSSQLiteStoreType, model) }?.code == 134100)
        try store.close()
        try open(name, NSSQLiteStoreType, model).close()
    }

    @Test("a shared store can be destroyed: the others find it gone")
    func sharedDestroy() throws {
        let name = StoreLocation.sharedMemory(UUID().uuidString)
        let store = try open(name)
        try insert(store, "red")
        try SQLiteStore.destroy(name, url: URL(fileURLWithPath: "/dev/null/x"), options: nil)
        #expect(error { _ = try labels(store) }?.code == 134070)
        let fresh = try open(name)
        #expect(try labels(fresh) == nil)
    }

    @Test("history works in memory")
    func history() throws {
        let store = try open(.memory, NSSQLiteStoreType, SampleModels.library(), [NSPersistentHistoryTrackingKey: true])
        #expect(store.tracksHistory)
    }

    @Test("decimals keep all their digits and are ordered by value")
    func decimals() throws {
        let store = try open(.memory, NSInMemoryStoreType)
        #expect(store.schema.storesDecimalsAsText)
        let values = ["10", "9", "-1", "0.1", "12345678901234567890.123456789", "1e3", "-0.5", "2.50"]
        try store.write { connection, _ in
            try connection.withCached("INSERT INTO ZBOOK (Z_ENT, ZPRICE) VALUES (2, ?1)") { insert in
                for value in values {
                    try insert.bind(value, at: 1)
                    try insert.run()
                }
            }
        }
        let sorted = try store.read { connection, _ in
            try connection.text("SELECT group_concat(ZPRICE, ' ') FROM (SELECT ZPRICE FROM ZBOOK ORDER BY ZPRICE)")
        }
        #expect(sorted == "-1 -0.5 0.1 2.50 9 10 1e3 12345678901234567890.123456789")
        let count = try store.read { connection, _ in
            try connection.int64("SELECT count(*) FROM ZBOOK WHERE ZPRICE = '2.5'")
        }
        #expect(count == 1)
    }

    @Test("the order of decimals is total, whatever texts there are")
    func decimalOrder() {
        let texts = ["", "abc", "NaN", "-1", "1", "1.0", "01", "é", "1e400", "9999999999"]
        for left in texts {
            for right in texts {
                let there = compare(left, right)
                #expect(there == -compare(right, left))
                for third in texts where there <= 0 && compare(right, third) <= 0 {
                    #expect(compare(left, third) <= 0, "\(left) \(right) \(third)")
                }
            }
        }
    }

    private func compare(_ left: String, _ right: String) -> Int32 {
        Array(left.utf8).withUnsafeBytes { left in
            Array(right.utf8).withUnsafeBytes { right in DecimalOrder.compare(left, right) }
        }
    }
}
