import CoreData
import Foundation
import TestSupport
import Testing

@Suite struct RandomWalkTests {
    /// What holds in every store of the model, whatever happened: as 1 or 0 each.
    private static let rules = [
        "(SELECT count(*) FROM pragma_integrity_check WHERE integrity_check = 'ok') = 1",
        "NOT EXISTS (SELECT 1 FROM ZITEM i WHERE ZOWNER NOT NULL AND NOT EXISTS (SELECT 1 FROM ZOWNER WHERE Z_PK = i.ZOWNER))",
        "NOT EXISTS (SELECT 1 FROM ZITEM i WHERE ZMATE NOT NULL AND NOT EXISTS"
            + " (SELECT 1 FROM ZITEM WHERE Z_PK = i.ZMATE AND ZMATE = i.Z_PK))",
        "NOT EXISTS (SELECT 1 FROM ZPART p WHERE ZITEM NOT NULL AND NOT EXISTS (SELECT 1 FROM ZITEM WHERE Z_PK = p.ZITEM))",
        "NOT EXISTS (SELECT 1 FROM ZITEM WHERE ZOWNER NOT NULL AND Z_FOK_OWNER IS NULL)",
        "NOT EXISTS (SELECT 1 FROM ZITEM WHERE ZOWNER NOT NULL GROUP BY ZOWNER, Z_FOK_OWNER HAVING count(*) > 1)",
        "NOT EXISTS (SELECT 1 FROM Z_1LABELS j WHERE NOT EXISTS (SELECT 1 FROM ZITEM WHERE Z_PK = j.Z_1MARKED)"
            + " OR NOT EXISTS (SELECT 1 FROM ZLABEL WHERE Z_PK = j.Z_3LABELS))",
        "NOT EXISTS (SELECT 1 FROM Z_1FRIENDS j WHERE NOT EXISTS"
            + " (SELECT 1 FROM Z_1FRIENDS WHERE Z_1FRIENDS = j.REFLEXIVE AND REFLEXIVE = j.Z_1FRIENDS)"
            + " OR NOT EXISTS (SELECT 1 FROM ZITEM WHERE Z_PK = j.REFLEXIVE))",
        "NOT EXISTS (SELECT 1 FROM ZITEM WHERE Z_OPT < 1)",
        "(SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = 'Item') >= (SELECT ifnull(max(Z_PK), 0) FROM ZITEM)",
        "(SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = 'Owner') >= (SELECT ifnull(max(Z_PK), 0) FROM ZOWNER)",
        "(SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = 'Label') >= (SELECT ifnull(max(Z_PK), 0) FROM ZLABEL)",
        "(SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = 'Part') >= (SELECT ifnull(max(Z_PK), 0) FROM ZPART)",
    ]

    @Test(
        "whatever two contexts do in turns, they and the store agree with a plain graph",
        arguments: [NSSQLiteStoreType, NSInMemoryStoreType], [1, 3, 11])
    func walk(_ type: String, _ seed: UInt64) throws {
        let directory = try TemporaryDirectory()
        let walk = try RandomWalk(directory.url("walk.sqlite"), type: type, seed: seed)
        for step in 0..<1200 {
            do { try walk.step() } catch {
                Issue.record("step \(step): \(error)\n\(walk.trace.suffix(40).joined(separator: "\n"))")
                return
            }
            guard type == NSSQLiteStoreType, step % 200 == 199 else { continue }
            let found = try sqlite3(walk.url, "SELECT \(Self.rules.joined(separator: ", "))")
            #expect(found == Self.rules.map { _ in "1" }.joined(separator: "|"), "step \(step)")
        }
    }
}
