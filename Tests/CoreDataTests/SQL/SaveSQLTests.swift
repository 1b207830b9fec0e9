import Foundation
import TestSupport
import Testing

@testable import CoreData

@Suite("Saving by SQL", .enabled(if: SQLiteShell.isUsable))
struct SaveSQLTests {
    let fixture: SQLFixture

    init() throws { fixture = try SQLFixture() }

    private func update(
        _ old: Row, _ new: Row, _ names: [String], toMany: [String] = []
    ) -> ChangeSet.Update {
        var slots = SlotSet(slotCount: new.layout.slots.count)
        for (index, slot) in new.layout.slots.enumerated() where names.contains(slot.path) { slots.insert(index) }
        return ChangeSet.Update(old: old, new: new, changedSlots: slots, changedToMany: toMany)
    }

    // MARK: Keys

    @Test("keys follow on each other, Z_MAX stands on the root's row, and survives deletions")
    func keys() throws {
        try fixture.insert("Person", [[:], [:]])
        try fixture.insert("Employee", [[:]])
        #expect(try fixture.shell("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = 'Person'") == "3")
        #expect(try fixture.shell("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = 'Employee'") == "0")
        #expect(
            try fixture.shell("SELECT p.Z_PK, k.Z_NAME FROM ZPERSON p JOIN Z_PRIMARYKEY k USING (Z_ENT) ORDER BY 1")
                == "1|Person\n2|Person\n3|Employee")
        let row = try #require(try fixture.row(at: fixture.key("Person", 3)))
        try fixture.save { _ in
            var changes = ChangeSet()
            changes.deleted = [ChangeSet.Deletion(old: row)]
            return changes
        }
        #expect(try fixture.insert("Person", [[:]]).map(\.number) == [4])
    }

    @Test("a missing or low Z_MAX does not give a key twice")
    func lowMark() throws {
        try fixture.insert("Team", [[:], [:]])
        try fixture.shell("UPDATE Z_PRIMARYKEY SET Z_MAX = 1 WHERE Z_NAME = 'Team'")
        #expect(try fixture.insert("Team", [[:]]).map(\.number) == [3])
        try fixture.shell("UPDATE Z_PRIMARYKEY SET Z_MAX = NULL WHERE Z_NAME = 'Team'")
        #expect(try fixture.insert("Team", [[:]]).map(\.number) == [4])
        try fixture.shell("DELETE FROM Z_PRIMARYKEY WHERE Z_NAME = 'Team'")
        #expect(try fixture.insert("Team", [[:]]).map(\.number) == [5])
        #expect(try fixture.shell("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = 'Team'") == "5")
    }

    @Test("reserved keys are not given again, also if they are never used")
    func reserve() throws {
        let team = fixture.entity("Team")
        #expect(try fixture.store.reserveKeys(team, count: 10) == 1)
        #expect(try fixture.store.reserveKeys(fixture.entity("Employee"), count: 2) == 1)
        #expect(try fixture.store.reserveKeys(team, count: 1) == 11)
        #expect(try fixture.insert("Team", [[:]]).map(\.number) == [12])
    }

    // MARK: Updates and conflicts

    @Test("an update writes the changed columns alone and raises the version by one")
    func updates() throws {
        let key = try fixture.insert("Person", [["name": "a", "age": 1]])[0]
        let old = try #require(try fixture.row(at: key))
        try fixture.shell("UPDATE ZPERSON SET ZSCORE = 9")
        let new = fixture.row("Person", key.number, ["name": "b", "age": 1, "score": 5.0])
        let outcome = try fixture.save { _ in
            var changes = ChangeSet()
            changes.updated = [self.update(old, new, ["name"])]
            return changes
        }
        guard case .committed = outcome else { Issue.record("\(outcome)"); return }
        #expect(try fixture.shell("SELECT Z_OPT, ZNAME, ZAGE, ZSCORE FROM ZPERSON") == "2|b|1|9.0")
        #expect(new.version == 2)
        #expect(fixture.store.rowCache[Int32(fixture.entity("Person").ordinal), key.number] === new)
    }

    @Test("an update without changed columns raises the version: a to-many relationship changed")
    func emptyUpdate() throws {
        let key = try fixture.insert("Team", [["name": "a"]])[0]
        let old = try #require(try fixture.row(at: key))
        try fixture.save { _ in
            var changes = ChangeSet()
            changes.updated = [self.update(old, self.fixture.row("Team", 1, ["name": "a"]), [])]
            return changes
        }
        #expect(try fixture.shell("SELECT Z_OPT, ZNAME FROM ZTEAM") == "2|a")
    }

    @Test("values can be set back to nil, numbers to extremes")
    func toNull() throws {
        let key = try fixture.insert("Person", [["name": "a", "age": 1, "blob": Data([1])]])[0]
        let old = try #require(try fixture.row(at: key))
        try fixture.save { _ in
            var changes = ChangeSet()
            changes.updated = [
                self.update(old, self.fixture.row("Person", 1, ["blob": Data()]), ["name", "age", "blob"])
            ]
            return changes
        }
        #expect(try fixture.shell("SELECT quote(ZNAME), quote(ZAGE), quote(ZBLOB) FROM ZPERSON") == "NULL|NULL|X''")
    }

    @Test("all conflicting rows are told with what the store has, and nothing is written")
    func conflicts() throws {
        let keys = try fixture.insert("Person", [["name": "a"], ["name": "b"], ["name": "c"], ["name": "d"]])
        let rows = try fixture.store.rows(for: keys)
        try fixture.shell(
            "UPDATE ZPERSON SET Z_OPT = 7, ZNAME = 'other' WHERE Z_PK = 2; DELETE FROM ZPERSON WHERE Z_PK = 3")
        let outcome = try fixture.save(newKeys: [("Team", 1)]) { keys in
            var changes = ChangeSet()
            changes.inserted = [self.fixture.row("Team", keys[0])]
            for (index, row) in rows.enumerated() where index < 3 {
                changes.updated.append(
                    self.update(row, self.fixture.row("Person", row.primaryKey, ["name": "new"]), ["name"]))
            }
            changes.deleted = [ChangeSet.Deletion(old: rows[3])]
            return changes
        }
        guard case .conflicts(let conflicts) = outcome else { Issue.record("\(outcome)"); return }
        #expect(conflicts.map(\.old.primaryKey).sorted() == [2, 3])
        let second = try #require(conflicts.first { $0.old.primaryKey == 2 })
        #expect(second.persisted?.version == 7)
        #expect(second.persisted?.string(0) == "other")
        #expect(conflicts.first { $0.old.primaryKey == 3 }?.persisted == nil)
        #expect(
            try fixture.shell("SELECT group_concat(v, ' ') FROM (SELECT Z_PK || ZNAME v FROM ZPERSON ORDER BY Z_PK)")
                == "1a 2other 4d")
        #expect(
            try fixture.shell("SELECT count(*), (SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = 'Team') FROM ZTEAM")
                == "0|0")
    }

    @Test("a deletion of a changed or missing row is a conflict")
    func deleteConflict() throws {
        let keys = try fixture.insert("Person", [[:], [:]])
        let rows = try fixture.store.rows(for: keys)
        try fixture.shell("UPDATE ZPERSON SET Z_OPT = 3 WHERE Z_PK = 1; DELETE FROM ZPERSON WHERE Z_PK = 2")
        let outcome = try fixture.save { _ in
            var changes = ChangeSet()
            changes.deleted = ContiguousArray(rows.map { ChangeSet.Deletion(old: $0) })
            return changes
        }
        guard case .conflicts(let conflicts) = outcome else { Issue.record("\(outcome)"); return }
        #expect(conflicts.count == 2)
    }

    @Test("unchanged rows can be checked along")
    func checked() throws {
        let keys = try fixture.insert("Person", [[:], [:]])
        let rows = try fixture.store.rows(for: keys)
        func save() throws -> SaveOutcome {
            try fixture.save { _ in
                var changes = ChangeSet()
                changes.checked = ContiguousArray(rows)
                return changes
            }
        }
        guard case .committed = try save() else { Issue.record("no commit"); return }
        try fixture.shell("UPDATE ZPERSON SET Z_OPT = 2 WHERE Z_PK = 2")
        guard case .conflicts(let conflicts) = try save() else { Issue.record("no conflict"); return }
        #expect(conflicts.map(\.old.primaryKey) == [2])
    }

    @Test("versions can be ignored: the stored one is overwritten and grows, a missing row is told")
    func overwriting() throws {
        let keys = try fixture.insert("Person", [["name": "a"], ["name": "b"]])
        let rows = try fixture.store.rows(for: keys)
        try fixture.shell("UPDATE ZPERSON SET Z_OPT = 7, ZNAME = 'other', ZAGE = 4")
        let new = fixture.row("Person", 1, ["name": "mine"])
        func save() throws -> SaveOutcome {
            try fixture.save { _ in
                var changes = ChangeSet()
                changes.ignoresVersions = true
                changes.updated = [self.update(rows[0], new, ["name"])]
                changes.deleted = [ChangeSet.Deletion(old: rows[1])]
                return changes
            }
        }
        guard case .committed = try save() else { Issue.record("no commit"); return }
        #expect(try fixture.shell("SELECT Z_PK, Z_OPT, ZNAME, ZAGE FROM ZPERSON") == "1|8|mine|4")
        #expect(new.version == 8)
        // Once more: the deletion finds nothing, which is what was wanted; the update finds nothing, which is told.
        try fixture.shell("DELETE FROM ZPERSON")
        guard case .conflicts(let conflicts) = try save() else { Issue.record("no conflict"); return }
        #expect(conflicts.map(\.old.primaryKey) == [1])
    }

    @Test("a row without a version counts as version 0 and gets one")
    func noVersion() throws {
        try fixture.shell(
            "INSERT INTO ZTEAM (Z_PK, Z_ENT, ZNAME) SELECT 1, Z_ENT, 'a' FROM Z_PRIMARYKEY WHERE Z_NAME = 'Team'")
        let old = try #require(try fixture.row(at: fixture.key("Team", 1)))
        #expect(old.version == 0)
        let outcome = try fixture.save { _ in
            var changes = ChangeSet()
            changes.updated = [self.update(old, self.fixture.row("Team", 1, ["name": "b"]), ["name"])]
            return changes
        }
        guard case .committed = outcome else { Issue.record("\(outcome)"); return }
        #expect(try fixture.shell("SELECT Z_OPT, ZNAME FROM ZTEAM") == "1|b")
    }

    @Test("a save whose builder fails changes nothing")
    func builderFails() throws {
        struct Stop: Error {}
        #expect(throws: Stop.self) { try fixture.save(newKeys: [("Team", 5)]) { _ in throw Stop() } }
        #expect(try fixture.insert("Team", [[:]]).map(\.number) == [1])
    }

    // MARK: Uniqueness

    @Test("a broken constraint names the claimants and the stored row")
    func constraints() throws {
        try fixture.insert("Coupon", [["code": "a"]])
        let outcome = try fixture.save(newKeys: [("Coupon", 3)]) { keys in
            var changes = ChangeSet()
            for (index, code) in ["a", "b", "b"].enumerated() {
                changes.inserted.append(self.fixture.row("Coupon", keys[0] + Int64(index), ["code": code]))
            }
            return changes
        }
        guard case .constraintConflicts(let conflicts) = outcome else { Issue.record("\(outcome)"); return }
        #expect(conflicts.map(\.constraint) == [["code"], ["code"]])
        #expect(conflicts.map { $0.claimants.map(\.primaryKey) } == [[2], [3, 4]])
        #expect(conflicts.map { $0.persisted?.primaryKey } == [1, nil])
        #expect(try fixture.shell("SELECT count(*) FROM ZCOUPON") == "1")
    }

    @Test("nil claims nothing")
    func nullUnique() throws {
        try fixture.insert("Coupon", [[:], [:], ["code": "x"]])
        #expect(try fixture.shell("SELECT count(*) FROM ZCOUPON") == "3")
    }

    @Test("unique values may be swapped, and taken over from a deleted row, in one save")
    func swapping() throws {
        let keys = try fixture.insert("Coupon", [["code": "a"], ["code": "b"], ["code": "c"]])
        let rows = try fixture.store.rows(for: keys)
        let outcome = try fixture.save(newKeys: [("Coupon", 1)]) { keys in
            var changes = ChangeSet()
            changes.updated = [
                self.update(rows[0], self.fixture.row("Coupon", 1, ["code": "b"]), ["code"]),
                self.update(rows[1], self.fixture.row("Coupon", 2, ["code": "a"]), ["code"]),
            ]
            changes.deleted = [ChangeSet.Deletion(old: rows[2])]
            changes.inserted = [self.fixture.row("Coupon", keys[0], ["code": "c"])]
            return changes
        }
        guard case .committed = outcome else { Issue.record("\(outcome)"); return }
        #expect(
            try fixture.shell(
                "SELECT group_concat(v, ' ') FROM (SELECT Z_PK || ZCODE || Z_OPT v FROM ZCOUPON ORDER BY Z_PK)")
                == "1b2 2a2 4c1")
    }

    @Test("a chain of values handed on in the wrong order is written")
    func chain() throws {
        let keys = try fixture.insert("Coupon", [["code": "a"], ["code": "b"], ["code": "c"]])
        let rows = try fixture.store.rows(for: keys)
        let outcome = try fixture.save(newKeys: [("Coupon", 1)]) { keys in
            var changes = ChangeSet()
            changes.inserted = [self.fixture.row("Coupon", keys[0], ["code": "a"])]
            for (row, code) in zip(rows, ["b", "c", "d"]) {
                changes.updated.append(
                    self.update(row, self.fixture.row("Coupon", row.primaryKey, ["code": code]), ["code"]))
            }
            return changes
        }
        guard case .committed = outcome else { Issue.record("\(outcome)"); return }
        #expect(
            try fixture.shell("SELECT group_concat(v, ' ') FROM (SELECT Z_PK || ZCODE v FROM ZCOUPON ORDER BY Z_PK)")
                == "1b 2c 3d 4a")
    }

    // MARK: Metadata and durability

    @Test("metadata set on a store are written with a save, the framework's own stay")
    func metadata() throws {
        try fixture.save(metadata: ["owner": "me"]) { _ in ChangeSet() }
        let plist = try fixture.shell("SELECT hex(Z_PLIST) FROM Z_METADATA")
        let data = Data(
            stride(from: 0, to: plist.count, by: 2).map { offset in
                let start = plist.index(plist.startIndex, offsetBy: offset)
                return UInt8(plist[start...plist.index(after: start)], radix: 16) ?? 0
            })
        let metadata = try #require(
            try PropertyListSerialization.propertyList(from: data, format: nil) as? [String: Any])
        #expect(metadata["owner"] as? String == "me")
        #expect(metadata["NSStoreType"] as? String == "SQLite")
        #expect(metadata["NSStoreModelVersionHashes"] != nil)
    }

    @Test("the row cache has what was written and forgets what was deleted")
    func cache() throws {
        let keys = try fixture.insert("Team", [["name": "a"], ["name": "b"]])
        let root = keys[0].entity
        #expect(fixture.store.rowCache[root, 1]?.string(0) == "a")
        let rows = try fixture.store.rows(for: keys)
        try fixture.save { _ in
            var changes = ChangeSet()
            changes.deleted = [ChangeSet.Deletion(old: rows[0])]
            return changes
        }
        #expect(fixture.store.rowCache[root, 1] == nil)
        #expect(fixture.store.rowCache[root, 2]?.string(0) == "b")
    }

    @Test("the same saves work in memory")
    func inMemory() throws {
        let memory = try SQLFixture(inMemory: true)
        let keys = try memory.insert("Person", [["name": "a", "price": Decimal(string: "0.1")!]])
        let row = try #require(try memory.row(at: keys[0]))
        try memory.save { _ in
            var changes = ChangeSet()
            changes.updated = [self.update(row, memory.row("Person", 1, ["name": "b"]), ["name"])]
            return changes
        }
        #expect(try memory.select("Person", "name == 'b' AND price == 0.1") == [1])
    }

    @Test("an old value of a rolled-back save never shows: rows of the failed attempt are not cached")
    func failedSaveLeavesCache() throws {
        let key = try fixture.insert("Person", [["name": "a"]])[0]
        let old = try #require(try fixture.row(at: key))
        try fixture.shell("UPDATE ZPERSON SET Z_OPT = 5")
        _ = try fixture.save { _ in
            var changes = ChangeSet()
            changes.updated = [self.update(old, self.fixture.row("Person", 1, ["name": "mine"]), ["name"])]
            return changes
        }
        #expect(fixture.store.rowCache[old.layout.rootOrdinal, 1]?.string(0) == "a")
        #expect(fixture.store.rowCache[old.layout.rootOrdinal, 1]?.version == 5)
    }
}
