import CoreData
import Foundation
import TestSupport

/// The model of the context tests: teams of persons, one kind of person that is more, tags, and a badge a person.
///
/// Team 1—n Person (nullify), Team 1—n Room (cascade), Team 1—n Debt (deny), Person n—m Tag, Person 1—1 Badge (cascade).
enum Office {
    /// Made anew for each coordinator: a model in use cannot be changed.
    static func model(personClass: String = "NSManagedObject", uniqueNames: Bool = false) -> NSManagedObjectModel {
        let team = entity("Team", [attribute("name", .stringAttributeType)])
        let person = entity(
            "Person",
            [
                attribute("name", .stringAttributeType), attribute("salary", .integer32AttributeType, default: 0),
                attribute("note", .stringAttributeType), attribute("photo", .binaryDataAttributeType),
                attribute("mood", .integer16AttributeType, default: 0, isTransient: true),
            ])
        person.managedObjectClassName = personClass
        let boss = entity("Boss", [attribute("title", .stringAttributeType)])
        boss.managedObjectClassName = personClass
        let room = entity("Room", [attribute("number", .integer32AttributeType, isOptional: false)])
        let debt = entity("Debt", [attribute("amount", .doubleAttributeType)])
        let tag = entity("Tag", [attribute("text", .stringAttributeType)])
        let badge = entity("Badge", [attribute("code", .stringAttributeType)])
        relate(person, "team", to: team, "persons", toMany: true)
        relate(room, "team", to: team, "rooms", toMany: true, rule: .cascadeDeleteRule)
        relate(debt, "team", to: team, "debts", toMany: true, rule: .denyDeleteRule)
        relateMany(person, "tags", tag, "persons")
        relate(badge, "person", to: person, "badge", toMany: false, rule: .cascadeDeleteRule)
        person.subentities = [boss]
        if uniqueNames { tag.uniquenessConstraints = [["text"]] }
        let model = NSManagedObjectModel()
        model.entities = [team, person, boss, room, debt, tag, badge]
        return model
    }

    static func entity(_ name: String, _ properties: [NSPropertyDescription]) -> NSEntityDescription {
        let entity = NSEntityDescription()
        entity.name = name
        entity.properties = properties
        return entity
    }

    static func attribute(
        _ name: String, _ type: NSAttributeType, isOptional: Bool = true, default value: Any? = nil,
        isTransient: Bool = false
    ) -> NSAttributeDescription {
        let attribute = NSAttributeDescription()
        attribute.name = name
        attribute.attributeType = type
        attribute.isOptional = isOptional
        attribute.isTransient = isTransient
        attribute.defaultValue = value
        return attribute
    }

    /// A to-one `key` of `entity`, and its inverse at the other entity with its delete rule.
    static func relate(
        _ entity: NSEntityDescription, _ key: String, to other: NSEntityDescription, _ inverseKey: String, toMany: Bool,
        rule: NSDeleteRule = .nullifyDeleteRule
    ) {
        let forward = relationship(key, other, toMany: false, .nullifyDeleteRule)
        let backward = relationship(inverseKey, entity, toMany: toMany, rule)
        forward.inverseRelationship = backward
        backward.inverseRelationship = forward
        entity.properties.append(forward)
        other.properties.append(backward)
    }

    static func relateMany(
        _ entity: NSEntityDescription, _ key: String, _ other: NSEntityDescription, _ inverseKey: String
    ) {
        let forward = relationship(key, other, toMany: true, .nullifyDeleteRule)
        let backward = relationship(inverseKey, entity, toMany: true, .nullifyDeleteRule)
        forward.inverseRelationship = backward
        backward.inverseRelationship = forward
        entity.properties.append(forward)
        other.properties.append(backward)
    }

    private static func relationship(
        _ name: String, _ destination: NSEntityDescription, toMany: Bool, _ rule: NSDeleteRule
    ) -> NSRelationshipDescription {
        let relationship = NSRelationshipDescription()
        relationship.name = name
        relationship.destinationEntity = destination
        relationship.maxCount = toMany ? 0 : 1
        relationship.deleteRule = rule
        relationship.isOptional = true
        return relationship
    }
}

/// A coordinator with one store of the office, in memory or in a file of its own.
///
/// The store lives as long as the stack or one of its contexts; the contexts as long as the stack.
final class OfficeStack {
    enum Kind: String, CaseIterable, Sendable { case memory, file }

    /// Detaches the store and removes its folder when nobody needs them any more.
    private final class Resources: NSObject {
        let coordinator: NSPersistentStoreCoordinator
        let directory: TemporaryDirectory?

        init(_ coordinator: NSPersistentStoreCoordinator, _ directory: TemporaryDirectory?) {
            self.coordinator = coordinator
            self.directory = directory
        }

        deinit {
            for store in coordinator.persistentStores { try? coordinator.remove(store) }
        }
    }

    let coordinator: NSPersistentStoreCoordinator
    let store: NSPersistentStore
    private let resources: Resources
    private var contexts: [NSManagedObjectContext] = []

    init(
        _ kind: Kind = .memory, personClass: String = "NSManagedObject", uniqueNames: Bool = false,
        options: [AnyHashable: Any]? = nil
    ) throws {
        let model = Office.model(personClass: personClass, uniqueNames: uniqueNames)
        coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let directory = kind == .file ? try TemporaryDirectory() : nil
        resources = Resources(coordinator, directory)
        store = try coordinator.addPersistentStore(
            ofType: kind == .file ? NSSQLiteStoreType : NSInMemoryStoreType, configurationName: nil,
            at: directory?.url("office.sqlite"), options: options)
    }

    var path: String { store.url?.path ?? "" }

    /// - Parameter isKept: whether it lives as long as the stack.
    func makeContext(isKept: Bool = true) -> NSManagedObjectContext {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        context.userInfo["resources"] = resources
        if isKept { contexts.append(context) }
        return context
    }

    /// Saves persons of these names and salaries with a context that is gone afterwards, and returns their ids in order.
    @discardableResult
    func fill(_ persons: (name: String, salary: Int)...) throws -> [NSManagedObjectID] {
        let context = makeContext()
        let objects = persons.map { context.person($0.name, $0.salary) }
        try context.save()
        return objects.map(\.objectID)
    }
}

extension NSManagedObjectContext {
    @discardableResult
    func insert(_ entity: String, _ values: [String: Any?] = [:]) -> NSManagedObject {
        let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: self)
        for (key, value) in values { object.setValue(value, forKey: key) }
        return object
    }

    @discardableResult
    func person(_ name: String, _ salary: Int = 0) -> NSManagedObject {
        insert("Person", ["name": name, "salary": salary])
    }

    /// All objects of an entity, by name.
    func all(_ entity: String, _ predicate: NSPredicate? = nil, sort: String? = nil) throws -> [NSManagedObject] {
        let request = NSFetchRequest<NSManagedObject>(entityName: entity)
        request.predicate = predicate
        if let sort { request.sortDescriptors = [NSSortDescriptor(key: sort, ascending: true)] }
        return try fetch(request)
    }

    func one(_ name: String) throws -> NSManagedObject? {
        try all("Person", NSPredicate(format: "name == %@", name)).first
    }

    func count(_ entity: String) throws -> Int { try count(for: NSFetchRequest<NSManagedObject>(entityName: entity)) }
}

extension NSManagedObject {
    var nameValue: String? { value(forKey: "name") as? String }
    var salaryValue: Int? { value(forKey: "salary") as? Int }
}

/// Collects the notifications of one context. They hold their objects.
final class Recorder: @unchecked Sendable {
    private(set) var notes: [Notification] = []
    /// The counts of each, which stay when the notifications are let go.
    private(set) var counts: [[Int]] = []
    private var tokens: [any NSObjectProtocol] = []

    init(_ context: NSManagedObjectContext, _ names: Notification.Name...) {
        for name in names {
            tokens.append(
                NotificationCenter.default.addObserver(forName: name, object: context, queue: nil) { [weak self] note in
                    self?.notes.append(note)
                    self?.counts.append(note.counts)
                })
        }
    }

    deinit { for token in tokens { NotificationCenter.default.removeObserver(token) } }

    static func changes(_ context: NSManagedObjectContext) -> Recorder {
        Recorder(context, .NSManagedObjectContextObjectsDidChange)
    }

    static func saves(_ context: NSManagedObjectContext) -> Recorder {
        Recorder(context, .NSManagedObjectContextDidSave)
    }

    func letGo() { notes = [] }
}

extension Notification {
    func objects(_ key: String) -> Set<NSManagedObject> { userInfo?[key] as? Set<NSManagedObject> ?? [] }
    func ids(_ key: String) -> Set<NSManagedObjectID> { userInfo?[key] as? Set<NSManagedObjectID> ?? [] }

    /// Inserted, updated, deleted, refreshed.
    var counts: [Int] {
        [NSInsertedObjectsKey, NSUpdatedObjectsKey, NSDeletedObjectsKey, NSRefreshedObjectsKey].map {
            objects($0).count
        }
    }
}

/// The domain and code of what a block throws.
func errorCode(_ block: () throws -> Void) -> Int? {
    do {
        try block()
        return nil
    } catch {
        let error = error as NSError
        return error.domain == NSCocoaErrorDomain ? error.code : -1
    }
}
