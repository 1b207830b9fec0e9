import Foundation

extension KeyValueCoding {
    /// The value for a key path, with collection operators (`members.@count`, `members.@sum.price`).
    ///
    /// A path through a to-many relationship gives the values of its members.
    public func value(forKeyPath keyPath: String) -> Any? {
        KeyPathReader.value(of: self, keyPath: keyPath)
    }

    /// Gives the last key of a path a value. Nothing happens where the path leads through nil; members of a collection get the
    /// value each.
    public func setValue(_ value: Any?, forKeyPath keyPath: String) {
        KeyPathWriter.set(value, of: self, keyPath: keyPath)
    }

    /// The values for some keys; `NSNull` stands for nil.
    public func dictionaryWithValues(forKeys keys: [String]) -> [String: Any] {
        Dictionary(keys.map { ($0, value(forKey: $0) ?? NSNull()) }, uniquingKeysWith: { $1 })
    }

    /// Gives several keys their values; `NSNull` means nil.
    public func setValuesForKeys(_ keyedValues: [String: Any]) {
        for (key, value) in keyedValues { setValue(value is NSNull ? nil : value, forKey: key) }
    }
}

extension NSMutableDictionary {
    /// Gives a key a value; nil removes it.
    public func setValue(_ value: Any?, forKey key: String) {
        if let value = unwrapped(value) { self[key] = value } else { removeObject(forKey: key) }
    }

    /// Gives the last key of a path a value; see ``KeyValueCoding/setValue(_:forKeyPath:)``.
    public func setValue(_ value: Any?, forKeyPath keyPath: String) {
        KeyPathWriter.set(value, of: self, keyPath: keyPath)
    }
}

extension NSDictionary {
    /// The value for a key path; a key that begins with `@` is a collection operator.
    public func value(forKeyPath keyPath: String) -> Any? {
        KeyPathReader.value(of: self, keyPath: keyPath)
    }
}

extension NSArray {
    /// Gives each member a value for a key.
    public func setValue(_ value: Any?, forKey key: String) { KeyPathWriter.set(value, of: self, keyPath: key) }

    /// Gives what a path leads to from each member a value.
    public func setValue(_ value: Any?, forKeyPath keyPath: String) {
        KeyPathWriter.set(value, of: self, keyPath: keyPath)
    }

    /// The values of the members for a key, null for nil.
    public func value(forKey key: String) -> Any? { KeyPathReader.value(of: self, keyPath: key) }

    /// The values of the members for a key path, or the result of a collection operator.
    public func value(forKeyPath keyPath: String) -> Any? { KeyPathReader.value(of: self, keyPath: keyPath) }
}

extension NSOrderedSet {
    /// Gives each member a value for a key.
    public func setValue(_ value: Any?, forKey key: String) { KeyPathWriter.set(value, of: self, keyPath: key) }

    /// Gives what a path leads to from each member a value.
    public func setValue(_ value: Any?, forKeyPath keyPath: String) {
        KeyPathWriter.set(value, of: self, keyPath: keyPath)
    }

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
    /// Gives each member a value for a key.
    public func setValue(_ value: Any?, forKey key: String) { KeyPathWriter.set(value, of: self, keyPath: key) }

    /// Gives what a path leads to from each member a value.
    public func setValue(_ value: Any?, forKeyPath keyPath: String) {
        KeyPathWriter.set(value, of: self, keyPath: keyPath)
    }

    /// The values of the members for a key, each once, without nil.
    public func value(forKey key: String) -> Any? { value(forKeyPath: key) }

    /// The values of the members for a key path, each once, or the result of a collection operator.
    public func value(forKeyPath keyPath: String) -> Any? {
        let value = KeyPathReader.value(of: self, keyPath: keyPath)
        return (value as? [Any]).map(hashedSet) ?? value
    }
}
