import CoreData
import CoreDataReset
import Foundation
import TestSupport
import Testing

@Suite("Resets and threads", .enabled(if: SQLiteShell.isUsable), .timeLimit(.minutes(1)))
struct ResetThreadsTests {
    private let club: Club

    init() throws {
        club = try Club()
        try club.fill()
    }

    // Main waits in these, which tests of this process that run blocks on it could not bear.

    @Test("on main, while a worker inside its context waits for main")
    func workerWaitsForMain() throws {
        let url = club.folder.url("Notes.sqlite")
        let result = try runChild("reset-while-worker-waits-for-main", environment: ["NOTES": url.path])
        #expect(result.output == "deleteAllRecords 1, waiting 1\nfree\nresetStores 0, waiting 1\nfree\n")
        #expect(try sqlite3(url, "SELECT count(*) FROM ZNOTE") == "0")
    }

    @Test("on main, while a worker inside its context waits for the view context")
    func workerWaitsForViewContext() throws {
        let url = club.folder.url("Notes.sqlite")
        let result = try runChild("reset-while-worker-waits-for-view-context", environment: ["NOTES": url.path])
        #expect(result.output == "deleteAllRecords 1, waiting 1\nfree\nresetStores 0, waiting 0\nfree\n")
        #expect(try sqlite3(url, "SELECT count(*) FROM ZNOTE") == "0")
    }

    @Test("in a block that main waits for")
    func mainWaits() throws {
        let url = club.folder.url("Notes.sqlite")
        let result = try runChild("reset-while-main-waits", environment: ["NOTES": url.path])
        #expect(result.output == "deleteAllRecords 1, waiting 0\nfree\nresetStores 0, waiting 0\nfree\n")
        #expect(try sqlite3(url, "SELECT count(*) FROM ZNOTE") == "0")
    }

    @Test("inside performAndWait of a background context and of the view context", arguments: [true, false])
    @MainActor
    func insidePerformAndWait(_ deletes: Bool) throws {
        let context = club.container.newBackgroundContext()
        for context in [context, club.context] {
            try context.performAndWait {
                Club.insert("Tag", ["name": "x"], into: context)
                try context.save()
                let report = try deletes ? club.container.deleteAllRecords() : club.container.resetStores()
                #expect(report.contextsWaiting == 0)
                #expect(try club.fetch("Tag", in: context).isEmpty)
            }
        }
    }

    @Test("the asynchronous forms, from several tasks at once, beside contexts that read and write")
    func severalTasks() async throws {
        let container = club.container
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<4 {
                group.addTask {
                    for _ in 0..<3 {
                        _ = try await number % 2 == 0 ? container.deleteAllRecords() : container.resetStores()
                    }
                }
                group.addTask {
                    for _ in 0..<10 {
                        try? await container.performBackgroundTask { context in
                            Club.insert("Tag", ["name": "x"], into: context)
                            try context.save()
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        let report = try await container.deleteAllRecords()
        #expect(report.contextsWaiting == 0)
        #expect(try club.rawCounts() == "0|0|0|0")
        #expect(try sqlite3(club.url, "PRAGMA integrity_check") == "ok")
    }

    @Test("the asynchronous form returns when a busy context has followed")
    func awaitsContexts() async throws {
        let context = club.container.newBackgroundContext()
        let team = try await context.perform { try Held(club.fetch("Team", in: context)[0]) }
        let heard = Heard(context)
        keepBusy(context)
        let report = try await club.container.deleteAllRecords()
        // Asked before anything else waits for the context.
        #expect(heard.deleted == 1)
        #expect(report.contextsWaiting == 0)
        #expect(await context.perform { team.object.isDeleted })
    }

    /// Returns when a block of the context has begun that takes a while.
    private func keepBusy(_ context: NSManagedObjectContext) {
        let isInside = DispatchSemaphore(value: 0)
        context.perform {
            isInside.signal()
            usleep(200_000)
        }
        isInside.wait()
    }

    @Test("the asynchronous forms on the main actor, with live objects of the view context")
    @MainActor
    func onMainActor() async throws {
        let teams = try club.fetch("Team")
        let report = try await club.container.deleteAllRecords()
        #expect(report.recordsDeleted == 10)
        #expect(teams.allSatisfy { $0.isDeleted })
        try await club.container.resetStores()
        #expect(teams.allSatisfy { $0.managedObjectContext == nil })
        #expect(try club.fetch("Team").isEmpty)
    }
}
