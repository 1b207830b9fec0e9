import Foundation
import TestSupport
import Testing

@testable import CoreData

@Suite("External files of a SQLite store")
struct ExternalStorageTests {
    @Test("they are read from .NAME_SUPPORT/_EXTERNAL_DATA, NAME without its extension")
    func read() throws {
        let fixture = try StoreFixture("My.Trips.sqlite")
        let store = try fixture.open()
        let name = UUID().uuidString
        let folder = fixture.folder.url.appendingPathComponent(".My.Trips_SUPPORT/_EXTERNAL_DATA")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data("a large picture".utf8).write(to: folder.appendingPathComponent(name))
        #expect(try store.externalData(named: name) == Data("a large picture".utf8))
    }

    @Test("a missing file is nil")
    func missing() throws {
        let fixture = try StoreFixture()
        #expect(try fixture.open().externalData(named: UUID().uuidString) == nil)
    }

    @Test(
        "a name that is no UUID reads nothing, wherever it points",
        arguments: ["", "..", "../../etc/passwd", "/etc/passwd", "x"])
    func otherNames(_ name: String) throws {
        let fixture = try StoreFixture()
        #expect(try fixture.open().externalData(named: name) == nil)
    }

    @Test("a store in memory has none")
    func memory() throws {
        let store = try SQLiteStore.open(
            .memory, type: NSInMemoryStoreType, url: nil, model: SampleModels.library(), configuration: nil,
            options: nil)
        #expect(try store.externalData(named: UUID().uuidString) == nil)
        #expect(store.externalStorage == nil)
    }
}
