import Foundation

/// Reads values by key and key path.
package enum KeyPathReader {
    /// The value for a key path; a path through nil gives nil.
    ///
    /// A path through a collection maps its members: an array of as many members (null for nil) for arrays, the values
    /// that are not nil for sets. A collection operator is applied to the members (`members.@count`, `@sum.price` or
    /// `price.@sum`).
    package static func value(of object: Any?, keyPath: String) -> Any? {
        if let object = object as? any KeyValueCoding, !keyPath.utf8.contains(where: { $0 == dot || $0 == at }) {
            return unwrapped(object.value(forKey: keyPath))
        }
        return reading(of: object, keyPath: keyPath[...]).value
    }

    /// The members that a key path leads to: over two to-many relationships those of the second, whichever of the first they
    /// belong to.
    package static func members(of object: Any?, keyPath: String) -> [Any] {
        let reading = reading(of: object, keyPath: keyPath[...])
        if case .value(let value) = reading { return value.flatMap(collectionElements) ?? [] }
        return reading.members
    }

    private static let dot = UInt8(ascii: ".")
    private static let at = UInt8(ascii: "@")

    /// What a key path has come to: a value, or what it is for each member of a collection on the way.
    private indirect enum Reading {
        case value(Any?)
        case members([Reading])

        var value: Any? {
            switch self {
            case .value(let value): value
            case .members(let members): members.map { $0.value ?? NSNull() }
            }
        }

        /// A value that is a collection in itself, as an attribute may be, is one member.
        var members: [Any] {
            switch self {
            case .members(let members): members.flatMap(\.members)
            case .value(let value?): isToManyValue(value) ? collectionElements(value) ?? [] : [value]
            case .value(nil): []
            }
        }
    }

    private static func value(of object: Any?, keyPath: Substring) -> Any? {
        reading(of: object, keyPath: keyPath).value
    }

    private static func reading(of object: Any?, keyPath: Substring) -> Reading {
        guard let object = unwrapped(object), !(object is NSNull) else { return .value(nil) }
        let end = keyPath.firstIndex(of: ".") ?? keyPath.endIndex
        let key = keyPath[..<end]
        let rest = end == keyPath.endIndex ? nil : keyPath[keyPath.index(after: end)...]
        if key.hasPrefix("@") {
            if let value = dictionaryProperty(key.dropFirst(), of: object) {
                return rest.map { reading(of: value, keyPath: $0) } ?? .value(value)
            }
            return .value(collectionOperator(key.dropFirst(), of: object, rest: rest))
        }
        if let members = mappedMembers(object) { return reading(of: members, isSet: isSet(object), keyPath) }
        let value = value(of: object, key: String(key))
        guard let rest else { return .value(value) }
        return reading(of: value, keyPath: rest)
    }

    /// The values that the members of a collection have for a key path, which are what an operator in it is applied to. In a
    /// set nil is no member.
    private static func reading(of members: [Any], isSet: Bool, _ keyPath: Substring) -> Reading {
        var path = keyPath
        var operation: Substring?
        if let separator = keyPath.range(of: ".@") {
            path = keyPath[..<separator.lowerBound]
            operation = keyPath[keyPath.index(after: separator.lowerBound)...]
        }
        let values = Reading.members(
            members.compactMap { member in
                let reading = reading(of: member, keyPath: path)
                guard case .value(nil) = reading else { return reading }
                return isSet ? nil : .value(NSNull())
            })
        guard let operation else { return values }
        if operation == "@count" { return .value(NSNumber(value: values.members.count)) }
        return reading(of: values.value, keyPath: operation)
    }

    /// The members of a collection whose keys are its members' keys; a dictionary has keys of its own.
    private static func mappedMembers(_ object: Any) -> [Any]? {
        object is any KeyValueCoding ? nil : collectionElements(object)
    }

    /// The value for one key of one object: of a ``KeyValueCoding``, a dictionary, or any object's stored properties.
    private static func value(of object: Any, key: String) -> Any? {
        if let object = object as? any KeyValueCoding { return unwrapped(object.value(forKey: key)) }
        if key.caseInsensitiveCompare("self") == .orderedSame { return object }
        if let dictionary = object as? NSDictionary { return null(unwrapped(dictionary[key])) }
        if let dictionary = object as? [String: Any] { return null(unwrapped(dictionary[key])) }
        if let dictionary = object as? [AnyHashable: Any] { return null(unwrapped(dictionary[key])) }
        if let value = BuiltInKeys.value(of: object, key: key) { return value }
        return storedProperty(of: object, key: key)
    }

    private static func null(_ value: Any?) -> Any? { value is NSNull ? nil : value }

    private static func storedProperty(of object: Any, key: String) -> Any? {
        var mirror: Mirror? = Mirror(reflecting: object)
        while let current = mirror {
            if let child = current.children.first(where: { $0.label == key }) { return unwrapped(child.value) }
            mirror = current.superclassMirror
        }
        return nil
    }

    /// What a dictionary says of itself: its keys have no `@`.
    private static func dictionaryProperty(_ name: Substring, of object: Any) -> Any? {
        guard !(object is any KeyValueCoding), let dictionary = object as? [AnyHashable: Any] else { return nil }
        switch name {
        case "count": return NSNumber(value: dictionary.count)
        case "allKeys": return dictionary.keys.map(\.base)
        case "allValues": return Array(dictionary.values)
        default: return nil
        }
    }

    private static func collectionOperator(_ name: Substring, of object: Any, rest: Substring?) -> Any? {
        let function: PredefinedFunction
        switch name {
        case "count":
            guard let members = collectionElements(object) else { return nil }
            return NSNumber(value: members.count)
        case "sum": function = .sum
        case "avg", "average": function = .average
        case "min": function = .min
        case "max": function = .max
        case "unionOfObjects", "distinctUnionOfObjects", "unionOfArrays", "distinctUnionOfArrays", "unionOfSets",
            "distinctUnionOfSets":
            let values = Aggregate.members(rest.map { value(of: object, keyPath: $0) } ?? object)
            return name.hasPrefix("distinct") || name == "unionOfSets" ? distinct(values) : values
        default: return nil
        }
        return Aggregate.value(
            of: function, over: Aggregate.members(rest.map { value(of: object, keyPath: $0) } ?? object))
    }

    private static func distinct(_ values: [Any]) -> [Any] {
        var result: [Any] = []
        var known = MemberSet([])
        for value in values where !known.contains(value) {
            result.append(value)
            known.insert(value)
        }
        return result
    }
}
