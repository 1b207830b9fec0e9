import CoreDataTestFixtures
import Foundation
import TestSupport
import Testing

/// What a process finds that had a store open while another one destroyed or replaced it.
@Suite("A store that another process has reset", .enabled(if: SQLiteShell.isUsable, "the sqlite3 shell is missing"))
struct ResetByOthersTests {
    static let journals = ["wal", "delete"]
    static let removed = "error NSCocoaErrorDomain 134070 0"
    /// For objects whose store has been found to be gone.
    static let noStore = "error NSCocoaErrorDomain 134030 0"

    private let folder: TemporaryDirectory
    private let file: LeagueFile

    init() throws {
        folder = try TemporaryDirectory()
        file = LeagueFile(folder.path("league.sqlite"))
    }

    /// Two processes with a populated store open; the first one has read and written, so that its statements are cached.
    private func start(_ journal: String) throws -> (sleeper: ChildSession, other: ChildSession) {
        let other = try ChildSession(file.path, options: "journal_mode=\(journal)")
        try other("populate")
        let sleeper = try ChildSession(file.path)
        try sleeper("fetch Player")
        try sleeper("names Player")
        try sleeper("insert Tag early")
        try sleeper("save")
        try sleeper("rename Tag early earlier")
        try sleeper("save")
        return (sleeper, other)
    }

    /// Destroys the store and makes another one, with other players under the same keys and versions.
    private func reset(_ other: ChildSession, model: String, names: [String]) throws {
        try other("destroy \(file.path)")
        try other("open \(file.path) \(model)")
        try other("insert Player \(names.joined(separator: " "))")
        try other("insert Team \(names.map { $0 + "Team" }.joined(separator: " "))")
        try other("save")
    }

    @Test("it can be neither fetched from nor counted", arguments: journals)
    func fetching(_ journal: String) throws {
        let (sleeper, other) = try start(journal)
        try reset(other, model: "v1", names: ["Ida", "Jan"])
        let contents = try file.contents()
        #expect(sleeper.answer("count Player") == Self.removed)
        #expect(sleeper.answer("stores") == "ok 0")
        #expect(try file.contents() == contents)
    }

    @Test("its faults fire no stranger's rows", arguments: journals)
    func firing(_ journal: String) throws {
        let (sleeper, other) = try start(journal)
        try sleeper("refresh")
        try reset(other, model: "v1", names: ["Ida", "Jan"])
        let contents = try file.contents()
        // The object is gone (133000); the reason beneath says that its store is.
        #expect(sleeper.answer("existing Player") == "error NSCocoaErrorDomain 133000 0")
        let names = try sleeper("names Player")
        #expect(!names.contains("Ida") && !names.contains("Jan"))
        #expect(try file.contents() == contents)
    }

    @Test("a change of an old object overwrites no stranger's row", arguments: journals)
    func saving(_ journal: String) throws {
        let (sleeper, other) = try start(journal)
        try sleeper("fetch Player")
        try sleeper("names Player")
        // The row under key 1 has the version that the sleeper has read: comparing versions would not notice.
        try reset(other, model: "v1", names: (1...12).map { "New\($0)" })
        let contents = try file.contents()
        try sleeper("rename Player Amber1 Zoe")
        try sleeper("insert Player Zoe")
        #expect(sleeper.answer("save") == Self.removed)
        #expect(try file.contents() == contents)
        // Again, now that the store is known to be gone.
        #expect(sleeper.answer("save") == Self.noStore)
        #expect(try file.contents() == contents)
    }

    @Test("a deletion of an old object deletes no stranger's row", arguments: journals)
    func deleting(_ journal: String) throws {
        let (sleeper, other) = try start(journal)
        try reset(other, model: "v1", names: (1...12).map { "New\($0)" })
        let contents = try file.contents()
        // Looking for what the deletion is about finds out already.
        try sleeper("delete Player Coral4")
        #expect([Self.removed, Self.noStore].contains(sleeper.answer("save")))
        #expect(try file.contents() == contents)
    }

    @Test("a batch delete deletes nothing", arguments: journals)
    func batchDelete(_ journal: String) throws {
        let (sleeper, other) = try start(journal)
        try reset(other, model: "v1", names: ["Ida", "Jan"])
        let contents = try file.contents()
        #expect(sleeper.answer("batch-delete Player") == Self.removed)
        #expect(try file.contents() == contents)
    }

    @Test("cached statements meet no other table after two resets and a change of model", arguments: journals)
    func changeOfModel(_ journal: String) throws {
        let (sleeper, other) = try start(journal)
        try reset(other, model: "v1", names: ["Ida"])
        try reset(other, model: "v2", names: ["Jan"])
        let contents = try file.contents()
        try sleeper("insert Player Zoe")
        #expect(sleeper.answer("save") == Self.removed)
        #expect(try file.contents() == contents)
        // The store is another one now, of another model.
        #expect(sleeper.answer("open \(file.path) v1") == "error NSCocoaErrorDomain 134100 0")
        #expect(try sleeper("open \(file.path) v2") == other("uuid"))
        #expect(sleeper.answer("fetch Player") == "ok 1")
        #expect(sleeper.answer("names Player") == "ok Jan")
    }

    @Test("statements cached between the two resets meet no other table either", arguments: journals)
    func secondChangeOfModel(_ journal: String) throws {
        let (sleeper, other) = try start(journal)
        try reset(other, model: "v1", names: ["Ida"])
        #expect(sleeper.answer("count Player") == Self.removed)
        try sleeper("open \(file.path) v1")
        try sleeper("fetch Player")
        try sleeper("rename Player Ida Kim")
        try reset(other, model: "v2", names: ["Jan"])
        let contents = try file.contents()
        #expect(sleeper.answer("save") == Self.removed)
        #expect(try file.contents() == contents)
    }

    @Test("a destroyed store without a successor is as gone", arguments: journals)
    func destroyed(_ journal: String) throws {
        let (sleeper, other) = try start(journal)
        try other("destroy \(file.path)")
        #expect(sleeper.answer("count Player") == Self.removed)
        #expect(try file.contents().isStore == false)
        // Adding it again makes a new one.
        try sleeper("add \(file.path)")
        #expect(sleeper.answer("count Player") == "ok 0")
    }

    // MARK: Replacing

    @Test("a process does not go on with a store that was put in the place of its own", arguments: journals)
    func replaced(_ journal: String) throws {
        let (sleeper, other) = try start(journal)
        let source = folder.path("source.sqlite")
        let third = try ChildSession(source)
        try third("insert Player Ida Jan")
        try third("save")
        try third("close")
        try other("replace \(file.path) \(source)")
        let contents = try file.contents()
        #expect(contents.lines == ["player Ida 0 - -", "player Jan 0 - -"])
        try sleeper("insert Player Zoe")
        #expect(sleeper.answer("save") == Self.removed)
        #expect(sleeper.answer("stores") == "ok 0")
        #expect(try file.contents() == contents)
        try sleeper("reset")
        try sleeper("add \(file.path)")
        #expect(sleeper.answer("count Player") == "ok 2")
    }

    @Test("nor with an earlier state of its own store, though that has the same identifier", arguments: journals)
    func restored(_ journal: String) throws {
        let (sleeper, other) = try start(journal)
        let backup = folder.path("backup.sqlite")
        _ = try sqlite3(file.path, "VACUUM INTO '\(backup)';")
        try other("insert Player Late")
        try other("save")
        try sleeper("fetch Player")
        try sleeper("names Player")
        try other("replace \(file.path) \(backup)")
        try other("open \(file.path) v1")
        // Key 13 is given out again: the same key and version, another player.
        try other("insert Player Other")
        try other("save")
        let contents = try file.contents()
        try sleeper("rename Player Late Latest")
        #expect(sleeper.answer("save") == Self.removed)
        #expect(try file.contents() == contents)
    }
}
