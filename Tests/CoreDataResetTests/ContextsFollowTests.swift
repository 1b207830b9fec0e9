import CoreData
import CoreDataReset
import Foundation
import TestSupport
import Testing

@Suite("Contexts follow a deletion", .enabled(if: SQLiteShell.isUsable))
struct ContextsFollowTests {
    private let club: Club

    init() throws {
        club = try Club()
        try club.fill()
    }

    private func isGone(_ object: NSManagedObject) -> Bool {
        object.isDeleted && object.value(forKey: "name") == nil
    }

    @Test("live objects of the view context count as deleted, and observers hear of them")
    @MainActor
    func viewContext() throws {
        let teams = try club.fetch("Team")
        let players = try club.fetch("Player")
        #expect(players.map { $0.value(forKey: "name") as? String }.count == 6)
        let heard = Heard(club.context)
        let report = try club.container.deleteAllRecords()
        #expect((teams + players).allSatisfy { $0.isDeleted })
        #expect(heard.deleted == 8)
        #expect(!club.context.hasChanges)
        #expect(try club.fetch("Player").isEmpty)
        #expect(report.contextsTold >= 1 && report.contextsWaiting == 0)
    }

    @Test("so do those of background contexts, faults too")
    func background() throws {
        let background = club.container.newBackgroundContext()
        let (team, fault) = try background.performAndWait {
            let teams = try club.fetch("Team", in: background)
            _ = teams[0].value(forKey: "name")
            return (Held(teams[0]), Held(teams[1]))
        }
        try club.container.deleteAllRecords()
        background.performAndWait {
            #expect(team.object.isDeleted)
            #expect(isGone(fault.object))
            #expect(throws: (any Error).self) { try background.existingObject(with: fault.object.objectID) }
        }
    }

    @Test("a context of another coordinator follows if it is tracked")
    func tracked() throws {
        let other = NSPersistentStoreCoordinator(managedObjectModel: club.container.managedObjectModel)
        try other.addPersistentStore(type: .sqlite, at: club.url)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = other
        #expect(club.container.track(context) === context)
        let teams = try context.performAndWait { try club.fetch("Team", in: context).map(Held.init) }
        try club.container.deleteAllRecords()
        context.performAndWait {
            for team in teams { #expect(isGone(team.object)) }
        }
    }

    @Test("tracking does not keep a context alive")
    func weakly() throws {
        weak var context: NSManagedObjectContext?
        do {
            let made = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            made.persistentStoreCoordinator = club.coordinator
            club.container.track(made)
            context = made
        }
        #expect(context == nil)
        try club.container.deleteAllRecords()
    }

    @Test("unsaved changes to deleted objects, deletions among them, are dropped")
    func unsavedChanges() throws {
        let context = club.container.newBackgroundContext()
        try context.performAndWait {
            let players = try club.fetch("Player", in: context)
            players[0].setValue("changed", forKey: "name")
            context.delete(players[1])
            let tag = try club.fetch("Tag", in: context)[0]
            tag.setValue("changed too", forKey: "name")
            try club.container.deleteAllRecords()
            #expect(!context.hasChanges)
            try context.save()
        }
        #expect(try club.rawCounts() == "0|0|0|0")
    }

    @Test("unsaved new objects of the entities are dropped, of others they stay")
    func unsavedInserts() throws {
        let context = club.container.newBackgroundContext()
        try context.performAndWait {
            Club.insert("Tag", ["name": "new"], into: context)
            let team = Club.insert("Team", ["name": "New"], into: context)
            try club.container.deleteAllRecords(.only(["Tag"]))
            #expect(context.insertedObjects == [team])
            try context.save()
        }
        #expect(try sqlite3(club.url, "SELECT ZNAME FROM ZTEAM ORDER BY 1") == "Blue\nNew\nRed")
        #expect(try sqlite3(club.url, "SELECT count(*) FROM ZTAG") == "0")
    }

    @Test("objects that stay keep their unsaved changes, lose their partners, and are saved without a conflict")
    func survivors() throws {
        let context = club.container.newBackgroundContext()
        try context.performAndWait {
            let player = try club.fetch("Player", in: context)[0]
            #expect(player.value(forKey: "team") != nil)
            #expect((player.value(forKey: "tags") as? NSSet)?.count == 2)
            player.setValue("Renamed", forKey: "name")
            // The teams lose their players by the rule of players, so that teams are what goes here.
            let team = try club.fetch("Team", in: context)[0]
            #expect((team.value(forKey: "players") as? NSSet)?.count == 3)
            try club.container.deleteAllRecords(.only(["Tag"]))
            #expect((player.value(forKey: "tags") as? NSSet)?.count == 0)
            #expect(player.value(forKey: "name") as? String == "Renamed")
            #expect(player.value(forKey: "team") as? NSManagedObject === team)
            try context.save()
            try club.container.deleteAllRecords(.only(["Player"]))
            #expect((team.value(forKey: "players") as? NSSet)?.count == 0)
            team.setValue("Renamed", forKey: "name")
            try context.save()
        }
        #expect(try sqlite3(club.url, "SELECT ZNAME FROM ZTEAM ORDER BY 1") == "Red\nRenamed")
        #expect(try club.rawCounts() == "2|0|0|0")
    }

    @Test("a reference to a deleted record that the context never loaded is gone too")
    func survivorsOfUnknownPartners() throws {
        let model = Club.model()
        model.entitiesByName["Team"]?.relationshipsByName["players"]?.deleteRule = .nullifyDeleteRule
        let club = try Club(model: model)
        try club.fill()
        let context = club.container.newBackgroundContext()
        try context.performAndWait {
            let player = try club.fetch("Player", in: context)[0]
            #expect(player.value(forKey: "name") as? String == "Blue 1")
            try club.container.deleteAllRecords(.only(["Team"]))
            #expect(player.value(forKey: "team") == nil)
            player.setValue("Free", forKey: "name")
            try context.save()
        }
        #expect(try sqlite3(club.url, "SELECT ZNAME FROM ZPERSON WHERE ZTEAM IS NULL ORDER BY 1 LIMIT 1") == "Blue 2")
        #expect(try club.rawCounts() == "0|6|2|12")
    }

    @Test("an unsaved reference to a deleted record is not saved")
    func unsavedReference() throws {
        let context = club.container.newBackgroundContext()
        try context.performAndWait {
            let tag = try club.fetch("Tag", in: context)[0]
            let player = Club.insert("Player", ["name": "New"], into: context)
            player.setValue(NSSet(object: tag), forKey: "tags")
            let team = try club.fetch("Team", in: context)[0]
            let old = try club.fetch("Player", in: context)[5]
            #expect(old.value(forKey: "team") as? NSManagedObject !== team)
            try club.container.deleteAllRecords(.only(["Tag"]))
            try context.save()
        }
        #expect(try club.rawCounts() == "2|7|0|0")
    }

    @Test("an unsaved reference to an unsaved object that is dropped is not saved, without an inverse neither")
    func referenceToUnsavedObject() throws {
        let model = Club.model()
        let favourite = NSRelationshipDescription()
        favourite.name = "favourite"
        favourite.maxCount = 1
        favourite.isOptional = true
        favourite.destinationEntity = model.entitiesByName["Tag"]
        model.entitiesByName["Team"]?.properties.append(favourite)
        let club = try Club(model: model)
        try club.fill()
        let context = club.container.newBackgroundContext()
        try context.performAndWait {
            let tag = Club.insert("Tag", ["name": "new"], into: context)
            Club.insert("Team", ["name": "New", "favourite": tag], into: context)
            Club.insert("Player", ["name": "New", "tags": NSSet(object: tag)], into: context)
            let old = try club.fetch("Team", in: context)[0]
            old.setValue(tag, forKey: "favourite")
            try club.container.deleteAllRecords(.only(["Tag"]))
            try context.save()
        }
        #expect(try club.rawCounts() == "3|7|0|0")
        #expect(try sqlite3(club.url, "SELECT count(*) FROM ZTEAM WHERE ZFAVOURITE IS NOT NULL") == "0")
    }

    @Test("an unsaved to-one reference to a deleted record is not saved")
    func unsavedToOneReference() throws {
        let model = Club.model()
        model.entitiesByName["Team"]?.relationshipsByName["players"]?.deleteRule = .nullifyDeleteRule
        let club = try Club(model: model)
        try club.fill()
        let context = club.container.newBackgroundContext()
        try context.performAndWait {
            let blue = try club.fetch("Team", in: context)[0]
            Club.insert("Player", ["name": "New", "team": blue], into: context)
            let last = try club.fetch("Player", in: context).last
            last?.setValue(blue, forKey: "team")
            try club.container.deleteAllRecords(.only(["Team"]))
            try context.save()
        }
        #expect(try club.rawCounts() == "0|7|2|12")
        #expect(try sqlite3(club.url, "SELECT count(*) FROM ZPERSON WHERE ZTEAM IS NOT NULL") == "0")
    }

    @Test("a busy context is not waited for: it follows before its next block, and what it saved meanwhile stays")
    func busy() throws {
        let context = club.container.newBackgroundContext()
        let busy = DispatchSemaphore(value: 0)
        let goOn = DispatchSemaphore(value: 0)
        let held = Holder()
        context.perform {
            held.objects = (try? club.fetch("Team", in: context)) ?? []
            busy.signal()
            goOn.wait()
            held.objects.append(Club.insert("Team", ["name": "Later"], into: context))
            try? context.save()
        }
        busy.wait()
        let report = try club.container.deleteAllRecords()
        #expect(report.contextsWaiting == 1)
        goOn.signal()
        context.performAndWait {
            #expect(held.objects.map(\.isDeleted) == [true, true, false])
            #expect(held.objects[2].value(forKey: "name") as? String == "Later")
        }
        #expect(try sqlite3(club.url, "SELECT ZNAME FROM ZTEAM") == "Later")
    }
}

/// Carries an object into its context's blocks.
struct Held: @unchecked Sendable {
    let object: NSManagedObject
    init(_ object: NSManagedObject) { self.object = object }
}

final class Holder: @unchecked Sendable {
    var objects: [NSManagedObject] = []
}

/// Counts the deleted objects that a context tells of.
final class Heard: @unchecked Sendable {
    private let lock = NSLock()
    private var count = 0
    private var token: (any NSObjectProtocol)?

    var deleted: Int { lock.withLock { count } }

    init(_ context: NSManagedObjectContext) {
        token = NotificationCenter.default.addObserver(
            forName: .NSManagedObjectContextObjectsDidChange, object: context, queue: nil
        ) { [weak self] notification in
            let objects = notification.userInfo?[NSDeletedObjectsKey] as? Set<NSManagedObject>
            self?.add(objects?.count ?? 0)
        }
    }

    private func add(_ number: Int) { lock.withLock { count += number } }

    deinit { token.map(NotificationCenter.default.removeObserver) }
}
