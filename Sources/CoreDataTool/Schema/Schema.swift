import CoreData
import Foundation

/// A model in plain values, ready to be shown.
struct Schema {
    struct Attribute {
        let name: String
        let type: String
        let isOptional: Bool
        let defaultValue: Any?
        /// `transient`, `external storage`, `transformer …`, `derived: …`.
        let notes: [String]
        let column: String?
    }

    struct Relationship {
        let name: String
        let destination: String
        let isToMany: Bool
        let isOrdered: Bool
        let isOptional: Bool
        let minimum: Int
        /// 0: no limit.
        let maximum: Int
        let inverse: String?
        let deleteRule: String
        let isTransient: Bool
        /// The column with the destination's key, for a to-one.
        let column: String?
        /// Where the members' keys are, for a to-many.
        let place: StoreNames.Place?
    }

    struct Index {
        let name: String
        let elements: [String]
    }

    struct Entity {
        let name: String
        let parent: String?
        let className: String?
        let isAbstract: Bool
        let number: Int?
        let table: String?
        let hash: Data
        let attributes: [Attribute]
        let relationships: [Relationship]
        let fetchedProperties: [String]
        let uniquenessConstraints: [[String]]
        let indexes: [Index]
    }

    let path: String
    let isStore: Bool
    let versionIdentifiers: [String]
    let checksum: String
    let entities: [Entity]

    /// - Parameter only: the names of the entities wanted; nil: all.
    init(_ source: SchemaSource, only: Set<String>?) {
        path = source.path
        isStore = source.store != nil
        versionIdentifiers = source.model.versionIdentifiers.map { $0 as? String ?? "\($0)" }.sorted()
        checksum = source.model.versionChecksum
        let names = Dictionary((source.store?.names?.entities ?? []).map { ($0.name, $0) }) { first, _ in first }
        entities = source.model.entities
            .filter { only?.contains($0.name ?? "") ?? true }
            .sorted { ($0.name ?? "") < ($1.name ?? "") }
            .map { Entity($0, names[$0.name ?? ""]) }
    }
}

extension Schema.Entity {
    init(_ entity: NSEntityDescription, _ names: StoreNames.Entity?) {
        name = entity.name ?? ""
        parent = entity.superentity?.name
        className = entity.managedObjectClassName
        isAbstract = entity.isAbstract
        number = names.map { Int($0.number) }
        table = names?.table
        hash = entity.versionHash
        let own = entity.ownProperties.sorted { $0.name < $1.name }
        attributes = own.compactMap { $0 as? NSAttributeDescription }.flatMap {
            Schema.Attribute.all($0, path: $0.name, names)
        }
        relationships = own.compactMap { $0 as? NSRelationshipDescription }.map { Schema.Relationship($0, names) }
        fetchedProperties = own.filter { $0 is NSFetchedPropertyDescription }.map(\.name)
        uniquenessConstraints = entity.uniquenessConstraints.map { $0.map { "\($0)" } }
        indexes = entity.indexes.map { index in
            Schema.Index(
                name: index.name,
                elements: index.elements.map { element in
                    let name = element.propertyName ?? element.property?.name ?? "expression"
                    let kind = element.collationType == .rTree ? " spatial" : ""
                    return name + kind + (element.isAscending ? "" : " descending")
                })
        }
    }
}

extension Schema.Attribute {
    /// The attribute, and behind a composite its elements.
    static func all(
        _ attribute: NSAttributeDescription, path: String, _ names: StoreNames.Entity?
    ) -> [Schema.Attribute] {
        let own = Schema.Attribute(attribute, path: path, names)
        guard let composite = attribute as? NSCompositeAttributeDescription else { return [own] }
        return [own] + composite.elements.flatMap { all($0, path: path + "." + $0.name, names) }
    }

    private init(_ attribute: NSAttributeDescription, path: String, _ names: StoreNames.Entity?) {
        name = path
        type = attribute.attributeType.title
        isOptional = attribute.isOptional
        defaultValue = attribute.defaultValue
        column = names?.columns[path]
        var notes: [String] = []
        if attribute.isTransient { notes.append("transient") }
        if attribute.allowsExternalBinaryDataStorage { notes.append("external storage") }
        if attribute.preservesValueInHistoryOnDeletion { notes.append("kept in history") }
        if attribute.attributeType == .transformableAttributeType, let name = attribute.valueTransformerName {
            notes.append("transformer \(name)")
        }
        if let derived = attribute as? NSDerivedAttributeDescription {
            notes.append("derived" + (derived.derivationExpression.map { ": \($0)" } ?? ""))
        }
        self.notes = notes
    }
}

extension Schema.Relationship {
    init(_ relationship: NSRelationshipDescription, _ names: StoreNames.Entity?) {
        name = relationship.name
        destination = relationship.destinationEntity?.name ?? "?"
        isToMany = relationship.isToMany
        isOrdered = relationship.isOrdered
        isOptional = relationship.isOptional
        minimum = relationship.minCount
        maximum = relationship.maxCount
        inverse = relationship.inverseRelationship?.name
        deleteRule =
            switch relationship.deleteRule {
            case .noActionDeleteRule: "no action"
            case .nullifyDeleteRule: "nullify"
            case .cascadeDeleteRule: "cascade"
            case .denyDeleteRule: "deny"
            }
        isTransient = relationship.isTransient
        column = names?.columns[relationship.name]
        place = names?.toMany[relationship.name]
    }
}

extension NSAttributeType {
    /// As Xcode names it.
    var title: String {
        switch self {
        case .undefinedAttributeType: "Undefined"
        case .integer16AttributeType: "Integer 16"
        case .integer32AttributeType: "Integer 32"
        case .integer64AttributeType: "Integer 64"
        case .decimalAttributeType: "Decimal"
        case .doubleAttributeType: "Double"
        case .floatAttributeType: "Float"
        case .stringAttributeType: "String"
        case .booleanAttributeType: "Boolean"
        case .dateAttributeType: "Date"
        case .binaryDataAttributeType: "Binary Data"
        case .UUIDAttributeType: "UUID"
        case .URIAttributeType: "URI"
        case .transformableAttributeType: "Transformable"
        case .objectIDAttributeType: "Object ID"
        case .compositeAttributeType: "Composite"
        }
    }
}
