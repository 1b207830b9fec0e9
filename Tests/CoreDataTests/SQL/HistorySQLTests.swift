import Foundation
import TestSupport
import Testing

@testable import CoreData

@Suite("History rows", .enabled(if: SQLiteShell.isUsable))
struct HistorySQLTests {
    let fixture: SQLFixture

    init() throws { fixture = try SQLFixture(options: [NSPersistentHistoryTrackingKey: true]) }

    private func number(_ name: String) throws -> String {
        try fixture.shell("SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = '\(name)'")
    }

    private func saveChange(_ key: ObjectKey, _ values: [String: Any], _ names: String..., toMany: [String] = []) throws
    {
        let old = try #require(try fixture.row(at: key))
        let entity = old.layout.entity.name ?? ""
        try fixture.save(author: "me", contextName: "main") { _ in
            var changes = ChangeSet()
            let new = self.fixture.row(entity, key.number, values)
            var slots = SlotSet(slotCount: new.layout.slots.count)
            for (index, slot) in new.layout.slots.enumerated() where names.contains(slot.path) { slots.insert(index) }
            changes.updated = [.init(old: old, new: new, changedSlots: slots, changedToMany: toMany)]
            return changes
        }
    }

    @Test("a save is one transaction with a change for each record, and its number is told")
    func transaction() throws {
        let outcome = try fixture.save(newKeys: [("Team", 2)], author: "me", contextName: "main") { keys in
            var changes = ChangeSet()
            changes.inserted = [self.fixture.row("Team", keys[0]), self.fixture.row("Team", keys[0] + 1)]
            return changes
        }
        guard case .committed(historyToken: 1) = outcome else { Issue.record("\(outcome)"); return }
        let team = try number("Team")
        #expect(
            try fixture.shell(
                "SELECT Z_PK, Z_ENT, quote(Z_OPT), ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID, quote(ZCOLUMNS) FROM ACHANGE"
            )
                == "1|16001|NULL|0|\(team)|1|1|NULL\n2|16001|NULL|0|\(team)|2|1|NULL")
        #expect(
            try fixture.shell(
                "SELECT t.Z_PK, t.Z_ENT, quote(t.Z_OPT), quote(t.ZAUTHOR), a.ZNAME, c.ZNAME, p.ZNAME FROM ATRANSACTION t"
                    + " JOIN ATRANSACTIONSTRING a ON a.Z_PK = ZAUTHORTS JOIN ATRANSACTIONSTRING c ON c.Z_PK = ZCONTEXTNAMETS"
                    + " JOIN ATRANSACTIONSTRING p ON p.Z_PK = ZPROCESSIDTS")
                == "1|16002|NULL|NULL|me|main|\(ProcessInfo.processInfo.processName)")
        #expect(
            try fixture.shell("SELECT abs(ZTIMESTAMP - (strftime('%s') - 978307200)) < 60 FROM ATRANSACTION") == "1")
        #expect(
            try fixture.shell("SELECT Z_ENT, Z_NAME, Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT > 16000 ORDER BY 1").hasPrefix(
                "16001|CHANGE|2\n16002|TRANSACTION|1\n16003|TRANSACTIONSTRING|"))
    }

    @Test("texts are kept once; an absent author is NULL")
    func strings() throws {
        try fixture.save(newKeys: [("Team", 1)], author: "me") { keys in
            var changes = ChangeSet()
            changes.inserted = [self.fixture.row("Team", keys[0])]
            return changes
        }
        let before = try fixture.shell("SELECT count(*) FROM ATRANSACTIONSTRING")
        try fixture.save(newKeys: [("Team", 1)], author: "me") { keys in
            var changes = ChangeSet()
            changes.inserted = [self.fixture.row("Team", keys[0])]
            return changes
        }
        #expect(try fixture.shell("SELECT count(*) FROM ATRANSACTIONSTRING") == before)
        try fixture.insert("Team", [[:]])
        #expect(
            try fixture.shell("SELECT quote(ZAUTHORTS), quote(ZCONTEXTNAMETS) FROM ATRANSACTION WHERE Z_PK = 3")
                == "NULL|NULL")
    }

    @Test(
        "an update's bit map names the changed columns by their place: keys, entities, order keys, attributes, to-many")
    func columns() throws {
        let key = try fixture.insert("Team", [["name": "a"]])[0]
        // Team has "name" and "persons": name is bit 0, persons bit 1, in one byte.
        try saveChange(key, ["name": "b"], "name")
        try saveChange(key, ["name": "b"], toMany: ["persons"])
        #expect(try fixture.shell("SELECT hex(ZCOLUMNS) FROM ACHANGE WHERE ZCHANGETYPE = 1 ORDER BY Z_PK") == "80\n40")
        // Coupon: code, series.
        let coupon = try fixture.insert("Coupon", [["code": "a"]])[0]
        try saveChange(coupon, ["code": "a", "series": 3], "series")
        #expect(try fixture.shell("SELECT hex(ZCOLUMNS) FROM ACHANGE ORDER BY Z_PK DESC LIMIT 1") == "40")
        // Place: name, the latitude and the longitude of its position.
        let place = try fixture.insert("Place", [[:]])[0]
        try saveChange(place, ["position.lon": 1.0], "position.lon")
        #expect(try fixture.shell("SELECT hex(ZCOLUMNS) FROM ACHANGE ORDER BY Z_PK DESC LIMIT 1") == "20")
    }

    @Test("keys, entity columns and order keys come first in the bit map, to-many relationships last")
    func columnOrder() throws {
        func bits() throws -> String {
            try fixture.shell("SELECT hex(ZCOLUMNS) FROM ACHANGE ORDER BY Z_PK DESC LIMIT 1")
        }
        // Account: owner, the owner's entity, number.
        let person = try fixture.insert("Person", [[:]])[0]
        let account = try fixture.insert("Account", [["owner": person]])[0]
        try saveChange(account, ["owner": person, "number": 1], "number")
        #expect(try bits() == "20")
        // Song: album, its place in the album, title, playlists.
        let album = try fixture.insert("Playlist", [[:]])[0]
        let song = try fixture.insert("Song", [[:]])[0]
        try saveChange(song, ["album": album], "album")
        #expect(try bits() == "80")
        try saveChange(song, ["album": album, "title": "a"], "title", toMany: ["playlists"])
        #expect(try bits() == "30")
    }

    @Test("with several to-one relationships their keys come first, then the entities of those that need them")
    func keysBeforeEntities() throws {
        let folder = try TemporaryDirectory()
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: PlainGraph.model())
        let url = folder.url("graph.sqlite")
        _ = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: url,
            options: [NSPersistentHistoryTrackingKey: true])
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        let (item, mate, owner) = (context.insert("Item"), context.insert("Special"), context.insert("Owner"))
        try context.save()
        func bits() throws -> String {
            try sqlite3(
                url,
                "SELECT hex(ZCOLUMNS) FROM ACHANGE JOIN ZITEM i ON i.Z_PK = ZENTITYPK AND i.Z_ENT = ZENTITY"
                    + " JOIN Z_PRIMARYKEY p ON p.Z_ENT = i.Z_ENT AND Z_NAME = 'Item' ORDER BY ACHANGE.Z_PK DESC LIMIT 1"
            )
        }
        // Item: mate, owner, the mate's entity, the place among the owner's items, value, friends, labels, parts: eight bits, and
        // a byte more.
        item.setValue(owner, forKey: "owner")
        try context.save()
        #expect(try bits() == "4000")
        item.setValue(mate, forKey: "mate")
        try context.save()
        #expect(try bits() == "A000")
        item.setValue(5, forKey: "value")
        try context.save()
        #expect(try bits() == "0800")
    }

    @Test("a deletion keeps the attributes that are marked for it, as they were stored")
    func tombstones() throws {
        let key = try fixture.insert("Coupon", [["code": "gone"]])[0]
        let row = try #require(try fixture.row(at: key))
        try fixture.save { _ in
            var changes = ChangeSet()
            changes.deleted = [.init(old: row)]
            return changes
        }
        let coupon = try number("Coupon")
        #expect(
            try fixture.shell(
                "SELECT ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTOMBSTONE0, quote(ZCOLUMNS) FROM ACHANGE ORDER BY Z_PK DESC LIMIT 1"
            )
                == "2|\(coupon)|1|gone|NULL")
    }

    @Test("a save of nothing, or one that fails, leaves no trace")
    func nothing() throws {
        guard case .committed(historyToken: nil) = try fixture.save({ _ in ChangeSet() }) else {
            Issue.record("a token"); return
        }
        try fixture.insert("Coupon", [["code": "a"]])
        _ = try fixture.save(newKeys: [("Coupon", 1)]) { keys in
            var changes = ChangeSet()
            changes.inserted = [self.fixture.row("Coupon", keys[0], ["code": "a"])]
            return changes
        }
        #expect(try fixture.shell("SELECT count(*) FROM ATRANSACTION") == "1")
    }

    @Test("keys of purged history rows are not given again")
    func purged() throws {
        try fixture.insert("Team", [[:], [:]])
        try fixture.shell("DELETE FROM ACHANGE; DELETE FROM ATRANSACTION")
        try fixture.insert("Team", [[:]])
        #expect(try fixture.shell("SELECT Z_PK, ZTRANSACTIONID FROM ACHANGE") == "3|2")
    }

    @Test("a batch delete records its deletions alone: rows that lose a reference get no change")
    func batchPartners() throws {
        let teams = try fixture.insert("Team", [["name": "a"]])
        try fixture.insert("Person", [["team": teams[0]]])
        let before = try fixture.shell("SELECT count(*) FROM ACHANGE")
        _ = try fixture.store.batchDelete(BatchDeletePlan(selection: .plan(fixture.plan("Team")), wantsKeys: false))
        #expect(try fixture.shell("SELECT quote(ZTEAM), Z_OPT FROM ZPERSON") == "NULL|2")
        #expect(
            try fixture.shell("SELECT ZCHANGETYPE, ZENTITY, ZENTITYPK FROM ACHANGE LIMIT -1 OFFSET \(before)")
                == "2|\(number("Team"))|1")
    }

    @Test("a batch delete is recorded row by row with its author")
    func batch() throws {
        try fixture.insert("Person", [["name": "a"], ["name": "b"]])
        try fixture.insert("Employee", [[:]])
        try fixture.insert("Coupon", [["code": "x"], ["code": "y"]])
        var plan = BatchDeletePlan(
            selection: .plan(fixture.plan("Person", "name == nil OR name == 'a'")), wantsKeys: false)
        plan.author = "batch"
        let outcome = try fixture.store.batchDelete(plan)
        #expect(outcome.count == 2)
        #expect(outcome.historyToken == 4)
        let person = try number("Person")
        let employee = try number("Employee")
        #expect(
            try fixture.shell(
                "SELECT ZCHANGETYPE, ZENTITY, ZENTITYPK FROM ACHANGE WHERE ZTRANSACTIONID = 4 ORDER BY Z_PK")
                == "2|\(person)|1\n2|\(employee)|3")
        _ = try fixture.store.batchDelete(BatchDeletePlan(selection: .plan(fixture.plan("Coupon")), wantsKeys: false))
        #expect(try fixture.shell("SELECT ZENTITYPK, ZTOMBSTONE0 FROM ACHANGE WHERE ZTRANSACTIONID = 5") == "1|x\n2|y")
        let none = try fixture.store.batchDelete(
            BatchDeletePlan(selection: .plan(fixture.plan("Coupon")), wantsKeys: false))
        #expect(none.historyToken == nil && none.count == 0)
        #expect(try fixture.shell("SELECT count(*) FROM ATRANSACTION") == "5")
        #expect(
            try fixture.shell("SELECT (SELECT max(Z_PK) FROM ACHANGE) = Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = 16001")
                == "1")
    }

    @Test("without tracking no history is written")
    func untracked() throws {
        let plain = try SQLFixture()
        try plain.insert("Team", [[:]])
        #expect(try plain.shell("SELECT count(*) FROM sqlite_master WHERE name = 'ACHANGE'") == "0")
    }
}
