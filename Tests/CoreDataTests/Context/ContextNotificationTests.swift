import CoreData
import Foundation
import Testing

@Suite struct ContextNotificationTests {
    @Test func namesAndKeysAreApples() {
        #expect(
            Notification.Name.NSManagedObjectContextDidSave.rawValue == "NSManagingContextDidSaveChangesNotification")
        #expect(
            Notification.Name.NSManagedObjectContextWillSave.rawValue == "NSManagingContextWillSaveChangesNotification")
        #expect(
            Notification.Name.NSManagedObjectContextObjectsDidChange.rawValue
                == "NSObjectsChangedInManagingContextNotification")
        #expect(NSManagedObjectContext.didSaveObjectsNotification == .NSManagedObjectContextDidSave)
        #expect(NSManagedObjectContext.willSaveObjectsNotification == .NSManagedObjectContextWillSave)
        #expect(NSManagedObjectContext.didChangeObjectsNotification == .NSManagedObjectContextObjectsDidChange)
        #expect(NSManagedObjectContext.didSaveObjectIDsNotification == .NSManagedObjectContextDidSaveObjectIDs)
        #expect(
            NSManagedObjectContext.didMergeChangesObjectIDsNotification
                == .NSManagedObjectContextDidMergeChangesObjectIDs)
        #expect(NSInsertedObjectsKey == "inserted" && NSUpdatedObjectsKey == "updated")
        #expect(NSDeletedObjectsKey == "deleted" && NSRefreshedObjectsKey == "refreshed")
        #expect(NSInvalidatedObjectsKey == "invalidated" && NSInvalidatedAllObjectsKey == "invalidatedAll")
        let keys: [(NSManagedObjectContext.NotificationKey, String)] = [
            (.insertedObjectIDs, NSInsertedObjectIDsKey), (.updatedObjectIDs, NSUpdatedObjectIDsKey),
            (.deletedObjectIDs, NSDeletedObjectIDsKey), (.refreshedObjectIDs, NSRefreshedObjectIDsKey),
            (.invalidatedObjectIDs, NSInvalidatedObjectIDsKey), (.insertedObjects, NSInsertedObjectsKey),
            (.invalidatedAllObjects, NSInvalidatedAllObjectsKey),
        ]
        for (key, text) in keys { #expect(key.rawValue == text) }
    }

    @Test func oneTurnOfInsertsAndRelationsIsOneNotification() throws {
        let stack = try OfficeStack()
        let context = stack.makeContext()
        let changes = Recorder.changes(context)
        for number in 0..<100 {
            let badge = context.insert("Badge", ["code": "\(number)"])
            badge.setValue(context.person("P\(number)"), forKey: "person")
        }
        context.processPendingChanges()
        #expect(changes.notes.map(\.counts) == [[200, 0, 0, 0]])
    }

    @Test func didSaveNamesWhatWasSavedThoughAsManyObjectsWereToldOfBefore() throws {
        let stack = try OfficeStack()
        let context = stack.makeContext()
        let saves = Recorder.saves(context)
        let (ann, bob) = (context.person("Ann"), context.person("Bob"))
        try context.save()
        ann.setValue(1, forKey: "salary")
        context.processPendingChanges()
        bob.setValue(2, forKey: "salary")
        context.processPendingChanges()
        context.refresh(ann, mergeChanges: false)
        try context.save()
        #expect(saves.notes.last?.objects(NSUpdatedObjectsKey) == [bob])

        let cid = context.person("Cid")
        context.processPendingChanges()
        let dan = context.person("Dan")
        context.processPendingChanges()
        context.delete(cid)
        try context.save()
        #expect(saves.notes.last?.objects(NSInsertedObjectsKey) == [dan])
    }

    @Test func aSecondProcessingInARowPostsNothing() throws {
        let stack = try OfficeStack()
        let context = stack.makeContext()
        let changes = Recorder.changes(context)
        context.person("Ann")
        context.processPendingChanges()
        context.processPendingChanges()
        #expect(changes.notes.count == 1)
    }

    @Test func onlySetsWithMembersAreInObjectsDidChange() throws {
        let stack = try OfficeStack()
        let context = stack.makeContext()
        let changes = Recorder.changes(context)
        context.person("Ann")
        context.processPendingChanges()
        #expect(changes.notes.first?.userInfo?.keys.map { $0.base as? String } == ["inserted"])
    }

    @Test func anUnsavedObjectChangedLaterIsReportedAsUpdated() throws {
        let stack = try OfficeStack()
        let context = stack.makeContext()
        let person = context.person("Ann")
        context.processPendingChanges()
        let changes = Recorder.changes(context)
        person.setValue("Bob", forKey: "name")
        context.processPendingChanges()
        #expect(changes.notes.map(\.counts) == [[0, 1, 0, 0]])
        #expect(context.updatedObjects.isEmpty)
    }

    @Test func anUnsavedObjectDeletedLaterIsReportedAsDeleted() throws {
        let stack = try OfficeStack()
        let context = stack.makeContext()
        let person = context.person("Ann")
        context.processPendingChanges()
        let changes = Recorder.changes(context)
        context.delete(person)
        context.processPendingChanges()
        #expect(changes.notes.map(\.counts) == [[0, 0, 1, 0]])
        #expect(changes.notes.first?.objects(NSDeletedObjectsKey) == [person])
    }

    @Test func anObjectInsertedAndDeletedInOneTurnIsNotReported() throws {
        let stack = try OfficeStack()
        let context = stack.makeContext()
        let changes = Recorder.changes(context)
        context.delete(context.person("Ann"))
        context.processPendingChanges()
        #expect(changes.notes.isEmpty)
    }

    @Test func fetchedObjectsAreNotReported() throws {
        let stack = try OfficeStack()
        try stack.fill(("Ann", 1), ("Bob", 2))
        let context = stack.makeContext()
        let changes = Recorder.changes(context)
        #expect(try context.all("Person").compactMap(\.nameValue).count == 2)
        context.processPendingChanges()
        #expect(changes.notes.isEmpty)
    }

    @Test func aFetchProcessesPendingChanges() throws {
        let stack = try OfficeStack()
        let context = stack.makeContext()
        let changes = Recorder.changes(context)
        context.person("Ann")
        _ = try context.all("Team")
        #expect(changes.notes.map(\.counts) == [[1, 0, 0, 0]])
    }

    @Test func aPerformBlockPostsAtItsEnd() async throws {
        let stack = try OfficeStack()
        let context = stack.makeContext()
        let changes = Recorder.changes(context)
        await context.perform {
            context.person("Ann")
            #expect(changes.notes.isEmpty)
        }
        #expect(changes.notes.map(\.counts) == [[1, 0, 0, 0]])
    }

    @Test func aPerformAndWaitBlockPostsNothingAtItsEnd() throws {
        let stack = try OfficeStack()
        let context = stack.makeContext()
        let changes = Recorder.changes(context)
        context.performAndWait { _ = context.person("Ann") }
        #expect(changes.notes.isEmpty)
        context.processPendingChanges()
        #expect(changes.notes.count == 1)
    }

    @Test @MainActor func aMainQueueContextPostsInTheNextTurnOfTheMainQueue() async throws {
        let stack = try OfficeStack()
        let context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        context.persistentStoreCoordinator = stack.coordinator
        let changes = Recorder.changes(context)
        context.person("Ann")
        context.person("Bob")
        #expect(changes.notes.isEmpty)
        await withCheckedContinuation { continuation in DispatchQueue.main.async { continuation.resume() } }
        #expect(changes.notes.map(\.counts) == [[2, 0, 0, 0]])
    }

    @Test func aSaveTellsItsThreeSets() throws {
        let stack = try OfficeStack()
        try stack.fill(("Ann", 1), ("Bob", 2))
        let context = stack.makeContext()
        let ann = try #require(try context.one("Ann"))
        let bob = try #require(try context.one("Bob"))
        let cid = context.person("Cid")
        let dan = context.person("Dan")
        ann.setValue(5, forKey: "salary")
        context.delete(bob)
        let saves = Recorder.saves(context)
        let ids = Recorder(context, .NSManagedObjectContextDidSaveObjectIDs)
        let bobID = bob.objectID
        try context.save()
        let note = try #require(saves.notes.first)
        #expect(saves.notes.count == 1)
        #expect(note.objects(NSInsertedObjectsKey) == [cid, dan])
        #expect(note.objects(NSUpdatedObjectsKey) == [ann])
        #expect(note.objects(NSDeletedObjectsKey) == [bob])
        #expect(note.objects(NSInsertedObjectsKey).allSatisfy { !$0.objectID.isTemporaryID })
        let idNote = try #require(ids.notes.first)
        #expect(idNote.ids(NSInsertedObjectIDsKey) == [cid.objectID, dan.objectID])
        #expect(idNote.ids(NSUpdatedObjectIDsKey) == [ann.objectID])
        #expect(idNote.ids(NSDeletedObjectIDsKey) == [bobID])
    }

    @Test func willSaveHasNoUserInfoAndComesFirst() throws {
        let stack = try OfficeStack()
        let context = stack.makeContext()
        let all = Recorder(
            context, .NSManagedObjectContextDidSave, .NSManagedObjectContextWillSave,
            .NSManagedObjectContextObjectsDidChange, .NSManagedObjectContextDidSaveObjectIDs)
        context.person("Ann")
        try context.save()
        #expect(
            all.notes.map(\.name) == [
                .NSManagedObjectContextObjectsDidChange, .NSManagedObjectContextWillSave,
                .NSManagedObjectContextDidSave,
                .NSManagedObjectContextDidSaveObjectIDs,
            ])
        #expect(all.notes[1].userInfo == nil)
    }

    @Test func aSaveWithoutChangesPostsEmptySets() throws {
        let stack = try OfficeStack()
        let context = stack.makeContext()
        let saves = Recorder.saves(context)
        try context.save()
        #expect(saves.notes.count == 1)
        #expect(saves.notes.first?.counts == [0, 0, 0, 0])
    }

    @Test func everyUpdateOfASaveIsToldThoughSomeCameInEarlierEvents() throws {
        let stack = try OfficeStack()
        try stack.fill(("Ann", 1), ("Bob", 2))
        let context = stack.makeContext()
        let ann = try #require(try context.one("Ann"))
        let bob = try #require(try context.one("Bob"))
        ann.setValue(5, forKey: "salary")
        context.processPendingChanges()
        bob.setValue(6, forKey: "salary")
        let saves = Recorder.saves(context)
        try context.save()
        #expect(saves.notes.first?.objects(NSUpdatedObjectsKey) == [ann, bob])
    }
}
