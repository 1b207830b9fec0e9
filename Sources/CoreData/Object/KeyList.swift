/// Distinct keys in order, with membership, adding and removing in O(1) once the list was asked about a member.
///
/// Until then it is a plain array: relationships that are only read or appended to never hash a key. Removal leaves a hole
/// that is closed later.
struct KeyList: Sequence {
    /// Keys in order; nil where one was removed.
    private var order: ContiguousArray<ObjectKey?> = []
    /// Where each key stands, or stood before others were moved past it; made when it is first needed.
    private var places: [ObjectKey: Int]?
    private var holes = 0
    /// How many keys were looked for that no longer stand where `places` says.
    private var misses = 0

    /// So many misses, each of which takes a scan, are worth making `places` anew.
    private static let mostMisses = 16

    /// Up to so many keys a scan is faster than hashing.
    private static let scanned = 8

    init() {}

    /// - Parameter keys: distinct keys.
    init(distinct keys: [ObjectKey]) {
        order = ContiguousArray(keys.lazy.map(Optional.some))
    }

    init(_ keys: some Sequence<ObjectKey>) {
        for key in keys { append(key) }
    }

    @inline(__always) var count: Int { order.count - holes }
    @inline(__always) var isEmpty: Bool { order.count == holes }

    /// The keys in order. O(n).
    var keys: [ObjectKey] { order.compactMap(\.self) }

    mutating func contains(_ key: ObjectKey) -> Bool { place(of: key) != nil }

    private mutating func place(of key: ObjectKey) -> Int? {
        if let places {
            guard let place = places[key] else { return nil }
            if place < order.count, order[place] == key { return place }
            misses += 1
            if misses > Self.mostMisses { index() }
            return order.firstIndex { $0 == key }
        }
        if order.count <= Self.scanned { return order.firstIndex { $0 == key } }
        index()
        return places?[key]
    }

    /// Makes `places`. Keys that were appended unchecked and are there twice are dropped.
    private mutating func index() {
        misses = 0
        var places = [ObjectKey: Int](minimumCapacity: order.count)
        for place in order.indices {
            guard let key = order[place] else { continue }
            if places.updateValue(place, forKey: key) != nil {
                order[place] = nil
                holes += 1
            }
        }
        if places.count < count || holes > 0 {
            order.removeAll { $0 == nil }
            holes = 0
            places.removeAll(keepingCapacity: true)
            for (place, key) in order.enumerated() { if let key { places[key] = place } }
        }
        self.places = places
    }

    /// - Returns: false where the key was there already.
    @discardableResult
    mutating func append(_ key: ObjectKey) -> Bool {
        if place(of: key) != nil { return false }
        appendNew(key)
        return true
    }

    /// Appends a key that is not in the list. O(1), and no hashing before the list was asked about a member.
    @inline(__always)
    mutating func appendNew(_ key: ObjectKey) {
        if places != nil { places?[key] = order.count }
        order.append(key)
    }

    /// - Returns: false where the key was not there.
    @discardableResult
    mutating func remove(_ key: ObjectKey) -> Bool {
        guard let place = place(of: key) else { return false }
        places?[key] = nil
        if place == order.count - 1 {
            order.removeLast()
        } else {
            order[place] = nil
            holes += 1
        }
        if holes > 32, holes * 2 > order.count { compact() }
        return true
    }

    /// Moves the key at one place to another. No slower than moving an element of an array.
    mutating func move(from: Int, to: Int) {
        if holes > 0 {
            order.removeAll { $0 == nil }
            holes = 0
        }
        let key = order.remove(at: from)
        order.insert(key, at: to)
    }

    private mutating func compact() {
        order.removeAll { $0 == nil }
        holes = 0
        guard places != nil else { return }
        places = nil
        index()
    }

    mutating func removeAll() { self = KeyList() }

    /// Replaces keys one by one; the new ones are distinct if the old ones are.
    mutating func replaceKeys(_ replacement: (ObjectKey) -> ObjectKey) {
        var isChanged = false
        for place in order.indices {
            guard let key = order[place], key.isTemporary else { continue }
            order[place] = replacement(key)
            isChanged = true
        }
        if isChanged { places = nil }
    }

    struct Iterator: IteratorProtocol {
        fileprivate var base: IndexingIterator<ContiguousArray<ObjectKey?>>

        mutating func next() -> ObjectKey? {
            while let next = base.next() {
                if let next { return next }
            }
            return nil
        }
    }

    func makeIterator() -> Iterator { Iterator(base: order.makeIterator()) }
}
