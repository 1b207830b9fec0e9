import Foundation

/// The tables of one `SELECT`: the entity's, and those that to-one key paths lead to.
final class SQLScope {
    let query: SQLQuery
    let entity: SQLEntity
    /// The name of the entity's table in this `SELECT`.
    let alias: String
    /// The joins of the key paths met so far: outer joins, so that `a.b == nil` holds where there is no `a`.
    private(set) var joins = ""
    private var joinedAliases: [String: String] = [:]

    init(_ query: SQLQuery, _ entity: SQLEntity) {
        self.query = query
        self.entity = entity
        alias = query.makeAlias()
    }

    /// `TABLE t0 LEFT JOIN …`, to be read when all parts of the statement are compiled.
    var from: String { "\(entity.table.sql) \(alias)\(joins)" }

    /// A record that a key path has come to. Its table is joined only when a column of it is needed.
    struct Place {
        let entity: SQLEntity
        /// The record's key: the row's own, or the column of the to-one that leads to it.
        let key: String
        fileprivate let alias: String?
    }

    var root: Place { Place(entity: entity, key: "\(alias).Z_PK", alias: alias) }

    private func alias(of place: Place) -> String {
        if let alias = place.alias { return alias }
        if let known = joinedAliases[place.key] { return known }
        let made = query.makeAlias()
        joinedAliases[place.key] = made
        joins += " LEFT JOIN \(place.entity.table.sql) \(made) ON \(made).Z_PK = \(place.key)"
        return made
    }

    /// What a key path means for a row of this scope.
    ///
    /// - Throws: `NSError` naming entity and key, if a key is unknown, transient or no step of a path.
    func operand(_ path: String) throws -> SQLOperand {
        try operand(path.split(separator: ".", omittingEmptySubsequences: false)[...], path)
    }

    func operand(_ keys: ArraySlice<Substring>, _ path: String) throws -> SQLOperand {
        var place = root
        var keys = keys
        while let key = keys.popFirst() {
            switch key {
            case "SELF", "self": continue
            case "objectID" where keys.isEmpty: return .term(identity(place, path))
            case "entity" where keys.isEmpty && place.entity.layout.entry(named: "entity") == nil:
                return .term(SQLTerm(sql: "\(alias(of: place)).Z_ENT", kind: .entity, label: path))
            default: break
            }
            guard let entry = place.entity.layout.entry(named: String(key)) else {
                throw SQLRequestError.refused(
                    key.hasPrefix("@")
                        ? "The operator \(key) of key path \(path) is not supported on entity \(place.entity.name)."
                        : "keypath \(key) not found in entity \(place.entity.name)")
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
                let path = SQLToManyPath(
                    owner: place.key, relationship: relationship, members: members,
                    destination: try destination(of: entry), rest: keys, label: path)
                return keys == ["@count"] ? .term(path.count(query)) : .toMany(path)
            case .fetched:
                throw SQLRequestError.unsupported("the fetched property \(key) in \(path)")
            }
        }
        return .term(identity(place, path))
    }

    /// The column of a slot of the scope's own rows.
    func term(slot: Int, _ label: String) throws -> SQLTerm { try column(slot, of: root, label) }

    private func identity(_ place: Place, _ path: String) -> SQLTerm {
        SQLTerm(sql: place.key, kind: .key(place.entity), label: path)
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
        return SQLTerm(
            sql: "\(alias(of: place)).\(column.sql)",
            kind: description.isExternal ? .externalData : .value(description.kind), label: path)
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
}
