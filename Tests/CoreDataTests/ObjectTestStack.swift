import Foundation

@testable import CoreData

/// A context on a coordinator, for tests of objects.
struct ObjectTestStack {
    let coordinator: NSPersistentStoreCoordinator
    let context: NSManagedObjectContext
    /// Objects do not keep their contexts.
    private final class Keeper {
        var contexts: [NSManagedObjectContext] = []
    }
    private let keeper = Keeper()

    /// Without a store: enough for everything that happens before a save.
    init(model: NSManagedObjectModel = ObjectTestModel.make()) {
        coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
    }

    /// With an in-memory store.
    static func inMemory(model: NSManagedObjectModel = ObjectTestModel.make()) throws -> ObjectTestStack {
        let stack = ObjectTestStack(model: model)
        _ = try stack.coordinator.addPersistentStore(
            ofType: NSInMemoryStoreType, configurationName: nil, at: nil, options: nil)
        return stack
    }

    /// Another context on the same coordinator.
    func another() -> NSManagedObjectContext {
        let other = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        other.persistentStoreCoordinator = coordinator
        keeper.contexts.append(other)
        return other
    }

    @discardableResult
    func insert(_ entity: String, _ values: [String: Any] = [:]) -> NSManagedObject {
        let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
        object.setValuesForKeys(values)
        return object
    }
}

extension NSManagedObject {
    func set(_ key: String) -> NSSet { value(forKey: key) as? NSSet ?? NSSet(array: ["no set"]) }
    func list(_ key: String) -> [NSManagedObject] {
        (value(forKey: key) as? NSOrderedSet)?.array.compactMap { $0 as? NSManagedObject } ?? []
    }
    func object(_ key: String) -> NSManagedObject? { value(forKey: key) as? NSManagedObject }
}

func setOf(_ objects: NSManagedObject...) -> NSSet { NSSet(array: objects) }
