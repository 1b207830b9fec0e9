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
        return value(of: object, keyPath: keyPath[...])
    }

    private static let dot = UInt8(ascii: ".")
    private static let at = UInt8(ascii: "@")

    private static func value(of object: Any?, keyPath: Substring) -> Any? {
        guard let object = unwrapped(object), !(object is NSNull) else { return nil }
        let end = keyPath.firstIndex(of: ".") ?? keyPath.endIndex
        let key = keyPath[..<end]
        let rest = end == keyPath.endIndex ? nil : keyPath[keyPath.index(after: end)...]
        if key.hasPrefix("@") { return collectionOperator(key.dropFirst(), of: object, rest: rest) }
        if let members = mappedMembers(object) { return value(of: members, isSet: isSet(object), keyPath) }
        let value = value(of: object, key: String(key))
        guard let rest else { return value }
        return self.value(of: value, keyPath: rest)
    }

    private static func isSet(_ object: Any) -> Bool { object is NSSet || object is any SetAlgebra }

    /// The values that the members of a collection have for a key path, which are what an operator in it is applied to. In a
    /// set nil is no member.
    private static func value(of members: [Any], isSet: Bool, _ keyPath: Substring) -> Any? {
        var path = keyPath
        var operation: Substring?
        if let separator = keyPath.range(of: ".@") {
            path = keyPath[..<separator.lowerBound]
            operation = keyPath[keyPath.index(after: separator.lowerBound)...]
        }
        let values = members.compactMap { member -> Any? in
            value(of: member, keyPath: path) ?? (isSet ? nil : NSNull())
        }
        guard let operation else { return values }
        return value(of: values, keyPath: operation)
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

    private static func collectionOperator(_ name: Substring, of object: Any, rest: Substring?) -> Any? {
        let function: PredefinedFunction
        switch name {
        case "count":
            guard let members = collectionElements(object) else { return nil }
            return NSNumber(value: openedToMany(members).count)
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
