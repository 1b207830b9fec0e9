import CoreDataTestFixtures
import Foundation
import TestSupport
import Testing

@testable import CoreData

/// A fetch that is still reading an old snapshot while records are changed and deleted.
@Suite("A slow reader")
struct SlowReaderTests {
    private let folder: TemporaryDirectory
    private let league: League

    init() throws {
        folder = try TemporaryDirectory()
        league = try League(folder.path("league.sqlite"))
        let context = league.container.newBackgroundContext()
        try context.performAndWait {
            // Several chunks; names in the order of the keys.
            for number in 1...2000 { League.insert("Tag", String(format: "%04d", number), in: context) }
            try context.save()
        }
    }

    private func openStore() throws -> (store: NSPersistentStore, engine: SQLiteStore) {
        let store = try #require(league.coordinator.persistentStores.first)
        return (store, try #require(store.engine as? SQLiteStore))
    }

    private func plan() throws -> FetchPlan {
        let entity = try #require(league.container.managedObjectModel.entitiesByName["Tag"])
        var plan = FetchPlan(entity: entity)
        plan.sort = [NSSortDescriptor(key: "name", ascending: true)]
        return plan
    }

    /// Reads all tags; `meanwhile` runs after the first ones were handed over.
    ///
    /// - Returns: how many there were.
    private func readSlowly(_ meanwhile: () throws -> Void) throws -> Int {
        let (_, engine) = try openStore()
        var count = 0
        try engine.fetchRows(plan()) { rows in
            if count == 0 { try meanwhile() }
            count += rows.count
        }
        return count
    }

    /// What a new context gets for a record without asking the file, if the row cache has it.
    private func cachedName(_ key: Int64) throws -> String? {
        let (store, engine) = try openStore()
        let entity = try #require(store.model.entitiesByName["Tag"])
        guard let row = engine.rowCache[Int32(entity.ordinal), key] else { return nil }
        let slot = try #require(row.layout.slots.firstIndex { $0.path == "name" })
        return row.string(slot)
    }

    @Test("brings back neither a changed nor a deleted row of this process")
    func ownChanges() throws {
        let context = league.container.newBackgroundContext()
        let count = try readSlowly {
            try context.performAndWait {
                try League.objects("Tag", named: "1900", in: context).first?.setValue("1900b", forKey: "name")
                try League.objects("Tag", named: "1901", in: context).forEach(context.delete)
                try context.save()
                let selection = NSFetchRequest<NSFetchRequestResult>(entityName: "Tag")
                selection.predicate = NSPredicate(format: "name == %@", "1902")
                try context.execute(NSBatchDeleteRequest(fetchRequest: selection))
            }
        }
        // It was one snapshot.
        #expect(count == 2000)
        #expect(try cachedName(1900) == "1900b")
        #expect(try cachedName(1901) == nil)
        #expect(try cachedName(1902) == nil)
        #expect(try cachedName(1903) == "1903")
        let path = folder.path("league.sqlite")
        #expect(
            try sqlite3(path, "SELECT group_concat(ZNAME) FROM ZTAG WHERE Z_PK BETWEEN 1900 AND 1903;") == "1900b,1903")
    }

    @Test("does not replace a row of another process that a quicker reader has brought")
    func changesOfAnotherProcess() throws {
        let other = try ChildSession(folder.path("league.sqlite"))
        _ = try readSlowly {
            try other("fetch Tag")
            try other("rename Tag 1900 1900b")
            try other("save")
            // Another thread fetches at once: it sees the new row.
            #expect(countOnAnotherThread("1900b") == 1)
            #expect(try cachedName(1900) == "1900b")
        }
        #expect(try cachedName(1900) == "1900b")
    }

    private func countOnAnotherThread(_ name: String) -> Int {
        let done = DispatchSemaphore(value: 0)
        let league = league
        nonisolated(unsafe) var count = -1
        Thread.detachNewThread {
            let context = league.container.newBackgroundContext()
            count = context.performAndWait { (try? League.objects("Tag", named: name, in: context).count) ?? -1 }
            done.signal()
        }
        done.wait()
        return count
    }
}
