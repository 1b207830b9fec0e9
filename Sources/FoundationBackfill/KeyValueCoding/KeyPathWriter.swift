import Foundation

/// Writes values by key and key path.
package enum KeyPathWriter {
    /// Gives the last key of a path a value. Nothing happens where the path leads through nil; a collection passes the value on
    /// to its members, as on Apple's platforms.
    package static func set(_ value: Any?, of object: Any?, keyPath: String) {
        guard let object = unwrapped(object), !(object is NSNull) else { return }
        guard let dot = keyPath.firstIndex(of: ".") else { return set(value, of: object, key: keyPath) }
        let rest = String(keyPath[keyPath.index(after: dot)...])
        if let members = members(object) {
            for member in members { set(value, of: member, keyPath: keyPath) }
        } else {
            let key = String(keyPath[..<dot])
            let next = KeyPathReader.value(of: object, keyPath: key)
            if let outer = object as? NSMutableDictionary, let inner = next as? [AnyHashable: Any] {
                // Linux's Foundation hands a dictionary in a dictionary out as a value.
                let copy = NSMutableDictionary(dictionary: inner)
                set(value, of: copy, keyPath: rest)
                outer[key] = copy
            } else {
                set(value, of: next, keyPath: rest)
            }
        }
    }

    private static func set(_ value: Any?, of object: Any, key: String) {
        switch object {
        case let object as any KeyValueCoding: object.setValue(value, forKey: key)
        case let dictionary as NSMutableDictionary: dictionary.setValue(value, forKey: key)
        default:
            guard let members = members(object) else {
                programmerError(
                    "\(Swift.type(of: object)): setValue(_:forKey:): the class is not key value coding-compliant for "
                        + "writing the key '\(key)'; it would have to adopt KeyValueCoding")
            }
            for member in members { set(value, of: member, keyPath: key) }
        }
    }

    /// The members of a collection; a dictionary is a record.
    private static func members(_ object: Any) -> [Any]? {
        object is any KeyValueCoding || object is NSDictionary ? nil : collectionElements(object)
    }
}
