import CoreData
import Foundation
import TestSupport
import Testing

@testable import CoreDataTool

@Suite(.enabled(if: SQLiteShell.isUsable))
struct ResetCommandTests {
    let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory() }

    private func counts(_ url: URL) throws -> String {
        try sqlite3(url, "SELECT (SELECT count(*) FROM ZNOTE), (SELECT count(*) FROM ZFOLDER)")
    }

    // MARK: The command line

    @Test(arguments: [
        [], ["--records", "--store"], ["--store", "--entity", "Note"], ["--store", "--keep", "Note"],
        ["--store", "--clear-history"], ["--records", "--backup="],
    ])
    func whatMakesNoSenseIsAUsageError(_ options: [String]) throws {
        let url = try SmallModel.store(in: folder)
        let before = try fingerprint(of: folder.url)
        #expect(ToolRun(["reset"] + options + ["--yes", url.path]).code == 2)
        #expect(try fingerprint(of: folder.url) == before)
    }

    @Test func anUnknownEntityIsNamedWithTheNearest() throws {
        let url = try SmallModel.store(in: folder)
        for option in ["--entity", "--keep"] {
            let run = ToolRun("reset", "--records", option, "Nota", "--yes", url.path)
            #expect(run.code == 1)
            #expect(
                run.errors.contains(
                    "there is no entity 'Nota'.\n  Did you mean 'Note'? Its entities are: Folder, Note."))
        }
        #expect(try counts(url) == "3|1")
    }

    // MARK: Asking

    @Test func withoutAnybodyToAskNothingIsDone() throws {
        let url = try SmallModel.store(in: folder)
        let before = try fingerprint(of: folder.url)
        let run = ToolRun("reset", "--records", url.path)
        #expect(run.code == 2)
        #expect(run.errors.contains("add --yes"))
        #expect(try fingerprint(of: folder.url) == before)
    }

    @Test(arguments: ["", "n", "no", "yess", "\u{4}"])
    func anythingButYesChangesNothing(_ answer: String) throws {
        let url = try SmallModel.store(in: folder)
        let before = try fingerprint(of: folder.url)
        for operation in ["--records", "--store"] {
            let run = ToolRun("reset", operation, url.path, answers: [answer])
            #expect(run.code == 1)
            #expect(run.errors.contains("nothing was changed"))
        }
        #expect(ToolRun("reset", "--records", url.path, answers: []).code == 1)
        #expect(try fingerprint(of: folder.url) == before)
    }

    @Test(arguments: ["y", "YES", " yes "])
    func theQuestionNamesStoreAndRows(_ answer: String) throws {
        let url = try SmallModel.store(in: folder)
        let run = ToolRun("reset", "--records", url.path, answers: [answer])
        #expect(run.code == 0)
        #expect(run.errors == "Delete 4 rows from \(url.path)? There is no way back. [y/N] ")
        #expect(run.output.contains("Note       3        3     0"))
        #expect(try counts(url) == "0|0")
    }

    // MARK: What is deleted

    @Test func aDryRunChangesNothingAndKnowsWhatCascades() throws {
        let url = try SmallModel.store(in: folder)
        let before = try fingerprint(of: folder.url)
        let all = try ToolRun("reset", "--records", "--dry-run", "--json", url.path).json()
        #expect(all["rowsDeleted"] as? Int == 4)
        #expect(all["isDryRun"] as? Bool == true)
        let one = try ToolRun("reset", "--records", "--dry-run", "--entity", "Folder", "--json", url.path).json()
        #expect(one["rowsDeleted"] as? Int == 4)
        let notes = try ToolRun("reset", "--records", "--dry-run", "--entity", "Note", "--json", url.path).json()
        #expect(notes["rowsDeleted"] as? Int == 3)
        let store = ToolRun("reset", "--store", "--dry-run", url.path)
        #expect(store.output.contains("would be replaced by a new, empty one.\n"))
        #expect(try fingerprint(of: folder.url) == before)
    }

    @Test func aCascadeToWhatIsKeptStopsTheReset() throws {
        let url = try SmallModel.store(in: folder)
        for words in [["--keep", "Note"], ["--entity", "Folder", "--keep", "Note"]] {
            for mode in ["--yes", "--dry-run"] {
                let run = ToolRun(["reset", "--records", mode] + words + [url.path])
                #expect(run.code == 1, "\(run.output)")
                #expect(run.errors.contains("Note"))
            }
        }
        #expect(try counts(url) == "3|1")
        #expect(ToolRun("reset", "--records", "--yes", "--keep", "Folder", url.path).code == 0)
        #expect(try counts(url) == "0|1")
    }

    @Test func theSpaceOfDeletedRowsIsGivenBack() throws {
        let url = try SmallModel.store(in: folder)
        _ = try sqlite3(
            url,
            """
            WITH RECURSIVE n(i) AS (SELECT 4 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
            INSERT INTO ZNOTE (Z_PK, Z_ENT, Z_OPT, ZTEXT) SELECT i, 2, 1, hex(zeroblob(500)) FROM n;
            """)
        #expect(StoreFilePath.size(url.path) > 2_000_000)
        let json = try ToolRun("reset", "--records", "--yes", "--json", url.path).json()
        #expect(json["rowsDeleted"] as? Int == 2001)
        #expect(StoreFilePath.size(url.path) < 100_000)
        #expect(json["bytesAfter"] as? Int == Int(StoreFilePath.size(url.path)))
        #expect(try sqlite3(url, "PRAGMA freelist_count; PRAGMA integrity_check") == "0\nok")
    }

    // MARK: History

    @Test func deletionsAreRecordedInAHistory() throws {
        let url = try SmallModel.store(in: folder, history: true)
        let run = ToolRun("reset", "--records", "--yes", url.path)
        #expect(run.code == 0)
        #expect(run.output.contains("Each deletion is recorded in its history."))
        #expect(try sqlite3(url, "SELECT ZCHANGETYPE, count(*) FROM ACHANGE GROUP BY 1") == "0|4\n2|4")
        #expect(
            try sqlite3(url, "SELECT s.ZNAME FROM ATRANSACTION t, ATRANSACTIONSTRING s WHERE s.Z_PK = t.ZAUTHORTS")
                == "coredata")
    }

    @Test func aHistoryIsClearedOnRequest() throws {
        let url = try SmallModel.store(in: folder, history: true)
        let run = ToolRun("reset", "--records", "--yes", "--clear-history", url.path)
        #expect(run.code == 0)
        #expect(run.output.contains("Its history was cleared."))
        #expect(
            try sqlite3(
                url,
                "SELECT count(*) FROM ACHANGE UNION ALL SELECT count(*) FROM ATRANSACTION UNION ALL SELECT count(*) FROM ATRANSACTIONSTRING"
            )
                == "0\n0\n0")
        // The numbers go on: no token of before fits what comes.
        #expect(try sqlite3(url, "SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = 'TRANSACTION'") == "2")
    }

    // MARK: Refusals

    @Test func aMirroredStoreIsRefused() throws {
        let url = try SmallModel.store(in: folder)
        _ = try sqlite3(url, "CREATE TABLE ANSCKRECORDMETADATA (Z_PK INTEGER PRIMARY KEY)")
        let before = try fingerprint(of: folder.url)
        for operation in ["--records", "--store"] {
            let run = ToolRun("reset", operation, "--yes", "--json", url.path)
            #expect(run.code == 1)
            #expect((try run.json()["error"] as? [String: Any])?["kind"] as? String == "mirrored")
            #expect(run.errors.contains("iCloud"))
        }
        #expect(try fingerprint(of: folder.url) == before)
        #expect(try ToolRun("info", "--json", url.path).json()["mirroring"] as? [String: Any] != nil)
        #expect(ToolRun("info", url.path).output.contains("CloudKit mirroring   yes"))
        #expect(ToolRun("reset", "--records", "--mirrored", "--yes", url.path).code == 0)
        #expect(try counts(url) == "0|0")
    }

    @Test func aLockedStoreIsRefused() throws {
        let url = try SmallModel.store(in: folder)
        let shell = try ShellSession(url.path)
        try shell.run("BEGIN IMMEDIATE; UPDATE ZNOTE SET ZTEXT = 'x'")
        for operation in ["--records", "--store"] {
            let run = ToolRun("reset", operation, "--yes", "--timeout", "0.1", url.path)
            #expect(run.code == 1)
            #expect(run.errors.contains("\(url.path): the store is in use by another program."))
        }
        // Looking does not disturb the writer, and does not see what he has not committed.
        #expect(try ToolRun("info", "--json", url.path).json()["rows"] as? Int == 4)
        try shell.run("ROLLBACK")
        shell.end()
        #expect(try counts(url) == "3|1")
    }

    @Test func aLockedStoreWithARollbackJournalIsRefused() throws {
        let url = try SmallModel.store(in: folder)
        #expect(try sqlite3(url, "PRAGMA journal_mode = delete") == "delete")
        let shell = try ShellSession(url.path)
        // A reader is in the way too.
        for lock in ["BEGIN EXCLUSIVE", "BEGIN; SELECT count(*) FROM ZNOTE"] {
            try shell.run(lock)
            for operation in ["--records", "--store"] {
                let run = ToolRun("reset", operation, "--yes", "--timeout", "0.1", url.path)
                #expect(run.code == 1)
                #expect(run.errors.contains("in use by another program"), "\(lock) \(run.errors)")
            }
            try shell.run("ROLLBACK")
        }
        shell.end()
        #expect(try counts(url) == "3|1")
    }

    @Test func aModelThatTheMetadataContradictIsNotUsed() throws {
        let url = try SmallModel.store(in: folder)
        _ = try sqlite3(url, "UPDATE Z_METADATA SET Z_PLIST = NULL")
        let before = try fingerprint(of: folder.url)
        let refusal = ToolRun("reset", "--records", "--yes", url.path)
        #expect(refusal.code == 1)
        #expect(refusal.errors.contains("does not fit the version hashes of its metadata"))
        #expect(try fingerprint(of: folder.url) == before)
        #expect(ToolRun("reset", "--store", "--yes", url.path).code == 0)
        #expect(try sqlite3(url, "SELECT count(*) FROM sqlite_master") == "0")
    }

    @Test func aStoreThatSomebodyHasOpenIsResetWithAWarning() throws {
        let url = try SmallModel.store(in: folder)
        let shell = try ShellSession(url.path)
        #expect(try shell.run("SELECT count(*) FROM ZNOTE") == "3")
        let run = ToolRun("reset", "--records", "--yes", url.path)
        #expect(run.code == 0)
        #expect(run.errors.contains("another program has the store open"))
        #expect(try shell.run("SELECT count(*) FROM ZNOTE") == "0")
        shell.end()
    }

    @Test func aDamagedStoreIsRefused() throws {
        let url = try SmallModel.store(in: folder)
        let handle = try FileHandle(forUpdating: url)
        // The root page of a table, which the schema itself does not need.
        let page = try #require(UInt64(try sqlite3(url, "SELECT rootpage FROM sqlite_master WHERE name = 'ZNOTE'")))
        try handle.seek(toOffset: (page - 1) * 4096)
        try handle.write(contentsOf: Data(repeating: 0xA5, count: 512))
        try handle.close()
        let before = try fingerprint(of: folder.url)
        for words in [
            ["--records"], ["--store"], ["--records", "--dry-run"], ["--store", "--backup", folder.path("b.sqlite")],
        ] {
            let run = ToolRun(["reset", "--yes"] + words + [url.path])
            #expect(run.code == 1)
            #expect(run.errors.contains("damaged"))
        }
        #expect(try fingerprint(of: folder.url) == before)
    }

    @Test func anotherModelIsRefused() throws {
        let url = try SmallModel.store(in: folder)
        let model = folder.url.appendingPathComponent("Other.xcdatamodel")
        try FileManager.default.createDirectory(at: model, withIntermediateDirectories: true)
        let xml = """
            <?xml version="1.0" encoding="UTF-8"?>
            <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
            <entity name="Note"><attribute name="text" optional="YES" attributeType="String"/></entity></model>
            """
        try Data(xml.utf8).write(to: model.appendingPathComponent("contents"))
        let run = ToolRun("reset", "--records", "--yes", "--model", model.path, url.path)
        #expect(run.code == 1)
        #expect(run.errors.contains("these entities differ: Folder, Note."))
        #expect(try counts(url) == "3|1")
    }

    @Test func theModelOfAStoreWithoutOneIsGivenByHand() throws {
        let url = try SmallModel.store(in: folder)
        _ = try sqlite3(url, "DROP TABLE Z_MODELCACHE")
        let model = try SmallModel.sourceModel(in: folder)
        #expect(ToolRun("reset", "--records", "--yes", url.path).code == 1)
        let run = ToolRun("reset", "--records", "--yes", "--model", model.path, url.path)
        #expect(run.code == 0, "\(run.errors)")
        #expect(try counts(url) == "0|0")
    }

    // MARK: Backup

    @Test func theBackupHasAllThatTheStoreHad() throws {
        let url = try SmallModel.store(in: folder, attachment: 200_000)
        let backup = try TemporaryDirectory()
        let dump = try sqlite3(url, "SELECT Z_PK, ZTEXT, ZFOLDER, hex(ZATTACHMENT) FROM ZNOTE ORDER BY 1")
        let storage = folder.url.appendingPathComponent(".Notes_SUPPORT/_EXTERNAL_DATA")
        let files = try FileManager.default.contentsOfDirectory(atPath: storage.path).sorted()
        #expect(files.count == 3)
        let information = try ToolRun("info", "--json", url.path).json()
        let external = (information["files"] as? [String: Any])?["externalData"] as? [String: Any]
        #expect(external?["files"] as? Int == 3)
        #expect(external?["bytes"] as? Int == 600_000)

        let run = ToolRun("reset", "--records", "--yes", "--backup", backup.path, url.path)
        #expect(run.code == 0, "\(run.errors)")
        #expect(run.output.contains("Backup: \(backup.path)/Notes.sqlite"))
        #expect(run.output.contains("with 3 external files, checked."))
        #expect(try counts(url) == "0|0")
        #expect(try FileManager.default.contentsOfDirectory(atPath: storage.path) == [])
        let copy = backup.url("Notes.sqlite")
        #expect(try sqlite3(copy, "SELECT Z_PK, ZTEXT, ZFOLDER, hex(ZATTACHMENT) FROM ZNOTE ORDER BY 1") == dump)
        let copies = backup.url.appendingPathComponent(".Notes_SUPPORT/_EXTERNAL_DATA")
        #expect(try FileManager.default.contentsOfDirectory(atPath: copies.path).sorted() == files)
        // The whole of it opens, and an attachment is read through it.
        let container = try OpenedStore.open(copy, SmallModel.make(), tracksHistory: false, 5)
        let context = container.newBackgroundContext()
        try context.performAndWait {
            let notes = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Note"))
            let sizes = notes.compactMap { ($0.value(forKey: "attachment") as? Data)?.count }
            #expect(sizes == [200_000, 200_000, 200_000])
        }
        try container.close()
    }

    @Test(arguments: ["--records", "--store"])
    func whereTheBackupCannotBeMadeNothingIsReset(_ operation: String) throws {
        let url = try SmallModel.store(in: folder, attachment: 200_000)
        let taken = folder.url("taken.sqlite")
        try Data("mine".utf8).write(to: taken)
        let before = try fingerprint(of: folder.url)
        let places = [taken.path, folder.path("no/such/folder/x.sqlite"), url.path, folder.path("Notes.copy")]
        for place in places {
            let run = ToolRun("reset", operation, "--yes", "--json", "--backup", place, url.path)
            #expect(run.code == 1, "\(place)")
            #expect((try run.json()["error"] as? [String: Any])?["kind"] as? String == "backup")
            #expect(run.errors.contains("nothing was reset"))
        }
        #expect(try fingerprint(of: folder.url) == before)
    }

    @Test func aCopyOfAStoreThatHasChangedMeanwhileIsNoBackup() throws {
        let url = try SmallModel.store(in: folder, attachment: 200_000)
        let store = try StoreSnapshot.read(url.path, timeout: 5)
        _ = try sqlite3(url, "DELETE FROM ZNOTE WHERE Z_PK = 1")
        try expectNoBackup(of: store, "the copy has not all that the store has")
    }

    @Test func aDamagedCopyIsNoBackup() throws {
        let url = try SmallModel.store(in: folder, attachment: 200_000)
        let store = try StoreSnapshot.read(url.path, timeout: 5)
        // An index without the keys it should have: every table can still be read.
        _ = try sqlite3(
            url,
            """
            PRAGMA writable_schema = ON;
            UPDATE sqlite_master SET sql = replace(sql, '(ZFOLDER', '(ZTEXT') WHERE type = 'index' AND tbl_name = 'ZNOTE';
            """)
        #expect(try sqlite3(url, "PRAGMA integrity_check").contains("missing from index"))
        try expectNoBackup(of: store, "the copy is damaged: row 1 missing from index")
    }

    private func expectNoBackup(of store: StoreSnapshot, _ problem: String) throws {
        let place = try TemporaryDirectory()
        let backup = try StoreBackup(of: store, at: place.path, store.cachedModel, 5)
        let error = #expect(throws: ToolError.self) { try backup.make() }
        #expect(error?.kind == .backup)
        #expect(error?.problem.contains(problem) == true, "\(error?.problem ?? "")")
        #expect(try place.contents == [])
    }

    @Test func aStoreBehindALinkIsTheStoreItLeadsTo() throws {
        let url = try SmallModel.store(in: folder, attachment: 200_000)
        let elsewhere = try TemporaryDirectory()
        try FileManager.default.createSymbolicLink(at: elsewhere.url("link.sqlite"), withDestinationURL: url)
        let information = ToolRun("info", elsewhere.path("link.sqlite"))
        #expect(information.output.contains("leads to"))
        let run = ToolRun("reset", "--records", "--yes", elsewhere.path("link.sqlite"))
        #expect(run.code == 0, "\(run.errors)")
        #expect(try counts(url) == "0|0")
        let storage = folder.url.appendingPathComponent(".Notes_SUPPORT/_EXTERNAL_DATA")
        #expect(try FileManager.default.contentsOfDirectory(atPath: storage.path) == [])
        #expect(try folder.contents == [".Notes_SUPPORT", "Notes.sqlite"])
        #expect(try elsewhere.contents == ["link.sqlite"])
    }
}
