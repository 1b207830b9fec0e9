import FoundationBackfill
import Testing

@Suite struct KeyValueWritingTests {
    private final class Node: KeyValueCoding {
        var size = 0
        var next: Node?
        var members: [Node] = []

        func value(forKey key: String) -> Any? {
            switch key {
            case "size": size
            case "next": next
            case "members": NSArray(array: members)
            default: nil
            }
        }

        func setValue(_ value: Any?, forKey key: String) {
            if key == "size" { size = value as? Int ?? 0 }
        }
    }

    @Test func pathsRunThroughObjectsAndDictionaries() {
        let (first, second) = (Node(), Node())
        first.next = second
        first.setValue(3, forKeyPath: "next.size")
        #expect(second.size == 3 && first.size == 0)
        first.setValue(4, forKeyPath: "size")
        #expect(first.size == 4)
        let record = NSMutableDictionary(dictionary: ["node": first, "inner": NSMutableDictionary()])
        record.setValue(5, forKeyPath: "node.next.size")
        record.setValue("x", forKeyPath: "inner.name")
        #expect(second.size == 5)
        #expect(record.value(forKeyPath: "inner.name") as? String == "x")
    }

    @Test func aPathThroughNilDoesNothing() {
        let node = Node()
        node.setValue(3, forKeyPath: "next.size")
        node.setValue(3, forKeyPath: "next.next.size")
        #expect(node.size == 0)
    }

    @Test func collectionsPassAValueOn() {
        let nodes = [Node(), Node()]
        NSArray(array: nodes).setValue(1, forKey: "size")
        #expect(nodes.map(\.size) == [1, 1])
        let owner = Node()
        owner.members = nodes
        owner.setValue(2, forKeyPath: "members.size")
        #expect(nodes.map(\.size) == [2, 2])
        NSOrderedSet(array: [owner]).setValue(3, forKeyPath: "members.size")
        #expect(nodes.map(\.size) == [3, 3])
    }

    @Test func severalKeysAreReadAndWrittenAtOnce() {
        let node = Node()
        node.setValuesForKeys(["size": 4, "other": NSNull()])
        let values = node.dictionaryWithValues(forKeys: ["size", "next"])
        #expect(values.count == 2 && values["size"] as? Int == 4 && values["next"] is NSNull)
        node.setValuesForKeys(["size": NSNull()])
        #expect(node.size == 0)
    }

    @Test func nilRemovesFromADictionary() {
        let record = NSMutableDictionary(dictionary: ["a": 1])
        record.setValue(nil, forKey: "a")
        #expect(record.count == 0)
    }
}
