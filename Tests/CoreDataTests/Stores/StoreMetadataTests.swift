import Foundation
import TestSupport
import Testing

@testable import CoreData

@Suite("Metadata of a SQLite store", .enabled(if: SQLiteShell.isUsable))
struct StoreMetadataTests {
    @Test("a missing file is error 260 and is not made")
    func missing() throws {
        let fixture = try StoreFixture()
        let error = try #require(error { _ = try fixture.metadata() })
        #expect(error.domain == NSCocoaErrorDomain && error.code == 260)
        #expect(try fixture.folder.contents == [])
    }

    @Test("a file that is no store is error 259")
    func noStore() throws {
        let fixture = try StoreFixture()
        _ = try sqlite3(fixture.path, "CREATE TABLE t (a)")
        #expect(error { _ = try fixture.metadata() }?.code == 259)
    }

    @Test("reading changes no byte and no entry of the folder, in any state of the store")
    func unchanged() throws {
        let fixture = try StoreFixture()
        let store = try fixture.open()
        func check(_ what: String) throws {
            // The shared memory of a store that is open notes who reads.
            let isOpen = !openDescriptors(under: fixture.folder.path).isEmpty
            func contents() -> [String: Data] {
                FileGroup.contents(of: fixture.url).filter { $0.key != "-shm" || !isOpen }
            }
            let before = contents()
            let date = try modificationDate(fixture.folder.path)
            #expect(try fixture.metadata()["NSStoreUUID"] as? String == store.identifier, "\(what)")
            #expect(contents() == before, "\(what)")
            #expect(try modificationDate(fixture.folder.path) == date, "\(what)")
        }
        try check("open")
        try store.write { connection, _ in try connection.execute("INSERT INTO ZTAG (Z_ENT, Z_OPT) VALUES (4, 1)") }
        try check("with a log, open here")
        try FileGroup.copy(from: fixture.url, to: fixture.folder.url("copy"))
        try store.close()
        try check("closed")
        for suffix in ["", "-wal"] {
            try? FileManager.default.removeItem(atPath: fixture.path + suffix)
            try FileManager.default.moveItem(
                atPath: fixture.folder.path("copy") + suffix, toPath: fixture.path + suffix)
        }
        try check("with a log that nobody has open")
        _ = try sqlite3(fixture.path, "PRAGMA journal_mode=delete")
        try check("with a rollback journal")
    }

    @Test("metadata in the log count")
    func inLog() throws {
        let fixture = try StoreFixture()
        let store = try fixture.open()
        try store.write { connection, _ in
            var metadata = store.metadata
            metadata["colour"] = "blue"
            try store.writeMetadata(metadata, connection)
        }
        #expect(try fixture.metadata()["colour"] as? String == "blue")
        try FileGroup.copy(from: fixture.url, to: fixture.folder.url("copy"))
        let copy = fixture.folder.url("copy")
        let metadata = try SQLiteStore.metadata(at: .file(copy.path), url: copy, options: nil)
        #expect(metadata["colour"] as? String == "blue")
    }

    @Test("metadata set without opening are in the file at once, beside the framework's own")
    func set() throws {
        let fixture = try StoreFixture()
        try fixture.make()
        let before = try fixture.metadata()
        let date = Date(timeIntervalSinceReferenceDate: 1000.5)
        try fixture.setMetadata([
            "text": "ö", "number": 7, "half": 0.5, "flag": true, "data": Data([1, 2]), "date": date,
            "list": ["a", 1] as [Any], "NSStoreUUID": "other", "NSStoreType": "XML",
        ])
        let hex = try sqlite3(fixture.path, "SELECT hex(Z_PLIST) FROM Z_METADATA")
        let object = try PropertyListSerialization.propertyList(from: #require(Data(hex: hex)), format: nil)
        let plist = try #require(object as? [String: Any])
        #expect(plist["text"] as? String == "ö")
        #expect(plist["number"] as? Int == 7)
        #expect(plist["half"] as? Double == 0.5)
        #expect(plist["flag"] as? Bool == true)
        #expect(plist["data"] as? Data == Data([1, 2]))
        #expect(plist["date"] as? Date == date)
        #expect((plist["list"] as? [Any])?.count == 2)
        let after = try fixture.metadata()
        #expect(
            NSDictionary(dictionary: before).isEqual(NSDictionary(dictionary: after.filter { before[$0.key] != nil })))
        try fixture.open().close()
    }

    @Test("metadata an application removed are gone, those of the framework are not")
    func removed() throws {
        let fixture = try StoreFixture()
        try fixture.make()
        try fixture.setMetadata(["mine": 1])
        try fixture.setMetadata([:])
        let metadata = try fixture.metadata()
        #expect(metadata["mine"] == nil)
        #expect(metadata["NSStoreModelVersionHashes"] != nil)
    }

    @Test("a value that cannot be stored is an error naming its key, and changes nothing")
    func unusable() throws {
        let fixture = try StoreFixture()
        try fixture.make()
        let error = try #require(error { try fixture.setMetadata(["a": ["b": URL(fileURLWithPath: "/x")]]) })
        #expect(error.domain == NSCocoaErrorDomain && error.code == 134060)
        #expect((error.userInfo["reason"] as? String)?.contains("a.b") == true)
        #expect(try fixture.metadata()["a"] == nil)
    }

    @Test("metadata of types this program does not set are kept")
    func kept() throws {
        let fixture = try StoreFixture()
        try fixture.make()
        var plist = try fixture.metadata()
        plist["NSStoreUUID"] = nil
        plist["com.example.archive"] = Data("bplist00".utf8)
        plist["nested"] = ["when": Date(timeIntervalSinceReferenceDate: 5), "deep": [["x": 1]]] as [String: Any]
        let data = try PropertyListSerialization.data(fromPropertyList: plist, format: .xml, options: 0)
        _ = try sqlite3(
            fixture.path, "UPDATE Z_METADATA SET Z_PLIST = x'\(data.map { String(format: "%02x", $0) }.joined())'")
        try fixture.setMetadata(fixture.metadata())
        let metadata = try fixture.metadata()
        #expect(metadata["com.example.archive"] as? Data == Data("bplist00".utf8))
        #expect((metadata["nested"] as? [String: Any])?["when"] as? Date == Date(timeIntervalSinceReferenceDate: 5))
    }

    @Test("a property list that contains itself, or claims to be endless, is an error")
    func hostile() throws {
        let fixture = try StoreFixture()
        try fixture.make()
        // One array whose only member is itself; and 40 arrays, each holding the next one twice.
        var bombs = [Self.archive([[0xA1, 0]])]
        bombs.append(Self.archive((0..<40).map { [0xA2, UInt8($0 + 1), UInt8($0 + 1)] } + [[0xA0]]))
        for bomb in bombs {
            let hex = bomb.map { String(format: "%02x", $0) }.joined()
            _ = try sqlite3(fixture.path, "UPDATE Z_METADATA SET Z_PLIST = x'\(hex)'")
            #expect(error { _ = try fixture.metadata() }?.code == 259)
        }
    }

    /// A binary property list of objects given as bytes, the first on top.
    private static func archive(_ objects: [[UInt8]]) -> [UInt8] {
        var bytes = Array("bplist00".utf8)
        var offsets: [UInt8] = []
        for object in objects {
            offsets.append(UInt8(bytes.count))
            bytes += object
        }
        let table = bytes.count
        bytes += offsets + [0, 0, 0, 0, 0, 0, 1, 1]
        for value in [objects.count, 0, table] { bytes += [0, 0, 0, 0, 0, 0, 0, UInt8(value)] }
        return bytes
    }

    private func modificationDate(_ path: String) throws -> Date? {
        try FileManager.default.attributesOfItem(atPath: path)[.modificationDate] as? Date
    }
}
