import CoreData
import Foundation

/// A container of the league model on a file, and what the tests do with it.
package struct League: Sendable {
    package let container: NSPersistentContainer

    /// Opens the store at `path`, making it where there is none.
    ///
    /// - Parameters:
    ///   - journal: a journal mode to ask for; nil: WAL for a new store, and an existing one keeps what it has.
    ///   - options: further options of the store.
    package init(
        _ path: String, _ model: LeagueModel = .first, journal: String? = nil, timeout: Double? = nil,
        pragmas: [String: String] = [:], options: [String: NSObject] = [:]
    ) throws {
        container = NSPersistentContainer(name: "League", managedObjectModel: model.make())
        try add(path, journal: journal, timeout: timeout, pragmas: pragmas, options: options)
    }

    /// Adds the store at `path` to the container.
    package func add(
        _ path: String, journal: String? = nil, timeout: Double? = nil, pragmas: [String: String] = [:],
        options: [String: NSObject] = [:]
    ) throws {
        let description = NSPersistentStoreDescription(url: URL(fileURLWithPath: path))
        if let journal { description.setValue(journal as NSString, forPragmaNamed: "journal_mode") }
        for (name, value) in pragmas { description.setValue(value as NSString, forPragmaNamed: name) }
        if let timeout { description.timeout = timeout }
        for (key, value) in options { description.setOption(value, forKey: key) }
        container.persistentStoreDescriptions = [description]
        let failure = Failure()
        container.loadPersistentStores { failure.error = $1 }
        if let error = failure.error { throw error }
    }

    private final class Failure: @unchecked Sendable {
        var error: (any Error)?
    }

    package var coordinator: NSPersistentStoreCoordinator { container.persistentStoreCoordinator }

    /// Three teams (Amber, Blue, Coral) with four players each (Amber1 to Coral4), and two tags on all teams.
    ///
    /// - Parameter scale: so many times as many players.
    package func populate(scale: Int = 1) throws {
        let context = container.newBackgroundContext()
        try context.performAndWait {
            let tags = ["fast", "old"].map { Self.insert("Tag", $0, in: context) }
            for name in ["Amber", "Blue", "Coral"] {
                let team = Self.insert("Team", name, in: context)
                team.setValue(Set(tags), forKey: "tags")
                for rank in 1...(4 * scale) {
                    let player = Self.insert("Player", "\(name)\(rank)", in: context)
                    player.setValue(rank, forKey: "rank")
                    player.setValue(team, forKey: "team")
                    player.setValue(Data(repeating: UInt8(rank), count: 10 * (rank % 100)), forKey: "photo")
                }
            }
            try context.save()
        }
    }

    @discardableResult
    package static func insert(
        _ entity: String, _ name: String, in context: NSManagedObjectContext
    ) -> NSManagedObject {
        let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
        object.setValue(name, forKey: "name")
        return object
    }

    package static func objects(
        _ entity: String, named name: String? = nil, in context: NSManagedObjectContext
    ) throws -> [NSManagedObject] {
        let request = NSFetchRequest<NSManagedObject>(entityName: entity)
        if let name { request.predicate = NSPredicate(format: "name == %@", name) }
        request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
        return try context.fetch(request)
    }

    /// What is in the store, as somebody sees it who goes through the objects: a line a record.
    ///
    /// `LeagueFile.lines` says the same of a file by raw SQL.
    package func lines() throws -> [String] {
        let context = container.newBackgroundContext()
        return try context.performAndWait {
            var lines: [String] = []
            for player in try Self.objects("Player", in: context) {
                let team = (player.value(forKey: "team") as? NSManagedObject)?.value(forKey: "name") as? String
                let photo = player.value(forKey: "photo") as? Data
                let rank = player.value(forKey: "rank") as? Int64 ?? 0
                lines.append("player \(Self.name(player)) \(rank) \(team ?? "-") \(photo.map { "\($0.count)" } ?? "-")")
            }
            for team in try Self.objects("Team", in: context) {
                let tags = team.value(forKey: "tags") as? Set<NSManagedObject> ?? []
                lines.append("team \(Self.name(team)) \(tags.map(Self.name).sorted().joined(separator: ","))")
            }
            for tag in try Self.objects("Tag", in: context) { lines.append("tag \(Self.name(tag))") }
            return lines
        }
    }

    package static func name(_ object: NSManagedObject) -> String { object.value(forKey: "name") as? String ?? "-" }
}
