import Foundation

/// The tables of one `SELECT`: the entity's, and those that to-one key paths lead to.
final class SQLScope {
    let query: SQLQuery
    let entity: SQLEntity
    /// The name of the first table in this `SELECT`: the entity's, or that of the pairs which lead to its records.
    let alias: String
    /// The record a row stands for.
    let root: Place
    private let table: String
    /// The joins of the key paths met so far: outer joins, so that `a.b == nil` holds where there is no `a`.
    private(set) var joins = ""
    private var joinedAliases: [String: String] = [:]

    init(_ query: SQLQuery, _ entity: SQLEntity) {
        self.query = query
        self.entity = entity
        alias = query.makeAlias()
        table = entity.table.sql
        root = Place(entity: entity, key: "\(alias).Z_PK", alias: alias)
    }

    /// The pairs of a many-to-many relationship. The members' own table is joined only if it is needed.
    init(_ query: SQLQuery, pairs link: SQLJoin, _ members: SQLEntity) {
        self.query = query
        entity = members
        alias = query.makeAlias()
        table = link.table.sql
        root = Place(entity: members, key: "\(alias).\(link.member.sql)", alias: nil)
    }

    /// `TABLE t0 LEFT JOIN …`, to be read when all parts of the statement are compiled.
    var from: String { "\(table) \(alias)\(joins)" }

    /// A record that a key path has come to. Its table is joined only when a column of it is needed.
    struct Place {
        let entity: SQLEntity
        /// The record's key: the row's own, or the column of the to-one that leads to it.
        let key: String
        fileprivate let alias: String?
    }

    /// What a key path leads to.
    enum Target {
        case record(Place)
        case term(SQLTerm)
        case toMany(SQLCollection)
    }

    private func alias(of place: Place) -> String {
        if let alias = place.alias { return alias }
        if let known = joinedAliases[place.key] { return known }
        let made = query.makeAlias()
        joinedAliases[place.key] = made
        // A pair whose member is gone is no member.
        joins += place.key == root.key ? " JOIN " : " LEFT JOIN "
        joins += "\(place.entity.table.sql) \(made) ON \(made).Z_PK = \(place.key)"
        return made
    }

    // MARK: Key paths

    /// What a key path means for a row of this scope.
    ///
    /// - Throws: `NSError` naming entity and key, if a key is unknown, transient or no step of a path.
    func operand(_ path: String) throws -> SQLOperand { try operand(Self.keys(path), at: root, path) }

    /// The same, beginning at a record that is not the row's own.
    func operand(_ keys: ArraySlice<Substring>, at place: Place, _ path: String) throws -> SQLOperand {
        // Operators are the collection's affair.
        let end = keys.firstIndex { $0.hasPrefix("@") } ?? keys.endIndex
        switch try target(keys[..<end], at: place, path) {
        case .toMany(let collection):
            let operand = try collection.appending(keys[end...], path)
            guard case .term(let term) = operand, let owner = collection.possibleOwner else { return operand }
            // A path through nil is nil, not 0.
            return .term(
                SQLTerm(
                    sql: "CASE WHEN \(owner) IS NOT NULL THEN \(term.sql) END", kind: term.kind, label: term.label,
                    isNarrow: term.isNarrow))
        case .record(let place) where end == keys.endIndex: return .term(identity(place, path))
        case .term(let term) where end == keys.endIndex: return .term(term)
        case .record, .term:
            throw SQLRequestError.refused(
                "The operator \(keys[end]) of key path \(path) needs a to-many relationship before it.")
        }
    }

    static func keys(_ path: String) -> ArraySlice<Substring> {
        path.split(separator: ".", omittingEmptySubsequences: false)[...]
    }

    /// Where keys lead, none of which is an operator.
    func target(_ keys: ArraySlice<Substring>, at start: Place, _ path: String) throws -> Target {
        var place = start
        var keys = keys
        while let key = keys.popFirst() {
            switch key {
            case "SELF", "self": continue
            case "objectID" where keys.isEmpty: return .record(place)
            case "entity" where keys.isEmpty && place.entity.layout.entry(named: "entity") == nil:
                return .term(SQLTerm(sql: "\(alias(of: place)).Z_ENT", kind: .entity, label: path))
            case "entity" where keys == ["name"] && place.entity.layout.entry(named: "entity") == nil:
                return .term(entityName(of: place, path))
            default: break
            }
            guard let entry = place.entity.layout.entry(named: String(key)) else {
                throw SQLRequestError.refused("keypath \(key) not found in entity \(place.entity.name)")
            }
            switch entry.place {
            case .attribute(let slot):
                guard keys.isEmpty else { throw pathEnds(key, path) }
                return .term(try column(slot, of: place, path))
            case .composite(let elements):
                return .term(try element(of: elements, &keys, place, path))
            case .toOne(let slot, _):
                guard let column = place.entity.columns[slot] else { throw transient(key, place, path) }
                let destination = try destination(of: entry)
                place = Place(
                    entity: destination, key: "\(alias(of: place)).\(column.sql)", alias: nil)
            case .toMany(let index):
                guard let members = place.entity.toMany[index], let relationship = entry.relationship else {
                    throw transient(key, place, path)
                }
                var collection = SQLCollection(
                    query, members, of: relationship, owner: place.key, try destination(of: entry), label: path)
                if place.alias == nil, place.key != root.key { collection.possibleOwner = place.key }
                return .toMany(try collection.extended(by: keys, path))
            case .fetched:
                throw SQLRequestError.unsupported("the fetched property \(key) in \(path)")
            }
        }
        return .record(place)
    }

    /// The column of a slot of the scope's own rows.
    func term(slot: Int, _ label: String) throws -> SQLTerm { try column(slot, of: root, label) }

    /// The key of a record.
    func identity(_ place: Place, _ label: String) -> SQLTerm {
        SQLTerm(sql: place.key, kind: .key(place.entity), label: label)
    }

    private func entityName(of place: Place, _ path: String) -> SQLTerm {
        let names = place.entity.numbers.compactMap { number in
            query.schema.ordinal(number: Int64(number)).flatMap(query.schema.entity(ordinal:)).map {
                " WHEN \(number) THEN \(query.parameter(.text($0.name)))"
            }
        }
        return SQLTerm(
            sql: "CASE \(alias(of: place)).Z_ENT\(names.joined()) END", kind: .value(.string), label: path)
    }

    private func destination(of entry: PropertyEntry) throws -> SQLEntity {
        guard let destination = entry.relationship?.destinationEntity else {
            throw SQLRequestError.refused("Relationship \(entry.name) has no destination.")
        }
        return try query.entity(destination)
    }

    private func column(_ slot: Int, of place: Place, _ path: String) throws -> SQLTerm {
        let description = place.entity.layout.slots[slot]
        guard let column = place.entity.columns[slot] else {
            throw transient(description.path[...], place, path)
        }
        var term = SQLTerm(
            sql: "\(alias(of: place)).\(column.sql)",
            kind: description.isExternal ? .externalData : .value(description.kind), label: path)
        switch (description.property as? NSAttributeDescription)?.attributeType {
        case .integer16AttributeType, .integer32AttributeType, .booleanAttributeType: term.isNarrow = true
        default: break
        }
        return term
    }

    private func element(
        of elements: [(name: String, place: PropertyPlace)], _ keys: inout ArraySlice<Substring>, _ place: Place,
        _ path: String
    ) throws -> SQLTerm {
        guard let key = keys.popFirst() else {
            throw SQLRequestError.unsupported("the composite attribute \(path) as a whole")
        }
        guard let element = elements.first(where: { $0.name == key }) else {
            throw SQLRequestError.refused("keypath \(path) not found in entity \(place.entity.name)")
        }
        switch element.place {
        case .attribute(let slot):
            guard keys.isEmpty else { throw pathEnds(key, path) }
            return try column(slot, of: place, path)
        case .composite(let inner): return try self.element(of: inner, &keys, place, path)
        case .toOne, .toMany, .fetched: throw pathEnds(key, path)
        }
    }

    private func pathEnds(_ key: Substring, _ path: String) -> NSError {
        SQLRequestError.refused("Key path \(path): the attribute \(key) has no keys of its own.")
    }

    private func transient(_ key: Substring, _ place: Place, _ path: String) -> NSError {
        SQLRequestError.refused(
            "Key path \(path): \(key) of entity \(place.entity.name) is transient, so no store can evaluate it.")
    }
}

extension SQLEntity {
    var name: String { entity.name ?? "" }

    /// Which rows of the table are the entity's, where those of others may stand there; nil: all.
    func rowCondition(_ alias: String, includesSubentities: Bool) -> String? {
        guard table.isShared else { return nil }
        let numbers = includesSubentities ? Array(numbers) : [number]
        if numbers.count == 1 { return "\(alias).Z_ENT = \(numbers[0])" }
        return isWholeTable ? nil : "\(alias).Z_ENT IN (\(numbers.map(String.init).joined(separator: ", ")))"
    }
}
