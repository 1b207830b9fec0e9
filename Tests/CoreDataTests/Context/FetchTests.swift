import CoreData
import Foundation
import Testing

@Suite struct FetchTests {
    private func stack() throws -> OfficeStack {
        let stack = try OfficeStack()
        try stack.fill(("Ann", 10), ("Bob", 20), ("Cid", 30), ("Dan", 40))
        return stack
    }

    private func names(_ context: NSManagedObjectContext, _ change: (NSFetchRequest<NSManagedObject>) -> Void) throws
        -> [String]
    {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
        request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
        change(request)
        return try context.fetch(request).compactMap(\.nameValue)
    }

    @Test func limitAndOffsetCutAWindow() throws {
        let context = try stack().makeContext()
        #expect(try names(context) { $0.fetchLimit = 2 } == ["Ann", "Bob"])
        #expect(
            try names(context) {
                $0.fetchOffset = 1
                $0.fetchLimit = 2
            } == ["Bob", "Cid"])
        #expect(try names(context) { $0.fetchOffset = 3 } == ["Dan"])
        #expect(try names(context) { $0.fetchOffset = 4 } == [])
    }

    @Test func predicatesSelect() throws {
        let context = try stack().makeContext()
        #expect(
            try names(context) { $0.predicate = NSPredicate(format: "salary > 15 AND salary < 35") } == ["Bob", "Cid"])
        #expect(try names(context) { $0.predicate = NSPredicate(format: "name IN %@", ["Dan", "Eve"]) } == ["Dan"])
    }

    @Test func aManagedObjectMayStandInAPredicate() throws {
        let stack = try OfficeStack()
        let context = stack.makeContext()
        let red = context.insert("Team", ["name": "Red"])
        let blue = context.insert("Team", ["name": "Blue"])
        context.person("Ann").setValue(red, forKey: "team")
        context.person("Bob").setValue(blue, forKey: "team")
        try context.save()
        let ann = try #require(try context.one("Ann"))
        for value: Any in [red, red.objectID] {
            let format = NSPredicate(format: "team == %@", argumentArray: [value])
            #expect(try context.all("Person", format).map(\.nameValue) == ["Ann"])
            #expect(try stack.makeContext().all("Person", format).map(\.nameValue) == ["Ann"])
        }
        for value: Any in [[red, blue], Set([red, blue]), [red.objectID, blue.objectID]] {
            #expect(try context.all("Person", NSPredicate(format: "team IN %@", argumentArray: [value])).count == 2)
        }
        #expect(try context.all("Person", NSPredicate(format: "SELF == %@", ann)).map(\.nameValue) == ["Ann"])
        #expect(try context.all("Person", NSPredicate(format: "NOT (SELF IN %@)", [ann])).map(\.nameValue) == ["Bob"])
        // Unsaved changes are tried with the same predicates in memory.
        ann.setValue(blue, forKey: "team")
        #expect(try context.all("Person", NSPredicate(format: "team == %@", red)).isEmpty)
        #expect(try context.all("Person", NSPredicate(format: "team == %@", blue.objectID)).count == 2)
    }

    @Test func subentitiesAreIncludedUnlessExcluded() throws {
        let stack = try stack()
        let context = stack.makeContext()
        context.insert("Boss", ["name": "Eve", "title": "Dr"])
        try context.save()
        #expect(try names(context) { _ in } == ["Ann", "Bob", "Cid", "Dan", "Eve"])
        #expect(try names(context) { $0.includesSubentities = false } == ["Ann", "Bob", "Cid", "Dan"])
        let eve = try #require(try stack.makeContext().one("Eve"))
        #expect(eve.entity.name == "Boss")
        #expect(eve.objectID.entity.name == "Boss")
        #expect(eve.objectID.uriRepresentation().path.hasPrefix("/Boss/p"))
    }

    @Test func aRequestByNameKnowsItsEntityOnceItWasExecuted() throws {
        let context = try stack().makeContext()
        let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
        _ = try context.fetch(request)
        #expect(request.entity === context.persistentStoreCoordinator?.managedObjectModel.entitiesByName["Person"])
        #expect(request.entityName == "Person")
    }

    @Test func anUntypedRequestGivesAnything() throws {
        let context = try stack().makeContext()
        let request = NSFetchRequest<NSFetchRequestResult>(entityName: "Person")
        let untyped: [Any] = try context.fetch(request)
        #expect((untyped as? [NSManagedObject])?.count == 4)
        let typed: [NSFetchRequestResult] = try context.fetch(request)
        #expect(typed.compactMap { $0 as? NSManagedObject }.count == 4)
        #expect(try context.count(for: request) == 4)
    }

    @Test func aTypedResultHoldsObjectsOfItsClass() throws {
        let stack = try OfficeStack(personClass: HookedPerson.className)
        try stack.fill(("Ann", 1))
        let context = stack.makeContext()
        let people: [HookedPerson] = try context.fetch(NSFetchRequest<HookedPerson>(entityName: "Person"))
        #expect(people.map(\.nameValue) == ["Ann"])
        #expect(people[0].calls == ["awakeFromFetch"])
    }

    @Test func anObjectAskedForByItsParentEntityIsFetchedAsWhatItIs() throws {
        let stack = try OfficeStack(personClass: HookedPerson.className)
        let writer = stack.makeContext()
        let boss = writer.insert("Boss", ["name": "Eve", "title": "Dr"])
        try writer.save()
        let uri = boss.objectID.uriRepresentation().absoluteString.replacingOccurrences(of: "/Boss/", with: "/Person/")
        let id = try #require(stack.coordinator.managedObjectID(for: uri))
        let context = stack.makeContext()
        let vague = context.object(with: id)
        #expect(vague.nameValue == "Eve")
        let fetched = try context.all("Boss")
        #expect(fetched.map { $0.value(forKey: "title") as? String } == ["Dr"])
    }

    @Test func aCountRequestGivesOneNumber() throws {
        let context = try stack().makeContext()
        let request = NSFetchRequest<NSNumber>(entityName: "Person")
        request.resultType = .countResultType
        #expect(try context.fetch(request).map(\.intValue) == [4])
        request.predicate = NSPredicate(format: "salary >= 30")
        #expect(try context.count(for: request) == 2)
    }

    @Test func idsComeInTheOrderOfTheRequest() throws {
        let stack = try OfficeStack()
        let ids = try stack.fill(("Cid", 1), ("Ann", 2), ("Bob", 3))
        let request = NSFetchRequest<NSManagedObjectID>(entityName: "Person")
        request.resultType = .managedObjectIDResultType
        request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
        #expect(try stack.makeContext().fetch(request) == [ids[1], ids[2], ids[0]])
    }

    @Test func dictionariesHoldEveryAttributeOrThoseAskedFor() throws {
        let stack = try OfficeStack()
        let writer = stack.makeContext()
        let team = writer.insert("Team", ["name": "Red"])
        let ann = writer.person("Ann", 10)
        ann.setValue(team, forKey: "team")
        try writer.save()
        let context = stack.makeContext()
        let request = NSFetchRequest<NSDictionary>(entityName: "Person")
        request.resultType = .dictionaryResultType
        let plain = try #require(try context.fetch(request).first)
        #expect(plain["name"] as? String == "Ann")
        #expect(plain["salary"] as? Int == 10)
        #expect(plain["note"] == nil)
        #expect(plain["team"] == nil)
        #expect(plain["mood"] == nil)
        request.propertiesToFetch = ["name", "team"]
        let some = try #require(try context.fetch(request).first)
        #expect(Set(some.allKeys.compactMap { $0 as? String }) == ["name", "team"])
        #expect(some["team"] as? NSManagedObjectID == team.objectID)
        #expect(context.registeredObjects.isEmpty)
        let untyped = NSFetchRequest<NSFetchRequestResult>(entityName: "Person")
        untyped.resultType = .dictionaryResultType
        let rows: [Any] = try context.fetch(untyped)
        #expect((rows as? [[String: Any]])?.first?["name"] as? String == "Ann")
    }

    @Test func distinctDictionariesComeOnce() throws {
        let stack = try OfficeStack()
        try stack.fill(("dup", 1), ("dup", 2))
        let request = NSFetchRequest<NSDictionary>(entityName: "Person")
        request.resultType = .dictionaryResultType
        request.propertiesToFetch = ["name"]
        request.returnsDistinctResults = true
        #expect(try stack.makeContext().fetch(request).count == 1)
    }

    @Test func aColumnThatIsNoPropertyOfOneValueIsAnError() throws {
        let context = try stack().makeContext()
        let request = NSFetchRequest<NSDictionary>(entityName: "Person")
        request.resultType = .dictionaryResultType
        request.propertiesToFetch = ["team.nameValue"]
        #expect(errorCode { _ = try context.fetch(request) } == 134060)
    }

    @Test func fetchingWithoutStoresIsAnError() throws {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = NSPersistentStoreCoordinator(managedObjectModel: Office.model())
        let error = try #require(throws: NSError.self) { _ = try context.all("Person") }
        #expect(error.domain == NSCocoaErrorDomain)
        #expect(error.localizedFailureReason?.contains("no persistent stores") == true)
    }

    @Test func executeRefusesFetchesAndSaves() throws {
        let context = try stack().makeContext()
        #expect(errorCode { _ = try context.execute(NSFetchRequest<NSManagedObject>(entityName: "Person")) } == 134091)
        let save = NSSaveChangesRequest(inserted: nil, updated: nil, deleted: nil, locked: nil)
        #expect(errorCode { _ = try context.execute(save) } == 134091)
    }

    @Test func aRequestCanBeExecutedInsideABlock() throws {
        let context = try stack().makeContext()
        let found = try context.performAndWait {
            try NSFetchRequest<NSManagedObject>(entityName: "Person").execute().count
        }
        #expect(found == 4)
    }

    @Test func prefetchedRelationshipsNeedNoFurtherReading() throws {
        let stack = try OfficeStack()
        let writer = stack.makeContext()
        for number in 0..<3 {
            let team = writer.insert("Team", ["name": "T\(number)"])
            for member in 0..<number { writer.person("P\(number).\(member)").setValue(team, forKey: "team") }
        }
        try writer.save()
        let context = stack.makeContext()
        let request = NSFetchRequest<NSManagedObject>(entityName: "Team")
        request.relationshipKeyPathsForPrefetching = ["persons"]
        request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
        let teams = try context.fetch(request)
        #expect(teams.allSatisfy { !$0.hasFault(forRelationshipNamed: "persons") })
        #expect(teams.map { ($0.value(forKey: "persons") as? Set<NSManagedObject>)?.count } == [0, 1, 2])
        let persons = NSFetchRequest<NSManagedObject>(entityName: "Person")
        persons.relationshipKeyPathsForPrefetching = ["team"]
        let found = try stack.makeContext().fetch(persons)
        #expect(found.allSatisfy { ($0.value(forKey: "team") as? NSManagedObject)?.isFault == false })
    }

    @Test func aBatchSizeChangesNoResult() throws {
        let stack = try OfficeStack(.memory)
        try stack.fill(("a", 1), ("b", 2), ("c", 3))
        let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
        #expect(request.fetchBatchSize == 0)
        request.fetchBatchSize = 2
        request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: false)]
        #expect(try stack.makeContext().fetch(request).map(\.nameValue) == ["c", "b", "a"])
        #expect((request.copy() as? NSFetchRequest<NSManagedObject>)?.fetchBatchSize == 2)
    }

    @Test func loadedObjectsKeepTheirValuesWhenTheyAreFetchedAgain() throws {
        let stack = try OfficeStack(.memory)
        let id = try stack.fill(("a", 1))[0]
        let (reader, writer) = (stack.makeContext(), stack.makeContext())
        let object = try reader.existingObject(with: id)
        try writer.existingObject(with: id).setValue(2, forKey: "salary")
        try writer.save()
        let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
        #expect(!request.shouldRefreshRefetchedObjects)
        request.shouldRefreshRefetchedObjects = true
        #expect(try reader.fetch(request).map(\.salaryValue) == [1])
        reader.refresh(object, mergeChanges: false)
        #expect(object.salaryValue == 2)
    }
}
