import CoreData
import Foundation

/// Where the values of a model's properties stand in a store, by the rules of the file format: worked out here anew, so that
/// what our engine reads and writes can be compared with the file without asking the engine.
struct ExpectedColumns {
    /// What a column holds of a property.
    private enum Part: Hashable { case value, entity, order }

    private struct Place: Hashable {
        let entity: String
        let path: String
        let part: Part
    }

    /// A to-many as rows of a table: the column of the owner, that of the member, that of the order.
    struct Members {
        let table: String
        let owner: String
        let member: String
        let order: String?
        /// A table of pairs of a relationship that is its own inverse.
        var isReflexive = false
    }

    /// `Z_ENT` by name.
    let numbers: [String: Int64]
    let names: [Int64: String]
    private var columns: [Place: String] = [:]
    private var joins: [Place: Members] = [:]
    /// The columns of each root entity's table, without the three that all have.
    private(set) var columnsOfTable: [String: [String]] = [:]

    init(_ model: NSManagedObjectModel, _ database: RawDatabase) throws {
        var numbers: [String: Int64] = [:]
        for row in try database.rows("SELECT Z_NAME, Z_ENT FROM Z_PRIMARYKEY WHERE Z_ENT < 16000") {
            if let name = row[0].text, let number = row[1].integer { numbers[name] = number }
        }
        self.numbers = numbers
        names = Dictionary(uniqueKeysWithValues: numbers.map { ($0.value, $0.key) })
        let entities = model.entities.sorted { numbers[$0.title, default: 0] < numbers[$1.title, default: 0] }
        for root in entities where root.superentity == nil { addColumns(of: root, among: entities) }
        for entity in entities { try addJoins(of: entity, database) }
    }

    static func table(of entity: NSEntityDescription) -> String { "Z" + entity.root.title.uppercased() }

    /// The column of an attribute, an element of a composite, or the key of a to-one.
    func value(_ entity: NSEntityDescription, _ path: String) -> String? { find(entity, path, .value) }

    /// The column with the entity number of a to-one's object.
    func entity(_ entity: NSEntityDescription, _ name: String) -> String? { find(entity, name, .entity) }

    func members(_ entity: NSEntityDescription, _ relationship: NSRelationshipDescription) -> Members? {
        guard let destination = relationship.destinationEntity else { return nil }
        guard let inverse = relationship.inverseRelationship else {
            guard let key = find(entity, relationship.name, .value) else { return nil }
            return Members(
                table: Self.table(of: destination), owner: key, member: "Z_PK",
                order: find(entity, relationship.name, .order))
        }
        if inverse.isToMany {
            return entity.lineage.lazy.compactMap {
                joins[Place(entity: $0.title, path: relationship.name, part: .value)]
            }
            .first
        }
        guard let key = find(destination, inverse.name, .value) else { return nil }
        return Members(
            table: Self.table(of: destination), owner: key, member: "Z_PK",
            order: relationship.isOrdered ? find(destination, inverse.name, .order) : nil)
    }

    private func find(_ entity: NSEntityDescription, _ path: String, _ part: Part) -> String? {
        entity.lineage.lazy.compactMap { columns[Place(entity: $0.title, path: path, part: part)] }.first
    }

    /// What the bits of a history row's `ZCOLUMNS` stand for, from the first on: the columns, and the names of to-many relationships.
    func historyBits(of entity: NSEntityDescription) -> [(property: String, column: String?)] {
        let relationships = entity.storedRelationships.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
        let toOne = relationships.filter { !$0.isToMany }.map(\.name)
        let attributes = entity.allStoredAttributes.map(\.path).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        let keys = [Part.value, .entity, .order].flatMap { part in
            toOne.compactMap { name in find(entity, name, part).map { (name, $0) } }
        }
        return keys + attributes.map { ($0, value(entity, $0)) }
            + relationships.filter(\.isToMany).map { ($0.name, nil) }
    }

    // MARK: Columns of a table

    private mutating func addColumns(of root: NSEntityDescription, among entities: [NSEntityDescription]) {
        let family = entities.filter { $0.root === root }
        var used: [String] = []
        func add(_ base: String, _ place: Place) {
            var name = base
            var suffix = 0
            while used.contains(name) {
                suffix += 1
                name = base + "\(suffix)"
            }
            used.append(name)
            columns[place] = name
        }
        for entity in family {
            addIntegers(of: entity, among: entities, add)
        }
        for entity in family {
            for relationship in entity.ownRelationships where !relationship.isToMany {
                guard let inverse = relationship.inverseRelationship, inverse.isToMany, inverse.isOrdered else {
                    continue
                }
                let name = "Z_FOK_" + relationship.name.uppercased()
                add(name, Place(entity: entity.title, path: relationship.name, part: .order))
            }
        }
        for (owner, relationship) in Self.oneWay(into: family, from: entities) where relationship.isOrdered {
            let name = "Z_FOK_\(numbers[owner.title, default: 0])" + relationship.name.uppercased()
            add(name, Place(entity: owner.title, path: relationship.name, part: .order))
        }
        for band in 1...7 {
            for entity in family {
                for (path, attribute) in entity.ownStoredAttributes where Self.band(attribute.attributeType) == band {
                    let place = Place(entity: entity.title, path: path, part: .value)
                    add("Z" + attribute.name.uppercased(), place)
                }
            }
        }
        columnsOfTable[Self.table(of: root)] = used
    }

    /// Integers and Booleans, then to-one keys, then the keys of to-many relationships without inverse that lead here.
    private func addIntegers(
        of entity: NSEntityDescription, among entities: [NSEntityDescription], _ add: (String, Place) -> Void
    ) {
        for (path, attribute) in entity.ownStoredAttributes where Self.band(attribute.attributeType) == 0 {
            add("Z" + attribute.name.uppercased(), Place(entity: entity.title, path: path, part: .value))
        }
        for relationship in entity.ownRelationships where !relationship.isToMany {
            let name = relationship.name.uppercased()
            add("Z" + name, Place(entity: entity.title, path: relationship.name, part: .value))
            guard let destination = relationship.destinationEntity, !destination.subentities.isEmpty else { continue }
            add(
                "Z\(numbers[destination.title, default: 0])_" + name,
                Place(entity: entity.title, path: relationship.name, part: .entity))
        }
        for (owner, relationship) in Self.oneWay(into: [entity], from: entities) {
            let name = "Z\(numbers[owner.title, default: 0])" + relationship.name.uppercased()
            add(name, Place(entity: owner.title, path: relationship.name, part: .value))
        }
    }

    private static func oneWay(
        into family: [NSEntityDescription], from entities: [NSEntityDescription]
    ) -> [(NSEntityDescription, NSRelationshipDescription)] {
        entities.flatMap { owner in
            owner.ownRelationships.filter { relationship in
                relationship.isToMany && relationship.inverseRelationship == nil
                    && family.contains { $0 === relationship.destinationEntity }
            }.map { (owner, $0) }
        }
    }

    private static func band(_ type: NSAttributeType) -> Int {
        switch type {
        case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType, .booleanAttributeType: 0
        case .doubleAttributeType, .floatAttributeType, .dateAttributeType: 1
        case .decimalAttributeType: 2
        case .stringAttributeType: 3
        case .URIAttributeType: 4
        case .UUIDAttributeType: 5
        case .transformableAttributeType: 6
        default: 7
        }
    }

    // MARK: Tables of pairs

    /// The table is named after one of the two sides, which one is the file's affair; its columns tell the sides apart.
    private mutating func addJoins(of entity: NSEntityDescription, _ database: RawDatabase) throws {
        for relationship in entity.ownRelationships where relationship.isToMany {
            guard let inverse = relationship.inverseRelationship, inverse.isToMany,
                let other = relationship.destinationEntity?.lineage.first(where: { entity in
                    entity.ownRelationships.contains { $0 === inverse }
                })
            else { continue }
            let number = numbers[entity.title, default: 0]
            let otherNumber = numbers[other.title, default: 0]
            let candidates = [
                "Z_\(number)" + relationship.name.uppercased(), "Z_\(otherNumber)" + inverse.name.uppercased(),
            ]
            for table in candidates {
                let present = try database.columnNames(table)
                let owner = Self.column("Z_\(number)" + inverse.name.uppercased(), present)
                let member =
                    relationship === inverse
                    ? "REFLEXIVE" : Self.column("Z_\(otherNumber)" + relationship.name.uppercased(), present)
                guard let owner, let member, owner != member, present.contains(member) else { continue }
                let order = relationship.isOrdered ? "Z_FOK_" + member.dropFirst(2) : nil
                joins[Place(entity: entity.title, path: relationship.name, part: .value)] = Members(
                    table: table, owner: owner, member: member, order: order, isReflexive: relationship === inverse)
                break
            }
        }
    }

    /// The column of a name, or of the name and a number that keeps it apart from others of the entity.
    private static func column(_ name: String, _ present: [String]) -> String? {
        if present.contains(name) { return name }
        return present.first { $0.hasPrefix(name) && $0.dropFirst(name.count).allSatisfy(\.isNumber) }
    }
}

extension NSEntityDescription {
    var title: String { name ?? "" }

    /// The entity and those above it.
    var lineage: [NSEntityDescription] { [self] + (superentity?.lineage ?? []) }

    var root: NSEntityDescription { superentity?.root ?? self }

    /// The properties the entity itself declares, in byte order of their names.
    var declaredProperties: [NSPropertyDescription] {
        let inherited = superentity?.propertiesByName ?? [:]
        return properties.filter { inherited[$0.name] == nil && !$0.isTransient }
            .sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    }

    var ownRelationships: [NSRelationshipDescription] {
        declaredProperties.compactMap { $0 as? NSRelationshipDescription }
    }

    /// Attributes with a column, composites as their elements, and the path to each.
    var ownStoredAttributes: [(path: String, attribute: NSAttributeDescription)] {
        declaredProperties.compactMap { $0 as? NSAttributeDescription }.flatMap { Self.elements($0, "") }
    }

    /// Those of the entities above too.
    var allStoredAttributes: [(path: String, attribute: NSAttributeDescription)] {
        lineage.flatMap(\.ownStoredAttributes)
    }

    var storedRelationships: [NSRelationshipDescription] { lineage.flatMap(\.ownRelationships) }

    private static func elements(
        _ attribute: NSAttributeDescription, _ prefix: String
    ) -> [(path: String, attribute: NSAttributeDescription)] {
        let path = prefix + attribute.name
        guard let composite = attribute as? NSCompositeAttributeDescription else { return [(path, attribute)] }
        return composite.elements.flatMap { elements($0, path + ".") }
    }
}
