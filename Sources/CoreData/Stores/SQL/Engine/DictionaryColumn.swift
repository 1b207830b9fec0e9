import CoreDataSQLite
import Foundation
import FoundationBackfill

/// A column of a dictionary fetch, compiled: a stored attribute, a to-one relationship, the record's own id, or something computed.
struct DictionaryColumn {
    let name: String
    /// What to select: one value, a key with its `Z_ENT`, or the values of a composite's elements.
    let selection: [String]
    /// The column as one value, to sort by and to compare with; nil for a composite.
    let term: SQLTerm?
    /// Whether it is computed over all records, or those of a group.
    let isAggregate: Bool
    let isConstant: Bool
    private let shape: Shape

    /// Whether its values are `ObjectKey`s.
    var isKey: Bool { if case .key = shape { true } else { false } }

    private indirect enum Shape {
        case value(ValueForm, NSAttributeDescription?)
        /// Where `hasEntity`, the next value is the `Z_ENT`.
        case key(SQLEntity, hasEntity: Bool)
        case entityName
        case byteCount
        case composite([(name: String, shape: Shape)])
    }

    init(_ column: DictionaryPlan.Column, _ scope: SQLScope) throws {
        name = column.name
        var builder = Builder(scope: scope, measuresBytes: column.measuresBytes)
        switch column.source {
        case .keyPath(let path):
            shape = try builder.shape(of: path)
            isAggregate = false
            isConstant = false
        case .expression(let expression, let type):
            switch expression.node {
            case .evaluatedObject:
                shape = try builder.shape(of: "SELF")
                isAggregate = false
                isConstant = false
            case .keyPath(let path, operand: nil) where !path.hasPrefix("@") && ValueForm(type) == nil:
                shape = try builder.shape(of: path)
                isAggregate = false
                isConstant = false
            default:
                let value = try AggregateCompiler(scope: scope).value(expression)
                shape = try builder.shape(of: value.term, as: type)
                isAggregate = value.isAggregate
                isConstant = value.isConstant
            }
        }
        selection = builder.selection
        term = builder.term
    }

    /// Collects what has to be selected.
    private struct Builder {
        let scope: SQLScope
        let measuresBytes: Bool
        var selection: [String] = []
        var term: SQLTerm?

        mutating func shape(of path: String) throws -> Shape {
            if let entry = scope.entity.layout.entry(named: path) { return try shape(of: entry.place, entry) }
            switch try scope.operand(path) {
            case .term(let term): return try shape(of: term, at: path)
            case .toMany:
                throw SQLRequestError.refused(
                    "Invalid to-many relationship in setPropertiesToFetch: (\(path)): a column holds one value.")
            case .constant, .list: throw SQLRequestError.unsupported("the column \(path)")
            }
        }

        private mutating func shape(of place: PropertyPlace, _ entry: PropertyEntry) throws -> Shape {
            switch place {
            case .attribute(let slot):
                let term = try scope.term(slot: slot, entry.name)
                let attribute = scope.entity.layout.slots[slot].property as? NSAttributeDescription
                return try shape(of: term, attribute, as: .undefinedAttributeType)
            case .toOne(let slot, let isPolymorphic):
                guard let destination = entry.relationship?.destinationEntity else {
                    throw SQLRequestError.refused("Relationship \(entry.name) has no destination.")
                }
                let entity = try scope.query.entity(destination)
                let column = try scope.term(slot: slot, entry.name)
                select(SQLTerm(sql: column.sql, kind: .key(entity), label: entry.name))
                let hasEntity = isPolymorphic && scope.entity.columns[slot + 1] != nil
                if hasEntity { selection.append(try scope.term(slot: slot + 1, entry.name).sql) }
                return .key(entity, hasEntity: hasEntity)
            case .composite(let elements):
                let shapes = try elements.map { (name: $0.name, shape: try shape(of: $0.place, entry)) }
                term = nil
                return .composite(shapes)
            case .toMany, .fetched:
                throw SQLRequestError.refused(
                    "Invalid to-many relationship in setPropertiesToFetch: (\(entry.name)): a column holds one value.")
            }
        }

        mutating func shape(of term: SQLTerm, as type: NSAttributeType) throws -> Shape {
            try shape(of: term, nil, as: type)
        }

        private mutating func shape(of term: SQLTerm, at path: String) throws -> Shape {
            guard case .key(let entity) = term.kind, entity.table.isShared else {
                return try shape(of: term, attribute(at: path), as: .undefinedAttributeType)
            }
            select(term)
            // The `Z_ENT` is asked for at the record that `objectID` and `self` are of.
            let keys = path.split(separator: ".").filter { !["objectID", "self", "SELF"].contains($0) }
            guard case .term(let number) = try scope.operand((keys + ["entity"]).joined(separator: ".")),
                case .entity = number.kind
            else {
                return .key(entity, hasEntity: false)
            }
            selection.append(number.sql)
            return .key(entity, hasEntity: true)
        }

        private mutating func shape(
            of term: SQLTerm, _ attribute: NSAttributeDescription?, as type: NSAttributeType
        ) throws -> Shape {
            switch term.kind {
            case .key(let entity):
                select(term)
                return .key(entity, hasEntity: false)
            case .entity:
                select(term)
                return .entityName
            case .externalData where measuresBytes:
                let bytes = "CAST(\(term.sql) AS BLOB)"
                select(
                    SQLTerm(
                        sql: "CASE WHEN substr(\(bytes), 1, 1) = x'02' THEN \(bytes) ELSE length(\(bytes)) - 1 END",
                        kind: .value(.integer), label: term.label))
                return .byteCount
            case .value(.data) where measuresBytes, .value(.transformable) where measuresBytes:
                select(.integer("length(CAST(\(term.sql) AS BLOB))", term.label))
                return .byteCount
            case .externalData:
                select(term)
                return .value(ValueForm(type) ?? .externalData, attribute)
            case .number(let mayBeDecimal):
                select(term)
                return .value(ValueForm(type) ?? (mayBeDecimal ? .decimal : .number), nil)
            case .value(let kind):
                select(term)
                guard let form = ValueForm(type) ?? ValueForm(kind) else {
                    throw SQLRequestError.unsupported("the column \(term.label)")
                }
                return .value(form, attribute)
            }
        }

        /// The attribute that a path over relationships leads to.
        private func attribute(at path: String) -> NSAttributeDescription? {
            var entity: NSEntityDescription? = scope.entity.entity
            let keys = path.split(separator: ".").map(String.init).filter { $0 != "self" && $0 != "SELF" }
            for key in keys.dropLast() { entity = entity?.relationshipsByName[key]?.destinationEntity }
            return keys.last.flatMap { entity?.attributesByName[$0] }
        }

        private mutating func select(_ term: SQLTerm) {
            selection.append(term.sql)
            self.term = term
        }
    }

    // MARK: Reading

    /// The column's value in the row a statement stands at, nil for NULL.
    ///
    /// Numbers are `NSNumber`s and `NSDecimalNumber`s, keys `ObjectKey`s, composites dictionaries.
    func value(_ statement: SQLiteStatement, _ place: inout Int, _ store: ColumnSource) throws -> Any? {
        try value(shape, statement, &place, store)
    }

    private func value(
        _ shape: Shape, _ statement: SQLiteStatement, _ place: inout Int, _ store: ColumnSource
    ) throws -> Any? {
        switch shape {
        case .key(let entity, let hasEntity):
            defer { place += hasEntity ? 2 : 1 }
            if statement.isNull(place) { return nil }
            var ordinal = entity.ordinal
            if hasEntity { ordinal = store.schema.ordinal(number: statement.int64(place + 1)) ?? ordinal }
            return ObjectKey(number: statement.int64(place), entity: ordinal)
        case .entityName:
            defer { place += 1 }
            return store.schema.ordinal(number: statement.int64(place)).flatMap {
                store.schema.entity(ordinal: $0)?.name
            }
        case .byteCount:
            defer { place += 1 }
            return try byteCount(statement, place, store).map { NSNumber(value: $0) }
        case .composite(let elements):
            var values: [String: Any] = [:]
            for element in elements { values[element.name] = try value(element.shape, statement, &place, store) }
            return values.isEmpty ? nil : values
        case .value(let form, let attribute):
            defer { place += 1 }
            return try form.value(statement, place, name, attribute, store)
        }
    }

    private func byteCount(_ statement: SQLiteStatement, _ place: Int, _ store: ColumnSource) throws -> Int64? {
        switch statement.type(place) {
        case .null: return nil
        case .blob:
            guard let bytes = statement.blobBytes(place), case .file(let file) = ExternalData(column: bytes) else {
                return nil
            }
            return store.files?.size(named: file)
        default: return statement.int64(place)
        }
    }
}

/// What columns need of their store.
struct ColumnSource {
    let schema: SQLSchema
    let files: ExternalStorage?
}
