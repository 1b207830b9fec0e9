import Foundation

extension NSSortDescriptor: @retroactive NSSecureCoding {
    private enum Key {
        static let key = "NSKey"
        static let ascending = "NSAscending"
        static let selector = "NSSelector"
    }

    /// Sort descriptors may be in archives that require secure coding.
    public static var supportsSecureCoding: Bool { true }

    /// Lets a sort descriptor that came out of an archive be evaluated. Needed on Apple's platforms; does nothing here.
    public func allowEvaluation() {}

    /// Writes key, direction and the comparison's name. One with a comparator, or by a Swift key path whose name is not known,
    /// stops the program, as the exception does on Apple's platforms.
    public func encode(with coder: NSCoder) {
        guard let sortOrder, self is KeySortDescriptor || key != nil else {
            programmerError(
                "A sort descriptor with a comparator, or by a key path without a known name, cannot be archived")
        }
        if let key { coder.encode(key as NSString, forKey: Key.key) }
        coder.encode(ascending, forKey: Key.ascending)
        coder.encode(sortOrder.rawValue as NSString, forKey: Key.selector)
    }

    fileprivate static func decode(_ coder: NSCoder) -> NSSortDescriptor? {
        let name = coder.decodeObject(of: NSString.self, forKey: Key.selector) as String?
        guard let order = name.map({ SortOrder(rawValue: $0) }) ?? .compare else {
            coder.refuse("No comparison is called \(name ?? "").")
            return nil
        }
        let key =
            coder.containsValue(forKey: Key.key)
            ? coder.decodeObject(of: NSString.self, forKey: Key.key) as String? : nil
        return KeySortDescriptor(
            key: key, ascending: coder.decodeBool(forKey: Key.ascending), order: order, comparator: nil)
    }
}

extension NSCoding where Self: NSSortDescriptor {
    /// Reads a sort descriptor that was archived. An unknown comparison fails with `CocoaError.coderReadCorrupt`.
    public init?(coder: NSCoder) {
        guard let result = NSSortDescriptor.decode(coder) as? Self else { return nil }
        self = result
    }
}
