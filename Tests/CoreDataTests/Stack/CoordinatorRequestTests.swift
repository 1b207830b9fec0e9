import CoreData
import Foundation
import TestSupport
import Testing

@Suite("Requests to a coordinator")
struct CoordinatorRequestTests {
    @Test("a fetch request gives objects, ids, dictionaries or a count; a batch delete its result; others 134091")
    func execute() throws {
        let coordinator = StackFixture.coordinator()
        try coordinator.addPersistentStore(ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
        try StackFixture.insert(["a", "b"], coordinator)
        let context = StackFixture.context(coordinator)
        try context.performAndWait {
            let objects = NSFetchRequest<NSManagedObject>(entityName: "Note")
            #expect((try coordinator.execute(objects, with: context) as? [NSManagedObject])?.count == 2)
            let dictionaries = NSFetchRequest<NSDictionary>(entityName: "Note")
            dictionaries.resultType = .dictionaryResultType
            #expect((try coordinator.execute(dictionaries, with: context) as? [NSDictionary])?.count == 2)
            let delete = NSBatchDeleteRequest(fetchRequest: NSFetchRequest(entityName: "Note"))
            let result = try coordinator.execute(delete, with: context) as? NSBatchDeleteResult
            #expect(result?.result as? Bool == true)
            let save = NSSaveChangesRequest(inserted: nil, updated: nil, deleted: nil, locked: nil)
            #expect(throwsCode(134091) { _ = try coordinator.execute(save, with: context) })
            #expect(throwsCode(134091) { _ = try context.execute(save) })
        }
    }

    @Test("blocks of the coordinator's queue nest, pass values and errors, and run in order", .timeLimit(.minutes(1)))
    func queue() async throws {
        struct Failure: Error {}
        let coordinator = StackFixture.coordinator()
        #expect(coordinator.performAndWait { coordinator.performAndWait { 4 } } == 4)
        #expect(throws: Failure.self) { try coordinator.performAndWait { throw Failure() } }
        let calls = Calls()
        let enqueue = { (text: String) in coordinator.perform { calls.add(text) } }
        for number in 0..<10 { enqueue("\(number)") }
        let value = await coordinator.perform { 9 }
        #expect(value == 9)
        #expect(calls.texts == (0..<10).map { "\($0)" })
    }

    @Test("a batch delete that fails in one of two stores names that one and leaves its rows")
    func partialFailure() throws {
        // In one store a required inverse forbids it.
        let model = NSManagedObjectModel()
        let owner = NSEntityDescription()
        owner.name = "Owner"
        let pet = NSEntityDescription()
        pet.name = "Pet"
        let pets = NSRelationshipDescription()
        pets.name = "pets"
        pets.destinationEntity = pet
        pets.deleteRule = .nullifyDeleteRule
        let its = NSRelationshipDescription()
        its.name = "owner"
        its.destinationEntity = owner
        its.maxCount = 1
        its.isOptional = false
        pets.inverseRelationship = its
        its.inverseRelationship = pets
        owner.properties = [pets]
        pet.properties = [its]
        model.entities = [owner, pet]
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let free = try coordinator.addPersistentStore(ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
        let bound = try coordinator.addPersistentStore(ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
        let context = StackFixture.context(coordinator)
        try context.performAndWait {
            let first = NSEntityDescription.insertNewObject(forEntityName: "Owner", into: context)
            let second = NSEntityDescription.insertNewObject(forEntityName: "Owner", into: context)
            let pet = NSEntityDescription.insertNewObject(forEntityName: "Pet", into: context)
            context.assign(first, to: free)
            context.assign(second, to: bound)
            context.assign(pet, to: bound)
            pet.setValue(second, forKey: "owner")
            try context.save()
            let delete = NSBatchDeleteRequest(fetchRequest: NSFetchRequest(entityName: "Owner"))
            do {
                _ = try context.execute(delete)
                Issue.record("no error")
            } catch let error as NSError {
                #expect(error.code == 134040)
                #expect(error.userInfo[NSAffectedStoresErrorKey] as? [NSPersistentStore] == [bound])
                #expect((error.userInfo[NSDetailedErrorsKey] as? [NSError])?.map(\.code) == [134050])
            }
            #expect(try context.count(for: NSFetchRequest<NSFetchRequestResult>(entityName: "Owner")) == 1)
        }
    }
}
