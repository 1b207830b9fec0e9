import Foundation
import TestSupport
import Testing

@testable import CoreData

/// Every real store opens with the model it was made with, and its columns are found.
@Suite("Real stores: schema", .enabled(if: Corpus.isUsable, "the corpus is absent"))
struct StoreSchemaCorpusTests {
    static func model(of path: String, at copy: URL) throws -> NSManagedObjectModel {
        if let model = OldStoreModels.model(for: path) { return model }
        return try NSManagedObjectModel.model(
            fromStoreCache: Data(hex: sqlite3(copy, "SELECT hex(Z_CONTENT) FROM Z_MODELCACHE")))
    }

    static func open(
        _ copy: URL, _ model: NSManagedObjectModel, _ options: [AnyHashable: Any] = [:]
    ) throws -> SQLiteStore {
        try SQLiteStore.open(
            .file(copy.path), type: NSSQLiteStoreType, url: copy, model: model, configuration: nil, options: options)
    }

    @Test("there are the stores this is about")
    func stores() {
        #expect(Corpus.stores.count == 25)
        #expect(Corpus.stores.filter { OldStoreModels.model(for: $0) != nil }.count == 4)
        #expect(Corpus.storesWithModel.count == 21)
    }

    @Test("it opens, and every column of its model is in the file", arguments: Corpus.stores)
    func columns(_ path: String) throws {
        try Corpus.withCopy(of: path) { copy in
            let model = try Self.model(of: path, at: copy)
            let hasHistory =
                try sqlite3(copy, "SELECT count(*) FROM sqlite_master WHERE name = 'ATRANSACTION'") == "1"
            let journal = try sqlite3(copy, "PRAGMA journal_mode")
            let store = try Self.open(copy, model, [NSPersistentHistoryTrackingKey: hasHistory])
            #expect(!store.isReadOnly)
            #expect(store.tracksHistory == hasHistory)
            for entity in store.schema.entitiesInOrder {
                let present = Set(
                    try sqlite3(copy, "SELECT upper(name) FROM pragma_table_info('\(entity.table.name)')")
                        .split(separator: "\n").map(String.init))
                for (slot, column) in zip(entity.layout.slots, entity.columns) {
                    if slot.property.isTransient {
                        #expect(column == nil)
                    } else {
                        #expect(column.map { present.contains($0.name.uppercased()) } == true, "\(slot.path)")
                    }
                }
                for column in entity.orderColumns.compactMap({ $0 }) {
                    #expect(present.contains(column.name))
                }
                for (entry, kind) in zip(entity.layout.toManyEntries, entity.toMany) {
                    #expect((kind != nil) == (entry.relationship?.isTransient == false), "\(entry.name)")
                }
            }
            for join in store.schema.joins {
                let count = try store.read { connection, _ in
                    try connection.int64(
                        "SELECT count(*) FROM \(join.sql) WHERE \(join.first.sql) NOT NULL AND \(join.second.sql) NOT NULL"
                    )
                }
                #expect(try sqlite3(copy, "SELECT count(*) FROM \(join.name)") == "\(count ?? -1)")
            }
            try store.close()
            #expect(try sqlite3(copy, "PRAGMA integrity_check") == "ok")
            #expect(try sqlite3(copy, "PRAGMA journal_mode") == journal)
        }
    }

    @Test("numbers of entities are those of Z_PRIMARYKEY", arguments: Corpus.stores)
    func numbers(_ path: String) throws {
        try Corpus.withCopy(of: path) { copy in
            let model = try Self.model(of: path, at: copy)
            let rows = try sqlite3(
                copy, "SELECT Z_ENT, Z_NAME, Z_SUPER FROM Z_PRIMARYKEY WHERE Z_ENT < 16000 ORDER BY 1")
            let store = try Self.open(copy, model, [NSReadOnlyPersistentStoreOption: true])
            let ours = store.schema.entitiesInOrder.map { "\($0.number)|\($0.entity.name ?? "")|\($0.parentNumber)" }
            #expect(ours == rows.split(separator: "\n").map(String.init))
        }
    }

    @Test("another model is refused and nothing beside the store changes", arguments: Corpus.stores)
    func refused(_ path: String) throws {
        try Corpus.withCopy(of: path) { copy in
            let other = NSManagedObjectModel()
            let entity = NSEntityDescription()
            entity.name = "Other"
            other.entities = [entity]
            let before = FileGroup.contents(of: copy)
            do {
                _ = try Self.open(copy, other, [NSMigratePersistentStoresAutomaticallyOption: true])
                Issue.record("it opened")
            } catch let error as NSError {
                #expect(error.domain == NSCocoaErrorDomain && error.code == 134100)
            }
            let metadata = try SQLiteStore.metadata(at: .file(copy.path), url: copy, options: nil)
            #expect(FileGroup.contents(of: copy) == before)
            let identifier = try sqlite3(copy, "SELECT Z_UUID FROM Z_METADATA")
            #expect(metadata["NSStoreUUID"] as? String == identifier)
        }
    }

    @Test("metadata we do not know survive a change of ours", arguments: Corpus.stores)
    func metadata(_ path: String) throws {
        try Corpus.withCopy(of: path) { copy in
            func plist() throws -> [String: Any] {
                let bytes = Data(hex: try sqlite3(copy, "SELECT hex(Z_PLIST) FROM Z_METADATA"))
                return try PropertyListSerialization.propertyList(from: bytes, format: nil) as? [String: Any] ?? [:]
            }
            let before = try plist()
            var metadata = try SQLiteStore.metadata(at: .file(copy.path), url: copy, options: nil)
            metadata["mine"] = "added"
            try SQLiteStore.setMetadata(metadata, at: .file(copy.path), url: copy, options: nil)
            var after = try plist()
            #expect(after.removeValue(forKey: "mine") as? String == "added")
            #expect(NSDictionary(dictionary: after).isEqual(NSDictionary(dictionary: before)))
        }
    }

    @Test("it can be destroyed, and a store of ours made in its place", arguments: Corpus.stores)
    func destroyed(_ path: String) throws {
        try Corpus.withCopy(of: path) { copy in
            let model = try Self.model(of: path, at: copy)
            let pageSize = try sqlite3(copy, "PRAGMA page_size; PRAGMA auto_vacuum")
            try SQLiteStore.destroy(.file(copy.path), url: copy, options: nil)
            #expect(try sqlite3(copy, "SELECT count(*) FROM sqlite_master") == "0")
            #expect(try sqlite3(copy, "PRAGMA page_size; PRAGMA auto_vacuum") == pageSize)
            try Self.open(copy, model).close()
            #expect(
                try sqlite3(copy, "PRAGMA integrity_check; SELECT min(Z_MAX), max(Z_MAX) FROM Z_PRIMARYKEY")
                    == "ok\n0|0")
        }
    }

    @Test("tables with triggers of Core Data can be written")
    func triggers() throws {
        let photos = "stores/RhetTbull+photos_time_warp/Photos.sqlite"
        try Corpus.withCopy(of: photos) { copy in
            let store = try Self.open(copy, Self.model(of: photos, at: copy), [NSPersistentHistoryTrackingKey: true])
            try store.write { connection, _ in
                try connection.execute("UPDATE ZDETECTEDFACE SET ZASSET = ZASSET, ZHIDDEN = 1 - IFNULL(ZHIDDEN, 0)")
                try connection.execute(
                    "INSERT INTO ZGENERICASSET (Z_ENT, Z_OPT, ZLATITUDE, ZLONGITUDE) VALUES (34, 1, 1, 2)")
                try connection.execute("DELETE FROM ZGENERICASSET")
            }
            #expect(try sqlite3(copy, "SELECT count(*) FROM ZGENERICASSET") == "0")
        }
    }
}
