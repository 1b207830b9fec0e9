import CoreDataTestFixtures
import Foundation
import TestSupport
import Testing

/// Two processes that work in one store.
@Suite("A store that two processes write", .enabled(if: SQLiteShell.isUsable, "the sqlite3 shell is missing"))
struct SharedStoreTests {
    private let folder: TemporaryDirectory
    private let file: LeagueFile

    init() throws {
        folder = try TemporaryDirectory()
        file = LeagueFile(folder.path("league.sqlite"))
    }

    @Test("inserting at the same time, they never share a key", arguments: ["wal", "delete"])
    func keys(_ journal: String) throws {
        let one = try ChildSession(file.path, options: "journal_mode=\(journal)")
        let two = try ChildSession(file.path)
        for session in [one, two] { session.start("race Player 40 5") }
        let answers = [one, two].map { $0.finish() }
        #expect(answers.allSatisfy { $0.hasPrefix("ok") })
        let keys = answers.flatMap { $0.dropFirst(3).split(separator: ",") }
        #expect(keys.count == 400)
        #expect(Set(keys).count == 400)
        #expect(
            try sqlite3(file.path, "SELECT count(*), count(DISTINCT ZNAME), max(Z_PK) FROM ZPLAYER;") == "400|400|400")
        #expect(try sqlite3(file.path, "SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = 'Player';") == "400")
        #expect(try sqlite3(file.path, "PRAGMA integrity_check;") == "ok")
    }

    @Test("one that was changed elsewhere is not overwritten", arguments: ["wal", "delete"])
    func conflict(_ journal: String) throws {
        let one = try ChildSession(file.path, options: "journal_mode=\(journal)")
        try one("insert Player Ada")
        try one("save")
        let two = try ChildSession(file.path)
        try two("fetch Player")
        try one("rename Player Ada Eve")
        try one("save")
        // What two has read is still Ada, version 1.
        try two("rename Player Ada Bea")
        #expect(two.answer("save") == "error NSCocoaErrorDomain 133020 0")
        #expect(try sqlite3(file.path, "SELECT ZNAME, Z_OPT FROM ZPLAYER;") == "Eve|2")
    }

    @Test("a key is not given out again after its record is deleted elsewhere")
    func keysAfterDeletion() throws {
        let one = try ChildSession(file.path)
        try one("insert Player Ada Bea")
        try one("save")
        let two = try ChildSession(file.path)
        #expect(two.answer("batch-delete Player") == "ok 2")
        try one("reset")
        try one("insert Player Cleo")
        try one("save")
        #expect(try sqlite3(file.path, "SELECT Z_PK, ZNAME FROM ZPLAYER;") == "3|Cleo")
    }
}
