import Foundation

extension KeyValueCoding {
    /// The value for a key path, with collection operators (`members.@count`, `members.@sum.price`).
    ///
    /// A path through a to-many relationship gives the values of its members.
    public func value(forKeyPath keyPath: String) -> Any? {
        KeyPathReader.value(of: self, keyPath: keyPath)
    }
}

extension NSDictionary {
    /// The value for a key path; a key that begins with `@` is a collection operator.
    public func value(forKeyPath keyPath: String) -> Any? {
        KeyPathReader.value(of: self, keyPath: keyPath)
    }
}

extension NSArray {
    /// The values of the members for a key, null for nil.
    public func value(forKey key: String) -> Any? { KeyPathReader.value(of: self, keyPath: key) }

    /// The values of the members for a key path, or the result of a collection operator.
    public func value(forKeyPath keyPath: String) -> Any? { KeyPathReader.value(of: self, keyPath: keyPath) }
}

extension NSOrderedSet {
    /// The values of the members for a key, each once.
    public func value(forKey key: String) -> Any? { value(forKeyPath: key) }

    /// The values of the members for a key path, each once, or the result of a collection operator.
    public func value(forKeyPath keyPath: String) -> Any? {
        let value = KeyPathReader.value(of: self, keyPath: keyPath)
        guard let values = value as? [Any], !containsDecimals(values) else { return value }
        return NSOrderedSet(array: values)
    }
}

extension NSSet {
    /// The values of the members for a key, each once, without nil.
    public func value(forKey key: String) -> Any? { value(forKeyPath: key) }

    /// The values of the members for a key path, each once, or the result of a collection operator.
    public func value(forKeyPath keyPath: String) -> Any? {
        let value = KeyPathReader.value(of: self, keyPath: keyPath)
        return (value as? [Any]).map(hashedSet) ?? value
    }
}
