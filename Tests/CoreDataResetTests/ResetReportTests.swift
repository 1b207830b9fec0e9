import CoreData
import CoreDataReset
import Foundation
import TestSupport
import Testing

@Suite("Reports of resets", .enabled(if: SQLiteShell.isUsable))
struct ResetReportTests {
    private let club: Club

    init() throws {
        club = try Club()
        try club.fill()
        _ = try club.makePictures(1, bytes: 120_000)
    }

    private func size(_ suffix: String) throws -> Int64 {
        let attributes = try FileManager.default.attributesOfItem(atPath: club.url.path + suffix)
        return (attributes[.size] as? NSNumber)?.int64Value ?? -1
    }

    @Test(
        "rows are those the sqlite3 shell counts, files those of the file system",
        arguments: FailingStoresTests.Call.allCases)
    func numbers(_ call: FailingStoresTests.Call) throws {
        let sizes = try ["", "-wal", "-shm"].map(size)
        let report = try call.run(on: club.container)
        let store = try #require(report.stores.first)
        let expected = ["Coach": 0, "Person": 0, "Picture": 1, "Player": 6, "Tag": 2, "Team": 2]
        #expect(Dictionary(uniqueKeysWithValues: store.rows.map { ($0.entity, $0.before) }) == expected)
        #expect(store.rows.allSatisfy { $0.after == 0 })
        #expect(store.rows.map(\.entity) == store.rows.map(\.entity).sorted())
        let before = store.filesBefore
        #expect([before.main.bytes, before.wal.bytes, before.shm.bytes] == sizes)
        #expect(before.external == StoreFiles.Size(count: 1, bytes: 120_000))
        let after = store.filesAfter
        #expect(try [after.main.bytes, after.wal.bytes, after.shm.bytes] == ["", "-wal", "-shm"].map(size))
        #expect(before.total.bytes == sizes.reduce(120_000, +) && before.total.count == 4)
        #expect(store.url == club.url && store.type == NSSQLiteStoreType)
    }

    @Test("each context is counted once", arguments: FailingStoresTests.Call.allCases)
    @MainActor
    func contexts(_ call: FailingStoresTests.Call) throws {
        let contexts = (0..<2).map { _ in club.container.newBackgroundContext() }
        club.container.track(contexts[0])
        let report = try call.run(on: club.container)
        // These two and the view context.
        #expect(report.contextsTold == 3 && report.contextsWaiting == 0)
        withExtendedLifetime(contexts) {}
    }

    @Test("steps take time, and together no longer than the whole", arguments: FailingStoresTests.Call.allCases)
    func times(_ call: FailingStoresTests.Call) throws {
        let report = try call.run(on: club.container)
        let steps = report.steps + report.stores.flatMap(\.steps)
        #expect(!steps.isEmpty && steps.allSatisfy { $0.seconds >= 0 && !$0.name.isEmpty })
        #expect(steps.reduce(0) { $0 + $1.seconds } <= report.seconds)
    }

    @Test("JSON and back")
    func coding() throws {
        let report = try club.container.deleteAllRecords()
        let data = try JSONEncoder().encode(report)
        #expect(try JSONDecoder().decode(ResetReport.self, from: data) == report)
        let object = try JSONSerialization.jsonObject(with: data) as? [String: Any]
        #expect(object?["operation"] as? String == "deleteAllRecords")
    }

    @Test("the description says what a person wants to know")
    func description() throws {
        let text = try club.container.deleteAllRecords().description
        #expect(text.hasPrefix("deleted 11 records in 1 store: "))
        #expect(text.contains(club.url.path))
        #expect(text.contains("Player   6 -> 0 records"))
        #expect(text.contains("external: 120000 -> 0 bytes, 1 -> 0 files"))
        #expect(!text.contains("Coach"))
        #expect(try club.container.resetStores().description.hasPrefix("reset 1 store with 0 records: "))
    }

    @Test("a failure is told in the description too")
    func failure() throws {
        let club = try Club { $0.timeout = 0.1 }
        let writer = try ShellSession(club.url.path)
        try writer.run("BEGIN IMMEDIATE;")
        let error = #expect(throws: ResetError.self) { try club.container.deleteAllRecords() }
        writer.end()
        let text = try #require(error?.description)
        #expect(text.contains("0 of 1 store") && text.contains("FAILED: "))
    }
}
