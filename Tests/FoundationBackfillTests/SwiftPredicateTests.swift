import Foundation
import FoundationBackfill
import Testing

/// An object as a model's class would be, with its key paths registered by hand.
private class Pupil: NSObject, KeyValueCoding {
    enum Kind: String, Codable { case day, boarder }

    var name: String?
    var title = ""
    var age = 0
    var weight = 0.0
    var born: Date?
    var isActive = false
    var score: Int?
    var kind = Kind.day
    var tags: [String] = []
    var friends: Set<Pupil> = []
    var group: NSSet?
    weak var boss: Pupil?

    func value(forKey key: String) -> Any? {
        switch key {
        case "name": name
        case "title": title
        case "age": age
        case "weight": weight
        case "born": born
        case "isActive": isActive
        case "score": score
        case "kind": kind.rawValue
        case "tags": tags
        case "friends": friends
        case "group": group
        case "boss": boss
        default: nil
        }
    }

    static let registered: Void = {
        KeyPathNames.register(\Pupil.name, name: "name")
        KeyPathNames.register(\Pupil.title, name: "title")
        KeyPathNames.register(\Pupil.age, name: "age")
        KeyPathNames.register(\Pupil.weight, name: "weight")
        KeyPathNames.register(\Pupil.born, name: "born")
        KeyPathNames.register(\Pupil.isActive, name: "isActive")
        KeyPathNames.register(\Pupil.score, name: "score")
        KeyPathNames.register(\Pupil.kind, name: "kind")
        KeyPathNames.register(\Pupil.tags, name: "tags")
        KeyPathNames.register(\Pupil.friends, name: "friends")
        KeyPathNames.register(\Pupil.group, name: "group")
        KeyPathNames.register(\Pupil.boss, name: "boss")
    }()
}

private final class OtherPupil: Pupil {}

/// Predicates of the macro, compared with what Swift itself says about many objects.
struct SwiftPredicateTests {
    private let pupils: [Pupil]

    init() {
        _ = Pupil.registered
        let names = ["Ann", "ben", "Bénédicte", nil, "Ännchen", "ann", ""]
        pupils = (0..<28).map { number in
            let pupil = Pupil()
            pupil.name = names[number % names.count]
            pupil.title = number % 3 == 0 ? "" : "Title \(number % 5)"
            pupil.age = number % 9 - 2
            pupil.weight = Double(number) / 4
            pupil.born = number % 4 == 0 ? nil : Date(timeIntervalSinceReferenceDate: Double(number) * 1000)
            pupil.isActive = number % 2 == 0
            pupil.score = number % 5 == 0 ? nil : number % 5
            pupil.kind = number % 3 == 0 ? .boarder : .day
            pupil.tags = (0..<number % 4).map { "t\($0)" }
            return pupil
        }
        for (number, pupil) in pupils.enumerated() {
            pupil.boss = number % 3 == 0 ? nil : pupils[(number * 5 + 1) % pupils.count]
            pupil.friends = Set((0..<number % 4).map { pupils[(number + $0 * 5) % pupils.count] })
            pupil.group = number % 4 == 1 ? nil : NSSet(set: pupil.friends)
        }
    }

    /// Both must say the same about every object, and not the same about all of them.
    private func check(
        _ predicate: Predicate<Pupil>, _ format: String? = nil, among some: ((Pupil) -> Bool)? = nil,
        _ place: SourceLocation = #_sourceLocation
    ) throws {
        let converted = try #require(NSPredicate(predicate), sourceLocation: place)
        if let format { #expect(converted == NSPredicate(format: format), sourceLocation: place) }
        var holding = 0
        let chosen = pupils.filter { some?($0) ?? true }
        for pupil in chosen {
            let expected = try predicate.evaluate(pupil)
            #expect(converted.evaluate(with: pupil) == expected, "\(converted)", sourceLocation: place)
            if expected { holding += 1 }
        }
        #expect((1..<chosen.count).contains(holding), "\(holding) of \(chosen.count)", sourceLocation: place)
    }

    @Test func whatIsMadePrintsComparesAndCopies() throws {
        _ = Pupil.registered
        let made = try NSPredicate.converting(#Predicate<Pupil> { $0.age > 3 && !$0.isActive })
        #expect("\(made)" == "age > 3 AND NOT isActive == 1")
        #expect(made == NSPredicate(format: "age > 3 AND NOT isActive == YES"))
        #expect(made.copy() as? NSPredicate == made)
    }

    @Test func comparisons() throws {
        try check(#Predicate { $0.age == 3 }, "age == 3")
        try check(#Predicate { $0.age != 3 }, "age != 3")
        try check(#Predicate { $0.age < 3 }, "age < 3")
        try check(#Predicate { $0.age <= 3 }, "age <= 3")
        try check(#Predicate { $0.weight > 2.25 }, "weight > 2.25")
        try check(#Predicate { $0.weight >= 2.25 }, "weight >= 2.25")
        try check(#Predicate { $0.name == "Ann" }, "name == 'Ann'")
        try check(#Predicate { $0.name != "Ann" })
        try check(#Predicate { 3 == $0.age }, "3 == age")
        let date: Date? = Date(timeIntervalSinceReferenceDate: 5000)
        try check(#Predicate { $0.born == date })
        let kind = Pupil.Kind.boarder
        try check(#Predicate { $0.kind == kind }, "kind == 'boarder'")
    }

    @Test func nothingAsAValue() throws {
        try check(#Predicate { $0.name == nil }, "name == nil")
        try check(#Predicate { $0.boss != nil }, "boss != nil")
        let none: String? = nil
        try check(#Predicate { $0.name == none }, "name == nil")
    }

    @Test func logic() throws {
        try check(#Predicate { $0.age > 1 && $0.weight < 5 }, "age > 1 AND weight < 5.0")
        try check(#Predicate { $0.age > 5 || $0.weight < 1 }, "age > 5 OR weight < 1.0")
        try check(#Predicate { !($0.age > 1) }, "NOT age > 1")
        try check(#Predicate { $0.isActive }, "isActive == TRUE")
        try check(#Predicate { !$0.isActive && $0.age > 1 }, "NOT isActive == TRUE AND age > 1")
        try check(#Predicate { $0.isActive == false })
        try check(#Predicate { $0.isActive == ($0.age > 2) })
        try check(#Predicate { ($0.age > 3) != ($0.weight > 2) })
        try check(#Predicate { $0.isActive || false })
    }

    @Test func arithmetic() throws {
        try check(#Predicate { $0.age + 2 == 4 }, "age + 2 == 4")
        try check(#Predicate { $0.age * 2 - 1 > 5 }, "age * 2 - 1 > 5")
        try check(#Predicate { $0.age / 2 == 1 })
        try check(#Predicate { $0.age % 3 == 1 })
        try check(#Predicate { -$0.age > 0 })
        try check(#Predicate { $0.weight / 2 > 1.5 })
        try check(#Predicate { $0.weight + 0.5 < $0.weight * 2 })
    }

    @Test func conditions() throws {
        try check(#Predicate { ($0.isActive ? $0.age : 7) == 7 || $0.weight == 1 })
        try check(#Predicate { $0.isActive ? $0.age > 2 : $0.weight > 3 })
        try check(#Predicate { if $0.isActive { $0.age > 2 } else { $0.weight > 3 } })
    }

    @Test func texts() throws {
        try check(#Predicate { $0.title.contains("4") }, "title CONTAINS '4'")
        try check(#Predicate { $0.title.starts(with: "Title") }, "title BEGINSWITH 'Title'")
        try check(#Predicate { $0.title.isEmpty }, "length:(title) == 0")
        try check(#Predicate { $0.title.count > 3 }, "length:(title) > 3")
        try check(#Predicate { $0.title.localizedStandardContains("TITLE 4") }, "title CONTAINS[cd] 'TITLE 4'")
        let same = ComparisonResult.orderedSame
        try check(#Predicate { $0.title.caseInsensitiveCompare("TITLE 1") == same }, "title ==[c] 'TITLE 1'")
        let less = ComparisonResult.orderedAscending
        try check(#Predicate { $0.title.localizedCompare("Title 2") == less }, "title <[l] 'Title 2'")
        try check(#Predicate { $0.title.localizedCompare("Title 2") != less })
        try check(#Predicate { same == $0.title.caseInsensitiveCompare("TITLE 1") })
    }

    @Test func optionals() throws {
        try check(#Predicate { $0.name?.contains("n") ?? false })
        try check(#Predicate { $0.name?.contains("n") ?? true })
        try check(#Predicate { !($0.name?.contains("n") ?? false) })
        try check(#Predicate { $0.name?.contains("n") == true })
        try check(#Predicate { $0.name?.contains("n") == false })
        try check(#Predicate { $0.name?.contains("n") != true })
        try check(#Predicate { $0.name?.contains("n") == nil })
        try check(#Predicate { $0.boss?.name == "Ann" }, "boss.name == 'Ann'")
        try check(#Predicate { $0.boss?.boss?.age == 3 }, "boss.boss.age == 3")
        try check(#Predicate { $0.boss?.name?.contains("n") ?? true })
        try check(#Predicate { $0.boss?.isActive == true })
        try check(#Predicate { $0.boss?.isActive ?? true })
        try check(#Predicate { $0.boss.flatMap { $0.name } == "Ann" })
        try check(#Predicate { ($0.score ?? 2) == 2 })
        try check(#Predicate { ($0.score ?? $0.age) > 1 })
        try check(#Predicate { $0.score! > 2 }, "score > 2", among: { $0.score != nil })
        try check(#Predicate { if let boss = $0.boss { boss.age > 2 } else { false } })
        try check(#Predicate { ($0.name?.localizedStandardContains("BEN")) ?? false })
        let same: ComparisonResult? = .orderedSame
        try check(#Predicate { $0.name?.caseInsensitiveCompare("ANN") == same })
        let date = Date(timeIntervalSinceReferenceDate: 9000)
        try check(#Predicate { $0.born.flatMap { $0 > date } ?? false })
    }

    @Test func membership() throws {
        try check(#Predicate { [1, 2, 3].contains($0.age) }, "age IN {1, 2, 3}")
        let names: Set<String> = ["Title 1", "Title 2"]
        try check(#Predicate { names.contains($0.title) })
        let chosen: [String?] = ["Ann", nil]
        try check(#Predicate { chosen.contains($0.name) })
        try check(#Predicate { $0.tags.contains("t1") }, "'t1' IN tags")
        try check(#Predicate { $0.friends.contains($0) })
    }

    @Test func ranges() throws {
        try check(#Predicate { (1...3).contains($0.age) }, "age >= 1 AND age <= 3")
        try check(#Predicate { (1..<3).contains($0.age) }, "age >= 1 AND age < 3")
        try check(#Predicate { ($0.age...5).contains(3) }, among: { $0.age <= 5 })
        let (closed, open, from, through, upTo) = (1...3, 0..<2, 3..., ...2, ..<2)
        try check(#Predicate { closed.contains($0.age) }, "age >= 1 AND age <= 3")
        try check(#Predicate { open.contains($0.age) }, "age >= 0 AND age < 2")
        try check(#Predicate { from.contains($0.age) }, "age >= 3")
        try check(#Predicate { through.contains($0.age) }, "age <= 2")
        try check(#Predicate { upTo.contains($0.age) }, "age < 2")
    }

    @Test func collections() throws {
        try check(#Predicate { $0.friends.contains { $0.age > 4 } })
        try check(#Predicate { pupil in pupil.friends.contains { $0.age > pupil.age } })
        try check(#Predicate { $0.friends.allSatisfy { $0.age > 2 } })
        try check(#Predicate { $0.friends.filter { $0.age > 0 }.count > 1 })
        try check(#Predicate { $0.friends.filter { $0.isActive }.isEmpty })
        try check(#Predicate { $0.friends.isEmpty }, "friends.@count == 0")
        try check(#Predicate { $0.friends.count == 2 }, "friends.@count == 2")
        try check(#Predicate { $0.tags.count > 1 }, "tags.@count > 1")
        try check(#Predicate { ($0.group?.count ?? 0) > 1 })
        try check(#Predicate { $0.friends.contains { $0.friends.contains { $0.age == 1 } } })
        try check(
            #Predicate { pupil in
                pupil.friends.contains { friend in
                    friend.friends.contains { $0.age > friend.age && $0.weight > pupil.weight }
                }
            })
        try check(#Predicate { $0.boss?.friends.contains { $0.age > 2 } ?? false })
        try check(#Predicate { $0.tags.max() == "t1" })
        try check(#Predicate { $0.tags.min() == nil })
        try check(#Predicate { $0.tags[0] == "t0" && $0.isActive }, among: { !$0.tags.isEmpty })
    }

    private func reason(_ predicate: Predicate<Pupil>) -> String {
        #expect(NSPredicate(predicate) == nil)
        do {
            return "\(try NSPredicate.converting(predicate))"
        } catch {
            return "\(error)"
        }
    }

    @Test func whatNoFormatCanSayIsNilWithAReason() {
        #expect(reason(#Predicate { ($0 as? OtherPupil) != nil }).contains("the cast 'as? OtherPupil'"))
        #expect(reason(#Predicate { $0 is OtherPupil }).contains("'is OtherPupil'"))
        let regex = /An+/
        #expect(reason(#Predicate { $0.title.contains(regex) }).contains("StringContainsRegex"))
        #expect(reason(#Predicate { $0.tags.starts(with: ["t0"]) }).contains("texts"))
    }
}

struct SortDescriptorBridgeTests {
    init() { _ = Pupil.registered }

    @Test func theKeyAndTheDirectionAreThoseOfFoundationsDescriptor() {
        let age = NSSortDescriptor(SortDescriptor(\Pupil.age, order: .reverse))
        #expect(age == NSSortDescriptor(key: "age", ascending: false))
        #expect(NSSortDescriptor(SortDescriptor(\Pupil.born)) == NSSortDescriptor(key: "born", ascending: true))
    }

    @Test func textsAreOrderedAsOnApplesPlatforms() {
        let standard = NSSortDescriptor(key: "name", ascending: true, selector: "localizedStandardCompare:")
        #expect(NSSortDescriptor(SortDescriptor(\Pupil.name)) == standard)
        #expect(
            NSSortDescriptor(SortDescriptor(\Pupil.title, order: .reverse))
                == NSSortDescriptor(key: "title", ascending: false, selector: "localizedStandardCompare:"))
        #expect(
            NSSortDescriptor(SortDescriptor(\Pupil.title, comparator: .lexical))
                == NSSortDescriptor(key: "title", ascending: true))
    }
}
