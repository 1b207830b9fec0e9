import CoreData
import Foundation
import TestSupport

/// A container with one store, in a file of its own or in memory. Its contexts live as long as it does.
final class ReportStack {
    enum Kind: String, CaseIterable, Sendable { case file, memory, memoryFile }

    let container: NSPersistentContainer
    private let folder: TemporaryDirectory
    private var contexts: [NSManagedObjectContext] = []

    init(_ kind: Kind = .file, _ model: NSManagedObjectModel) throws {
        folder = try TemporaryDirectory()
        container = NSPersistentContainer(name: "Store", managedObjectModel: model)
        let description = NSPersistentStoreDescription(
            url: kind == .file ? folder.url("Store.sqlite") : URL(fileURLWithPath: "/dev/null"))
        if kind == .memory { description.type = NSInMemoryStoreType }
        container.persistentStoreDescriptions = [description]
        var failure: (any Error)?
        container.loadPersistentStores { failure = $1 }
        if let failure { throw failure }
    }

    deinit {
        for store in container.persistentStoreCoordinator.persistentStores {
            try? container.persistentStoreCoordinator.remove(store)
        }
    }

    var path: String { folder.path("Store.sqlite") }
    var identifier: String { container.persistentStoreCoordinator.persistentStores.first?.identifier ?? "no store" }

    func makeContext() -> NSManagedObjectContext {
        let context = container.newBackgroundContext()
        contexts.append(context)
        return context
    }

    /// Deletes all objects of an entity by a batch request and returns how many it counted.
    @discardableResult
    func batchDelete(_ entity: String) throws -> Int? {
        let request = NSBatchDeleteRequest(fetchRequest: NSFetchRequest<NSFetchRequestResult>(entityName: entity))
        request.resultType = .resultTypeCount
        return (try makeContext().execute(request) as? NSBatchDeleteResult)?.result as? Int
    }

    func count(_ entity: String) throws -> Int { try makeContext().count(entity) }
}

/// The models of these tests. Each is made anew: one instance serves one coordinator.
enum ReportModels {
    static func model(_ entities: NSEntityDescription...) -> NSManagedObjectModel {
        let model = NSManagedObjectModel()
        model.entities = entities
        return model
    }

    static func named(_ name: String) -> NSEntityDescription {
        Office.entity(name, [Office.attribute("name", .stringAttributeType)])
    }

    /// Author 1—n Book; the author of a book is optional.
    static func books(_ rule: NSDeleteRule, authorClass: String = "NSManagedObject") -> NSManagedObjectModel {
        let (author, book) = (named("Author"), named("Book"))
        author.managedObjectClassName = authorClass
        Office.relate(book, "author", to: author, "books", toMany: true, rule: rule)
        return model(author, book)
    }

    /// Conversation 1—n Role, both sides mandatory.
    static func roles(_ rule: NSDeleteRule) -> NSManagedObjectModel {
        let (conversation, role) = (named("Conversation"), named("Role"))
        Office.relate(role, "conversation", to: conversation, "roles", toMany: true, rule: rule)
        for relationship in [role.relationshipsByName["conversation"], conversation.relationshipsByName["roles"]] {
            relationship?.isOptional = false
        }
        return model(conversation, role)
    }

    /// The abstract Animal with Dog and Cat.
    static func animals() -> NSManagedObjectModel {
        let (animal, dog, cat) = (named("Animal"), Office.entity("Dog", []), Office.entity("Cat", []))
        animal.isAbstract = true
        animal.subentities = [dog, cat]
        return model(animal, dog, cat)
    }

    /// Users whose email is unique.
    static func users() -> NSManagedObjectModel {
        let user = Office.entity("User", [Office.attribute("email", .stringAttributeType)])
        user.uniquenessConstraints = [["email"]]
        return model(user)
    }
}

/// What the framework told the developer.
final class ReportedMessages: @unchecked Sendable {
    /// Listens from its first use on.
    static let shared = ReportedMessages()

    private let lock = NSLock()
    private var lines: [String] = []

    private init() {
        CoreDataLog.handler = { [unowned self] level, message in
            lock.withLock { lines.append("\(level.rawValue): \(message)") }
        }
    }

    func warnings(about text: String) -> Int {
        lock.withLock { lines.filter { $0.hasPrefix("warning: ") && $0.contains(text) }.count }
    }
}
