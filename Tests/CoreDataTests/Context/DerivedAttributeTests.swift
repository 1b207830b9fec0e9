import Foundation
import FoundationBackfill
import TestSupport
import Testing

@testable import CoreData

/// Attributes that a save derives from the record itself, and from those it is related to.
@Suite("Derived attributes") struct DerivedAttributeTests {
    private let folder: TemporaryDirectory
    private let path: String
    private let coordinator: NSPersistentStoreCoordinator
    private let context: NSManagedObjectContext

    private static func derived(
        _ name: String, _ type: NSAttributeType, _ expression: String, isOptional: Bool = true
    ) throws -> NSDerivedAttributeDescription {
        let attribute = NSDerivedAttributeDescription()
        attribute.name = name
        attribute.attributeType = type
        attribute.isOptional = isOptional
        attribute.derivationExpression = try FoundationBackfill.NSExpression.derivation(format: expression)
        return attribute
    }

    private static func model() throws -> NSManagedObjectModel {
        let song = Office.entity(
            "Song",
            [
                Office.attribute("title", .stringAttributeType), Office.attribute("plays", .integer32AttributeType),
                try derived("sortTitle", .stringAttributeType, "canonical:(title)"),
                try derived("loudTitle", .stringAttributeType, "uppercase:(title)"),
                try derived("quietTitle", .stringAttributeType, "lowercase:(title)"),
                try derived("savedAt", .dateAttributeType, "now()"),
                try derived("playsCopy", .integer32AttributeType, "plays"),
            ])
        let live = Office.entity("LiveSong", [Office.attribute("place", .stringAttributeType)])
        let album = Office.entity(
            "Album",
            [
                Office.attribute("name", .stringAttributeType),
                try derived("count", .integer64AttributeType, "songs.@count"),
                try derived("sortName", .stringAttributeType, "canonical:(name)"),
            ])
        let label = Office.entity("Label", [try derived("sortName", .stringAttributeType, "now()", isOptional: false)])
        Office.relate(song, "album", to: album, "songs", toMany: true)
        song.subentities = [live]
        song.uniquenessConstraints = [["sortTitle"]]
        let model = NSManagedObjectModel()
        model.entities = [song, live, album, label]
        return model
    }

    init() throws {
        folder = try TemporaryDirectory()
        path = folder.path("songs.sqlite")
        coordinator = NSPersistentStoreCoordinator(managedObjectModel: try Self.model())
        _ = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: URL(fileURLWithPath: path))
        context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
    }

    private func shell(_ sql: String) throws -> String { try sqlite3(path, sql) }

    @Test("texts are folded when the object is saved, and shown when it is refreshed")
    func texts() throws {
        let song = context.insert("Song", ["title": "Héllo Wörld", "plays": 3])
        #expect(song.value(forKey: "sortTitle") == nil)
        try context.save()
        #expect(
            try shell("SELECT ZSORTTITLE, ZLOUDTITLE, ZQUIETTITLE, ZPLAYSCOPY, Z_OPT FROM ZSONG")
                == "hello world|HÉLLO WÖRLD|héllo wörld|3|1")
        #expect(song.value(forKey: "sortTitle") == nil)
        context.refresh(song, mergeChanges: true)
        #expect(song.value(forKey: "sortTitle") as? String == "hello world")
        context.refresh(song, mergeChanges: false)
        #expect(song.value(forKey: "loudTitle") as? String == "HÉLLO WÖRLD")
        #expect(!song.hasChanges)
    }

    @Test("an update derives anew, nil from nil, also where the object does not know the present value")
    func updates() throws {
        let song = context.insert("Song", ["title": "Ärger"])
        try context.save()
        song.setValue(nil, forKey: "title")
        try context.save()
        #expect(try shell("SELECT ifnull(ZSORTTITLE, '-'), Z_OPT FROM ZSONG") == "-|2")
        song.setValue("Öl", forKey: "title")
        try context.save()
        context.refresh(song, mergeChanges: false)
        #expect(song.value(forKey: "sortTitle") as? String == "ol")
        song.setValue(7, forKey: "plays")
        try context.save()
        #expect(try shell("SELECT ZSORTTITLE, ZPLAYSCOPY, Z_OPT FROM ZSONG") == "ol|7|4")
        context.refresh(song, mergeChanges: false)
        #expect(song.value(forKey: "sortTitle") as? String == "ol")
    }

    @Test("a value of the program's own does not stay")
    func setValues() throws {
        let song = context.insert("Song", ["title": "One", "sortTitle": "mine"])
        try context.save()
        #expect(try shell("SELECT ZSORTTITLE FROM ZSONG") == "one")
        song.setValue("mine again", forKey: "sortTitle")
        try context.save()
        #expect(try shell("SELECT ZSORTTITLE FROM ZSONG") == "one")
    }

    @Test("now() is the time of each save of the object")
    func now() throws {
        let before = Date().timeIntervalSinceReferenceDate
        let song = context.insert("Song", ["title": "a"])
        let other = context.insert("Song", ["title": "b"])
        try context.save()
        let first = try #require(Double(try shell("SELECT ZSAVEDAT FROM ZSONG WHERE ZTITLE = 'a'")))
        #expect(first >= before - 0.001 && first <= Date().timeIntervalSinceReferenceDate + 0.001)
        usleep(2000)
        song.setValue(1, forKey: "plays")
        try context.save()
        let second = try #require(Double(try shell("SELECT ZSAVEDAT FROM ZSONG WHERE ZTITLE = 'a'")))
        #expect(second > first)
        context.refresh(song, mergeChanges: false)
        context.refresh(other, mergeChanges: false)
        let read = try #require(song.value(forKey: "savedAt") as? Date)
        #expect(abs(read.timeIntervalSinceReferenceDate - second) < 0.000_001)
        #expect(try #require(other.value(forKey: "savedAt") as? Date) < read)
    }

    @Test("predicates find the derived value, and subentities inherit it")
    func fetching() throws {
        context.insert("LiveSong", ["title": "Ça va", "place": "Paris"])
        context.insert("Song", ["title": "Non"])
        try context.save()
        let other = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        other.persistentStoreCoordinator = coordinator
        let found = try other.all("Song", NSPredicate(format: "sortTitle == 'ca va'"))
        #expect(found.map { $0.value(forKey: "title") as? String } == ["Ça va"])
        #expect(found.first?.value(forKey: "sortTitle") as? String == "ca va")
    }

    @Test("a constraint on a derived attribute names the objects that break it")
    func constraints() throws {
        context.insert("Song", ["title": "Über"])
        try context.save()
        let second = context.insert("Song", ["title": "über"])
        do {
            try context.save()
            Issue.record("no conflict")
        } catch {
            let conflict = ((error as NSError).userInfo["conflictList"] as? [NSConstraintConflict])?.first
            #expect(conflict?.constraint == ["sortTitle"])
            #expect(conflict?.conflictingObjects == [second])
            #expect(conflict?.databaseObject?.value(forKey: "title") as? String == "Über")
        }
        second.setValue("Unter", forKey: "title")
        try context.save()
        second.setValue("Unter uns", forKey: "title")
        try context.save()
        #expect(try shell("SELECT ZSORTTITLE FROM ZSONG ORDER BY Z_PK") == "uber\nunter uns")
    }

    @Test("the count of members survives a save of an object that does not know it")
    func triggers() throws {
        let album = context.insert("Album", ["name": "Été"])
        try context.save()
        let song = context.insert("Song", ["title": "a"])
        song.setValue(album, forKey: "album")
        try context.save()
        album.setValue("Hiver", forKey: "name")
        try context.save()
        #expect(try shell("SELECT ZCOUNT, ZSORTNAME FROM ZALBUM") == "1|hiver")
        context.refresh(album, mergeChanges: false)
        #expect(album.value(forKey: "count") as? Int == 1)
        #expect(album.value(forKey: "sortName") as? String == "hiver")
    }

    @Test("the history names what was derived from a change, not what is derived from other values")
    func history() throws {
        let url = folder.url("history.sqlite")
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: try Self.model())
        _ = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: url,
            options: [NSPersistentHistoryTrackingKey: true])
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        let song = context.insert("Song", ["title": "One", "plays": 1])
        try context.save()
        song.setValue(2, forKey: "plays")
        try context.save()
        // From the highest bit: album, loudTitle, plays, playsCopy, quietTitle, savedAt, sortTitle, title.
        #expect(try sqlite3(url, "SELECT hex(ZCOLUMNS) FROM ACHANGE WHERE ZCHANGETYPE = 1") == "3400")
    }

    @Test("one that is not optional fails the validation of a new object")
    func validation() throws {
        context.insert("Label")
        #expect(errorCode { try context.save() } == NSValidationMissingMandatoryPropertyError)
    }
}
