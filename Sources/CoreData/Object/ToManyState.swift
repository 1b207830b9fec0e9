/// What an object knows of one to-many relationship: its members, and how they differ from the stored ones.
///
/// While the members are not loaded only the changes are kept, so that upkeep of an inverse needs no query. Adding, removing and
/// testing a member are O(1).
final class ToManyState {
    /// The members as stored (plus, once loaded, the changes applied), in order; nil while they were never loaded.
    var members: KeyList?
    /// Members that came and went since the last save or refresh.
    var added = KeyList()
    var removed = KeyList()
    /// Whether the order of an ordered relationship was changed.
    var isReordered = false
    /// The collection handed out by `value(forKey:)`, until something changes.
    var cachedCollection: AnyObject?

    var hasChanges: Bool { !added.isEmpty || !removed.isEmpty || isReordered }
}

/// Distinct keys in insertion order with O(1) membership test; removal in the middle leaves a hole that is closed later.
struct KeyList: Sequence {
    private var order: ContiguousArray<ObjectKey?> = []
    private var places: [ObjectKey: Int] = [:]

    init() {}

    init(_ keys: some Sequence<ObjectKey>) {
        for key in keys { append(key) }
    }

    var count: Int { places.count }
    var isEmpty: Bool { places.isEmpty }
    func contains(_ key: ObjectKey) -> Bool { places[key] != nil }

    /// - Returns: false where the key was there already.
    @discardableResult
    mutating func append(_ key: ObjectKey) -> Bool {
        if places[key] != nil { return false }
        places[key] = order.count
        order.append(key)
        return true
    }

    @discardableResult
    mutating func remove(_ key: ObjectKey) -> Bool {
        guard let place = places.removeValue(forKey: key) else { return false }
        order[place] = nil
        if order.count > 32, order.count > places.count * 2 { compact() }
        return true
    }

    private mutating func compact() {
        order.removeAll { $0 == nil }
        for (place, key) in order.enumerated() {
            if let key { places[key] = place }
        }
    }

    func makeIterator() -> AnyIterator<ObjectKey> {
        var place = 0
        let order = order
        return AnyIterator {
            while place < order.count {
                defer { place += 1 }
                if let key = order[place] { return key }
            }
            return nil
        }
    }
}
