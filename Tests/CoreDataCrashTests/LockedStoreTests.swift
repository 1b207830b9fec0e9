import CoreData
import CoreDataTestFixtures
import Foundation
import TestSupport
import Testing

/// Destroying and replacing a store that another process is using.
@Suite("A store that another process is using", .enabled(if: SQLiteShell.isUsable, "the sqlite3 shell is missing"))
struct LockedStoreTests {
    private let folder: TemporaryDirectory
    private let file: LeagueFile

    init() throws {
        folder = try TemporaryDirectory()
        file = LeagueFile(folder.path("league.sqlite"))
    }

    private func open(_ journal: String) throws -> League {
        let league = try League(file.path, journal: journal)
        try league.populate()
        return league
    }

    /// What waiting for the lock ended with.
    private func expectBusy(
        _ league: League, sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Void
    )
        throws
    {
        let contents = try file.contents()
        let start = Date()
        do {
            try body()
            Issue.record("no error", sourceLocation: sourceLocation)
        } catch let error as NSError {
            #expect(error.domain == NSCocoaErrorDomain, sourceLocation: sourceLocation)
            #expect(
                (error.userInfo[NSSQLiteErrorDomain] as? Int).map { $0 & 0xFF } == 5, "\(error)",
                sourceLocation: sourceLocation)
        }
        let waited = Date().timeIntervalSince(start)
        #expect(waited > 0.25 && waited < 10, "waited \(waited) s", sourceLocation: sourceLocation)
        #expect(try file.contents() == contents, sourceLocation: sourceLocation)
        #expect(league.coordinator.persistentStores.count == 1, sourceLocation: sourceLocation)
        #expect(try league.lines() == contents.lines, sourceLocation: sourceLocation)
    }

    private func destroy(_ league: League) throws {
        try league.coordinator.destroyPersistentStore(
            at: URL(fileURLWithPath: file.path), ofType: NSSQLiteStoreType,
            options: [NSPersistentStoreTimeoutOption: 0.3])
    }

    @Test("destroying waits for a writer, then leaves the store attached and whole", arguments: ["wal", "delete"])
    func writer(_ journal: String) throws {
        let league = try open(journal)
        let writer = try ShellSession(file.path)
        try writer.run("BEGIN IMMEDIATE; UPDATE ZPLAYER SET ZRANK = 1000;")
        try expectBusy(league) { try destroy(league) }
        try writer.run("ROLLBACK;")
        try destroy(league)
        #expect(league.coordinator.persistentStores.isEmpty)
        #expect(try file.contents().isStore == false)
        writer.end()
    }

    @Test("so does replacing", arguments: ["wal", "delete"])
    func replacing(_ journal: String) throws {
        let league = try open(journal)
        let source = try League(folder.path("source.sqlite"))
        try source.container.close()
        let writer = try ShellSession(file.path)
        try writer.run("BEGIN IMMEDIATE; UPDATE ZPLAYER SET ZRANK = 1000;")
        let replace = {
            try league.coordinator.replacePersistentStore(
                at: URL(fileURLWithPath: file.path), destinationOptions: [NSPersistentStoreTimeoutOption: 0.3],
                withPersistentStoreFrom: URL(fileURLWithPath: folder.path("source.sqlite")), ofType: NSSQLiteStoreType)
        }
        try expectBusy(league, replace)
        // The writer is the one who changes it after all.
        try writer.run("COMMIT;")
        #expect(try file.contents().lines.contains("player Amber1 1000 Amber 10"))
        try replace()
        #expect(league.coordinator.persistentStores.isEmpty)
        #expect(try file.contents().lines.isEmpty)
        writer.end()
    }

    @Test("with a rollback journal destroying waits for a reader too")
    func rollbackReader() throws {
        let league = try open("delete")
        let reader = try ShellSession(file.path)
        #expect(try reader.run("BEGIN; SELECT count(*) FROM ZPLAYER;") == "12")
        try expectBusy(league) { try destroy(league) }
        #expect(try reader.run("SELECT count(*) FROM ZPLAYER;") == "12")
        try reader.run("COMMIT;")
        try destroy(league)
        #expect(try file.contents().isStore == false)
        reader.end()
    }

    @Test("in WAL mode a reader finishes on what it has begun to read")
    func walReader() throws {
        let league = try open("wal")
        let reader = try ShellSession(file.path)
        #expect(try reader.run("BEGIN; SELECT count(*) FROM ZPLAYER;") == "12")
        try destroy(league)
        #expect(league.coordinator.persistentStores.isEmpty)
        #expect(try reader.run("SELECT count(*) FROM ZPLAYER; SELECT max(ZNAME) FROM ZTEAM;") == "12\nCoral")
        // A new store meanwhile is nothing to the reader either.
        let next = try League(file.path)
        #expect(try next.lines().isEmpty)
        #expect(try reader.run("SELECT count(*) FROM ZPLAYER;") == "12")
        try reader.run("COMMIT;")
        #expect(try reader.run("SELECT count(*) FROM ZPLAYER;") == "0")
        try next.container.close()
        reader.end()
    }

    @Test("a retry goes through once the process that was writing has been killed")
    func killedWriter() throws {
        let league = try open("wal")
        let writer = try ChildSession(file.path)
        try writer("insert Player Zoe")
        let blocker = try ShellSession(file.path)
        try blocker.run("BEGIN IMMEDIATE;")
        // The child waits for the blocker inside of its save.
        writer.start("save")
        try expectBusy(league) { try destroy(league) }
        writer.kill()
        try blocker.run("COMMIT;")
        try destroy(league)
        #expect(try file.contents().isStore == false)
        blocker.end()
    }

    @Test("the log and its index go when the last connection closes")
    func lastClose() throws {
        let league = try open("wal")
        let other = try ChildSession(file.path)
        try other("fetch Player")
        try destroy(league)
        // The other process still has the file open.
        #expect(try folder.contents.contains("league.sqlite-wal"))
        #expect(other.answer("count Player") == ResetByOthersTests.removed)
        // It has noticed and let go.
        #expect(try folder.contents == ["league.sqlite"])
        other.quit()
        #expect(try folder.contents == ["league.sqlite"])
    }

    @Test("closing the container removes the log and its index")
    func close() throws {
        let league = try open("wal")
        let contents = try file.contents()
        #expect(try folder.contents == ["league.sqlite", "league.sqlite-shm", "league.sqlite-wal"])
        try league.container.close()
        #expect(try folder.contents == ["league.sqlite"])
        #expect(try file.contents() == contents)
    }
}
