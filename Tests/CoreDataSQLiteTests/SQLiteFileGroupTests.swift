import CoreDataSQLite
import Foundation
import TestSupport
import Testing

@Suite(.enabled(if: SQLiteShell.isUsable)) struct SQLiteFileGroupTests {
    let folder: TemporaryDirectory
    let path: String
    /// 2026-11-30 05:30:00 UTC.
    let date = Date(timeIntervalSince1970: 1_796_016_600)
    let ending = ".damaged-20261130T053000Z"

    init() throws {
        folder = try TemporaryDirectory()
        path = folder.path("a.sqlite")
    }

    @Test func everyFileOfTheGroupIsRenamedAndKeepsItsBytes() throws {
        let group = SQLiteFileGroup(path: path)
        for (index, file) in group.paths.enumerated() {
            try Data([UInt8(index)]).write(to: URL(fileURLWithPath: file))
        }
        try Data([9]).write(to: folder.url("a.sqlite-other"))
        let moves = try group.setAside(date: date)
        #expect(
            try folder.contents == [
                "a.sqlite-other", "a.sqlite\(ending)", "a.sqlite\(ending)-journal", "a.sqlite\(ending)-shm",
                "a.sqlite\(ending)-wal",
            ])
        #expect(moves.first == SQLiteFileGroup.Move(from: path, to: path + ending))
        for (index, move) in moves.enumerated() {
            #expect(try Data(contentsOf: URL(fileURLWithPath: move.to)) == Data([UInt8(index)]))
            let links = try FileManager.default.attributesOfItem(atPath: move.to)[.referenceCount] as? NSNumber
            #expect(links == 1)
        }
    }

    @Test func aGroupThatIsSetAsideOpensWithItsLog() throws {
        let writer = try SQLiteConnection(path: path)
        try writer.execute(
            "PRAGMA journal_mode=WAL; PRAGMA wal_autocheckpoint=0; CREATE TABLE t(a); INSERT INTO t VALUES(1)")
        try SQLiteFileGroup(path: path).setAside(date: date)
        // Whoever has it open goes on, and a new database in its place is a different one.
        try writer.execute("INSERT INTO t VALUES(2)")
        _ = try sqlite3(path, "PRAGMA journal_mode=WAL; CREATE TABLE u(b)")
        #expect(try writer.int64("SELECT count(*) FROM t") == 2)
        #expect(try sqlite3(path, "SELECT count(*) FROM sqlite_master") == "1")
        try writer.close()
        #expect(try sqlite3(path + ending, "SELECT count(*) FROM t") == "2")
        #expect(try sqlite3(path, "PRAGMA integrity_check; SELECT count(*) FROM u") == "ok\n0")
    }

    @Test func extraFoldersGoAlong() throws {
        try Data([1]).write(to: folder.url("a.sqlite"))
        let support = folder.path(".a_SUPPORT")
        try FileManager.default.createDirectory(atPath: support + "/_EXTERNAL_DATA", withIntermediateDirectories: true)
        try Data([2]).write(to: URL(fileURLWithPath: support + "/_EXTERNAL_DATA/X"))
        let moves = try SQLiteFileGroup(path: path).setAside(extraPaths: [support, folder.path("missing")], date: date)
        #expect(moves.map(\.to) == [path + ending, support + ending])
        #expect(FileManager.default.fileExists(atPath: support + ending + "/_EXTERNAL_DATA/X"))
        #expect(try folder.contents == [".a_SUPPORT\(ending)", "a.sqlite\(ending)"])
    }

    @Test func aSecondTimeInTheSameSecondTakesAnotherName() throws {
        for (number, suffix) in ["", "-2", "-3"].enumerated() {
            try Data([UInt8(number)]).write(to: folder.url("a.sqlite"))
            let moves = try SQLiteFileGroup(path: path).setAside(date: date)
            #expect(moves == [SQLiteFileGroup.Move(from: path, to: path + ending + suffix)])
        }
        #expect(try Data(contentsOf: folder.url("a.sqlite" + ending)) == Data([0]))
    }

    @Test func nothingToSetAsideIsNoError() throws {
        #expect(try SQLiteFileGroup(path: path).setAside().isEmpty)
        #expect(try folder.contents.isEmpty)
    }

    @Test func aSymbolicLinkLeadsToTheRealGroup() throws {
        let real = folder.path("real.sqlite")
        _ = try sqlite3(real, "CREATE TABLE t(a)")
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "real.sqlite")
        let moves = try SQLiteFileGroup(path: path).setAside(date: date)
        #expect(moves.count == 1)
        #expect(try folder.contents == ["a.sqlite", "real.sqlite\(ending)"])
    }

    @Test func aNameInTheWayOfTheFolderIsAnError() throws {
        let group = SQLiteFileGroup(path: folder.path("none/a.sqlite"))
        #expect(sqliteError { try group.setAside() }?.code == SQLITE_IOERR)
    }
}
