import CoreData
import Foundation
import TestSupport
import Testing

/// Members of many-to-many relationships that come and go before anybody has loaded the relationship.
@Suite struct UnloadedPairTests {
    private let stack: OfficeStack
    private let person: NSManagedObjectID
    private let tag: NSManagedObjectID

    init() throws {
        stack = try OfficeStack(.file)
        let context = stack.makeContext()
        let objects = [context.person("a"), context.insert("Tag", ["text": "x"])]
        try context.save()
        (person, tag) = (objects[0].objectID, objects[1].objectID)
    }

    /// Adds or removes the pair at either end in a context that knows nothing of it, saves, and counts the stored pairs.
    private func pairs(after steps: (end: String, isAdded: Bool)...) throws -> String {
        let context = stack.makeContext()
        let ends = ["tags": (person, tag), "persons": (tag, person)]
        for (name, isAdded) in steps {
            let (owner, member) = try #require(ends[name])
            let members = context.object(with: owner).mutableSetValue(forKey: name)
            if isAdded {
                members.add(context.object(with: member))
            } else {
                members.remove(context.object(with: member))
            }
        }
        try context.save()
        let table = try sqlite3(
            stack.path, "SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE 'Z\\_%TAGS' ESCAPE '\\'")
        return try sqlite3(stack.path, "SELECT count(*) FROM \(table)")
    }

    @Test(arguments: ["tags", "persons"], ["tags", "persons"])
    func aStoredPairThatIsAddedAgainCanBeRemoved(_ first: String, _ second: String) throws {
        #expect(try pairs(after: (first, true)) == "1")
        #expect(try pairs(after: (first, true)) == "1")
        #expect(try pairs(after: (first, true), (second, false)) == "0")
    }

    @Test(arguments: ["tags", "persons"], ["tags", "persons"])
    func aPairCanBeAddedAndRemovedAnyNumberOfTimes(_ first: String, _ second: String) throws {
        #expect(try pairs(after: (first, true), (second, false), (first, true)) == "1")
        #expect(try pairs(after: (first, false), (second, true), (first, false)) == "0")
        #expect(try pairs(after: (first, false), (second, true), (first, false), (second, true)) == "1")
    }
}
