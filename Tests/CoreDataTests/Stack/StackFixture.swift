import CoreData
import Foundation
import TestSupport

/// A model of one entity `Note` with a `text`, and what tests of the stack do with it.
enum StackFixture {
    static func model(extraAttribute: Bool = false) -> NSManagedObjectModel {
        let text = NSAttributeDescription()
        text.name = "text"
        text.attributeType = .stringAttributeType
        text.isOptional = true
        let note = NSEntityDescription()
        note.name = "Note"
        note.properties = [text]
        if extraAttribute {
            let stars = NSAttributeDescription()
            stars.name = "stars"
            stars.attributeType = .integer64AttributeType
            stars.isOptional = true
            note.properties.append(stars)
        }
        let model = NSManagedObjectModel()
        model.entities = [note]
        return model
    }

    /// Two entities in two configurations.
    static func configuredModel() -> NSManagedObjectModel {
        let model = NSManagedObjectModel()
        let entities = ["Draft", "Letter"].map { name in
            let entity = NSEntityDescription()
            entity.name = name
            let title = NSAttributeDescription()
            title.name = "title"
            title.attributeType = .stringAttributeType
            title.isOptional = true
            entity.properties = [title]
            return entity
        }
        model.entities = entities
        model.setEntities([entities[0]], forConfigurationName: "Local")
        model.setEntities([entities[1]], forConfigurationName: "Shared")
        return model
    }

    static func coordinator(_ model: NSManagedObjectModel = model()) -> NSPersistentStoreCoordinator {
        NSPersistentStoreCoordinator(managedObjectModel: model)
    }

    static func context(_ coordinator: NSPersistentStoreCoordinator) -> NSManagedObjectContext {
        let context = NSManagedObjectContext(.privateQueue)
        context.persistentStoreCoordinator = coordinator
        return context
    }

    /// Saves notes with these texts.
    static func insert(_ texts: [String], _ coordinator: NSPersistentStoreCoordinator) throws {
        let context = context(coordinator)
        try context.performAndWait {
            for text in texts {
                let note = NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
                note.setValue(text, forKey: "text")
            }
            try context.save()
        }
    }

    static func count(_ coordinator: NSPersistentStoreCoordinator, _ entity: String = "Note") throws -> Int {
        let context = context(coordinator)
        return try context.performAndWait {
            try context.count(for: NSFetchRequest<NSFetchRequestResult>(entityName: entity))
        }
    }

    static func texts(_ coordinator: NSPersistentStoreCoordinator) throws -> [String] {
        let context = context(coordinator)
        return try context.performAndWait {
            let request = NSFetchRequest<NSManagedObject>(entityName: "Note")
            return try context.fetch(request).map { $0.value(forKey: "text") as? String ?? "" }.sorted()
        }
    }
}

/// Gathers notifications while it lives.
final class NotificationLog: @unchecked Sendable {
    private let lock = NSLock()
    private var stored: [Notification] = []
    private var tokens: [any NSObjectProtocol] = []

    init(_ names: [Notification.Name], object: Any? = nil) {
        tokens = names.map { name in
            NotificationCenter.default.addObserver(forName: name, object: object, queue: nil) { [weak self] in
                guard let self else { return }
                self.lock.lock()
                self.stored.append($0)
                self.lock.unlock()
            }
        }
    }

    deinit { tokens.forEach(NotificationCenter.default.removeObserver) }

    var notifications: [Notification] { lock.withLock { stored } }
}
