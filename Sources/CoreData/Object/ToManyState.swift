/// What an object knows of one to-many relationship: its members, and how they differ from the stored ones.
///
/// While the members are not loaded only the changes are kept, so that upkeep of an inverse needs no query. Adding, removing and
/// testing a member are O(1).
final class ToManyState {
    /// The members as they are now, changes included, in order; nil while they were never loaded.
    private(set) var members: KeyList?
    /// Members that came and went since the last save or refresh.
    private(set) var added = KeyList()
    private(set) var removed = KeyList()
    /// Whether members of an ordered relationship were put anywhere but at the end.
    private(set) var isReordered = false
    /// The order that was given to members which are to be read anew.
    private var wantedOrder: [ObjectKey]?
    /// How often the members were read.
    private(set) var readings = 0
    private let isOrdered: Bool
    /// Whether members are known by pairs rather than by a key of theirs: an unloaded member may then be added or removed that was
    /// so already.
    private let isPaired: Bool
    /// What `value(forKey:)` handed out, and the same as a Swift set, until something changes.
    var cachedCollection: AnyObject?
    var cachedTypedCollection: AnyObject?
    /// The live proxy of an ordered relationship; kept as long as there are changes that came through it.
    weak var orderedProxy: RelationshipOrderedSet?
    var keptProxy: RelationshipOrderedSet?

    init(isOrdered: Bool, isPaired: Bool) {
        self.isOrdered = isOrdered
        self.isPaired = isPaired
    }

    var isLoaded: Bool { members != nil }
    var hasChanges: Bool { !added.isEmpty || !removed.isEmpty || isReordered }

    /// The loaded members without the changes; in order, as far as it was not changed.
    var committedMembers: [ObjectKey] { (members?.keys ?? []).filter { !added.contains($0) } + removed.keys }

    /// Takes the stored members and lays the changes over them.
    func load(_ stored: [ObjectKey]) {
        var list: KeyList
        readings += 1
        if isPaired, !added.isEmpty || !removed.isEmpty { forgetVainChanges(stored) }
        if removed.isEmpty {
            list = KeyList(distinct: stored)
        } else {
            list = KeyList(distinct: stored.filter { !removed.contains($0) })
        }
        for key in added { list.append(key) }
        if let wantedOrder { list = Self.arranged(list, as: wantedOrder) }
        wantedOrder = nil
        members = list
    }

    /// Forgets that members were added that are stored, or removed that are not.
    private func forgetVainChanges(_ stored: [ObjectKey]) {
        var stored = KeyList(distinct: stored)
        for key in added.keys where stored.contains(key) {
            // One that was removed before has got another place.
            if isOrdered, removed.contains(key) { continue }
            removed.remove(key)
            added.remove(key)
        }
        for key in removed.keys where !stored.contains(key) { removed.remove(key) }
    }

    /// The members that are in `order` as they stand there, then the others.
    private static func arranged(_ members: KeyList, as order: [ObjectKey]) -> KeyList {
        var members = members
        var result = KeyList(distinct: order.filter { members.contains($0) })
        for key in members { result.append(key) }
        return result
    }

    /// The members in the order they were given; nil if new ones just stand at the end. Where they are not loaded there may be
    /// others, which keep their places.
    var changedOrder: KeyList? {
        guard isReordered else { return nil }
        if let members { return members }
        return wantedOrder.map { order in KeyList(order.filter { !removed.contains($0) } + added.keys) }
    }

    /// - Returns: whether the key is a member; meaningful only if the members are loaded.
    func contains(_ key: ObjectKey) -> Bool { members?.contains(key) ?? added.contains(key) }

    /// Adds a member at the end.
    /// - Parameter isNew: the caller knows that the key is not among the members: nothing is searched.
    /// - Returns: false where it was there already.
    @discardableResult
    func add(_ key: ObjectKey, isNew: Bool) -> Bool {
        if isNew, removed.isEmpty {
            added.appendNew(key)
            members?.appendNew(key)
        } else {
            if members != nil {
                if members?.append(key) == false { return false }
            } else if added.contains(key) {
                return false
            } else if isOrdered || isPaired {
                // One that was removed comes back at the end, if it was there at all: both are noted.
                added.append(key)
                forgetCollections()
                return true
            }
            if !removed.remove(key) { added.append(key) } else if members != nil { isReordered = true }
        }
        forgetCollections()
        return true
    }

    /// - Returns: false where it is known not to be a member.
    @discardableResult
    func remove(_ key: ObjectKey) -> Bool {
        if members != nil, members?.remove(key) == false { return false }
        if members == nil, removed.contains(key) {
            forgetCollections()
            return added.remove(key)
        }
        // Among members that are not loaded one that was added may have been there before.
        let wasAdded = added.remove(key)
        if !wasAdded || isPaired && members == nil { removed.append(key) }
        forgetCollections()
        return true
    }

    /// Sets the order of the loaded members: the same keys, otherwise arranged.
    func arrange(_ keys: [ObjectKey]) {
        members = KeyList(distinct: keys)
        isReordered = true
        forgetCollections()
    }

    /// Moves a loaded member to another place.
    func move(from: Int, to: Int) {
        members?.move(from: from, to: to)
        isReordered = true
        forgetCollections()
    }

    /// The changes are saved: what is loaded stays.
    func adoptSaved(_ resolve: (ObjectKey) -> ObjectKey) {
        members?.replaceKeys(resolve)
        added.removeAll()
        removed.removeAll()
        isReordered = false
        wantedOrder = nil
        keptProxy = nil
    }

    func replaceKeys(_ resolve: (ObjectKey) -> ObjectKey) {
        members?.replaceKeys(resolve)
        added.replaceKeys(resolve)
        removed.replaceKeys(resolve)
        wantedOrder = wantedOrder.map { $0.map(resolve) }
    }

    /// Forgets the loaded members, not the changes: they are read anew when needed.
    func unload() {
        if isReordered, let members { wantedOrder = members.keys }
        members = nil
        forgetCollections()
    }

    /// Lets go of the collections of objects, which may hold the owner in turn.
    func releaseObjects() {
        cachedCollection = nil
        cachedTypedCollection = nil
        keptProxy = nil
    }

    private func forgetCollections() {
        cachedCollection = nil
        cachedTypedCollection = nil
    }
}
