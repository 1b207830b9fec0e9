import Foundation
import TestSupport
import Testing

@testable import CoreData

/// Predicates of Foundation's macro in a store's fetches, compared with what Swift says about plain objects of the same values.
@Suite("#Predicate in fetches", .enabled(if: SQLiteShell.isUsable))
struct SwiftPredicateStoreTests {
    /// What classes of the library model would look like.
    private final class Team: NSObject {
        var name: String?
        init(_ name: String?) { self.name = name }
    }

    private final class Tag: NSObject {
        var label = ""
        init(_ label: String) { self.label = label }
    }

    private final class Person: NSObject {
        var name: String?
        var age = 0
        var score = 0.0
        var isActive = false
        var createdAt: Date?
        var team: Team?
        var tags: Set<Tag> = []
    }

    private let context: NSManagedObjectContext
    private let people: [Person]
    private let directory: TemporaryDirectory

    init() throws {
        KeyPathNames.register(\Team.name, name: "name")
        KeyPathNames.register(\Tag.label, name: "label")
        KeyPathNames.register(\Person.name, name: "name")
        KeyPathNames.register(\Person.age, name: "age")
        KeyPathNames.register(\Person.score, name: "score")
        KeyPathNames.register(\Person.isActive, name: "isActive")
        KeyPathNames.register(\Person.createdAt, name: "createdAt")
        KeyPathNames.register(\Person.team, name: "team")
        KeyPathNames.register(\Person.tags, name: "tags")
        directory = try TemporaryDirectory()
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: LibraryModel.make())
        try coordinator.addPersistentStore(
            type: .sqlite, at: directory.url("Library.sqlite"), options: [:])
        context = NSManagedObjectContext(.privateQueue)
        context.persistentStoreCoordinator = coordinator
        let teams = [Team("Red"), Team("Blue"), Team(nil)]
        let tags = ["a", "b", "c", "d"].map(Tag.init)
        people = (0..<24).map { number in
            let person = Person()
            person.name = number % 5 == 0 ? nil : ["Ann", "ben", "Bénédicte", "ann lee"][number % 4]
            person.age = number
            person.score = Double(number % 7) / 2
            person.isActive = number % 3 == 0
            person.createdAt = number % 4 == 0 ? nil : Date(timeIntervalSinceReferenceDate: Double(number) * 100)
            person.team = number % 4 == 3 ? nil : teams[number % 3]
            person.tags = Set(tags.prefix(number % 5))
            return person
        }
        try insert(teams, tags)
    }

    private func insert(_ teams: [Team], _ tags: [Tag]) throws {
        try context.performAndWait {
            func object(_ entity: String) -> NSManagedObject {
                NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
            }
            let teamObjects = teams.map { team in
                let made = object("Team")
                made.setValue(team.name, forKey: "name")
                return made
            }
            let tagObjects = tags.map { tag in
                let made = object("Tag")
                made.setValue(tag.label, forKey: "label")
                return made
            }
            for person in people {
                let made = object("Person")
                made.setValue(person.name, forKey: "name")
                made.setValue(person.age, forKey: "age")
                made.setValue(person.score, forKey: "score")
                made.setValue(person.isActive, forKey: "isActive")
                made.setValue(person.createdAt, forKey: "createdAt")
                made.setValue(
                    person.team.flatMap { team in teams.firstIndex { $0 === team } }.map { teamObjects[$0] },
                    forKey: "team")
                let set = NSSet(array: tags.indices.filter { person.tags.contains(tags[$0]) }.map { tagObjects[$0] })
                made.setValue(set, forKey: "tags")
            }
            try context.save()
            context.reset()
        }
    }

    private func check(_ predicate: Predicate<Person>, _ place: SourceLocation = #_sourceLocation) throws {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
        let converted: NSPredicate = try #require(NSPredicate(predicate), sourceLocation: place)
        request.predicate = converted
        request.sortDescriptors = [NSSortDescriptor(SortDescriptor(\Person.age))]
        let found = try context.performAndWait { try context.fetch(request).map { $0.value(forKey: "age") as? Int } }
        let expected = try people.filter { try predicate.evaluate($0) }.map { Optional($0.age) }
        #expect(found == expected, "\(converted)", sourceLocation: place)
        #expect((1..<people.count).contains(expected.count), sourceLocation: place)
    }

    @Test("comparisons, logic and arithmetic")
    func values() throws {
        try check(#Predicate { $0.age > 3 && !($0.age == 7) || $0.name == "ben" })
        try check(#Predicate { $0.isActive })
        try check(#Predicate { !$0.isActive })
        try check(#Predicate { $0.age % 3 == 1 && $0.age / 2 > 3 })
        try check(#Predicate { $0.score * 2 + 1 > 4.5 })
        try check(#Predicate { -$0.age < -20 })
        try check(#Predicate { (3..<9).contains($0.age) })
        try check(#Predicate { [1, 5, 9, 99].contains($0.age) })
        try check(#Predicate { ($0.isActive ? $0.age : 3) == 3 })
    }

    @Test("texts")
    func texts() throws {
        try check(#Predicate { $0.name?.contains("n") ?? false })
        try check(#Predicate { $0.name?.contains("e") ?? true })
        try check(#Predicate { !($0.name?.starts(with: "A") ?? false) })
        try check(#Predicate { $0.name?.localizedStandardContains("BENE") ?? false })
        let same: ComparisonResult? = .orderedSame
        try check(#Predicate { $0.name?.caseInsensitiveCompare("ANN") == same })
        try check(#Predicate { ($0.name?.count ?? 0) > 3 })
    }

    @Test("optionals and to-one relationships")
    func toOne() throws {
        try check(#Predicate { $0.name == nil })
        try check(#Predicate { $0.team != nil })
        try check(#Predicate { $0.team?.name == "Red" })
        try check(#Predicate { $0.team?.name?.contains("R") ?? true })
        try check(#Predicate { ($0.name ?? "ben") == "ben" })
        let date = Date(timeIntervalSinceReferenceDate: 900)
        try check(#Predicate { $0.createdAt.flatMap { $0 > date } ?? false })
    }

    @Test("to-many relationships")
    func toMany() throws {
        try check(#Predicate { $0.tags.contains { $0.label == "c" } })
        try check(#Predicate { $0.tags.allSatisfy { $0.label < "c" } })
        try check(#Predicate { $0.tags.filter { $0.label > "a" }.count > 1 })
        try check(#Predicate { $0.tags.count == 2 })
        try check(#Predicate { $0.tags.isEmpty })
    }

    @Test("a text is ordered as on Apple's platforms")
    func order() throws {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
        request.predicate = NSPredicate(#Predicate<Person> { $0.name != nil })
        request.sortDescriptors = [NSSortDescriptor(SortDescriptor(\Person.name, order: .reverse))]
        let names = try context.performAndWait {
            try context.fetch(request).map { $0.value(forKey: "name") as? String }
        }
        #expect(names.first == "Bénédicte")
        #expect(names.last == "Ann" || names.last == "ann")
    }
}
