import Foundation

/// What a constant is among the stored values of a term.
enum SQLCounterpart {
    /// The stored form, or the nearest one that can be stored, and whether that is below or above the constant.
    case value(SQLValue, ComparisonResult)
    /// No stored value equals the constant or has an order with it.
    case none
    /// Only a function of ours compares the two rightly.
    case byFunction
}

extension SQLTerm {
    /// A constant in the form in which the term's values are stored, following the rules of `ComparableValue`: what stands on
    /// the right is turned into the left one's kind.
    ///
    /// - Throws: `NSError` for a kind of value that stores do not compare.
    func counterpart(of constant: ComparableValue, _ query: SQLQuery) throws -> SQLCounterpart {
        switch kind {
        case .key(let entity):
            return try key(for: constant, entity, query).map { .value(.integer($0), .orderedSame) } ?? .none
        case .entity: return entityNumber(for: constant, query).map { .value($0, .orderedSame) } ?? .none
        case .externalData:
            guard case .data(let data) = constant else { return .none }
            // So large a value may lie in a file, which SQL does not look into.
            guard data.count < ExternalData.smallestFile else {
                throw SQLRequestError.unsupported("\(label), stored in files, compared with \(data.count) bytes")
            }
            return .value(.blob(ExternalData.inlined(data)), .orderedSame)
        case .number(let mayBeDecimal): return number(constant, isExactDecimal: mayBeDecimal)
        case .value(let kind):
            switch kind {
            case .integer, .boolean: return whole(constant)
            case .double, .float: return real(constant)
            case .date:
                if case .text = constant { return .none }
                return real(constant)
            case .decimal: return decimal(constant, query)
            case .string:
                // The digits of a number, the text of an address; UUIDs are equal in either case of their digits.
                if case .uuid = constant { return .byFunction }
                return constant.text.map { .value(.text($0), .orderedSame) } ?? .none
            case .uri:
                switch constant {
                case .url(let text), .text(let text): return .value(.text(text), .orderedSame)
                default: return .none
                }
            case .uuid:
                switch constant {
                case .uuid(let uuid): return .value(.blob(uuid.bytes), .orderedSame)
                case .text(let text):
                    return UUID(uuidString: text).map { .value(.blob($0.bytes), .orderedSame) } ?? .none
                default: return .none
                }
            case .data:
                guard case .data(let data) = constant else { return .none }
                return .value(.blob(data), .orderedSame)
            case .transformable:
                throw SQLRequestError.unsupported("a comparison with the transformable attribute \(label)")
            case .toOneKey, .toOneEntity, .transient: return .none
            }
        }
    }

    // MARK: Numbers

    private func whole(_ constant: ComparableValue) -> SQLCounterpart {
        switch constant {
        case .integer(let value): return .value(.integer(value), .orderedSame)
        case .real(let value), .date(let value):
            return value.isNaN ? .none : .value(.double(value), .orderedSame)
        case .decimal(let value):
            let floor = value.floor
            if let whole = Int64(floor.description) {
                return .value(.integer(whole), floor == value ? .orderedSame : .orderedAscending)
            }
            return value.isNaN
                ? .none
                : value < 0 ? .value(.integer(.min), .orderedDescending) : .value(.integer(.max), .orderedAscending)
        case .text(let text): return ComparableValue.number(comparedWith: text).map(whole) ?? .none
        default: return .none
        }
    }

    private func real(_ constant: ComparableValue) -> SQLCounterpart {
        switch constant {
        case .decimal(let value): return nearestReal(to: value)
        case .text(let text): return ComparableValue.number(comparedWith: text).map(real) ?? .none
        // SQLite compares whole numbers and reals exactly.
        default: return whole(constant)
        }
    }

    /// A real counts with its shortest decimal text.
    private func nearestReal(to decimal: Decimal) -> SQLCounterpart {
        let real = decimal.nearestDouble
        guard real.isFinite, let shown = Decimal(nearest: real), !shown.isNaN, !decimal.isNaN else {
            return .byFunction
        }
        return .value(
            .double(real), shown == decimal ? .orderedSame : shown < decimal ? .orderedAscending : .orderedDescending)
    }

    private func decimal(_ constant: ComparableValue, _ query: SQLQuery) -> SQLCounterpart {
        let exact: Decimal
        switch constant {
        case .integer(let value): exact = Decimal(value)
        case .decimal(let value): exact = value
        case .real(let value), .date(let value):
            if value.isNaN { return .none }
            // Beyond the range of decimals the rules are others.
            guard let shown = Decimal(nearest: value), !shown.isNaN, shown.nearestDouble == value else {
                return .byFunction
            }
            exact = shown
        case .text(let text):
            return ComparableValue.number(comparedWith: text).map { decimal($0, query) } ?? .none
        default: return .none
        }
        if exact.isNaN { return .none }
        if query.schema.storesDecimalsAsText { return .value(.text(exact.description), .orderedSame) }
        return nearestReal(to: exact)
    }

    /// A computed number, whole or real as it comes.
    private func number(_ constant: ComparableValue, isExactDecimal: Bool) -> SQLCounterpart {
        switch constant {
        case .integer, .real, .date: return isExactDecimal ? .byFunction : whole(constant)
        case .decimal: return .byFunction
        case .text(let text):
            return ComparableValue.number(comparedWith: text).map { number($0, isExactDecimal: isExactDecimal) }
                ?? .none
        default: return .none
        }
    }

    // MARK: Records

    /// The keys that a collection of object ids names in this store, those of other stores and hierarchies left out.
    ///
    /// - Returns: nil unless all members are ids: then each of them must be looked at.
    func keys(of members: [Any], _ query: SQLQuery) -> ContiguousArray<Int64>? {
        guard case .key(let entity) = kind else { return nil }
        var keys = ContiguousArray<Int64>()
        keys.reserveCapacity(members.count)
        // Ids of one fetch have all the same store and mostly the same entity.
        var link: StoreLink?
        var isHome = false
        var layout: NSEntityDescription?
        for member in members {
            guard Swift.type(of: member) == NSManagedObjectID.self, let id = member as? NSManagedObjectID else {
                return nil
            }
            if id.storeLink !== link || id.entity !== layout {
                link = id.storeLink
                layout = id.entity
                isHome = link?.identifier == query.storeIdentifier && isRelated(id.entity, to: entity)
            }
            if isHome, !id.isTemporaryID { keys.append(id.key.number) }
        }
        return keys
    }

    private func isRelated(_ description: NSEntityDescription, to entity: SQLEntity) -> Bool {
        let root = description.rootEntity
        return root === entity.entity.rootEntity || root.name == entity.entity.rootEntity.name
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
        guard !id.isTemporaryID, id.storeLink?.identifier == query.storeIdentifier, isRelated(id.entity, to: entity)
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

extension ComparableValue {
    /// The value as a parameter of a statement; nil for records and collections, which are none by themselves.
    var parameter: (value: SQLValue, kind: SQLTerm.Kind)? {
        switch self {
        case .null: (.null, .number(mayBeDecimal: false))
        case .integer(let value): (.integer(value), .value(.integer))
        case .real(let value): (value.isNaN ? .null : .double(value), .value(.double))
        case .decimal(let value): (.text(value.description), .number(mayBeDecimal: true))
        case .text(let text): (.text(text), .value(.string))
        case .date(let seconds): (.double(seconds), .value(.date))
        case .uuid(let uuid): (.blob(uuid.bytes), .value(.uuid))
        case .data(let data): (.blob(data), .value(.data))
        case .url(let text): (.text(text), .value(.uri))
        case .identity, .collection, .object, .other: nil
        }
    }

    /// A managed object or the id of one.
    var isRecord: Bool {
        switch self {
        case .identity: true
        case .object(let object): object is NSManagedObjectID
        default: false
        }
    }
}

extension UUID {
    var bytes: Data { withUnsafeBytes(of: uuid) { Data($0) } }
}

extension Decimal {
    /// The greatest whole number that is not above.
    fileprivate var floor: Decimal {
        var value = self
        var result = Decimal()
        NSDecimalRound(&result, &value, 0, .down)
        return result
    }
}
