import CoreData
import Foundation
import TestSupport

/// A store with the records of a world, and everybody's answer to a question about them.
final class QuestionStore {
    let world: PlainWorld
    private let directory: TemporaryDirectory
    private let url: URL
    private let model = PlainWorld.model()
    private let coordinator: NSPersistentStoreCoordinator
    private let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    private var objects: [Int: NSManagedObject] = [:]
    private var ids: [Int: Any] = [:]

    init(_ world: PlainWorld, type: String) throws {
        self.world = world
        directory = try TemporaryDirectory()
        url = directory.url("world.sqlite")
        coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        _ = try coordinator.addPersistentStore(
            ofType: type, configurationName: nil, at: type == NSSQLiteStoreType ? url : nil)
        context.persistentStoreCoordinator = coordinator
        context.retainsRegisteredObjects = true
        for record in world.records.values.sorted(by: { $0.number < $1.number }) {
            let object = context.insert(record.entity)
            object.setValue(record.number, forKey: "number")
            for (name, value) in record.values { object.setValue(Self.stored(value, object, name), forKey: name) }
            objects[record.number] = object
        }
        for record in world.records.values {
            for (name, target) in record.toOne { objects[record.number]?.setValue(objects[target], forKey: name) }
            let labels = record.labels.compactMap { objects[$0] }
            if !labels.isEmpty { objects[record.number]?.setValue(NSSet(array: labels), forKey: "labels") }
        }
        try context.save()
        ids = objects.mapValues(\.objectID)
        context.refreshAllObjects()
    }

    deinit {
        context.reset()
        for store in coordinator.persistentStores { try? coordinator.remove(store) }
    }

    private static func stored(_ value: PlainValue, _ object: NSManagedObject, _ name: String) -> Any? {
        switch value {
        case .decimal(let value): return NSDecimalNumber(decimal: value)
        case .real(let value):
            let type = object.entity.attributesByName[name]?.attributeType
            return type == .floatAttributeType ? NSNumber(value: Float(value)) : NSNumber(value: value)
        default: return value.argument([:])
        }
    }

    func predicate(_ question: Question) -> NSPredicate {
        var arguments: [PlainValue] = []
        let format = question.format(&arguments)
        return NSPredicate(format: format, argumentArray: arguments.map { $0.argument(ids) })
    }

    enum Answer {
        case refused(String)
        /// Numbers of the records found, of how many.
        case found([Int], of: Int)
    }

    struct Disagreement: Error, CustomStringConvertible { let description: String }

    /// The answer that objects, counts and dictionaries, predicates in memory and the naive evaluator agree on.
    func answer(_ question: Question, about entity: String) throws -> Answer {
        let predicate = predicate(question)
        let all = world.numbers(of: entity)
        let request = NSFetchRequest<NSManagedObject>(entityName: entity)
        request.predicate = predicate
        let found: [Int]
        do {
            found = try context.fetch(request).map(number).sorted()
        } catch {
            let error = error as NSError
            guard error.code == 134060 else {
                throw Disagreement(description: "the store fails: \(error.localizedFailureReason ?? "\(error)")")
            }
            guard (try? context.count(for: request)) == nil else {
                throw Disagreement(description: "objects are refused, but not counts")
            }
            return .refused(error.localizedFailureReason ?? "")
        }
        let naive = all.filter { NaiveEvaluator(world: world, rules: .store, own: $0).holds(question) }
        try require("the store", found, naive)
        let inMemory = all.filter { predicate.evaluate(with: objects[$0]) }
        let naiveInMemory = all.filter { NaiveEvaluator(world: world, rules: .memory, own: $0).holds(question) }
        try require("memory", inMemory, naiveInMemory)
        try require("the store's count", [try context.count(for: request)], [found.count])
        let dictionaries = NSFetchRequest<NSDictionary>(entityName: entity)
        dictionaries.predicate = predicate
        dictionaries.resultType = .dictionaryResultType
        dictionaries.propertiesToFetch = ["number"]
        let shown = try context.fetch(dictionaries).compactMap { $0["number"] as? Int }.sorted()
        try require("dictionaries", shown, found)
        return .found(found, of: all.count)
    }

    private func number(_ object: NSManagedObject) -> Int { object.value(forKey: "number") as? Int ?? 0 }

    private func require(_ who: String, _ found: [Int], _ expected: [Int]) throws {
        if found == expected { return }
        let more = found.filter { !expected.contains($0) }
        let less = expected.filter { !found.contains($0) }
        throw Disagreement(description: "\(who) finds \(more) too many, \(less) too few")
    }

    /// Deletes in batch in a copy of the store, where the question is not refused.
    func batchDelete(_ question: Question, about entity: String) throws {
        guard case .found(let found, let all) = try answer(question, about: entity) else { return }
        let copy = directory.url("copy.sqlite")
        try coordinator.replaceCopy(of: url, at: copy)
        let other = NSPersistentStoreCoordinator(managedObjectModel: model)
        let store = try other.addPersistentStore(type: .sqlite, at: copy)
        defer { try? other.remove(store) }
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = other
        let request = NSFetchRequest<NSFetchRequestResult>(entityName: entity)
        var arguments: [PlainValue] = []
        let format = question.format(&arguments)
        // The copy's own ids: they name its store.
        var own: [Int: Any] = [:]
        for name in ["Thing", "Owner", "Label"] {
            for object in try context.all(name) { own[number(object)] = object.objectID }
        }
        request.predicate = NSPredicate(format: format, argumentArray: arguments.map { $0.argument(own) })
        let delete = NSBatchDeleteRequest(fetchRequest: request)
        delete.resultType = .resultTypeCount
        let count = (try context.execute(delete) as? NSBatchDeleteResult)?.result as? Int
        try require("the batch delete's count", [count ?? -1], [found.count])
        try require("what is left after it", [try context.count(entity)], [all - found.count])
    }
}

extension NSPersistentStoreCoordinator {
    fileprivate func replaceCopy(of url: URL, at copy: URL) throws {
        try replacePersistentStore(at: copy, withPersistentStoreFrom: url, type: .sqlite)
    }
}
