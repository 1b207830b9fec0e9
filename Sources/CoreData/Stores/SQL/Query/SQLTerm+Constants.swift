import Foundation

extension SQLTerm {
    /// A constant in the form in which the term's values are stored, following the rules of `ComparableValue`: what stands on
    /// the right is turned into the left one's kind.
    ///
    /// - Returns: nil for a constant that no stored value can equal.
    /// - Throws: `NSError` for a kind of value that stores do not compare.
    func value(for constant: ComparableValue, _ query: SQLQuery) throws -> SQLValue? {
        switch kind {
        case .key(let entity): return try key(for: constant, entity, query).map(SQLValue.integer)
        case .entity: return entityNumber(for: constant, query)
        case .externalData:
            guard case .data(let data) = constant else { return nil }
            return .blob(ExternalData.inlined(data))
        case .value(let kind):
            switch kind {
            case .integer, .boolean, .double, .float: return numeric(constant)
            case .date:
                if case .text = constant { return nil }
                return numeric(constant)
            case .decimal: return decimal(constant, query)
            case .string: return constant.text.map(SQLValue.text)
            case .uri:
                switch constant {
                case .url(let text), .text(let text): return .text(text)
                default: return nil
                }
            case .uuid:
                switch constant {
                case .uuid(let uuid): return .blob(uuid.bytes)
                case .text(let text): return UUID(uuidString: text).map { .blob($0.bytes) }
                case .data(let data): return .blob(data)
                default: return nil
                }
            case .data:
                guard case .data(let data) = constant else { return nil }
                return .blob(data)
            case .transformable:
                throw SQLRequestError.unsupported("a comparison with the transformable attribute \(label)")
            case .toOneKey, .toOneEntity, .transient: return nil
            }
        }
    }

    private func numeric(_ constant: ComparableValue) -> SQLValue? {
        switch constant {
        case .integer(let value): return .integer(value)
        case .real(let value), .date(let value): return .double(value)
        case .decimal(let value):
            if let integer = Int64(value.description) { return .integer(integer) }
            return .double(value.nearestDouble)
        case .text(let text):
            if let number = ComparableValue.number(fromText: text) { return numeric(number) }
            guard case .value(.boolean) = kind else { return nil }
            switch text.lowercased() {
            case "yes", "true": return .integer(1)
            case "no", "false": return .integer(0)
            default: return nil
            }
        default: return nil
        }
    }

    private func decimal(_ constant: ComparableValue, _ query: SQLQuery) -> SQLValue? {
        guard let number = numeric(constant) else { return nil }
        guard query.schema.storesDecimalsAsText else { return number }
        if case .decimal(let value) = constant { return .text(value.description) }
        switch number {
        case .integer(let value): return .text(String(value))
        case .double(let value): return Decimal(string: "\(value)").map { .text($0.description) }
        default: return nil
        }
    }

    /// The key a constant names in this store, nil for a record of another store or hierarchy, or an unsaved one.
    private func key(for constant: ComparableValue, _ entity: SQLEntity, _ query: SQLQuery) throws -> Int64? {
        let named: Any
        switch constant {
        case .identity(let identity): named = identity.base
        case .object(let object): named = object
        case .other(let value): named = value
        default:
            throw SQLRequestError.unsupported("\(label) compared with something that is no object and no object id")
        }
        guard let id = named as? NSManagedObjectID else {
            throw SQLRequestError.unsupported("\(label) compared with a \(Swift.type(of: named))")
        }
        // Keys are unique in the table of a hierarchy, so the key decides; entity columns of foreign files are not always filled.
        let root = id.entity.rootEntity
        guard !id.isTemporaryID, id.storeLink?.identifier == query.storeIdentifier,
            root === entity.entity.rootEntity || root.name == entity.entity.rootEntity.name
        else { return nil }
        return id.key.number
    }

    private func entityNumber(for constant: ComparableValue, _ query: SQLQuery) -> SQLValue? {
        let name: String?
        switch constant {
        case .text(let text): name = text
        case .object(let object): name = (object as? NSEntityDescription)?.name
        default: name = nil
        }
        let entity = name.flatMap { query.schema.model.entitiesByName[$0] }.flatMap(query.schema.entity)
        return entity.map { .integer(Int64($0.number)) }
    }
}

extension UUID {
    var bytes: Data { withUnsafeBytes(of: uuid) { Data($0) } }
}
