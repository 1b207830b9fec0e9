import CoreData
import CoreDataTestFixtures
import Foundation
import TestSupport
import Testing

/// A store from which somebody else has taken records, or which he has destroyed.
@Suite("Records taken away by others", .enabled(if: SQLiteShell.isUsable, "the sqlite3 shell is missing"))
struct ForeignEditTests {
    private let folder: TemporaryDirectory
    private let file: LeagueFile

    init() throws {
        folder = try TemporaryDirectory()
        file = LeagueFile(folder.path("league.sqlite"))
    }

    @Test("members whose records are gone appear, deleted and without values, with one warning each")
    func danglingMembers() throws {
        let league = try League(file.path)
        try league.populate()
        try league.container.close()
        _ = try sqlite3(file.path, "DELETE FROM ZTAG WHERE ZNAME = 'fast';")
        let session = try ChildSession(file.path)
        try session("fetch Team")
        #expect(session.answer("members Team tags") == "ok -:true,old:false")
        #expect(session.answer("members Team tags") == "ok -:true,old:false")
        let warnings = session.quit().components(separatedBy: "is gone").count - 1
        #expect(warnings == 1)
    }

    @Test("an object that was batch-deleted elsewhere does not exist any more")
    func batchDeletedElsewhere() throws {
        let league = try League(file.path)
        try league.populate()
        let context = league.container.newBackgroundContext()
        let ids = try context.performAndWait { try League.objects("Player", in: context).map(\.objectID) }
        let other = try ChildSession(file.path)
        #expect(other.answer("batch-delete Player Amber1") == "ok 1")
        try context.performAndWait {
            context.reset()
            context.stalenessInterval = 0
            let error = #expect(throws: CocoaError.self) { try context.existingObject(with: ids[0]) }
            #expect(error?.errorCode == NSManagedObjectReferentialIntegrityError)
            let second = try context.existingObject(with: ids[1])
            #expect(League.name(second) == "Amber2")
        }
    }

    @Test("a destroyed store stays as an empty file that takes a store of another model")
    func destroyedForAnotherModel() throws {
        let former = try League(file.path)
        try former.populate()
        let ids = try former.container.viewContext.performAndWait {
            try League.objects("Player", in: former.container.viewContext).map(\.objectID)
        }
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: LeagueModel.second.make())
        let url = URL(fileURLWithPath: file.path)
        try coordinator.destroyPersistentStore(at: url, ofType: NSSQLiteStoreType)
        #expect(try file.contents() == LeagueFile.Contents(isStore: false))
        let store = try coordinator.addPersistentStore(ofType: NSSQLiteStoreType, configurationName: nil, at: url)
        #expect(try file.contents().lines.isEmpty)
        // Ids of the former store lead nowhere, neither there nor here.
        for id in ids {
            #expect(id.uriRepresentation().host != store.identifier)
            #expect(coordinator.managedObjectID(forURIRepresentation: id.uriRepresentation()) == nil)
        }
        let context = former.container.newBackgroundContext()
        context.performAndWait {
            let error = #expect(throws: CocoaError.self) { try context.existingObject(with: ids[0]) }
            #expect(error?.errorCode == NSManagedObjectReferentialIntegrityError)
            #expect(error?.userInfo["NSUnderlyingException"] != nil)
        }
    }
}
