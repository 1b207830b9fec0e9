import CoreData
import CoreDataReset
import Foundation
import TestSupport
import Testing

@Suite("Stores that cannot be emptied or reset", .enabled(if: SQLiteShell.isUsable))
struct FailingStoresTests {
    private static func shortWait(_ description: NSPersistentStoreDescription) { description.timeout = 0.3 }

    enum Call: CaseIterable, Sendable {
        case deleteAllRecords, resetStores

        func run(on container: NSPersistentContainer) throws -> ResetReport {
            switch self {
            case .deleteAllRecords: try container.deleteAllRecords()
            case .resetStores: try container.resetStores()
            }
        }
    }

    @Test("a read-only store is refused before anything is done in any store", arguments: Call.allCases)
    func readOnly(_ call: Call) throws {
        let folder = try TemporaryDirectory()
        do {
            let club = try Club.configured(in: folder)
            Club.insert("Team", ["name": "Blue"], into: club.context)
            Club.insert("Tag", ["name": "fast"], into: club.context)
            try club.context.save()
            try club.container.close()
        }
        let club = try Club.configured(in: folder) { $0.isReadOnly = $0.configuration == "Tags" }
        do {
            _ = try call.run(on: club.container)
            Issue.record("no error")
        } catch let error as NSError {
            #expect(error.domain == NSCocoaErrorDomain && error.code == 513)
            #expect((error.userInfo[NSURLErrorKey] as? URL)?.lastPathComponent == "Tags.sqlite")
        }
        #expect(try sqlite3(folder.url("Teams.sqlite"), "SELECT count(*) FROM ZTEAM") == "1")
        #expect(try sqlite3(folder.url("Tags.sqlite"), "SELECT count(*) FROM ZTAG") == "1")
        try club.container.deleteAllRecords(.only(["Team"]))
        #expect(try sqlite3(folder.url("Teams.sqlite"), "SELECT count(*) FROM ZTEAM") == "0")
    }

    @Test(
        "a process that goes on writing: SQLite's 5 after the store's timeout, data and contexts as they were",
        arguments: Call.allCases)
    func locked(_ call: Call) throws {
        let club = try Club(configure: Self.shortWait)
        try club.fill()
        let identifier = club.coordinator.persistentStores.first?.identifier
        let teams = try club.fetch("Team")
        let new = Club.insert("Tag", ["name": "unsaved"], into: club.context)
        let writer = try ShellSession(club.url.path)
        try writer.run("BEGIN IMMEDIATE;")
        let error = #expect(throws: ResetError.self) { _ = try call.run(on: club.container) }
        let nsError = try #require(error as NSError?)
        #expect(nsError.domain == NSCocoaErrorDomain && nsError.userInfo[NSSQLiteErrorDomain] as? Int == 5)
        #expect(error?.report.stores.first?.failure?.sqliteCode == 5)
        #expect(error?.report.recordsDeleted == 0)
        try writer.run("ROLLBACK;")
        #expect(try club.rawCounts() == Club.full)
        #expect(club.coordinator.persistentStores.map(\.identifier) == [identifier])
        #expect(teams.map(\.isDeleted) == [false, false])
        #expect(club.context.insertedObjects == [new])
        try club.context.save()
        #expect(try call.run(on: club.container).recordsDeleted == 11)
        writer.end()
    }

    @Test(
        "one of two stores fails: it is as it was, the other is empty, and the error tells both",
        arguments: Call.allCases)
    func oneOfTwo(_ call: Call) throws {
        let club = try Club.configured(configure: Self.shortWait)
        let team = Club.insert("Team", ["name": "Blue"], into: club.context)
        let tag = Club.insert("Tag", ["name": "fast"], into: club.context)
        try club.context.save()
        Club.insert("Team", ["name": "unsaved"], into: club.context)
        Club.insert("Tag", ["name": "unsaved"], into: club.context)
        let writer = try ShellSession(club.folder.path("Tags.sqlite"))
        try writer.run("BEGIN IMMEDIATE;")
        let error = #expect(throws: ResetError.self) { _ = try call.run(on: club.container) }
        try writer.run("ROLLBACK;")
        writer.end()
        let report = try #require(error?.report)
        #expect(report.stores.map { $0.failure == nil } == [true, false])
        #expect(report.recordsDeleted == 1)
        let nsError = try #require(error as NSError?)
        #expect(nsError.code == 134040)
        #expect((nsError.userInfo[NSDetailedErrorsKey] as? [NSError])?.count == 1)
        #expect(nsError.localizedFailureReason?.contains("Tags.sqlite") == true)
        #expect(try sqlite3(club.folder.url("Teams.sqlite"), "SELECT count(*) FROM ZTEAM") == "0")
        #expect(try sqlite3(club.folder.url("Tags.sqlite"), "SELECT ZNAME FROM ZTAG") == "fast")
        if call == .deleteAllRecords {
            #expect(team.isDeleted && !tag.isDeleted)
            #expect(club.context.insertedObjects.map { $0.entity.name } == ["Tag"])
            try club.context.save()
            #expect(try sqlite3(club.folder.url("Tags.sqlite"), "SELECT count(*) FROM ZTAG") == "2")
        } else {
            #expect(try club.fetch("Tag").map { $0.value(forKey: "name") as? String } == ["fast"])
        }
    }

    @Test("a store that somebody else has reset: the removed-store error", arguments: Call.allCases)
    func resetByOthers(_ call: Call) throws {
        let club = try Club()
        try club.fill()
        let other = try Club(folder: club.folder)
        try other.container.resetStores()
        Club.insert("Tag", ["name": "theirs"], into: other.context)
        try other.context.save()
        // In one process the coordinator has lost the store by then.
        #expect(club.coordinator.persistentStores.isEmpty)
        #expect(throws: (any Error).self) { _ = try call.run(on: club.container) }
        #expect(try sqlite3(club.url, "SELECT ZNAME FROM ZTAG") == "theirs")
    }

    @Test("a failure in the middle of the transaction: every row, pair, file and live object stays")
    func failsInTheMiddle() throws {
        let club = try Club { $0.setOption(true as NSNumber, forKey: NSPersistentHistoryTrackingKey) }
        try club.fill()
        let files = try club.makePictures(1, bytes: 120_000)
        let objects = try club.fetch("Team") + club.fetch("Tag")
        let changes = "SELECT count(*), max(Z_PK) FROM ACHANGE"
        let before = try sqlite3(club.url, changes)
        _ = try sqlite3(
            club.url,
            "CREATE TRIGGER guard BEFORE DELETE ON ZTAG WHEN old.Z_PK = 2 BEGIN SELECT RAISE(ABORT, 'guarded'); END;")
        let error = #expect(throws: ResetError.self) { try club.container.deleteAllRecords() }
        #expect(error?.report.recordsDeleted == 0)
        #expect(try club.rawCounts() == Club.full)
        #expect(try sqlite3(club.url, "SELECT count(*) FROM ZPICTURE") == "1")
        #expect(FileManager.default.fileExists(atPath: files[0]))
        #expect(try sqlite3(club.url, changes) == before)
        #expect(objects.allSatisfy { !$0.isDeleted })
        _ = try sqlite3(club.url, "DROP TRIGGER guard")
        #expect(try club.container.deleteAllRecords().recordsDeleted == 11)
    }

    @Test("a damaged store can be reset, though its records cannot be counted")
    func damaged() throws {
        let folder = try TemporaryDirectory()
        do {
            let club = try Club(folder: folder)
            try club.fill()
            try club.container.close()
        }
        let url = folder.url("Club.sqlite")
        let page = try #require(Int(sqlite3(url, "SELECT rootpage FROM sqlite_master WHERE name = 'ZTEAM'")))
        let file = try FileHandle(forWritingTo: url)
        try file.seek(toOffset: UInt64((page - 1) * 4096))
        try file.write(contentsOf: Data(repeating: 0xFF, count: 4096))
        try file.close()
        let club = try Club(folder: folder)
        #expect(throws: (any Error).self) { try club.fetch("Team") }
        let report = try club.container.resetStores()
        #expect(report.stores.first?.rows.isEmpty == true)
        #expect(try sqlite3(url, "PRAGMA integrity_check") == "ok")
        try club.fill()
        #expect(try club.rawCounts() == Club.full)
    }

    @Test("with the force option a store that stays locked is set aside, and a new one stands in its place")
    func forced() throws {
        let club = try Club {
            $0.timeout = 0.2
            $0.setOption(true as NSNumber, forKey: NSPersistentStoreForceDestroyOption)
        }
        try club.fill()
        let writer = try ShellSession(club.url.path)
        try writer.run("BEGIN IMMEDIATE;")
        try club.container.resetStores()
        writer.end()
        #expect(try club.rawCounts().hasPrefix("0|0|0"))
        #expect(try club.folder.contents.contains { $0.hasPrefix("Club.sqlite.damaged-") })
        try club.fill()
        #expect(try club.fetch("Player").count == 6)
    }

    @Test("two containers that reset the same file at once: it is whole, and both can use it")
    func twoContainers() throws {
        let one = try Club()
        let two = try Club(folder: one.folder)
        try one.fill()
        let containers = [one.container, two.container]
        DispatchQueue.concurrentPerform(iterations: 2) { index in
            for _ in 0..<5 { _ = try? containers[index].resetStores() }
        }
        for club in [one, two] {
            try club.load()
            #expect(club.coordinator.persistentStores.count == 1)
            Club.insert("Tag", ["name": "x"], into: club.context)
            try club.context.save()
        }
        #expect(try one.rawCounts() == "0|0|2|0")
        #expect(try sqlite3(one.url, "PRAGMA integrity_check") == "ok")
    }
}
