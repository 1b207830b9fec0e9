import CoreData
import Foundation
import TestSupport
import Testing

@Suite struct MergeTests {
    /// A context that holds saved objects, and a second one on the same coordinator with the same ones.
    private struct Pair {
        let stack: OfficeStack
        let source: NSManagedObjectContext
        let target: NSManagedObjectContext
        let ids: [NSManagedObjectID]

        init(_ kind: OfficeStack.Kind = .memory) throws {
            stack = try OfficeStack(kind)
            ids = try stack.fill(("Ann", 1), ("Bob", 2), ("Cid", 3))
            source = stack.makeContext()
            target = stack.makeContext()
        }

        func saveAndMerge() throws {
            let saves = Recorder.saves(source)
            try source.save()
            target.mergeChanges(fromContextDidSave: try #require(saves.notes.first))
        }
    }

    @Test func aMergeRefreshesInsertsAndDeletes() throws {
        let pair = try Pair()
        let (ann, bob) = (
            try pair.target.existingObject(with: pair.ids[0]), try pair.target.existingObject(with: pair.ids[1])
        )
        let changes = Recorder.changes(pair.target)
        try pair.source.existingObject(with: pair.ids[0]).setValue(9, forKey: "salary")
        pair.source.delete(try pair.source.existingObject(with: pair.ids[1]))
        let made = pair.source.person("Eve", 5)
        try pair.saveAndMerge()
        #expect(ann.salaryValue == 9)
        #expect(!ann.isFault)
        #expect(bob.isDeleted && !bob.isFault)
        #expect(bob.nameValue == "Bob")
        #expect(pair.target.registeredObject(for: made.objectID) != nil)
        #expect(pair.target.insertedObjects.isEmpty)
        #expect(pair.target.updatedObjects.isEmpty)
        #expect(pair.target.deletedObjects == [bob])
        #expect(changes.counts == [[1, 0, 1, 1]])
        #expect(changes.notes.first?.objects("NSObjectsChangedByMergeChangesKey").count == 3)
        changes.letGo()
        #expect(pair.target.registeredObjects == [ann, bob])
    }

    @Test func insertsAndUpdatesLeaveNothingPending() throws {
        let pair = try Pair()
        let ann = try pair.target.existingObject(with: pair.ids[0])
        try pair.source.existingObject(with: pair.ids[0]).setValue(9, forKey: "salary")
        pair.source.person("Eve", 5)
        try pair.saveAndMerge()
        #expect(!pair.target.hasChanges)
        let saves = Recorder.saves(pair.target)
        try pair.target.save()
        #expect(saves.notes.map(\.counts) == [[0, 0, 0, 0]])
        #expect(ann.salaryValue == 9)
    }

    @Test func aMergedDeletionIsNoChangeOnceItWasProcessed() throws {
        let pair = try Pair(.file)
        let ann = try pair.target.existingObject(with: pair.ids[0])
        pair.source.delete(try pair.source.existingObject(with: pair.ids[0]))
        try pair.saveAndMerge()
        #expect(pair.target.hasChanges)
        pair.target.processPendingChanges()
        #expect(!pair.target.hasChanges)
        #expect(ann.isDeleted)
        #expect(try pair.target.count("Person") == 2)
        ann.setValue("Zoe", forKey: "name")
        try pair.target.save()
        #expect(
            try sqlite3(pair.stack.path, "SELECT group_concat(ZNAME) FROM (SELECT ZNAME FROM ZPERSON ORDER BY 1)")
                == "Bob,Cid")
        #expect(errorCode { _ = try pair.target.existingObject(with: pair.ids[0]) } == 133000)
    }

    @Test func aMergedDeletionCanBeSavedAtOnce() throws {
        let pair = try Pair()
        let ann = try pair.target.existingObject(with: pair.ids[0])
        ann.setValue(7, forKey: "salary")
        pair.source.delete(try pair.source.existingObject(with: pair.ids[0]))
        try pair.saveAndMerge()
        try pair.target.save()
        #expect(!pair.target.hasChanges)
        #expect(try pair.stack.makeContext().count("Person") == 2)
    }

    @Test func localEditsStayAndOtherPropertiesAreNew() throws {
        let pair = try Pair()
        let ann = try pair.target.existingObject(with: pair.ids[0])
        ann.setValue("Anna", forKey: "name")
        let other = try pair.source.existingObject(with: pair.ids[0])
        other.setValue(9, forKey: "salary")
        other.setValue("Annie", forKey: "name")
        try pair.saveAndMerge()
        #expect(ann.nameValue == "Anna")
        #expect(ann.salaryValue == 9)
        #expect(pair.target.updatedObjects == [ann])
        try pair.target.save()
        let seen = try pair.stack.makeContext().existingObject(with: pair.ids[0])
        #expect(seen.nameValue == "Anna")
        #expect(seen.salaryValue == 9)
    }

    @Test func aFaultStaysAFaultUnreportedAndReadsTheNewValue() throws {
        let pair = try Pair()
        let faults = try pair.target.all("Person")
        #expect(faults.allSatisfy { $0.isFault })
        let changes = Recorder.changes(pair.target)
        try pair.source.existingObject(with: pair.ids[0]).setValue(9, forKey: "salary")
        try pair.saveAndMerge()
        #expect(changes.notes.isEmpty)
        #expect(faults.allSatisfy { $0.isFault })
        #expect(try #require(pair.target.registeredObject(for: pair.ids[0])).salaryValue == 9)
    }

    @Test func changesOfRecordsTheContextDoesNotHaveAreNotReported() throws {
        let pair = try Pair()
        let bob = try pair.target.existingObject(with: pair.ids[1])
        let changes = Recorder.changes(pair.target)
        try pair.source.existingObject(with: pair.ids[0]).setValue(9, forKey: "salary")
        try pair.source.existingObject(with: pair.ids[1]).setValue(9, forKey: "salary")
        pair.source.delete(try pair.source.existingObject(with: pair.ids[2]))
        try pair.saveAndMerge()
        #expect(changes.notes.map(\.counts) == [[0, 0, 0, 1]])
        #expect(bob.salaryValue == 9)
    }

    @Test func anObjectNobodyHoldsIsNotToldOfItsDeletion() throws {
        let pair = try Pair()
        let changes = Recorder.changes(pair.target)
        let eve = pair.source.person("Eve", 5)
        try pair.saveAndMerge()
        changes.letGo()
        pair.source.delete(eve)
        try pair.saveAndMerge()
        #expect(changes.counts == [[1, 0, 0, 0]])
    }

    @Test func mergingADeletionDoesNotReadTheRecord() throws {
        let pair = try Pair()
        let fault = pair.target.object(with: pair.ids[0])
        pair.source.delete(try pair.source.existingObject(with: pair.ids[0]))
        try pair.saveAndMerge()
        #expect(fault.isDeleted)
        #expect(fault.isFault)
        #expect(fault.nameValue == nil)
    }

    @Test func mergedIdsAreTold() throws {
        let pair = try Pair()
        let merges = Recorder(pair.target, .NSManagedObjectContextDidMergeChangesObjectIDs)
        try pair.source.existingObject(with: pair.ids[0]).setValue(9, forKey: "salary")
        pair.source.delete(try pair.source.existingObject(with: pair.ids[1]))
        let eve = pair.source.person("Eve", 5)
        try pair.saveAndMerge()
        let note = try #require(merges.notes.first)
        #expect(note.ids(NSInsertedObjectIDsKey) == [eve.objectID])
        #expect(note.ids(NSUpdatedObjectIDsKey) == [pair.ids[0]])
        #expect(note.ids(NSDeletedObjectIDsKey) == [pair.ids[1]])
    }

    @Test func aDidSaveObjectIDsNotificationCanBeMerged() throws {
        let pair = try Pair()
        let ann = try pair.target.existingObject(with: pair.ids[0])
        let saves = Recorder(pair.source, .NSManagedObjectContextDidSaveObjectIDs)
        try pair.source.existingObject(with: pair.ids[0]).setValue(9, forKey: "salary")
        try pair.source.save()
        pair.target.mergeChanges(fromContextDidSave: try #require(saves.notes.first))
        #expect(ann.salaryValue == 9)
    }

    @Test func automaticMergingFollowsOtherContexts() async throws {
        let pair = try Pair()
        #expect(!pair.target.automaticallyMergesChangesFromParent)
        pair.target.automaticallyMergesChangesFromParent = true
        let ids = pair.ids
        let target = pair.target
        nonisolated(unsafe) let ann = target.performAndWait { target.object(with: ids[0]) }
        await target.perform { #expect(ann.salaryValue == 1) }
        try pair.source.existingObject(with: ids[0]).setValue(9, forKey: "salary")
        try pair.source.save()
        await target.perform { #expect(ann.salaryValue == 9) }
    }

    @Test func automaticMergingIsDoneBeforeTheNextFetchAtTheLatest() throws {
        let pair = try Pair()
        let main = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        main.persistentStoreCoordinator = pair.stack.coordinator
        main.automaticallyMergesChangesFromParent = true
        try main.performAndWait {
            let ann = try main.existingObject(with: pair.ids[0])
            #expect(ann.salaryValue == 1)
            try pair.source.existingObject(with: pair.ids[0]).setValue(9, forKey: "salary")
            try pair.source.save()
            _ = try main.count("Team")
            #expect(ann.salaryValue == 9)
        }
    }

    @Test func aContextDoesNotMergeItsOwnSave() throws {
        let pair = try Pair()
        pair.target.automaticallyMergesChangesFromParent = true
        let ann = try pair.target.existingObject(with: pair.ids[0])
        let changes = Recorder.changes(pair.target)
        ann.setValue(9, forKey: "salary")
        try pair.target.save()
        pair.target.processPendingChanges()
        #expect(changes.notes.map(\.counts) == [[0, 1, 0, 0]])
    }

    // MARK: Changes made behind the contexts' backs

    @Test(arguments: ["ids", "uris", "set", "objectIDsKey"])
    func aBatchDeleteIsMergedByIds(_ form: String) throws {
        let stack = try OfficeStack(.file)
        let ids = try stack.fill(("Ann", 1), ("Bob", 2))
        let context = stack.makeContext()
        let ann = try context.existingObject(with: ids[0])
        let request = NSBatchDeleteRequest(fetchRequest: NSFetchRequest<NSFetchRequestResult>(entityName: "Person"))
        request.resultType = .resultTypeObjectIDs
        let result = try #require(try context.execute(request) as? NSBatchDeleteResult)
        let deleted = try #require(result.result as? [NSManagedObjectID])
        #expect(Set(deleted) == Set(ids))
        #expect(ann.nameValue == "Ann" && !ann.isDeleted)
        let changes = Recorder.changes(context)
        let told: [AnyHashable: Any] =
            switch form {
            case "uris": [NSDeletedObjectsKey: deleted.map { $0.uriRepresentation() }]
            case "set": [NSDeletedObjectsKey: Set(deleted)]
            case "objectIDsKey": [NSManagedObjectContext.NotificationKey.deletedObjectIDs.rawValue: deleted]
            default: [NSDeletedObjectsKey: deleted]
            }
        NSManagedObjectContext.mergeChanges(fromRemoteContextSave: told, into: [context])
        #expect(ann.isDeleted)
        #expect(changes.notes.map(\.counts) == [[0, 0, 1, 0]])
        #expect(try context.count("Person") == 0)
        #expect(!context.hasChanges)
        try context.save()
        #expect(try sqlite3(stack.path, "SELECT count(*) FROM ZPERSON") == "0")
        NSManagedObjectContext.mergeChanges(fromRemoteContextSave: told, into: [context])
        #expect(changes.notes.count == 1)
    }

    @Test func everyContextThatIsToldFollows() throws {
        let stack = try OfficeStack()
        let ids = try stack.fill(("A", 1), ("B", 2), ("C", 3), ("D", 4), ("E", 5))
        let (view, worker) = (stack.makeContext(), stack.makeContext())
        let viewed = try ids.map { try view.existingObject(with: $0) }
        let worked = try ids.map { try worker.existingObject(with: $0) }
        let request = NSBatchDeleteRequest(fetchRequest: NSFetchRequest<NSFetchRequestResult>(entityName: "Person"))
        request.resultType = .resultTypeObjectIDs
        let result = try stack.makeContext().execute(request) as? NSBatchDeleteResult
        let deleted = try #require(result?.result as? [NSManagedObjectID])
        NSManagedObjectContext.mergeChanges(fromRemoteContextSave: [NSDeletedObjectsKey: deleted], into: [view])
        #expect(viewed.allSatisfy { $0.isDeleted })
        #expect(worked.allSatisfy { !$0.isDeleted })
        #expect(try worker.count("Person") == 0)
        #expect(worker.registeredObjects.count == 5)
        NSManagedObjectContext.mergeChanges(
            fromRemoteContextSave: [NSDeletedObjectsKey: deleted], into: [view, worker])
        #expect(worked.allSatisfy { $0.isDeleted })
    }

    @Test func aBatchDeleteNeedsNoSave() throws {
        let stack = try OfficeStack(.file)
        try stack.fill(("Ann", 1), ("Bob", 2))
        let request = NSBatchDeleteRequest(fetchRequest: NSFetchRequest<NSFetchRequestResult>(entityName: "Person"))
        #expect((try stack.makeContext().execute(request) as? NSBatchDeleteResult)?.result as? Bool == true)
        #expect(try sqlite3(stack.path, "SELECT count(*) FROM ZPERSON") == "0")
        request.resultType = .resultTypeCount
        #expect((try stack.makeContext().execute(request) as? NSBatchDeleteResult)?.result as? Int == 0)
    }

    @Test func aBatchDeleteOfIdsDeletesThese() throws {
        let stack = try OfficeStack()
        let ids = try stack.fill(("Ann", 1), ("Bob", 2), ("Cid", 3))
        let context = stack.makeContext()
        let request = NSBatchDeleteRequest(objectIDs: [ids[0], ids[2]])
        request.resultType = .resultTypeCount
        #expect((try context.execute(request) as? NSBatchDeleteResult)?.result as? Int == 2)
        #expect(try context.all("Person").map(\.nameValue) == ["Bob"])
        let team = context.insert("Team")
        try context.save()
        #expect(
            errorCode { _ = try context.execute(NSBatchDeleteRequest(objectIDs: [ids[1], team.objectID])) } == 134060)
        #expect(try context.count("Person") == 1)
        #expect(
            (try context.execute(NSBatchDeleteRequest(objectIDs: [])) as? NSBatchDeleteResult)?.result as? Bool == true)
    }

    @Test func theOtherSidesOfMergedDeletionsFollow() throws {
        let stack = try OfficeStack()
        let writer = stack.makeContext()
        let team = writer.insert("Team", ["name": "Red"])
        for name in ["Ann", "Bob"] { writer.person(name).setValue(team, forKey: "team") }
        try writer.save()
        let context = stack.makeContext()
        let red = try #require(try context.all("Team").first)
        #expect((red.value(forKey: "persons") as? Set<NSManagedObject>)?.count == 2)
        let persons = try context.all("Person")
        #expect(persons.allSatisfy { $0.nameValue != nil })
        let request = NSBatchDeleteRequest(fetchRequest: NSFetchRequest<NSFetchRequestResult>(entityName: "Person"))
        request.resultType = .resultTypeObjectIDs
        let deleted = (try context.execute(request) as? NSBatchDeleteResult)?.result as? [NSManagedObjectID]
        NSManagedObjectContext.mergeChanges(
            fromRemoteContextSave: [NSDeletedObjectsKey: try #require(deleted)], into: [context])
        #expect((red.value(forKey: "persons") as? Set<NSManagedObject>)?.isEmpty == true)
        context.processPendingChanges()
        #expect(!context.hasChanges)
    }

    @Test func aDeletedToOneTargetIsNilAfterTheMergeAndTheOwnerCanBeSaved() throws {
        let stack = try OfficeStack()
        let writer = stack.makeContext()
        let team = writer.insert("Team", ["name": "Red"])
        writer.person("Ann").setValue(team, forKey: "team")
        try writer.save()
        let context = stack.makeContext()
        let ann = try #require(try context.one("Ann"))
        let red = try #require(ann.value(forKey: "team") as? NSManagedObject)
        #expect(red.nameValue == "Red")
        #expect((red.value(forKey: "persons") as? Set<NSManagedObject>)?.count == 1)
        let request = NSBatchDeleteRequest(fetchRequest: NSFetchRequest<NSFetchRequestResult>(entityName: "Team"))
        request.resultType = .resultTypeObjectIDs
        let deleted = (try context.execute(request) as? NSBatchDeleteResult)?.result as? [NSManagedObjectID]
        NSManagedObjectContext.mergeChanges(
            fromRemoteContextSave: [NSDeletedObjectsKey: try #require(deleted)], into: [context])
        #expect(ann.value(forKey: "team") == nil)
        ann.setValue(3, forKey: "salary")
        try context.save()
        #expect(try stack.makeContext().one("Ann")?.salaryValue == 3)
    }

    @Test func aChangeOfAnotherProcessIsMergedByIds() throws {
        let pair = try Pair(.file)
        let ann = try pair.target.existingObject(with: pair.ids[0])
        let bob = try pair.target.existingObject(with: pair.ids[1])
        _ = try sqlite3(
            pair.stack.path,
            "UPDATE ZPERSON SET ZSALARY = 9, Z_OPT = Z_OPT + 1 WHERE ZNAME = 'Ann'; DELETE FROM ZPERSON WHERE ZNAME = 'Bob'"
        )
        let changes = Recorder.changes(pair.target)
        NSManagedObjectContext.mergeChanges(
            fromRemoteContextSave: [NSUpdatedObjectsKey: pair.ids], into: [pair.target])
        #expect(ann.salaryValue == 9)
        #expect(bob.isDeleted)
        #expect(changes.notes.map(\.counts) == [[0, 0, 1, 1]])
        ann.setValue(10, forKey: "salary")
        try pair.target.save()
        #expect(try sqlite3(pair.stack.path, "SELECT ZSALARY, Z_OPT FROM ZPERSON WHERE ZNAME = 'Ann'") == "10|3")
    }

    @Test func idsOfStoresTheContextDoesNotHaveArePassedOver() throws {
        let pair = try Pair()
        let stranger = try OfficeStack().fill(("Zoe", 1))
        NSManagedObjectContext.mergeChanges(
            fromRemoteContextSave: [NSInsertedObjectsKey: stranger, NSDeletedObjectsKey: stranger], into: [pair.target])
        #expect(pair.target.registeredObjects.isEmpty)
        #expect(!pair.target.hasChanges)
    }
}
