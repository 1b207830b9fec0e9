import Foundation
import FoundationBackfill
import Testing

@Suite struct SortDescriptorTests {
    private let people: [[String: Any]] = [
        ["name": "b", "age": 2], ["name": "A", "age": 2], ["name": "a", "age": 1], ["age": 3], ["name": "file10"],
        ["name": "file9"],
    ]

    private func names(_ descriptors: NSSortDescriptor...) -> [String] {
        (people as NSArray).sortedArray(using: descriptors).map { ($0 as? [String: Any])?["name"] as? String ?? "-" }
    }

    @Test func nilComesFirstWhenAscending() {
        #expect(names(NSSortDescriptor(key: "name", ascending: true)) == ["-", "A", "a", "b", "file10", "file9"])
        #expect(names(NSSortDescriptor(key: "name", ascending: false)) == ["file9", "file10", "b", "a", "A", "-"])
    }

    @Test func laterDescriptorsDecideTies() {
        let sorted = names(
            NSSortDescriptor(key: "age", ascending: false), NSSortDescriptor(key: "name", ascending: true))
        #expect(sorted == ["-", "A", "b", "a", "file10", "file9"])
    }

    @Test func selectorsChooseTheComparison() {
        let standard = NSSortDescriptor(key: "name", ascending: true, selector: "localizedStandardCompare:")
        #expect(names(standard).suffix(2) == ["file9", "file10"])
        #expect(standard.selector == Selector("localizedStandardCompare:"))
        let caseless = NSSortDescriptor(key: "name", ascending: true, selector: Selector("caseInsensitiveCompare:"))
        // Stable: A stands before a in the list.
        #expect(names(caseless).prefix(4) == ["-", "A", "a", "b"])
        #expect(NSStringFromSelector(NSSelectorFromString("compare:")) == "compare:")
    }

    @Test func comparatorsAndObjectsThemselves() {
        let byLength = NSSortDescriptor(key: "SELF", ascending: true) { a, b in
            ((a as? String)?.count ?? 0) < ((b as? String)?.count ?? 0) ? .orderedAscending : .orderedDescending
        }
        #expect((["ccc", "a", "bb"] as NSArray).sortedArray(using: [byLength]) as? [String] == ["a", "bb", "ccc"])
        #expect(byLength.selector == nil)
        let itself = NSSortDescriptor(key: nil, ascending: false)
        #expect(([1, 3, 2] as NSArray).sortedArray(using: [itself]) as? [Int] == [3, 2, 1])
        #expect(itself.key == nil)
    }

    @Test func propertiesReversalAndEquality() throws {
        let descriptor = NSSortDescriptor(key: "a.b", ascending: true)
        #expect(descriptor.key == "a.b" && descriptor.ascending && descriptor.selector == "compare:")
        let reversed = try #require(descriptor.reversedSortDescriptor as? NSSortDescriptor)
        #expect(!reversed.ascending && reversed.key == "a.b")
        #expect(descriptor == NSSortDescriptor(key: "a.b", ascending: true))
        #expect(descriptor != reversed)
        #expect(descriptor.copy() as? NSSortDescriptor == descriptor)
        descriptor.allowEvaluation()
        #expect(descriptor.compare(["a": ["b": 1]], to: ["a": ["b": 2]]) == .orderedAscending)
        #expect(reversed.compare(["a": ["b": 1]], to: ["a": ["b": 2]]) == .orderedDescending)
    }

    private struct Person {
        let name: String
        let size: Int
    }

    @Test func keyPathDescriptorsKeepFoundationsBehaviour() {
        let descriptor = NSSortDescriptor(keyPath: \Person.size, ascending: true)
        #expect(descriptor.key == nil)
        #expect(descriptor.compare(Person(name: "a", size: 1), to: Person(name: "b", size: 2)) == .orderedAscending)
        KeyPathNames.register(\Person.name, name: "name")
        #expect(NSSortDescriptor(keyPath: \Person.name, ascending: true).key == "name")
        #expect(NSSortDescriptor(keyPath: \Person.name, ascending: true).selector == "compare:")
    }

    @Test func optionalsSortByTheirNames() {
        KeyPathNames.register(\Pupil.mark, name: "mark")
        let descriptor = NSSortDescriptor(keyPath: \Pupil.mark, ascending: true)
        #expect(descriptor.key == "mark" && descriptor.ascending)
    }

    @Test func namesAreAskedForWhenTheyAreNeeded() {
        KeyPathNames.register(Pupil.self) {
            $0.add(\Pupil.name, "name")
            $0.add(\Pupil.seat, "seat")
        }
        #expect(KeyPathNames.name(of: \Pupil.seat) == "seat" && KeyPathNames.name(of: \Pupil.name) == "name")
        #expect(KeyPathNames.name(of: \Pupil.self) == nil)
    }

    @Test func aModuleThatLeftNoNoteIsFoundByTheNameOfItsClass() {
        #expect(KeyPathNames.name(of: \Late.value) == "value")
    }

    private struct Late {
        let value: Int
    }

    private final class Pupil: NSObject {
        let name = ""
        let mark: Int? = nil
        let seat: Bool? = nil
    }

    static func registerLate() {
        KeyPathNames.register(Late.self) { $0.add(\Late.value, "value") }
    }

    @Test func foundationsOtherCollectionsSort() {
        let descriptor = NSSortDescriptor(key: "self", ascending: false)
        #expect(NSSet(array: [1, 3, 2]).sortedArray(using: [descriptor]) as? [Int] == [3, 2, 1])
        #expect(NSOrderedSet(array: [1, 3, 2]).sortedArray(using: [descriptor]) as? [Int] == [3, 2, 1])
        let mutable = NSMutableArray(array: [1, 3, 2])
        mutable.sort(using: [descriptor])
        #expect(mutable as? [Int] == [3, 2, 1])
    }

    @Test func swiftObjectsSortByStoredProperties() {
        let people = [Person(name: "b", size: 1), Person(name: "a", size: 2)]
        let sorted = people.sorted {
            NSSortDescriptor(key: "name", ascending: true).compare($0, to: $1) == .orderedAscending
        }
        #expect(sorted.map(\.name) == ["a", "b"])
    }
}

/// As generated code has one a module, but without the note that it leaves when the program is loaded.
final class _ManagedClasses: _ManagedModule {
    override class func register() { SortDescriptorTests.registerLate() }
}
