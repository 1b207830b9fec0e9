// A file of a client that imports Foundation before CoreData: every name must mean one thing.
import Foundation
import CoreData

import Testing

/// Requests, predicates and sort descriptors as properties, parameters, arrays, optionals, casts and in extensions.
struct Listing {
    var predicate: NSPredicate?
    var order: [NSSortDescriptor] = [NSSortDescriptor(key: "name", ascending: true)]
    let request: NSFetchRequest<NSManagedObject>

    init(entity: String, matching predicate: NSPredicate?) {
        request = NSFetchRequest<NSManagedObject>(entityName: entity)
        self.predicate = predicate
        request.predicate = predicate
        request.sortDescriptors = order
    }

    func narrowed(by other: NSPredicate) -> NSPredicate {
        NSCompoundPredicate(andPredicateWithSubpredicates: [predicate, other].compactMap { $0 })
    }
}

extension NSPredicate {
    static func named(_ name: String) -> NSPredicate { NSPredicate(format: "%K == %@", "name", name) }
}

extension NSFetchRequest where ResultType == NSManagedObject {
    func limited(to count: Int) -> Self {
        fetchLimit = count
        return self
    }
}

struct FoundationFirstTests {
    @Test("a predicate made by an extension narrows a listing")
    func narrowing() throws {
        let listing = Listing(entity: "Person", matching: .named("Ann"))
        let both = listing.narrowed(by: NSPredicate(format: "age > %d", 30))
        let compound = try #require(both as? NSCompoundPredicate)
        let parts: [Any] = compound.subpredicates
        #expect(parts.count == 2)
        #expect((parts.first as? NSPredicate)?.evaluate(with: ["name": "Ann"] as NSDictionary) == true)
        #expect(both.evaluate(with: ["name": "Ann", "age": 31] as NSDictionary))
        #expect(!both.evaluate(with: ["name": "Ann", "age": 30] as NSDictionary))
    }

    @Test("an array of dictionaries is sorted by descriptors made by key")
    func sorting() {
        let rows: [NSDictionary] = [["name": "b", "age": 1], ["name": "a", "age": 2], ["name": "b", "age": 0]]
        let order = [NSSortDescriptor(key: "name", ascending: false), NSSortDescriptor(key: "age", ascending: true)]
        let sorted = (rows as NSArray).sortedArray(using: order)
        #expect(sorted.compactMap { ($0 as? NSDictionary)?["age"] as? Int } == [0, 1, 2])
    }
}
