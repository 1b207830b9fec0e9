import CoreData

/// A graph of plain values: what a walk's contexts and store are held against.
///
/// Owner 1—n Item (ordered), Item 1—1 Item (`mate`) and n—m Item (`friends`) with themselves, Item n—m Label, Item 1—n Part
/// (cascade); Special is a subentity of Item.
struct PlainGraph {
    struct Record {
        let entity: String
        var value = 0
        var related: [String: [Int]] = [:]
    }

    private(set) var records: [Int: Record] = [:]

    static let entities = ["Item", "Special", "Owner", "Label", "Part"]
    static let toOne: Set<String> = ["owner", "mate", "item"]
    static let inverse = [
        "owner": "items", "items": "owner", "mate": "mate", "friends": "friends", "labels": "marked",
        "marked": "labels",
        "item": "parts", "parts": "item",
    ]

    static func relationships(_ entity: String) -> [String] {
        switch entity {
        case "Owner": ["items"]
        case "Label": ["marked"]
        case "Part": ["item"]
        default: ["owner", "mate", "friends", "labels", "parts"]
        }
    }

    static func destinations(_ relationship: String) -> [String] {
        switch relationship {
        case "owner": ["Owner"]
        case "labels": ["Label"]
        case "parts": ["Part"]
        default: ["Item", "Special"]
        }
    }

    static func model() -> NSManagedObjectModel {
        func entity(_ name: String) -> NSEntityDescription {
            Office.entity(name, [Office.attribute("value", .integer32AttributeType, default: 0)])
        }
        let (item, owner, label, part) = (entity("Item"), entity("Owner"), entity("Label"), entity("Part"))
        let special = Office.entity("Special", [])
        func add(
            _ name: String, _ entity: NSEntityDescription, _ destination: NSEntityDescription
        ) -> NSRelationshipDescription {
            let relationship = NSRelationshipDescription()
            relationship.name = name
            relationship.destinationEntity = destination
            relationship.maxCount = toOne.contains(name) ? 1 : 0
            relationship.isOrdered = name == "items"
            relationship.deleteRule = name == "parts" ? .cascadeDeleteRule : .nullifyDeleteRule
            relationship.isOptional = true
            entity.properties.append(relationship)
            return relationship
        }
        func join(_ left: NSRelationshipDescription, _ right: NSRelationshipDescription) {
            left.inverseRelationship = right
            right.inverseRelationship = left
        }
        join(add("owner", item, owner), add("items", owner, item))
        join(add("labels", item, label), add("marked", label, item))
        join(add("parts", item, part), add("item", part, item))
        for name in ["mate", "friends"] {
            let relationship = add(name, item, item)
            join(relationship, relationship)
        }
        item.subentities = [special]
        let model = NSManagedObjectModel()
        model.entities = [item, special, owner, label, part]
        return model
    }

    // MARK: Operations

    func related(_ id: Int, _ name: String) -> [Int] { records[id]?.related[name] ?? [] }

    mutating func insert(_ id: Int, _ entity: String) { records[id] = Record(entity: entity) }

    mutating func set(_ id: Int, _ value: Int) { records[id]?.value = value }

    /// New members stand at the end; who can have one partner only gives up the former one.
    mutating func link(_ left: Int, _ name: String, _ right: Int) {
        guard !related(left, name).contains(right), let back = Self.inverse[name] else { return }
        if Self.toOne.contains(name) { for old in related(left, name) { unlink(left, name, old) } }
        if Self.toOne.contains(back) { for old in related(right, back) { unlink(right, back, old) } }
        records[left]?.related[name, default: []].append(right)
        if left != right || name != back { records[right]?.related[back, default: []].append(left) }
    }

    mutating func unlink(_ left: Int, _ name: String, _ right: Int) {
        guard let back = Self.inverse[name] else { return }
        records[left]?.related[name]?.removeAll { $0 == right }
        records[right]?.related[back]?.removeAll { $0 == left }
    }

    mutating func setMembers(_ id: Int, _ name: String, _ members: [Int]) {
        for old in related(id, name) where !members.contains(old) { unlink(id, name, old) }
        for member in members { link(id, name, member) }
        records[id]?.related[name] = members
    }

    mutating func move(_ id: Int, _ name: String, from: Int, to: Int) {
        guard let member = records[id]?.related[name]?.remove(at: from) else { return }
        records[id]?.related[name]?.insert(member, at: to)
    }

    mutating func exchange(_ id: Int, _ name: String, _ left: Int, _ right: Int) {
        records[id]?.related[name]?.swapAt(left, right)
    }

    mutating func delete(_ id: Int) {
        guard let record = records[id] else { return }
        let parts = related(id, "parts")
        for name in Self.relationships(record.entity) {
            for other in related(id, name) { unlink(id, name, other) }
        }
        records[id] = nil
        for part in parts { delete(part) }
    }
}

/// A generator of the same numbers for the same seed (SplitMix64).
struct Dice: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    mutating func one(in count: Int) -> Bool { Int.random(in: 0..<count, using: &self) == 0 }
}
