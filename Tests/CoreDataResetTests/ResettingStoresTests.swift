import CoreData
import CoreDataReset
import Foundation
import TestSupport
import Testing

@Suite("Resetting stores", .enabled(if: SQLiteShell.isUsable))
struct ResettingStoresTests {
    @Test("a new store stands in the place of the old one, and the same contexts work on it at once")
    func newStore() throws {
        let club = try Club()
        try club.fill()
        let old = try #require(club.coordinator.persistentStores.first)
        let identifier = try #require(old.identifier)
        let background = club.container.newBackgroundContext()
        let report = try club.container.resetStores()
        let new = try #require(club.coordinator.persistentStores.first)
        #expect(new !== old && old.persistentStoreCoordinator == nil)
        #expect(new.identifier != identifier)
        #expect(try sqlite3(club.url, "SELECT Z_UUID FROM Z_METADATA") == new.identifier)
        #expect(report.stores.map(\.identifierBefore) == [identifier])
        #expect(report.stores.map(\.identifierAfter) == [new.identifier])
        #expect(report.recordsDeleted == 10)
        #expect(try club.rawCounts() == "0|0|0|0")
        for context in [club.context, background] {
            try context.performAndWait {
                Club.insert("Tag", ["name": "after"], into: context)
                try context.save()
            }
        }
        #expect(try sqlite3(club.url, "SELECT group_concat(Z_PK) FROM ZTAG") == "1,2")
        #expect(try sqlite3(club.url, "PRAGMA integrity_check") == "ok")
    }

    @Test("objects and ids of before lead to nothing")
    func objectsOfBefore() throws {
        let club = try Club()
        try club.fill()
        let teams = try club.fetch("Team")
        let ids = teams.map(\.objectID)
        Club.insert("Tag", ["name": "unsaved"], into: club.context)
        try club.container.resetStores()
        #expect(teams.allSatisfy { $0.managedObjectContext == nil })
        #expect(!club.context.hasChanges && club.context.registeredObjects.isEmpty)
        try club.fill()
        for id in ids {
            do {
                _ = try club.context.existingObject(with: id)
                Issue.record("found")
            } catch let error as NSError {
                #expect(error.domain == NSCocoaErrorDomain && error.code == 133000)
            }
            #expect(club.coordinator.managedObjectID(forURIRepresentation: id.uriRepresentation()) == nil)
        }
    }

    @Test("background contexts are reset: their objects belong to none, and what was unsaved is gone")
    func backgroundContexts() throws {
        let club = try Club()
        try club.fill()
        let context = club.container.newBackgroundContext()
        let objects = try context.performAndWait {
            Club.insert("Tag", ["name": "unsaved"], into: context)
            return try club.fetch("Team", in: context).map(Held.init)
        }
        try club.container.resetStores()
        context.performAndWait {
            #expect(!context.hasChanges && context.registeredObjects.isEmpty)
            #expect(objects.count == 2 && objects.allSatisfy { $0.object.managedObjectContext == nil })
        }
    }

    @Test("options and configuration are kept, and the container knows its stores as loaded")
    func keepsOptions() throws {
        let club = try Club.configured {
            $0.setOption(true as NSNumber, forKey: NSPersistentHistoryTrackingKey)
            $0.setValue("DELETE" as NSString, forPragmaNamed: "journal_mode")
            $0.timeout = 3
        }
        let before = club.coordinator.persistentStores.map { $0.options as NSDictionary? }
        try club.container.resetStores()
        let stores = club.coordinator.persistentStores
        #expect(stores.map(\.configurationName) == ["Teams", "Tags"])
        #expect(stores.map { $0.options as NSDictionary? } == before)
        try club.load()
        #expect(club.coordinator.persistentStores == stores)
        let url = club.folder.url("Teams.sqlite")
        #expect(try sqlite3(url, "PRAGMA journal_mode") == "delete")
        Club.insert("Team", ["name": "Blue"], into: club.context)
        try club.context.save()
        #expect(try sqlite3(url, "SELECT count(*) FROM ACHANGE") == "1")
        #expect(try sqlite3(url, "SELECT group_concat(name) FROM sqlite_master WHERE name = 'ZTAG'") == "")
    }

    @Test("the schema is the one of a store made anew")
    func schema() throws {
        let club = try Club()
        let schema =
            "SELECT sql FROM sqlite_master ORDER BY name; SELECT Z_ENT, Z_NAME, Z_SUPER, Z_MAX FROM Z_PRIMARYKEY"
        let fresh = try sqlite3(club.url, schema)
        try club.fill()
        try club.container.resetStores()
        #expect(try sqlite3(club.url, schema) == fresh)
        #expect(try sqlite3(club.url, "PRAGMA auto_vacuum; PRAGMA page_size; PRAGMA journal_mode") == "2\n4096\nwal")
    }

    @Test("one notification names the old store and the new one; the coordinator is never without")
    func exchange() throws {
        let club = try Club()
        let coordinator = club.coordinator
        let old = coordinator.persistentStores
        let log = StoreChanges(coordinator)
        let poll = Poll { coordinator.persistentStores.count == 1 }
        try club.container.resetStores()
        #expect(poll.end())
        #expect(log.changes.map(\.removed) == [old])
        #expect(log.changes.map(\.added) == [coordinator.persistentStores])
    }

    @Test("whoever has the file open keeps his snapshot, then finds a store, never an empty file")
    func secondConnection() throws {
        let club = try Club()
        try club.fill()
        let reader = try ShellSession(club.url.path)
        let before = try reader.run("BEGIN; SELECT Z_UUID FROM Z_METADATA; SELECT count(*) FROM ZTEAM;")
        let url = club.url.path
        // That the file is locked for a moment is no answer.
        let question = "SELECT count(*) FROM sqlite_master WHERE name = 'Z_METADATA'"
        let poll = Poll { (try? sqlite3(url, question)) != "0" }
        for _ in 0..<5 { try club.container.resetStores() }
        #expect(poll.end())
        #expect(try reader.run("SELECT Z_UUID FROM Z_METADATA; SELECT count(*) FROM ZTEAM;") == before)
        let identifier = try #require(club.coordinator.persistentStores.first?.identifier)
        #expect(
            try reader.run("COMMIT; SELECT Z_UUID FROM Z_METADATA; SELECT count(*) FROM ZTEAM;") == identifier + "\n0")
        reader.end()
    }

    @Test("external files go, and the report counts files and bytes")
    func externalFiles() throws {
        let club = try Club()
        let names = try club.makePictures(3, bytes: 150_000)
        let report = try club.container.resetStores()
        for name in names { #expect(!FileManager.default.fileExists(atPath: name)) }
        let store = try #require(report.stores.first)
        #expect(store.filesBefore.external == StoreFiles.Size(count: 3, bytes: 450_000))
        #expect(store.filesAfter.external == StoreFiles.Size(count: 0, bytes: 0))
    }

    @Test("stores in memory: of their own, at /dev/null, and shared by name")
    func inMemory() throws {
        let own = try Club.inMemory()
        let null = try Club([NSPersistentStoreDescription()])
        let shared = try Club([NSPersistentStoreDescription(url: URL(fileURLWithPath: "/dev/null/\(UUID())"))])
        for club in [own, null, shared] {
            try club.fill()
            let identifier = club.coordinator.persistentStores.first?.identifier
            let report = try club.container.resetStores()
            #expect(report.recordsDeleted == 10)
            #expect(club.coordinator.persistentStores.count == 1)
            #expect(club.coordinator.persistentStores.first?.identifier != identifier)
            #expect(try club.fetch("Team").isEmpty)
            try club.fill()
            #expect(try club.fetch("Player").count == 6)
        }
    }

    @Test("other coordinators of the process lose the store, and can add it again")
    func otherCoordinators() throws {
        let club = try Club()
        let other = try Club(folder: club.folder)
        try club.container.resetStores()
        #expect(other.coordinator.persistentStores.isEmpty)
        try other.load()
        #expect(
            other.coordinator.persistentStores.map(\.identifier) == club.coordinator.persistentStores.map(\.identifier))
    }

    @Test("a block that is running is waited for; what it saves is in the old store")
    func drains() throws {
        let club = try Club()
        let context = club.container.newBackgroundContext()
        let isInside = DispatchSemaphore(value: 0)
        let outcome = Outcome()
        context.perform {
            isInside.signal()
            usleep(300_000)
            Club.insert("Tag", ["name": "in time"], into: context)
            outcome.set { try context.save() }
        }
        isInside.wait()
        let report = try club.container.resetStores()
        #expect(outcome.succeeded == true)
        #expect(report.contextsWaiting == 0)
        #expect(report.recordsDeleted == 1)
        #expect(try sqlite3(club.url, "SELECT count(*) FROM ZTAG") == "0")
    }

    @Test("a block that is busy for too long is not waited for: its save fails, and it is reset as its next block")
    func timeout() throws {
        let club = try Club()
        let context = club.container.newBackgroundContext()
        let isInside = DispatchSemaphore(value: 0)
        let goOn = DispatchSemaphore(value: 0)
        let outcome = Outcome()
        try club.fill()
        context.perform {
            let tag = try? club.fetch("Tag", in: context).first
            tag?.setValue("too late", forKey: "name")
            isInside.signal()
            goOn.wait()
            outcome.set { try context.save() }
        }
        isInside.wait()
        let report = try club.container.resetStores(timeout: 0.1)
        #expect(report.contextsWaiting == 1)
        goOn.signal()
        context.performAndWait { #expect(!context.hasChanges && context.registeredObjects.isEmpty) }
        #expect(outcome.succeeded == false)
        #expect(try sqlite3(club.url, "SELECT count(*) FROM ZTAG") == "0")
    }
}

/// How a call in a block ended.
final class Outcome: @unchecked Sendable {
    private let lock = NSLock()
    private var stored: Bool?

    var succeeded: Bool? { lock.withLock { stored } }

    func set(_ body: () throws -> Void) {
        let value = (try? body()) != nil
        lock.withLock { stored = value }
    }
}

/// Asks again and again, on a thread of its own, whether something holds.
final class Poll: @unchecked Sendable {
    private let lock = NSLock()
    private var isEnding = false
    private var held = true
    private let ended = DispatchSemaphore(value: 0)

    init(_ holds: @escaping @Sendable () -> Bool) {
        Thread { [self] in
            repeat {
                if !holds() { lock.withLock { held = false } }
            } while !lock.withLock { isEnding }
            ended.signal()
        }.start()
    }

    /// - Returns: whether it held each time.
    func end() -> Bool {
        lock.withLock { isEnding = true }
        ended.wait()
        return lock.withLock { held }
    }
}

/// Gathers what a coordinator tells of its stores.
final class StoreChanges: @unchecked Sendable {
    struct Change {
        var removed: [NSPersistentStore]
        var added: [NSPersistentStore]
    }

    private let lock = NSLock()
    private var stored: [Change] = []
    private var token: (any NSObjectProtocol)?

    var changes: [Change] { lock.withLock { stored } }

    init(_ coordinator: NSPersistentStoreCoordinator) {
        token = NotificationCenter.default.addObserver(
            forName: .NSPersistentStoreCoordinatorStoresDidChange, object: coordinator, queue: nil
        ) { [weak self] notification in
            let change = Change(
                removed: notification.userInfo?[NSRemovedPersistentStoresKey] as? [NSPersistentStore] ?? [],
                added: notification.userInfo?[NSAddedPersistentStoresKey] as? [NSPersistentStore] ?? [])
            self?.add(change)
        }
    }

    private func add(_ change: Change) { lock.withLock { stored.append(change) } }

    deinit { token.map(NotificationCenter.default.removeObserver) }
}
