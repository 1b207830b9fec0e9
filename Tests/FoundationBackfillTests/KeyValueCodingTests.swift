import Foundation
import FoundationBackfill
import Testing

@Suite struct KeyValueCodingTests {
    private final class Node: KeyValueCoding {
        let name: String
        let kids: Set<AnyHashable>
        let size: Int?

        init(_ name: String, size: Int?, kids: [Node] = []) {
            self.name = name
            self.size = size
            self.kids = Set(kids.map { AnyHashable(ObjectBox($0)) })
        }

        func value(forKey key: String) -> Any? {
            switch key {
            case "name": name
            case "size": size
            case "kids": NSSet(array: kids.compactMap { ($0.base as? ObjectBox)?.node })
            default: nil
            }
        }
    }

    private struct ObjectBox: Hashable {
        let node: Node
        init(_ node: Node) { self.node = node }
        static func == (a: ObjectBox, b: ObjectBox) -> Bool { a.node === b.node }
        func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(node)) }
    }

    @Test func pathsRunThroughObjectsAndCollections() {
        let root = Node("root", size: nil, kids: [Node("a", size: 1), Node("b", size: 3), Node("c", size: nil)])
        #expect(root.value(forKeyPath: "name") as? String == "root")
        #expect(Set(root.value(forKeyPath: "kids.name") as? [String] ?? []) == ["a", "b", "c"])
        #expect((root.value(forKeyPath: "kids.size") as? [Any])?.count == 2)
        #expect(root.value(forKeyPath: "kids.@count") as? Int == 3)
        #expect(root.value(forKeyPath: "kids.@sum.size") as? Int == 4)
        #expect(root.value(forKeyPath: "kids.size.@max") as? Int == 3)
        #expect(root.value(forKeyPath: "size") == nil)
        #expect(root.value(forKeyPath: "size.more") == nil)
        #expect(NSPredicate(format: "ANY kids.name == 'b'").evaluate(with: root))
    }

    @Test func arraysGiveNullForNilAndSetsLeaveItOut() {
        let rows: [[String: Any]] = [["a": 1], [:]]
        #expect((rows as NSArray).value(forKey: "a") as? [NSObject] == [NSNumber(value: 1), NSNull()])
        let set = NSSet(array: [["a": 1], ["a": 1, "b": 2], ["b": 2]] as [[String: Int]])
        #expect(set.value(forKey: "a") as? NSSet == NSSet(array: [1]))
        #expect(
            NSOrderedSet(array: rows).value(forKeyPath: "a") as? NSOrderedSet == NSOrderedSet(array: [1, NSNull()]))
    }

    @Test func collectionOperators() {
        let list: NSArray = [["n": 1, "t": "a"], ["n": 3, "t": "b"], ["n": 2, "t": "a"]]
        #expect(list.value(forKeyPath: "@count") as? Int == 3)
        #expect(list.value(forKeyPath: "@sum.n") as? Int == 6)
        #expect(list.value(forKeyPath: "@avg.n") as? Double == 2)
        #expect(list.value(forKeyPath: "@min.n") as? Int == 1)
        #expect(list.value(forKeyPath: "@max.n") as? Int == 3)
        #expect(list.value(forKeyPath: "@max.t") as? String == "b")
        #expect(list.value(forKeyPath: "@unionOfObjects.t") as? [String] == ["a", "b", "a"])
        #expect(list.value(forKeyPath: "@distinctUnionOfObjects.t") as? [String] == ["a", "b"])
        #expect(list.value(forKeyPath: "@unknown.t") == nil)
    }

    /// "If key starts with @, strips the @ and invokes super" (Apple's reference of `NSDictionary`, `value(forKey:)`).
    @Test func dictionariesTellOfThemselvesBehindAnAtSign() {
        let record: [String: Any] = ["map": ["x": 1, "y": 2], "count": 9]
        #expect(NSPredicate(format: "map.@count == 2 AND @count == 2 AND count == 9").evaluate(with: record))
        #expect(NSPredicate(format: "ANY map.@allKeys == 'y' AND map.@allKeys.@count == 2").evaluate(with: record))
        #expect(NSPredicate(format: "map.@allValues.@sum.self == 3").evaluate(with: record))
        #expect(NSPredicate(format: "map.allKeys == nil AND map.count == nil").evaluate(with: record))
        #expect((record as NSDictionary).value(forKeyPath: "map.@count") as? Int == 2)
    }

    @Test func dictionariesAreRecords() {
        let record: NSDictionary = ["a": ["b": [1, 2]], "count": 9, "null": NSNull()]
        #expect(record.value(forKeyPath: "a.b.@sum.self") as? Int == 3)
        #expect(record.value(forKeyPath: "a.b.@sum") as? Int == 3)
        #expect(record.value(forKey: "count") as? Int == 9)
        #expect(record.value(forKeyPath: "missing.b") == nil)
        #expect(NSPredicate(format: "null == nil").evaluate(with: record))
    }

    private class Base { let inherited = 1 }
    private final class Plain: Base {
        let text = "x"
        let absent: Int? = nil
        let present: Int? = 4
        let list = [Inner(n: 1), Inner(n: 2)]
    }
    private struct Inner { let n: Int }

    @Test func plainObjectsShowTheirStoredProperties() {
        let predicate = NSPredicate(
            format:
                "text == 'x' AND absent == nil AND present == 4 AND inherited == 1 AND ANY list.n == 2 AND list.@count == 2"
        )
        #expect(predicate.evaluate(with: Plain()))
        #expect(NSPredicate(format: "unknown == nil").evaluate(with: Plain()))
    }

    @Test func valuesHaveTheirFoundationProperties() throws {
        let url = try #require(URL(string: "https://a.example/b.txt"))
        let object: [String: Any] = [
            "t": "abc", "u": url, "n": 2.5, "d": Data([1, 2]), "when": Date(timeIntervalSinceReferenceDate: 3),
        ]
        let predicate = NSPredicate(
            format: """
                t.length == 3 AND t.uppercaseString == 'ABC' AND u.host == 'a.example' AND u.pathExtension == 'txt' AND n.intValue == 2 \
                AND d.length == 2 AND when.timeIntervalSinceReferenceDate == 3
                """)
        #expect(predicate.evaluate(with: object))
    }
}
