import CoreData
import Foundation
import TestSupport

/// Random operations on two contexts of one coordinator that take turns, with a plain graph going along.
final class RandomWalk {
    /// What a context shows and the plain graph do not agree.
    struct Disagreement: Error, CustomStringConvertible { let description: String }

    /// What was done, for whoever reads a failure.
    private(set) var trace: [String] = []
    let url: URL
    private let type: String
    private let coordinator: NSPersistentStoreCoordinator
    private let contexts: [NSManagedObjectContext]
    private let saves: [Recorder]
    private var active = 0
    /// What the store holds, and what the active context holds.
    private var saved = PlainGraph()
    private var graph = PlainGraph()
    private var ids: [Int: NSManagedObjectID] = [:]
    private var unsaved: [Int: NSManagedObject] = [:]
    /// Objects somebody holds, so that contexts keep them; loaded in part.
    private var held: [NSManagedObject] = []
    private var lastID = 0
    private var dice: Dice

    init(_ url: URL, type: String, seed: UInt64) throws {
        self.url = url
        self.type = type
        dice = Dice(seed: seed)
        coordinator = NSPersistentStoreCoordinator(managedObjectModel: PlainGraph.model())
        let coordinator = coordinator
        contexts = (0..<2).map { _ in Self.makeContext(coordinator) }
        saves = contexts.map { Recorder.saves($0) }
        try open()
    }

    private static func makeContext(_ coordinator: NSPersistentStoreCoordinator) -> NSManagedObjectContext {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        return context
    }

    private func open() throws {
        _ = try coordinator.addPersistentStore(
            ofType: type, configurationName: nil, at: type == NSSQLiteStoreType ? url : nil)
    }

    private var context: NSManagedObjectContext { contexts[active] }

    private func object(_ id: Int, _ context: NSManagedObjectContext) throws -> NSManagedObject {
        if let object = unsaved[id], object.managedObjectContext === context { return object }
        guard let objectID = ids[id] else { throw Disagreement(description: "\(id) has no id") }
        return dice.one(in: 2) ? context.object(with: objectID) : try context.existingObject(with: objectID)
    }

    private func any(_ entities: [String]) -> Int? {
        graph.records.filter { entities.contains($0.value.entity) }.keys.sorted().randomElement(using: &dice)
    }

    // MARK: Steps

    func step() throws {
        switch Int.random(in: 0..<100, using: &dice) {
        case 0..<16: insert()
        case 16..<28: try setValue()
        case 28..<58: try relate()
        case 58..<64: try reorder()
        case 64..<70: try delete()
        case 70..<80: try save()
        case 80..<83: note("roll back") { rollBack() }
        case 83..<85:
            note("reset") {
                held = []
                context.reset()
                (graph, unsaved) = (saved, [:])
            }
        case 85..<87: note("refresh all") { context.refreshAllObjects() }
        case 87..<89:
            guard let id = any(["Item", "Special", "Owner"]), unsaved[id] == nil else { return }
            try note("refresh \(id)") { context.refresh(try object(id, context), mergeChanges: true) }
        case 89..<92: try hold()
        case 92..<94: try takeTurns()
        case 94..<96: try deleteInBatch()
        case 96: if dice.one(in: 6) { try destroy() }
        case 97:
            try note("obtain ids") {
                try context.obtainPermanentIDs(for: unsaved.keys.sorted().prefix(3).compactMap { unsaved[$0] })
            }
        default: try compare(context, graph)
        }
    }

    private func note(_ text: String, _ body: () throws -> Void) rethrows {
        trace.append(text)
        try body()
    }

    private func insert() {
        guard graph.records.count < 40, let entity = PlainGraph.entities.randomElement(using: &dice) else { return }
        lastID += 1
        note("insert \(entity) \(lastID)") {
            unsaved[lastID] = context.insert(entity)
            graph.insert(lastID, entity)
        }
    }

    private func setValue() throws {
        guard let id = any(PlainGraph.entities) else { return }
        let value = Int.random(in: 1..<100, using: &dice)
        try note("\(id).value = \(value)") {
            try object(id, context).setValue(value, forKey: "value")
            graph.set(id, value)
        }
    }

    private func relate() throws {
        guard let left = any(PlainGraph.entities), let entity = graph.records[left]?.entity,
            let name = PlainGraph.relationships(entity).randomElement(using: &dice),
            let right = any(PlainGraph.destinations(name))
        else { return }
        let (object, other) = (try object(left, context), try object(right, context))
        if PlainGraph.toOne.contains(name) {
            let isCleared = dice.one(in: 4)
            note("\(left).\(name) = \(isCleared ? "nil" : "\(right)")") {
                object.setValue(isCleared ? nil : other, forKey: name)
                if !isCleared { return graph.link(left, name, right) }
                for old in graph.related(left, name) { graph.unlink(left, name, old) }
            }
            return
        }
        switch Int.random(in: 0..<6, using: &dice) {
        case 0, 1, 2:
            guard name == "items" else {
                return note("\(left).\(name) += \(right)") {
                    object.mutableSetValue(forKey: name).add(other)
                    graph.link(left, name, right)
                }
            }
            let count = graph.related(left, name).count
            let place = dice.one(in: 2) ? count : Int.random(in: 0...count, using: &dice)
            note("\(left).\(name).insert(\(right), at: \(place))") {
                object.mutableOrderedSetValue(forKey: name).insert(other, at: place)
                if graph.related(left, name).contains(right) { return }
                graph.link(left, name, right)
                graph.move(left, name, from: count, to: place)
            }
        case 3:
            note("\(left).\(name) -= \(right)") {
                if name == "items" {
                    object.mutableOrderedSetValue(forKey: name).remove(other)
                } else {
                    object.mutableSetValue(forKey: name).remove(other)
                }
                graph.unlink(left, name, right)
            }
        default:
            var members = [right]
            for _ in 0..<2 {
                if let more = any(PlainGraph.destinations(name)), !members.contains(more) { members.append(more) }
            }
            let objects = try members.map { try self.object($0, context) }
            note("\(left).\(name) = \(members)") {
                object.setValue(
                    name == "items" ? NSOrderedSet(array: objects) : NSSet(array: objects), forKey: name)
                graph.setMembers(left, name, members)
            }
        }
    }

    private func reorder() throws {
        guard let owner = any(["Owner"]), graph.related(owner, "items").count > 1 else { return }
        let places = graph.related(owner, "items").indices
        let (from, to) = (Int.random(in: places, using: &dice), Int.random(in: places, using: &dice))
        let items = try object(owner, context).mutableOrderedSetValue(forKey: "items")
        if dice.one(in: 2) {
            note("\(owner).items.move(\(from), \(to))") {
                items.moveObjects(at: IndexSet(integer: from), to: to)
                graph.move(owner, "items", from: from, to: to)
            }
        } else {
            note("\(owner).items.exchange(\(from), \(to))") {
                items.exchangeObject(at: from, withObjectAt: to)
                graph.exchange(owner, "items", from, to)
            }
        }
    }

    private func delete() throws {
        guard let id = any(PlainGraph.entities) else { return }
        try note("delete \(id)") {
            context.delete(try object(id, context))
            context.processPendingChanges()
            graph.delete(id)
            unsaved = unsaved.filter { graph.records[$0.key] != nil }
        }
    }

    private func rollBack() {
        context.rollback()
        (graph, unsaved) = (saved, [:])
    }

    private func save() throws {
        trace.append("save")
        if dice.one(in: 3) { try compare(context, graph) }
        saves[active].letGo()
        try context.save()
        for (id, object) in unsaved { ids[id] = object.objectID }
        unsaved = [:]
        saved = graph
        forgetGoneIDs()
        let other = contexts[1 - active]
        for save in saves[active].notes { other.mergeChanges(fromContextDidSave: save) }
        saves[active].letGo()
        // Deletions that were merged.
        try other.save()
        if dice.one(in: 3) { try compare(other, saved) }
        if dice.one(in: 5) { try compare(Self.makeContext(coordinator), saved) }
    }

    private func hold() throws {
        trace.append("hold")
        let all = try contexts.flatMap { context in try ["Item", "Owner", "Label"].flatMap { try context.all($0) } }
        held = Array(
            all.sorted { ($0.objectID.hash, $0.entity.name ?? "") < ($1.objectID.hash, $1.entity.name ?? "") }
                .shuffled(using: &dice).prefix(12))
        for object in held where dice.one(in: 2) {
            for name in object.entity.relationshipsByName.keys.sorted() { _ = object.value(forKey: name) }
        }
    }

    private func takeTurns() throws {
        if context.hasChanges, dice.one(in: 3) { note("roll back") { rollBack() } } else { try save() }
        note("take turns") { active = 1 - active }
    }

    private func deleteInBatch() throws {
        try save()
        guard let entity = PlainGraph.entities.randomElement(using: &dice) else { return }
        let victims = saved.records.filter { $0.value.entity == entity }.keys.sorted().shuffled(using: &dice).prefix(3)
        guard !victims.isEmpty else { return }
        trace.append("delete in batch \(Array(victims))")
        let request = NSBatchDeleteRequest(objectIDs: victims.compactMap { ids[$0] })
        request.resultType = .resultTypeObjectIDs
        let deleted = (try context.execute(request) as? NSBatchDeleteResult)?.result as? [NSManagedObjectID] ?? []
        NSManagedObjectContext.mergeChanges(fromRemoteContextSave: [NSDeletedObjectsKey: deleted], into: contexts)
        for victim in victims { saved.delete(victim) }
        graph = saved
        forgetGoneIDs()
        for context in contexts { try context.save() }
    }

    private func destroy() throws {
        trace.append("destroy")
        held = []
        if type == NSSQLiteStoreType { try coordinator.destroyPersistentStore(at: url, ofType: type) }
        for store in coordinator.persistentStores { try coordinator.remove(store) }
        for context in contexts { context.reset() }
        try open()
        (saved, graph, ids, unsaved) = (PlainGraph(), PlainGraph(), [:], [:])
    }

    private func forgetGoneIDs() { ids = ids.filter { saved.records[$0.key] != nil } }

    // MARK: Comparing

    private func compare(_ context: NSManagedObjectContext, _ wanted: PlainGraph) throws {
        var known: [NSManagedObject: Int] = [:]
        for id in wanted.records.keys.sorted() { known[try object(id, context)] = id }
        for entity in ["Item", "Owner", "Label", "Part"] {
            let expected = wanted.records.filter {
                $0.value.entity == entity || entity == "Item" && $0.value.entity == "Special"
            }
            let found = try context.all(entity).map { known[$0] ?? 0 }
            try require("\(entity)", found.sorted(), expected.keys.sorted())
        }
        for (id, record) in wanted.records.sorted(by: { $0.key < $1.key }) {
            let object = try object(id, context)
            try require("\(id).entity", object.entity.name, record.entity)
            try require("\(id).value", object.value(forKey: "value") as? Int, record.value)
            for name in PlainGraph.relationships(record.entity) {
                let value = object.value(forKey: name)
                let members =
                    (value as? NSOrderedSet)?.array ?? (value as? NSSet)?.allObjects ?? value.map { [$0] } ?? []
                let found = members.map { ($0 as? NSManagedObject).flatMap { known[$0] } ?? 0 }
                let expected = wanted.related(id, name)
                try require(
                    "\(id).\(name)", name == "items" ? found : found.sorted(),
                    name == "items" ? expected : expected.sorted())
            }
        }
    }

    private func require<T: Equatable>(_ what: String, _ found: T, _ expected: T) throws {
        if found == expected { return }
        throw Disagreement(description: "\(what) is \(found), not \(expected)")
    }
}
