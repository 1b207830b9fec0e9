import CoreData
import Foundation

/// The records of a store as plain values.
struct PlainWorld {
    struct Record {
        let number: Int
        let entity: String
        var values: [String: PlainValue] = [:]
        var toOne: [String: Int] = [:]
        /// Thing's labels.
        var labels: [Int] = []
    }

    var records: [Int: Record] = [:]

    /// By entity: names and kinds of attributes.
    static let attributes: [String: [(name: String, kind: Kind)]] = [
        "Thing": [
            ("small", .small), ("middle", .middle), ("big", .big), ("flag", .flag), ("real", .real), ("calm", .calm),
            ("half", .half), ("cost", .cost), ("text", .text), ("day", .day), ("code", .code), ("link", .link),
            ("bytes", .bytes),
        ],
        "Owner": [("title", .text), ("level", .small), ("rate", .calm), ("budget", .cost), ("since", .day)],
        "Label": [("word", .text), ("weight", .calm), ("mark", .code), ("rank", .middle)],
    ]

    /// What kind of value an attribute has; also the row of the printed table.
    enum Kind: String, CaseIterable {
        case small = "integer 16"
        case middle = "integer 32"
        case big = "integer 64"
        case flag = "boolean"
        case real = "double"
        /// Quarters of small numbers, whose sums are the same in any order.
        case calm = "double (exact)"
        case half = "float"
        case cost = "decimal"
        case text = "string"
        case day = "date"
        case code = "UUID"
        case link = "URI"
        case bytes = "binary"
        case record = "record"
        case computed = "computed"

        var type: NSAttributeType {
            switch self {
            case .small: .integer16AttributeType
            case .middle: .integer32AttributeType
            case .big: .integer64AttributeType
            case .flag: .booleanAttributeType
            case .real, .calm: .doubleAttributeType
            case .half: .floatAttributeType
            case .cost: .decimalAttributeType
            case .text: .stringAttributeType
            case .day: .dateAttributeType
            case .code: .UUIDAttributeType
            case .link: .URIAttributeType
            case .bytes: .binaryDataAttributeType
            case .record, .computed: .undefinedAttributeType
            }
        }
    }

    static func toOnes(_ entity: String) -> [(name: String, destination: String)] {
        entity == "Thing" ? [("owner", "Owner"), ("parent", "Thing")] : []
    }

    static func toManys(_ entity: String) -> [(name: String, destination: String)] {
        switch entity {
        case "Thing": [("children", "Thing"), ("labels", "Label")]
        default: [("things", "Thing")]
        }
    }

    static func model() -> NSManagedObjectModel {
        var entities: [String: NSEntityDescription] = [:]
        for (name, attributes) in Self.attributes {
            entities[name] = Office.entity(
                name, attributes.map { Office.attribute($0.name, $0.kind.type) } + [number()])
        }
        guard let thing = entities["Thing"], let owner = entities["Owner"], let label = entities["Label"] else {
            preconditionFailure()
        }
        let special = Office.entity("Special", [Office.attribute("grade", .integer32AttributeType)])
        thing.subentities = [special]
        LibraryModel.join(thing, "owner", to: owner, "things", .oneToMany)
        LibraryModel.join(thing, "parent", to: thing, "children", .oneToMany)
        LibraryModel.join(thing, "labels", to: label, "things", .manyToMany)
        let model = NSManagedObjectModel()
        model.entities = [thing, special, owner, label]
        return model
    }

    private static func number() -> NSAttributeDescription { Office.attribute("number", .integer64AttributeType) }

    /// `Special` is a kind of `Thing`.
    func numbers(of entity: String) -> [Int] {
        records.values.filter { $0.entity == entity || (entity == "Thing" && $0.entity == "Special") }
            .map(\.number).sorted()
    }

    static func plainEntity(_ entity: String) -> String { entity == "Special" ? "Thing" : entity }

    /// The value of one key of a record.
    func value(_ number: Int, _ key: String) -> PlainValue {
        guard let record = records[number] else { return .none }
        switch key {
        case "SELF", "objectID": return .record(number)
        case "owner", "parent": return record.toOne[key].map(PlainValue.record) ?? .none
        case "children": return .many(numbers { $0.toOne["parent"] == number })
        case "labels": return .many(record.labels.map(PlainValue.record))
        case "things" where record.entity == "Owner": return .many(numbers { $0.toOne["owner"] == number })
        case "things": return .many(numbers { $0.labels.contains(number) })
        case "number": return .whole(Int64(number))
        default: return record.values[key] ?? .none
        }
    }

    private func numbers(_ isMeant: (Record) -> Bool) -> [PlainValue] {
        records.values.filter(isMeant).map(\.number).sorted().map(PlainValue.record)
    }
}
