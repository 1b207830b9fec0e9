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
}
