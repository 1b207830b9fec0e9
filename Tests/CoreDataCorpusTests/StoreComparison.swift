import CoreData
import Foundation

/// Compares all that the objects of a context show with what the rows of the file say.
struct StoreComparison {
    let store: RealStore
    let database: RawDatabase
    let columns: ExpectedColumns
    private(set) var differences: [String] = []
    /// How many values were compared: of attributes, to-one relationships and members.
    private(set) var attributes = 0
    private(set) var toOnes = 0
    private(set) var members = 0
    private(set) var rows = 0
    /// The entity numbers of all rows, by table and key.
    private var kinds: [String: [Int64: Int64]] = [:]

    /// - Parameter file: where the rows are; nil for the store's own file.
    init(_ store: RealStore, file: URL? = nil) throws {
        self.store = store
        database = try RawDatabase(file ?? store.url)
        columns = try ExpectedColumns(store.model, database)
    }

    mutating func run() throws {
        for root in store.model.entities where root.superentity == nil {
            let table = ExpectedColumns.table(of: root)
            let present = Set(try database.columnNames(table)).subtracting(["Z_PK", "Z_ENT", "Z_OPT"])
            let planned = Set(columns.columnsOfTable[table] ?? [])
            if present != planned { differ("\(table): \(present.symmetricDifference(planned))") }
            var kinds: [Int64: Int64] = [:]
            for row in try database.rows("SELECT Z_PK, Z_ENT FROM \(table)") {
                if let key = row[0].integer { kinds[key] = row[1].integer }
            }
            self.kinds[table] = kinds
        }
        for entity in store.model.entities { try compare(entity) }
    }

    private mutating func differ(_ text: String) {
        if differences.count < 20 { differences.append(text) }
    }

    private mutating func compare(_ entity: NSEntityDescription) throws {
        let request = NSFetchRequest<NSManagedObject>(entityName: entity.title)
        request.includesSubentities = false
        let context = store.newContext()
        let objects = try context.fetch(request)
        let byKey = Dictionary(grouping: objects) { $0.recordKey.key }.compactMapValues(\.first)
        if byKey.count != objects.count { differ("\(entity.title): objects with the same key") }
        let table = ExpectedColumns.table(of: entity)
        let number = columns.numbers[entity.title] ?? 0
        let keys = Set(try database.column("SELECT Z_PK FROM \(table) WHERE Z_ENT = \(number)").compactMap(\.integer))
        if Set(byKey.keys) != keys { differ("\(entity.title): \(byKey.count) objects for \(keys.count) rows") }
        rows += keys.count
        try compareAttributes(of: entity, byKey, "FROM \(table) WHERE Z_ENT = \(number)")
        for relationship in entity.storedRelationships {
            if relationship.isToMany {
                try compareMembers(entity, relationship, byKey)
            } else {
                try compareToOne(entity, relationship, byKey, "FROM \(table) WHERE Z_ENT = \(number)")
            }
        }
    }

    // MARK: Attributes

    private mutating func compareAttributes(
        of entity: NSEntityDescription, _ objects: [Int64: NSManagedObject], _ source: String
    ) throws {
        var stored: [(path: String, attribute: NSAttributeDescription)] = []
        var names: [String] = []
        for (path, attribute) in entity.allStoredAttributes {
            guard let column = columns.value(entity, path) else {
                differ("\(entity.title).\(path) has no column")
                continue
            }
            stored.append((path, attribute))
            names.append(column)
        }
        for row in try database.rows("SELECT \((["Z_PK"] + names).joined(separator: ", ")) \(source)") {
            guard let key = row[0].integer, let object = objects[key] else { continue }
            for ((path, attribute), raw) in zip(stored, row.dropFirst()) {
                let expected = AttributeForm.stored(raw, attribute)
                let actual = AttributeForm.shown(Self.value(object, path), attribute)
                if expected != actual { differ("\(entity.title)/p\(key).\(path): \(actual) for \(raw)") }
                attributes += 1
            }
        }
    }

    private static func value(_ object: NSManagedObject, _ path: String) -> Any? {
        var names = path.split(separator: ".").map(String.init)
        var value = object.value(forKey: names.removeFirst())
        for name in names { value = (value as? [String: Any])?[name] }
        return value
    }

    // MARK: Relationships

    private mutating func compareToOne(
        _ entity: NSEntityDescription, _ relationship: NSRelationshipDescription, _ objects: [Int64: NSManagedObject],
        _ source: String
    ) throws {
        guard let destination = relationship.destinationEntity, let column = columns.value(entity, relationship.name)
        else { return differ("\(entity.title).\(relationship.name) has no column") }
        let kindColumn = columns.entity(entity, relationship.name)
        let present = kinds[ExpectedColumns.table(of: destination)] ?? [:]
        for row in try database.rows("SELECT Z_PK, \(column), \(kindColumn ?? "NULL") \(source)") {
            guard let key = row[0].integer, let object = objects[key] else { continue }
            let place = "\(entity.title)/p\(key).\(relationship.name)"
            let actual = (object.value(forKey: relationship.name) as? NSManagedObject)?.recordKey
            var expected: RecordKey?
            if let target = row[1].integer {
                let kind = present[target] ?? row[2].integer
                let name = kind.flatMap { columns.names[$0] } ?? destination.title
                expected = RecordKey(entity: name, key: target)
                if kindColumn != nil, let kind = present[target], row[2] != .integer(kind) {
                    differ("\(place): the file says entity \(row[2]), the row is of \(kind)")
                }
            } else if kindColumn != nil, !row[2].isNull {
                differ("\(place): no key, but entity \(row[2])")
            }
            if actual != expected {
                differ("\(place): \(actual.map(String.init(describing:)) ?? "nil") for \(row[1]), \(row[2])")
            }
            toOnes += 1
        }
    }

    private mutating func compareMembers(
        _ entity: NSEntityDescription, _ relationship: NSRelationshipDescription, _ objects: [Int64: NSManagedObject]
    ) throws {
        guard let destination = relationship.destinationEntity, let place = columns.members(entity, relationship) else {
            return differ("\(entity.title).\(relationship.name) has no place")
        }
        let present = kinds[ExpectedColumns.table(of: destination)] ?? [:]
        var byOwner: [Int64: [(member: RecordKey, order: RawValue)]] = [:]
        let sql = "SELECT \(place.owner), \(place.member), \(place.order ?? "NULL") FROM \(place.table) "
        for row in try database.rows(sql + "WHERE \(place.owner) NOT NULL ORDER BY 1, 3, 2") {
            guard let owner = row[0].integer, let member = row[1].integer else { continue }
            let name = present[member].flatMap { columns.names[$0] } ?? destination.title
            byOwner[owner, default: []].append((RecordKey(entity: name, key: member), row[2]))
        }
        for (key, object) in objects {
            let expected = byOwner[key] ?? []
            let here = "\(entity.title)/p\(key).\(relationship.name)"
            let value = object.value(forKey: relationship.name)
            let actual: [RecordKey]
            if let ordered = value as? NSOrderedSet {
                actual = ordered.array.compactMap { ($0 as? NSManagedObject)?.recordKey }
            } else {
                actual = (value as? Set<NSManagedObject> ?? []).map(\.recordKey)
            }
            if Set(actual) != Set(expected.map(\.member)) || actual.count != expected.count {
                differ("\(here): \(actual) for \(expected.map(\.member))")
            }
            if relationship.isOrdered {
                if actual != expected.map(\.member) { differ("\(here): order \(actual) for \(expected)") }
                let orders = expected.compactMap(\.order.integer)
                if orders.count != expected.count || zip(orders, orders.dropFirst()).contains(where: { $0 >= $1 }) {
                    differ("\(here): order keys \(expected.map(\.order))")
                }
            }
            members += expected.count
        }
    }
}

/// The one form in which a value of an object and a value of a file can be compared.
enum AttributeForm {
    /// What the rules of the file format make of a stored value.
    static func stored(_ raw: RawValue, _ attribute: NSAttributeDescription) -> RawValue {
        switch (attribute.attributeType, raw) {
        case (.booleanAttributeType, .integer(let value)): .integer(value == 0 ? 0 : 1)
        case (.doubleAttributeType, .integer(let value)), (.dateAttributeType, .integer(let value)),
            (.decimalAttributeType, .integer(let value)), (.floatAttributeType, .integer(let value)):
            .real(Double(value))
        case (.binaryDataAttributeType, .blob(let data)) where attribute.allowsExternalBinaryDataStorage:
            // The first byte says whether the data follows or the name of a file.
            data.first == 1 ? .blob(Data(data.dropFirst())) : raw
        default: raw
        }
    }

    /// An object's value as it would be stored.
    static func shown(_ value: Any?, _ attribute: NSAttributeDescription) -> RawValue {
        guard let value else { return .null }
        switch (attribute.attributeType, value) {
        case (.integer16AttributeType, let number as NSNumber), (.integer32AttributeType, let number as NSNumber),
            (.integer64AttributeType, let number as NSNumber):
            return .integer(number.int64Value)
        case (.booleanAttributeType, let number as NSNumber): return .integer(number.boolValue ? 1 : 0)
        case (.doubleAttributeType, let number as NSNumber), (.floatAttributeType, let number as NSNumber):
            return .real(number.doubleValue)
        case (.decimalAttributeType, let number as NSDecimalNumber):
            return Double("\(number.decimalValue)").map(RawValue.real) ?? .null
        case (.dateAttributeType, let date as Date): return .real(date.timeIntervalSinceReferenceDate)
        case (.stringAttributeType, let text as String): return .text(text)
        case (.URIAttributeType, let url as URL): return .text(url.absoluteString)
        case (.UUIDAttributeType, let uuid as UUID):
            return .blob(withUnsafeBytes(of: uuid.uuid) { Data($0) })
        case (.binaryDataAttributeType, let data as Data), (.transformableAttributeType, let data as Data):
            return .blob(data)
        default: return .text("a \(type(of: value)) for \(attribute.attributeType)")
        }
    }
}
