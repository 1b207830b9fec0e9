import CoreData
import CoreDataReset
import Foundation
import TestSupport

/// A container of clubs for tests: teams with players, tags, an inheritance, and pictures that lie outside the store.
///
///     Team 1 ── cascade ──> * Player * ── nullify ── * Tag
///     Person <── Player, Coach;  Coach ── required ──> Team
/// One thread at a time uses it.
final class Club: @unchecked Sendable {
    let folder: TemporaryDirectory
    let container: NSPersistentContainer

    var context: NSManagedObjectContext { container.viewContext }
    var coordinator: NSPersistentStoreCoordinator { container.persistentStoreCoordinator }
    var url: URL { folder.url("Club.sqlite") }

    init(
        folder: TemporaryDirectory? = nil, _ descriptions: [NSPersistentStoreDescription]? = nil,
        model: NSManagedObjectModel = Club.model(),
        configure: (NSPersistentStoreDescription) -> Void = { _ in }
    ) throws {
        let folder = try folder ?? TemporaryDirectory()
        self.folder = folder
        container = NSPersistentContainer(name: "Club", managedObjectModel: model)
        container.persistentStoreDescriptions =
            descriptions ?? [NSPersistentStoreDescription(url: folder.url("Club.sqlite"))]
        container.persistentStoreDescriptions.forEach(configure)
        try load()
    }

    func load() throws {
        var failure: (any Error)?
        container.loadPersistentStores { _, error in failure = failure ?? error }
        if let failure { throw failure }
    }

    static func inMemory() throws -> Club {
        let description = NSPersistentStoreDescription()
        description.type = NSInMemoryStoreType
        description.url = nil
        return try Club([description])
    }

    // MARK: Contents

    @discardableResult
    static func insert(
        _ entity: String, _ values: [String: Any] = [:], into context: NSManagedObjectContext
    ) -> NSManagedObject {
        let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
        object.setValuesForKeys(values)
        return object
    }

    /// Two teams of three players each, who share two tags.
    func fill() throws {
        let background = container.newBackgroundContext()
        try background.performAndWait {
            let tags = ["young", "fast"].map { Club.insert("Tag", ["name": $0], into: background) }
            for name in ["Blue", "Red"] {
                let team = Club.insert("Team", ["name": name], into: background)
                for number in 1...3 {
                    Club.insert(
                        "Player", ["name": "\(name) \(number)", "team": team, "tags": NSSet(array: tags)],
                        into: background)
                }
            }
            try background.save()
        }
    }

    func fetch(_ entity: String, in context: NSManagedObjectContext? = nil) throws -> [NSManagedObject] {
        let request = NSFetchRequest<NSManagedObject>(entityName: entity)
        request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
        return try (context ?? self.context).fetch(request)
    }

    /// What the `sqlite3` shell counts: rows of teams, persons, tags and of the join table.
    func rawCounts() throws -> String {
        let join = try sqlite3(url, "SELECT name FROM sqlite_master WHERE type = 'table' AND name GLOB 'Z_[0-9]*'")
        return try sqlite3(
            url,
            "SELECT (SELECT count(*) FROM ZTEAM), (SELECT count(*) FROM ZPERSON), (SELECT count(*) FROM ZTAG), "
                + "(SELECT count(*) FROM \(join))")
    }

    static let full = "2|6|2|12"

    // MARK: Model

    static func model() -> NSManagedObjectModel {
        let team = entity("Team", ["name": .stringAttributeType])
        let person = entity("Person", ["name": .stringAttributeType])
        person.isAbstract = true
        let player = entity("Player", [:])
        let coach = entity("Coach", [:])
        person.subentities = [player, coach]
        let tag = entity("Tag", ["name": .stringAttributeType])
        let picture = entity("Picture", ["name": .stringAttributeType, "data": .binaryDataAttributeType])
        (picture.propertiesByName["data"] as? NSAttributeDescription)?.allowsExternalBinaryDataStorage = true

        relate(team, "players", toMany: true, .cascadeDeleteRule, player, "team", toMany: false, .nullifyDeleteRule)
        relate(player, "tags", toMany: true, .nullifyDeleteRule, tag, "players", toMany: true, .nullifyDeleteRule)
        relate(team, "coaches", toMany: true, .nullifyDeleteRule, coach, "team", toMany: false, .nullifyDeleteRule)
        coach.relationshipsByName["team"]?.isOptional = false

        let model = NSManagedObjectModel()
        model.entities = [team, person, player, coach, tag, picture]
        return model
    }

    /// Teams in one configuration, tags in another.
    static func configuredModel() -> NSManagedObjectModel {
        let model = NSManagedObjectModel()
        model.entities = ["Team", "Tag"].map { entity($0, ["name": .stringAttributeType]) }
        for entity in model.entities {
            model.setEntities([entity], forConfigurationName: (entity.name ?? "") + "s")
        }
        return model
    }

    private static func entity(_ name: String, _ attributes: [String: NSAttributeType]) -> NSEntityDescription {
        let entity = NSEntityDescription()
        entity.name = name
        entity.properties = attributes.sorted { $0.key < $1.key }.map { name, type in
            let attribute = NSAttributeDescription()
            attribute.name = name
            attribute.attributeType = type
            attribute.isOptional = true
            return attribute
        }
        return entity
    }

    private static func relate(
        _ first: NSEntityDescription, _ firstName: String, toMany firstIsToMany: Bool, _ firstRule: NSDeleteRule,
        _ second: NSEntityDescription, _ secondName: String, toMany secondIsToMany: Bool, _ secondRule: NSDeleteRule
    ) {
        let there = NSRelationshipDescription()
        let back = NSRelationshipDescription()
        for (relationship, name, isToMany, rule, destination) in [
            (there, firstName, firstIsToMany, firstRule, second), (back, secondName, secondIsToMany, secondRule, first),
        ] {
            relationship.name = name
            relationship.maxCount = isToMany ? 0 : 1
            relationship.deleteRule = rule
            relationship.isOptional = true
            relationship.destinationEntity = destination
        }
        there.inverseRelationship = back
        back.inverseRelationship = there
        first.properties.append(there)
        second.properties.append(back)
    }
}

extension Club {
    /// Two stores, of teams and of tags.
    static func configured(
        in folder: TemporaryDirectory? = nil, configure: (NSPersistentStoreDescription) -> Void = { _ in }
    ) throws -> Club {
        let folder = try folder ?? TemporaryDirectory()
        let descriptions = ["Teams", "Tags"].map { name in
            let description = NSPersistentStoreDescription(url: folder.url(name + ".sqlite"))
            description.configuration = name
            return description
        }
        return try Club(folder: folder, descriptions, model: configuredModel(), configure: configure)
    }

    /// Pictures whose data lie in files, written with the shell.
    /// - Returns: the paths of the files.
    func makePictures(_ count: Int, bytes: Int) throws -> [String] {
        let external = folder.url.appendingPathComponent(".Club_SUPPORT/_EXTERNAL_DATA")
        try FileManager.default.createDirectory(at: external, withIntermediateDirectories: true)
        return try (1...count).map { key in
            let name = UUID().uuidString
            let file = external.appendingPathComponent(name)
            try Data(repeating: UInt8(key), count: bytes).write(to: file)
            let reference = "02" + name.utf8.map { String($0, radix: 16) }.joined() + "00"
            _ = try sqlite3(
                url,
                "INSERT INTO ZPICTURE (Z_PK, Z_ENT, Z_OPT, ZNAME, ZDATA) SELECT \(key), Z_ENT, 1, 'p', x'\(reference)' "
                    + "FROM Z_PRIMARYKEY WHERE Z_NAME = 'Picture';"
                    + "UPDATE Z_PRIMARYKEY SET Z_MAX = \(key) WHERE Z_NAME = 'Picture';")
            return file.path
        }
    }
}
