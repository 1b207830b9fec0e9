import CoreData
import CoreDataTestFixtures
import Foundation
import TestSupport
import Testing

/// What deleting leaves in the files of a store, and what an open store holds of the system.
@Suite("Space and descriptors of a store", .enabled(if: SQLiteShell.isUsable, "the sqlite3 shell is missing"))
struct SpaceTests {
    private let folder: TemporaryDirectory
    private let file: LeagueFile

    init() throws {
        folder = try TemporaryDirectory()
        file = LeagueFile(folder.path("league.sqlite"))
    }

    private static let marker = "MARKER-THAT-NOTHING-ELSE-HOLDS"

    /// Whether the marker is somewhere in the files of the store.
    private func findsMarker() -> Bool {
        FileGroup.contents(of: URL(fileURLWithPath: file.path)).values.contains {
            $0.range(of: Data(Self.marker.utf8)) != nil
        }
    }

    /// Writes records with the marker, closes the store, then deletes all of them and closes it again.
    private func writeAndDelete(pragmas: [String: String]) throws {
        let league = try League(file.path, pragmas: pragmas)
        let context = league.container.newBackgroundContext()
        try context.performAndWait {
            for number in 0..<100 { League.insert("Player", "\(Self.marker)-\(number)", in: context) }
            try context.save()
        }
        try league.container.close()
        #expect(findsMarker())
        try league.add(file.path, pragmas: pragmas)
        let again = league.container.newBackgroundContext()
        try again.performAndWait {
            try League.objects("Player", in: again).forEach(again.delete)
            try again.save()
        }
        try league.container.close()
        #expect(try file.contents().lines.isEmpty)
    }

    @Test("deleted text stays in the file where secure_delete is off")
    func deletedTextStays() throws {
        try writeAndDelete(pragmas: ["secure_delete": "0", "auto_vacuum": "0"])
        #expect(findsMarker())
    }

    @Test("deleted text is gone where secure_delete is on")
    func deletedTextGoes() throws {
        try writeAndDelete(pragmas: ["secure_delete": "1"])
        #expect(!findsMarker())
    }

    @Test("without the pragma SQLite's own default holds")
    func secureDeleteDefault() throws {
        let isOn = try sqlite3(file.path, "PRAGMA secure_delete;") != "0"
        unlink(file.path)
        try writeAndDelete(pragmas: [:])
        if isOn { #expect(!findsMarker()) }
    }

    @Test("a save that deleted much gives pages back")
    func pagesComeBack() throws {
        let league = try League(file.path)
        let context = league.container.newBackgroundContext()
        try context.performAndWait {
            for number in 0..<1000 {
                let player = League.insert("Player", "\(number)", in: context)
                player.setValue(number, forKey: "rank")
                player.setValue(Data(repeating: UInt8(truncatingIfNeeded: number), count: 3500), forKey: "photo")
            }
            try context.save()
        }
        #expect(try sqlite3(file.path, "PRAGMA auto_vacuum;") == "2")
        let before = try pages()
        #expect(before.count > 900)
        try context.performAndWait {
            let request = NSFetchRequest<NSManagedObject>(entityName: "Player")
            request.predicate = NSPredicate(format: "rank >= 200")
            try context.fetch(request).forEach(context.delete)
            try context.save()
        }
        // A part at once, so that the save stays quick and the next rows find room; the rest with the saves that follow.
        let first = try pages()
        #expect(first.count < before.count - 100)
        try context.performAndWait {
            for _ in 0..<25 {
                context.delete(League.insert("Player", "passing", in: context))
                let request = NSFetchRequest<NSManagedObject>(entityName: "Player")
                request.predicate = NSPredicate(format: "rank >= 200")
                League.insert("Player", "short-lived", in: context).setValue(999, forKey: "rank")
                try context.save()
                try context.fetch(request).forEach(context.delete)
                try context.save()
            }
        }
        let after = try pages()
        #expect(after.count < before.count / 3)
        #expect(after.free < 20)
        try league.container.close()
        let size = try FileManager.default.attributesOfItem(atPath: file.path)[.size] as? Int ?? 0
        #expect(size == after.count * 4096)
        #expect(try sqlite3(file.path, "PRAGMA integrity_check; SELECT count(*) FROM ZPLAYER;") == "ok\n200")
    }

    @Test("so does a batch delete")
    func pagesComeBackFromBatchDelete() throws {
        let league = try League(file.path)
        let context = league.container.newBackgroundContext()
        try context.performAndWait {
            for number in 0..<300 {
                League.insert("Player", "\(number)", in: context)
                    .setValue(Data(repeating: 1, count: 3500), forKey: "photo")
            }
            try context.save()
        }
        let before = try pages()
        try context.performAndWait {
            _ = try context.execute(NSBatchDeleteRequest(fetchRequest: NSFetchRequest(entityName: "Player")))
        }
        #expect(try pages().count < before.count - 50)
        try league.container.close()
    }

    private func pages() throws -> (count: Int, free: Int) {
        let answer = try sqlite3(file.path, "PRAGMA page_count; PRAGMA freelist_count;").split(separator: "\n")
        return (Int(answer[0]) ?? -1, Int(answer[1]) ?? -1)
    }

    @Test("opening and closing fifty times leaves no descriptor behind", arguments: ["wal", "delete"])
    func descriptors(_ journal: String) throws {
        let session = try ChildSession(file.path, options: "journal_mode=\(journal)")
        try session("populate")
        func cycle() throws -> Int {
            try session("open \(file.path) v1")
            _ = try session("lines")
            try session("close")
            return Int(try session("descriptors")) ?? -1
        }
        let first = try cycle()
        for _ in 0..<49 { _ = try cycle() }
        #expect(try cycle() == first)
        session.quit()
    }

    @Test("a container that just goes closes its files too")
    func descriptorsOfForgottenContainers() throws {
        let session = try ChildSession(file.path)
        try session("populate")
        func cycle() throws -> Int {
            try session("open \(file.path) v1")
            _ = try session("lines")
            return Int(try session("descriptors")) ?? -1
        }
        let first = try cycle()
        for _ in 0..<20 { _ = try cycle() }
        #expect(try cycle() == first)
        session.quit()
    }

    @Test("destroying removes the folder of external values", arguments: ["wal", "delete"])
    func supportFolder(_ journal: String) throws {
        let league = try League(file.path, journal: journal)
        try league.populate()
        try file.placePhotosOutside(where: "1")
        #expect(file.externalFiles.count == 12)
        #expect(try league.lines() == file.contents().lines)
        try league.coordinator.destroyPersistentStore(
            at: URL(fileURLWithPath: file.path), ofType: NSSQLiteStoreType)
        #expect(try folder.contents == ["league.sqlite"])
    }
}
