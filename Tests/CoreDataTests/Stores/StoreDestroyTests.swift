import CoreDataSQLite
import Foundation
import TestSupport
import Testing

@testable import CoreData

@Suite("Destroying a SQLite store", .enabled(if: SQLiteShell.isUsable))
struct StoreDestroyTests {
    private func fill(_ store: SQLiteStore, _ rows: Int = 3) throws {
        try store.write { connection, _ in
            for number in 0..<rows {
                try connection.execute("INSERT INTO ZTAG (Z_ENT, Z_OPT, ZLABEL) VALUES (4, 1, 'SECRET\(number)')")
            }
        }
    }

    @Test("an empty database stays in place, with the file's page size and journal", arguments: ["wal", "delete"])
    func emptyDatabase(_ mode: String) throws {
        let fixture = try StoreFixture()
        let store = try fixture.open(SampleModels.library(), [NSSQLitePragmasOption: ["journal_mode": mode]])
        try fill(store, 500)
        try store.close()
        try fixture.destroy()
        #expect(try fixture.folder.contents == ["Store.sqlite"])
        #expect(
            try sqlite3(fixture.path, "SELECT count(*) FROM sqlite_master; PRAGMA page_count; PRAGMA auto_vacuum")
                == "0\n1\n2")
        #expect(try sqlite3(fixture.path, "PRAGMA journal_mode; PRAGMA integrity_check") == "\(mode)\nok")
        #expect(try Data(contentsOf: fixture.url).range(of: Data("SECRET".utf8)) == nil)
    }

    @Test("another model can be added in its place without migration, and has a new identifier")
    func otherModel() throws {
        let fixture = try StoreFixture()
        let old = try fixture.open()
        try old.close()
        try fixture.destroy()
        let model = NSManagedObjectModel()
        model.entities = [SampleModels.entity("Note", [SampleModels.attribute("text", .stringAttributeType)])]
        let store = try fixture.open(model)
        #expect(store.identifier != old.identifier)
        #expect(try sqlite3(fixture.path, "SELECT count(*) FROM ZNOTE; PRAGMA auto_vacuum") == "0\n2")
    }

    @Test("a page size of its own stays", arguments: [512, 2048, 16384])
    func pageSize(_ size: Int) throws {
        let fixture = try StoreFixture()
        try fixture.make()
        _ = try sqlite3(
            fixture.path, "PRAGMA journal_mode=delete; PRAGMA page_size=\(size); PRAGMA auto_vacuum=1; VACUUM")
        try fixture.destroy()
        #expect(try sqlite3(fixture.path, "PRAGMA page_size; PRAGMA auto_vacuum") == "\(size)\n1")
        try fixture.make()
        #expect(try sqlite3(fixture.path, "SELECT count(*) FROM Z_PRIMARYKEY; PRAGMA page_size") == "4\n\(size)")
    }

    @Test("a missing file is error 260, and none is made")
    func missing() throws {
        let fixture = try StoreFixture()
        #expect(error { try fixture.destroy() }?.code == 260)
        #expect(try fixture.folder.contents == [])
    }

    @Test("a zero-length file, and a destroyed store, are destroyed already")
    func nothingToDo() throws {
        let fixture = try StoreFixture()
        try Data().write(to: fixture.url)
        try fixture.destroy()
        try fixture.make()
        try fixture.destroy()
        try fixture.destroy()
        #expect(try sqlite3(fixture.path, "PRAGMA integrity_check") == "ok")
    }

    @Test("another program's database is left alone")
    func otherDatabase() throws {
        let fixture = try StoreFixture()
        _ = try sqlite3(fixture.path, "CREATE TABLE recipe (name TEXT); INSERT INTO recipe VALUES ('bread')")
        let before = try Data(contentsOf: fixture.url)
        #expect(error { try fixture.destroy() }?.code == 259)
        #expect(try Data(contentsOf: fixture.url) == before)
    }

    @Test("external files go with the rows")
    func externalFiles() throws {
        let fixture = try StoreFixture()
        try fixture.make()
        let folder = fixture.folder.url.appendingPathComponent(".Store_SUPPORT/_EXTERNAL_DATA")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for _ in 0..<3 { try Data("blob".utf8).write(to: folder.appendingPathComponent(UUID().uuidString)) }
        try fixture.destroy()
        #expect(try fixture.folder.contents == ["Store.sqlite"])
    }

    @Test("files in the support folder that are not the store's stay")
    func foreignFiles() throws {
        let fixture = try StoreFixture()
        try fixture.make()
        let folder = fixture.folder.url.appendingPathComponent(".Store_SUPPORT/_EXTERNAL_DATA")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data("mine".utf8).write(to: folder.appendingPathComponent("notes.txt"))
        try fixture.destroy()
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["notes.txt"])
    }

    @Test("files that a crash left beside a destroyed store go when the next store is made there")
    func leftOverFiles() throws {
        let fixture = try StoreFixture()
        try fixture.make()
        try fixture.destroy()
        let folder = fixture.folder.url.appendingPathComponent(".Store_SUPPORT/_EXTERNAL_DATA")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data("blob".utf8).write(to: folder.appendingPathComponent(UUID().uuidString))
        try fixture.make()
        #expect(try fixture.folder.contents == ["Store.sqlite"])
    }

    @Test("in WAL mode a reader does not hinder it and finishes on its snapshot")
    func reader() throws {
        let fixture = try StoreFixture()
        let store = try fixture.open()
        try fill(store)
        let reader = try SQLiteConnection(path: fixture.path, access: .readOnly)
        try reader.read {
            #expect(try reader.int64("SELECT count(*) FROM ZTAG") == 3)
            try fixture.destroy([NSPersistentStoreTimeoutOption: 1])
            #expect(try reader.int64("SELECT count(*) FROM ZTAG") == 3)
        }
        #expect(throws: SQLiteError.self) { try reader.int64("SELECT count(*) FROM ZTAG") }
    }

    @Test("a writer, or with a rollback journal a reader, makes it fail with SQLite's 5 and the data intact")
    func locked() throws {
        for (mode, lock) in [("wal", "BEGIN IMMEDIATE"), ("delete", "BEGIN IMMEDIATE"), ("delete", "BEGIN")] {
            let fixture = try StoreFixture()
            let store = try fixture.open(SampleModels.library(), [NSSQLitePragmasOption: ["journal_mode": mode]])
            try fill(store)
            try store.close()
            let holder = try SQLiteConnection(path: fixture.path, access: .readWrite)
            try holder.execute(lock + "; SELECT count(*) FROM ZTAG")
            let start = Date()
            let error = try #require(error { try fixture.destroy([NSPersistentStoreTimeoutOption: 0.3]) })
            #expect(error.domain == NSCocoaErrorDomain)
            #expect(error.userInfo["NSSQLiteErrorDomain"] as? Int == 5, "\(mode) \(lock)")
            #expect((0.2...3).contains(Date().timeIntervalSince(start)))
            try holder.execute("COMMIT")
            try holder.close()
            #expect(try sqlite3(fixture.path, "SELECT count(*) FROM ZTAG; PRAGMA integrity_check") == "3\nok")
            try fixture.destroy()
        }
    }

    @Test("a damaged file is error 259; with force its files are set aside and nothing is lost")
    func damaged() throws {
        let fixture = try StoreFixture()
        let text = Data("no database at all, but something that somebody may want to look at".utf8)
        try text.write(to: fixture.url)
        try Data("log".utf8).write(to: fixture.folder.url("Store.sqlite-wal"))
        let external = fixture.folder.url.appendingPathComponent(".Store_SUPPORT/_EXTERNAL_DATA")
        try FileManager.default.createDirectory(at: external, withIntermediateDirectories: true)
        #expect(error { try fixture.destroy() }?.code == 259)
        #expect(try Data(contentsOf: fixture.url) == text)
        try fixture.destroy([NSPersistentStoreForceDestroyOption: true])
        let names = try fixture.folder.contents
        #expect(names.count == 3 && names.allSatisfy { $0.contains(".damaged-") })
        let moved = try #require(names.first { $0.hasPrefix("Store.sqlite.damaged-") && !$0.hasSuffix("-wal") })
        #expect(try Data(contentsOf: fixture.folder.url(moved)) == text)
        try fixture.make()
    }

    @Test("with force a store whose holder does not answer is set aside, and the holder goes on")
    func unansweringHolder() throws {
        let fixture = try StoreFixture()
        let store = try fixture.open()
        try fill(store)
        try store.close()
        let holder = try SQLiteConnection(path: fixture.path, access: .readWrite)
        try holder.execute("BEGIN IMMEDIATE; INSERT INTO ZTAG (Z_ENT) VALUES (4)")
        try fixture.destroy([NSPersistentStoreForceDestroyOption: true, NSPersistentStoreTimeoutOption: 0.2])
        try holder.execute("COMMIT")
        #expect(try holder.int64("SELECT count(*) FROM ZTAG") == 4)
        try fixture.make()
        #expect(try sqlite3(fixture.path, "SELECT count(*) FROM ZTAG") == "0")
    }

    @Test("a file that cannot be written is error 513", .disabled(if: getuid() == 0, "root may write anything"))
    func unwritable() throws {
        let fixture = try StoreFixture()
        try fixture.make()
        try FileManager.default.setAttributes([.posixPermissions: 0o444], ofItemAtPath: fixture.path)
        #expect(error { try fixture.destroy() }?.code == 513)
    }
}

@Suite("Replacing a SQLite store", .enabled(if: SQLiteShell.isUsable))
struct StoreReplaceTests {
    private let folder: TemporaryDirectory
    private let source: URL
    private let destination: URL

    init() throws {
        folder = try TemporaryDirectory()
        source = folder.url("Source.sqlite")
        destination = folder.url("Destination.sqlite")
    }

    private func open(_ url: URL, _ model: NSManagedObjectModel = SampleModels.library()) throws -> SQLiteStore {
        try SQLiteStore.open(
            .file(url.path), type: NSSQLiteStoreType, url: url, model: model, configuration: nil, options: nil)
    }

    private func insert(_ store: SQLiteStore, _ label: String) throws {
        try store.write { connection, _ in
            try connection.execute("INSERT INTO ZTAG (Z_ENT, Z_OPT, ZLABEL) VALUES (4, 1, '\(label)')")
        }
    }

    private func replace(_ options: [AnyHashable: Any] = [:]) throws {
        try SQLiteStore.replace(
            .file(destination.path), url: destination, options: options, from: .file(source.path), sourceURL: source,
            sourceOptions: nil)
    }

    @Test("a missing destination gets a copy, in WAL mode")
    func copy() throws {
        let store = try open(source)
        try insert(store, "red")
        try store.close()
        try replace()
        #expect(
            try sqlite3(destination, "SELECT ZLABEL FROM ZTAG; PRAGMA journal_mode; PRAGMA auto_vacuum")
                == "red\nwal\n2")
        #expect(try open(destination).identifier == store.identifier)
    }

    @Test("rows that are in the source's log only are copied, whoever has it open")
    func log() throws {
        let store = try open(source)
        try insert(store, "red")
        try replace()
        #expect(try sqlite3(destination, "SELECT ZLABEL FROM ZTAG") == "red")
        #expect(try store.read { connection, _ in try connection.int64("SELECT count(*) FROM ZTAG") } == 1)
    }

    @Test("the source is not changed")
    func sourceStays() throws {
        try open(source).close()
        let before = FileGroup.contents(of: source)
        try replace()
        #expect(FileGroup.contents(of: source) == before)
    }

    @Test("an existing destination gets the source's contents, and its stale holder the removed-store error")
    func existing() throws {
        let store = try open(source)
        try insert(store, "red")
        try store.close()
        let stale = try open(destination)
        try insert(stale, "blue")
        try replace()
        #expect(error { try insert(stale, "green") }?.code == 134070)
        let fresh = try open(destination)
        #expect(fresh.identifier == store.identifier)
        #expect(
            try fresh.read { connection, _ in try connection.text("SELECT group_concat(ZLABEL) FROM ZTAG") } == "red")
    }

    @Test("another page size at the destination stays, and the copy is whole")
    func pageSize() throws {
        let store = try open(source)
        try insert(store, "red")
        try store.close()
        try open(destination).close()
        _ = try sqlite3(destination, "PRAGMA journal_mode=delete; PRAGMA page_size=8192; VACUUM")
        try replace()
        #expect(
            try sqlite3(destination, "PRAGMA page_size; SELECT ZLABEL FROM ZTAG; PRAGMA integrity_check")
                == "8192\nred\nok")
        #expect(try folder.contents == ["Destination.sqlite", "Source.sqlite"])
    }

    @Test("a missing source is error 260, and the destination stays")
    func missingSource() throws {
        let store = try open(destination)
        try insert(store, "blue")
        try store.close()
        #expect(error { try replace() }?.code == 260)
        #expect(try sqlite3(destination, "SELECT ZLABEL FROM ZTAG") == "blue")
    }

    @Test("a source that is no store is error 259, and the destination stays")
    func noStore() throws {
        _ = try sqlite3(source, "CREATE TABLE t (a)")
        try open(destination).close()
        #expect(error { try replace() }?.code == 259)
        try open(destination).close()
    }

    @Test("a missing folder is error 512")
    func missingFolder() throws {
        try open(source).close()
        let url = folder.url("missing/Store.sqlite")
        let error = error {
            try SQLiteStore.replace(
                .file(url.path), url: url, options: nil, from: .file(source.path), sourceURL: source, sourceOptions: nil
            )
        }
        #expect(error?.code == 512)
    }

    @Test("external files are copied, and those of the old contents go")
    func externalFiles() throws {
        try open(source).close()
        try open(destination).close()
        let theirs = ExternalStorage(storePath: source.path)
        let mine = ExternalStorage(storePath: destination.path)
        let kept = UUID().uuidString
        let old = UUID().uuidString
        for (storage, name) in [(theirs, kept), (mine, old)] {
            try FileManager.default.createDirectory(atPath: storage.folderPath, withIntermediateDirectories: true)
            try Data(name.utf8).write(to: URL(fileURLWithPath: storage.folderPath + "/" + name))
        }
        try replace()
        #expect(mine.names == [kept] && theirs.names == [kept])
        #expect(try mine.data(named: kept) == Data(kept.utf8))
    }

    @Test("with force a damaged destination is set aside and the copy put in its place")
    func forced() throws {
        let store = try open(source)
        try insert(store, "red")
        try store.close()
        try Data("no database, but longer than the header of one would have to be, and then some more text".utf8)
            .write(to: destination)
        #expect(error { try replace() }?.code == 259)
        try replace([NSPersistentStoreForceDestroyOption: true])
        #expect(try sqlite3(destination, "SELECT ZLABEL FROM ZTAG") == "red")
        #expect(try folder.contents.contains { $0.hasPrefix("Destination.sqlite.damaged-") })
    }

    @Test("a locked destination is SQLite's 5, and stays")
    func locked() throws {
        try open(source).close()
        let store = try open(destination)
        try insert(store, "blue")
        let holder = try SQLiteConnection(path: destination.path, access: .readWrite)
        try holder.write {
            let error = error { try replace([NSPersistentStoreTimeoutOption: 0.2]) }
            #expect(error?.userInfo["NSSQLiteErrorDomain"] as? Int == 5)
        }
        try insert(store, "green")
        #expect(try sqlite3(destination, "SELECT count(*) FROM ZTAG") == "2")
    }
}
