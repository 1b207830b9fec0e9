import CoreData
import CoreDataReset
import Foundation
import TestSupport
import Testing

@Suite("Deleting all records", .enabled(if: SQLiteShell.isUsable))
struct DeletingAllRecordsTests {
    @Test("every row of every entity and every pair goes; the store stays the same store")
    func everything() throws {
        let club = try Club()
        try club.fill()
        #expect(try club.rawCounts() == Club.full)
        let identifier = try sqlite3(club.url, "SELECT Z_UUID FROM Z_METADATA")
        let report = try club.container.deleteAllRecords()
        #expect(try club.rawCounts() == "0|0|0|0")
        #expect(try sqlite3(club.url, "SELECT Z_UUID FROM Z_METADATA") == identifier)
        #expect(try sqlite3(club.url, "PRAGMA integrity_check") == "ok")
        #expect(report.recordsDeleted == 10)
        #expect(club.coordinator.persistentStores.map(\.identifier) == [identifier])
    }

    @Test("keys are not given out again")
    func keys() throws {
        let club = try Club()
        try club.fill()
        let keys = "SELECT group_concat(Z_NAME || Z_MAX) FROM (SELECT * FROM Z_PRIMARYKEY ORDER BY Z_ENT)"
        let before = try sqlite3(club.url, keys)
        try club.container.deleteAllRecords()
        #expect(try sqlite3(club.url, keys) == before)
        try club.fill()
        #expect(try sqlite3(club.url, "SELECT min(Z_PK) FROM ZPERSON") == "7")
    }

    @Test("it is one transaction: a reader beside it sees all or nothing")
    func oneTransaction() throws {
        let club = try Club()
        try club.fill()
        let reader = try ShellSession(club.url.path)
        try reader.run("BEGIN; SELECT count(*) FROM ZTEAM;")
        try club.container.deleteAllRecords()
        #expect(try reader.run("SELECT count(*) FROM ZTEAM; SELECT count(*) FROM ZPERSON;") == "2\n6")
        try reader.run("COMMIT;")
        #expect(try reader.run("SELECT count(*) FROM ZTEAM; SELECT count(*) FROM ZPERSON;") == "0\n0")
        reader.end()
    }

    @Test("external files go, and the report counts them")
    func externalFiles() throws {
        let club = try Club()
        try club.fill()
        let names = try club.makePictures(2, bytes: 200_000)
        let report = try club.container.deleteAllRecords()
        #expect(try sqlite3(club.url, "SELECT count(*) FROM ZPICTURE") == "0")
        for name in names { #expect(!FileManager.default.fileExists(atPath: name)) }
        let store = try #require(report.stores.first)
        #expect(store.filesBefore.external == StoreFiles.Size(count: 2, bytes: 400_000))
        #expect(store.filesAfter.external == StoreFiles.Size(count: 0, bytes: 0))
    }

    @Test("a store in memory, and one without records")
    func inMemory() throws {
        let club = try Club.inMemory()
        try club.fill()
        let report = try club.container.deleteAllRecords()
        #expect(report.recordsDeleted == 10)
        #expect(try club.fetch("Team").isEmpty)
        #expect(try club.fetch("Tag").isEmpty)
        #expect(report.stores.first?.filesBefore.total == StoreFiles.Size(count: 0, bytes: 0))
        #expect(try club.container.deleteAllRecords().recordsDeleted == 0)
    }

    @Test("several stores: each is emptied, and reported with its configuration")
    func severalStores() throws {
        let club = try Club.configured()
        Club.insert("Team", ["name": "Blue"], into: club.context)
        Club.insert("Tag", ["name": "fast"], into: club.context)
        Club.insert("Tag", ["name": "young"], into: club.context)
        try club.context.save()
        let report = try club.container.deleteAllRecords()
        #expect(report.stores.map(\.configuration) == ["Teams", "Tags"])
        #expect(report.stores.map { $0.rows.map(\.before) } == [[1], [2]])
        #expect(try sqlite3(club.folder.url("Teams.sqlite"), "SELECT count(*) FROM ZTEAM") == "0")
        #expect(try sqlite3(club.folder.url("Tags.sqlite"), "SELECT count(*) FROM ZTAG") == "0")
    }

    @Test("a store with history gets one transaction with a change for each record, by the author given")
    func history() throws {
        let club = try Club { $0.setOption(true as NSNumber, forKey: NSPersistentHistoryTrackingKey) }
        try club.fill()
        #expect(try sqlite3(club.url, "SELECT count(*) FROM ACHANGE WHERE ZCHANGETYPE = 2") == "0")
        try club.container.deleteAllRecords(author: "sign-out")
        #expect(
            try sqlite3(club.url, "SELECT count(*), count(DISTINCT ZTRANSACTIONID) FROM ACHANGE WHERE ZCHANGETYPE = 2")
                == "10|1")
        #expect(
            try sqlite3(
                club.url,
                "SELECT s.ZNAME FROM ATRANSACTION t JOIN ATRANSACTIONSTRING s ON s.Z_PK = t.ZAUTHORTS "
                    + "ORDER BY t.Z_PK DESC LIMIT 1") == "sign-out")
    }

    @Test("without history tracking no history is written")
    func noHistory() throws {
        let club = try Club()
        try club.fill()
        try club.container.deleteAllRecords()
        #expect(try sqlite3(club.url, "SELECT count(*) FROM sqlite_master WHERE name = 'ACHANGE'") == "0")
    }
}
