import CoreData
import CoreDataTestFixtures
import Foundation
import TestSupport
import Testing

/// External files of rows that come and go.
@Suite("External files", .enabled(if: SQLiteShell.isUsable, "the sqlite3 shell is missing"))
struct ExternalFileTests {
    private let folder: TemporaryDirectory
    private let file: LeagueFile

    init() throws {
        folder = try TemporaryDirectory()
        file = LeagueFile(folder.path("league.sqlite"))
        let league = try League(file.path)
        try league.populate()
        try file.placePhotosOutside(where: "ZRANK < 3")
        try league.container.close()
    }

    private func batchDelete(_ name: String, in league: League) throws {
        let context = league.container.newBackgroundContext()
        try context.performAndWait {
            let selection = NSFetchRequest<NSFetchRequestResult>(entityName: "Team")
            selection.predicate = NSPredicate(format: "name == %@", name)
            try context.execute(NSBatchDeleteRequest(fetchRequest: selection))
        }
    }

    @Test(
        "those of batch-deleted rows and of rows that go with them are removed, others stay",
        arguments: ["wal", "delete"])
    func batchDelete(_ journal: String) throws {
        let league = try League(file.path, journal: journal)
        #expect(file.externalFiles.count == 6)
        try batchDelete("Blue", in: league)
        #expect(file.externalFiles == (try file.contents().referredFiles))
        #expect(file.externalFiles.count == 4)
        #expect(try FileManager.default.contentsOfDirectory(atPath: file.supportPath) == ["_EXTERNAL_DATA"])
        #expect(try league.lines() == file.contents().lines)
        try league.container.close()
    }

    @Test("a promise that was cut short is kept by the next opening, unless a row refers to the file")
    func promises() throws {
        let referred = try file.contents().referredFiles
        let orphan = UUID().uuidString
        let unknown = UUID().uuidString
        for name in [orphan, unknown, "." + orphan] {
            try Data("photo".utf8).write(to: URL(fileURLWithPath: file.externalPath + "/" + name))
        }
        let list = ([orphan, "../../league.sqlite"] + referred).joined(separator: "\n") + "\n" + unknown.prefix(20)
        try Data(list.utf8).write(to: URL(fileURLWithPath: file.supportPath + "/PENDING_REMOVAL_" + UUID().uuidString))
        let league = try League(file.path)
        #expect(file.externalFiles == referred.union([unknown]))
        #expect(try FileManager.default.contentsOfDirectory(atPath: file.supportPath) == ["_EXTERNAL_DATA"])
        #expect(try league.lines() == file.contents().lines)
        try league.container.close()
    }

    @Test("a batch delete waits for somebody who is changing the files, and then gives up with nothing deleted")
    func locked() throws {
        let league = try League(file.path, timeout: 0.3)
        let contents = try file.contents()
        // Processes that other tests start meanwhile must not hold the lock on.
        let descriptor = open(file.supportPath, O_RDONLY | O_CLOEXEC)
        try #require(descriptor >= 0)
        try #require(flock(descriptor, LOCK_EX) == 0)
        let error = #expect(throws: CocoaError.self) { try batchDelete("Blue", in: league) }
        #expect((error?.userInfo[NSSQLiteErrorDomain] as? Int).map { $0 & 0xFF } == 5)
        #expect(try file.contents() == contents)
        #expect(file.externalFiles == contents.referredFiles)
        flock(descriptor, LOCK_UN)
        close(descriptor)
        try batchDelete("Blue", in: league)
        #expect(file.externalFiles.count == 4)
        try league.container.close()
    }

    @Test("a batch delete that fails removes no file")
    func failing() throws {
        let league = try League(file.path, timeout: 0.3)
        let contents = try file.contents()
        let writer = try ShellSession(file.path)
        try writer.run("BEGIN IMMEDIATE;")
        #expect(throws: CocoaError.self) { try batchDelete("Blue", in: league) }
        try writer.run("ROLLBACK;")
        writer.end()
        #expect(try file.contents() == contents)
        #expect(file.externalFiles == contents.referredFiles)
        #expect(try FileManager.default.contentsOfDirectory(atPath: file.supportPath) == ["_EXTERNAL_DATA"])
        try league.container.close()
    }

    @Test("a restored backup brings its files and takes those of later rows", arguments: ["wal", "delete"])
    func restored(_ journal: String) throws {
        let backup = LeagueFile(folder.path("backup.sqlite"))
        _ = try sqlite3(file.path, "VACUUM INTO '\(backup.path)';")
        try FileManager.default.copyItem(atPath: file.supportPath, toPath: backup.supportPath)
        let before = try file.contents()
        let league = try League(file.path, journal: journal)
        try batchDelete("Blue", in: league)
        try file.placePhotosOutside(where: "ZNAME = 'Coral4'")
        #expect(file.externalFiles.count == 5)
        try league.coordinator.replacePersistentStore(
            at: URL(fileURLWithPath: file.path), withPersistentStoreFrom: URL(fileURLWithPath: backup.path),
            ofType: NSSQLiteStoreType)
        #expect(try file.contents() == before)
        #expect(file.externalFiles == before.referredFiles)
        #expect(backup.externalFiles == before.referredFiles)
    }

    // MARK: Saves

    private func change(_ league: League, _ body: (NSManagedObjectContext) throws -> Void) throws {
        let context = league.container.newBackgroundContext()
        try context.performAndWait {
            try body(context)
            try context.save()
        }
    }

    private func player(_ name: String, _ context: NSManagedObjectContext) throws -> NSManagedObject {
        try #require(try League.objects("Player", named: name, in: context).first)
    }

    private func photo(_ name: String, _ league: League) throws -> Data? {
        let context = league.container.newBackgroundContext()
        return try context.performAndWait { try player(name, context).value(forKey: "photo") as? Data }
    }

    @Test(
        "a saved deletion takes the object's files, and those of objects that go with it", arguments: ["wal", "delete"])
    func deletedObjects(_ journal: String) throws {
        let league = try League(file.path, journal: journal)
        try change(league) { $0.delete(try player("Amber1", $0)) }
        #expect(file.externalFiles == (try file.contents().referredFiles))
        #expect(file.externalFiles.count == 5)
        try change(league) { context in try League.objects("Team", named: "Blue", in: context).forEach(context.delete) }
        #expect(file.externalFiles == (try file.contents().referredFiles))
        #expect(file.externalFiles.count == 3)
        #expect(try FileManager.default.contentsOfDirectory(atPath: file.supportPath) == ["_EXTERNAL_DATA"])
        #expect(try league.lines() == file.contents().lines)
        try league.container.close()
    }

    @Test("a value that is replaced or set to nil takes its file; other changes of the object leave it")
    func changedValues() throws {
        let league = try League(file.path)
        try change(league) { try player("Amber1", $0).setValue(9, forKey: "rank") }
        #expect(file.externalFiles.count == 6)
        #expect(try photo("Amber1", league)?.count == 1001)
        try change(league) { try player("Amber1", $0).setValue(Data([1, 2, 3]), forKey: "photo") }
        #expect(file.externalFiles.count == 5)
        try change(league) { try player("Blue1", $0).setValue(nil, forKey: "photo") }
        #expect(file.externalFiles == (try file.contents().referredFiles))
        #expect(file.externalFiles.count == 4)
        #expect(try sqlite3(file.path, "SELECT hex(ZPHOTO) FROM ZPLAYER WHERE ZNAME = 'Amber1'") == "01010203")
        #expect(try league.lines() == file.contents().lines)
        try league.container.close()
    }

    @Test("a save that fails, or is refused because of a conflict, removes no file")
    func failingSave() throws {
        let league = try League(file.path, timeout: 0.3)
        let writer = try ShellSession(file.path)
        try writer.run("BEGIN IMMEDIATE;")
        #expect(throws: CocoaError.self) { try change(league) { $0.delete(try player("Amber1", $0)) } }
        try writer.run("ROLLBACK;")
        writer.end()
        let context = league.container.newBackgroundContext()
        try context.performAndWait {
            context.delete(try player("Blue1", context))
            _ = try player("Blue2", context).value(forKey: "photo")
            _ = try sqlite3(file.path, "UPDATE ZPLAYER SET Z_OPT = Z_OPT + 1 WHERE ZNAME = 'Blue1'")
            #expect(throws: CocoaError.self) { try context.save() }
        }
        #expect(file.externalFiles == (try file.contents().referredFiles))
        #expect(file.externalFiles.count == 6)
        #expect(try FileManager.default.contentsOfDirectory(atPath: file.supportPath) == ["_EXTERNAL_DATA"])
        try league.container.close()
    }

    @Test("where the commit itself fails files stay, and none is to be removed later")
    func failingCommit() throws {
        let league = try League(file.path, journal: "delete", timeout: 0.3)
        let contents = try file.contents()
        // With a rollback journal a reader keeps others from their commit, not from their writes.
        let reader = try ShellSession(file.path)
        try reader.run("BEGIN; SELECT count(*) FROM ZPLAYER;")
        func expectAllFiles() throws {
            #expect(file.externalFiles == contents.referredFiles)
            #expect(try FileManager.default.contentsOfDirectory(atPath: file.supportPath) == ["_EXTERNAL_DATA"])
        }
        #expect(throws: CocoaError.self) { try change(league) { $0.delete(try player("Amber1", $0)) } }
        try expectAllFiles()
        #expect(throws: CocoaError.self) { try batchDelete("Blue", in: league) }
        try expectAllFiles()
        try reader.run("COMMIT;")
        reader.end()
        #expect(try file.contents() == contents)
        try change(league) { $0.delete(try player("Amber1", $0)) }
        #expect(file.externalFiles.count == 5)
        try league.container.close()
    }

    @Test("a save that loses files waits for somebody who is changing them; one that loses none does not")
    func lockedSave() throws {
        let league = try League(file.path, timeout: 0.3)
        // Processes that other tests start meanwhile must not hold the lock on.
        let descriptor = open(file.supportPath, O_RDONLY | O_CLOEXEC)
        try #require(descriptor >= 0)
        try #require(flock(descriptor, LOCK_EX) == 0)
        let error = #expect(throws: CocoaError.self) { try change(league) { $0.delete(try player("Blue1", $0)) } }
        #expect((error?.userInfo[NSSQLiteErrorDomain] as? Int).map { $0 & 0xFF } == 5)
        try change(league) { try player("Blue1", $0).setValue(7, forKey: "rank") }
        #expect(file.externalFiles.count == 6)
        flock(descriptor, LOCK_UN)
        close(descriptor)
        try change(league) { $0.delete(try player("Blue1", $0)) }
        #expect(file.externalFiles.count == 5)
        try league.container.close()
    }

    @Test("an object saved over a record whose file somebody else's save removed refers to no file")
    func overwritten() throws {
        let league = try League(file.path)
        let context = league.container.newBackgroundContext()
        context.mergePolicy = NSMergePolicy.overwrite
        try context.performAndWait {
            let read = try player("Amber1", context)
            let unread = try player("Amber2", context)
            let deleted = try player("Blue1", context)
            #expect((read.value(forKey: "photo") as? Data)?.count == 1001)
            for object in [read, unread, deleted] { object.setValue(50, forKey: "rank") }
            try change(league) { other in
                try player("Amber1", other).setValue(Data([1]), forKey: "photo")
                try player("Amber2", other).setValue(Data([2]), forKey: "photo")
                other.delete(try player("Blue1", other))
            }
            try context.save()
        }
        #expect(file.externalFiles == (try file.contents().referredFiles))
        #expect(file.externalFiles.count == 3)
        #expect(try photo("Amber1", league) == Data(repeating: 0x50, count: 1001))
        #expect(try photo("Amber2", league) == Data([2]))
        #expect(try photo("Blue1", league) == nil)
        #expect(try league.lines() == file.contents().lines)
        try league.container.close()
    }
}
