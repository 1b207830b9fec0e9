import CoreDataSQLite
import Foundation

/// A column of a dictionary fetch: a stored attribute, a to-one relationship, or the record's own id.
struct DictionaryColumn {
    let name: String
    /// What to select: one value, or those of a composite's elements.
    let selection: [String]
    private let shape: Shape

    private indirect enum Shape {
        case value(SQLTerm, AttributeFacts)
        case key(isOwn: Bool, SQLEntity, hasEntity: Bool)
        case composite([(name: String, shape: Shape)])
    }

    /// What becomes of a stored value.
    private struct AttributeFacts {
        let type: NSAttributeType
        let label: String
    }

    init(_ name: String, _ property: NSPropertyDescription, _ scope: SQLScope) throws {
        self.name = name
        var selection: [String] = []
        shape = try Self.shape(property, scope, &selection)
        self.selection = selection
    }

    private static func shape(
        _ property: NSPropertyDescription, _ scope: SQLScope, _ selection: inout [String]
    ) throws -> Shape {
        if let expression = property as? NSExpressionDescription {
            guard expression.expressionResultType == .objectIDAttributeType else {
                throw SQLRequestError.unsupported("the expression description \(property.name)")
            }
            selection.append("\(scope.alias).Z_PK")
            if scope.entity.table.isShared { selection.append("\(scope.alias).Z_ENT") }
            return .key(isOwn: true, scope.entity, hasEntity: scope.entity.table.isShared)
        }
        guard let entry = scope.entity.layout.entry(named: property.name) else {
            throw SQLRequestError.refused("keypath \(property.name) not found in entity \(scope.entity.name)")
        }
        return try shape(entry.place, entry, scope, &selection)
    }

    private static func shape(
        _ place: PropertyPlace, _ entry: PropertyEntry, _ scope: SQLScope, _ selection: inout [String]
    ) throws -> Shape {
        switch place {
        case .attribute(let slot):
            let term = try scope.term(slot: slot, entry.name)
            selection.append(term.sql)
            let attribute = scope.entity.layout.slots[slot].property as? NSAttributeDescription
            return .value(
                term, AttributeFacts(type: attribute?.attributeType ?? .undefinedAttributeType, label: entry.name))
        case .toOne(let slot, let isPolymorphic):
            selection.append(try scope.term(slot: slot, entry.name).sql)
            let hasEntity = isPolymorphic && scope.entity.columns[slot + 1] != nil
            if hasEntity { selection.append(try scope.term(slot: slot + 1, entry.name).sql) }
            guard let destination = entry.relationship?.destinationEntity else {
                throw SQLRequestError.refused("Relationship \(entry.name) has no destination.")
            }
            return .key(isOwn: false, try scope.query.entity(destination), hasEntity: hasEntity)
        case .composite(let elements):
            return .composite(
                try elements.map { (name: $0.name, shape: try shape($0.place, entry, scope, &selection)) })
        case .toMany, .fetched:
            throw SQLRequestError.refused(
                "Invalid to-many relationship in setPropertiesToFetch: (\(entry.name)): a column holds one value.")
        }
    }

    /// The column's value in the row a statement stands at, nil for NULL.
    ///
    /// Numbers are `NSNumber`s and `NSDecimalNumber`s, keys `ObjectKey`s, composites dictionaries; of a transformable attribute
    /// the stored bytes.
    func value(_ statement: SQLiteStatement, _ place: inout Int, _ store: SQLiteStore) throws -> Any? {
        try value(shape, statement, &place, store)
    }

    private func value(
        _ shape: Shape, _ statement: SQLiteStatement, _ place: inout Int, _ store: SQLiteStore
    ) throws -> Any? {
        switch shape {
        case .key(_, let entity, let hasEntity):
            defer { place += hasEntity ? 2 : 1 }
            if statement.isNull(place) { return nil }
            var ordinal = entity.ordinal
            if hasEntity { ordinal = store.schema.ordinal(number: statement.int64(place + 1)) ?? ordinal }
            return ObjectKey(number: statement.int64(place), entity: ordinal)
        case .composite(let elements):
            var values: [String: Any] = [:]
            for element in elements { values[element.name] = try value(element.shape, statement, &place, store) }
            return values.isEmpty ? nil : values
        case .value(let term, let facts):
            defer { place += 1 }
            return try value(term, facts, statement, place, store)
        }
    }

    private func value(
        _ term: SQLTerm, _ facts: AttributeFacts, _ statement: SQLiteStatement, _ place: Int, _ store: SQLiteStore
    ) throws -> Any? {
        let type = statement.type(place)
        if type == .null { return nil }
        switch facts.type {
        case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType:
            guard type == .integer || type == .float else { throw unreadable(facts) }
            return NSNumber(value: statement.int64(place))
        case .booleanAttributeType:
            guard type == .integer || type == .float else { throw unreadable(facts) }
            return NSNumber(value: statement.int64(place) != 0)
        case .doubleAttributeType:
            guard type == .integer || type == .float else { throw unreadable(facts) }
            return NSNumber(value: statement.double(place))
        case .floatAttributeType:
            guard type == .integer || type == .float else { throw unreadable(facts) }
            return NSNumber(value: Float(statement.double(place)))
        case .dateAttributeType:
            guard type == .integer || type == .float else { throw unreadable(facts) }
            return Date(timeIntervalSinceReferenceDate: statement.double(place))
        case .decimalAttributeType:
            let decimal =
                type == .float
                ? Decimal(nearest: statement.double(place)) : Decimal(string: statement.text(place) ?? "")
            guard let decimal else { throw unreadable(facts) }
            return NSDecimalNumber(decimal: decimal)
        case .stringAttributeType: return statement.text(place)
        case .URIAttributeType: return statement.text(place).flatMap(URL.init(string:))
        case .UUIDAttributeType:
            if type == .text, let uuid = UUID(uuidString: statement.text(place) ?? "") { return uuid }
            guard type == .blob, let bytes = statement.blobBytes(place), bytes.count == 16 else {
                throw unreadable(facts)
            }
            return UUID(uuid: bytes.loadUnaligned(as: uuid_t.self))
        case .binaryDataAttributeType:
            guard case .externalData = term.kind, let bytes = statement.blobBytes(place) else {
                return statement.blob(place)
            }
            switch ExternalData(column: bytes) {
            case .inline(let bytes): return bytes.isEmpty ? Data() : Data(bytes)
            case .file(let name): return try store.externalData(named: name)
            }
        default: return statement.blob(place)
        }
    }

    private func unreadable(_ facts: AttributeFacts) -> NSError {
        NSError(
            domain: NSCocoaErrorDomain, code: NSSQLiteError,
            userInfo: [
                NSLocalizedDescriptionKey: "A value of the store cannot be read.",
                NSLocalizedFailureReasonErrorKey:
                    "A row has something in the column of attribute \(facts.label) that is not of its type.",
            ])
    }
}
