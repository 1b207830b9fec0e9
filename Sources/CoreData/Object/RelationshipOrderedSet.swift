import Foundation

/// What `mutableOrderedSetValue(forKey:)` gives: a live view of an ordered to-many relationship.
///
/// Foundation's ordered set answers most questions from its own storage, so the view keeps the members there too: changes go to
/// the object, and the object tells its views of every change, whichever end it came from.
final class RelationshipOrderedSet: NSMutableOrderedSet {
    private let owner: NSManagedObject?
    private let index: Int
    private let entry: PropertyEntry?
    /// The storage follows what the object says: Foundation's methods call each other, which must change nothing in the object.
    private var isFollowing = false
    /// What the storage was taken from, and which of its readings that was.
    private weak var source: ToManyState?
    private var reading = 0

    init(_ owner: NSManagedObject, _ index: Int, _ entry: PropertyEntry) {
        self.owner = owner
        self.index = index
        self.entry = entry
        super.init(objects: nil, count: 0)
        synchronise()
    }

    private override init(objects: UnsafePointer<AnyObject>?, count: Int) {
        owner = nil
        index = 0
        entry = nil
        super.init(objects: objects, count: count)
    }

    required convenience init(arrayLiteral elements: Any...) { self.init(objects: nil, count: 0) }

    required convenience init?(coder: NSCoder) { return nil }

    // MARK: What the object tells

    func didAdd(_ object: NSManagedObject) { follow { super.add(object) } }

    func didRemove(_ object: NSManagedObject) { follow { super.remove(object) } }

    func didMove(from: Int, to: Int) {
        follow {
            let object = object(at: from)
            super.removeObject(at: from)
            super.insert(object, at: to)
        }
    }

    /// Takes the members and their order anew. O(n).
    func synchronise() {
        guard let owner, let entry else { return }
        let members = owner.members(index, entry)
        let relationship = owner.toManyState(index)
        source = relationship
        reading = relationship.readings
        follow {
            super.removeObjects(in: NSRange(location: 0, length: count))
            for member in members { super.add(member) }
        }
    }

    /// After a refresh or rollback the object has forgotten its members, and may have read them anew: they are asked for again.
    func catchUp() {
        guard !isFollowing, let owner else { return }
        let relationship = owner.toManyState(index)
        if relationship === source, relationship.readings == reading, relationship.isLoaded { return }
        synchronise()
        if relationship.orderedProxy == nil { relationship.orderedProxy = self }
    }

    // MARK: Reading

    override var count: Int {
        catchUp()
        return super.count
    }

    override func object(at idx: Int) -> Any {
        catchUp()
        return super.object(at: idx)
    }

    override func index(of object: Any) -> Int {
        catchUp()
        return super.index(of: object)
    }

    override func contains(_ object: Any) -> Bool {
        catchUp()
        return super.contains(object)
    }

    private func follow(_ body: () -> Void) {
        isFollowing = true
        defer { isFollowing = false }
        body()
    }

    // MARK: Changing

    private func change(_ body: (NSManagedObject, PropertyEntry) -> Void) {
        guard let owner, let entry else { return }
        let relationship = owner.toManyState(index)
        catchUp()
        // Kept until the changes are saved: asking for the view again and again is then cheap.
        relationship.orderedProxy = self
        relationship.keptProxy = self
        body(owner, entry)
    }

    private var members: [NSManagedObject] { array.compactMap { $0 as? NSManagedObject } }

    /// Makes the members these objects, in this order.
    private func replaceAll(_ objects: [Any]) {
        change { owner, entry in owner.setMembers(index, entry, to: objects.map { owner.member($0, entry) }) }
    }

    /// Changes the list as an array is changed; what comes up twice counts once, at its first place.
    private func rearrange(_ body: (inout [Any]) -> Void) {
        catchUp()
        var list = array
        body(&list)
        replaceAll(list)
    }

    private func move(from: Int, to: Int) {
        change { owner, entry in owner.moveMember(from: from, to: to, index, entry) }
    }

    override func add(_ object: Any) {
        if isFollowing { return super.add(object) }
        change { owner, entry in owner.addMember(owner.member(object, entry), index, entry) }
    }

    override func add(_ objects: UnsafePointer<AnyObject>?, count: Int) {
        for object in UnsafeBufferPointer(start: objects, count: count) { add(object) }
    }

    override func addObjects(from array: [Any]) {
        for object in array { add(object) }
    }

    override func insert(_ object: Any, at idx: Int) {
        if isFollowing { return super.insert(object, at: idx) }
        if contains(object) { return }
        let end = count
        precondition(
            idx <= end, "insert(_:at:): index \(idx) beyond the end of an ordered relationship of \(end) objects")
        add(object)
        if count == end + 1 { move(from: end, to: idx) }
    }

    override func insert(_ objects: [Any], at indexes: IndexSet) {
        for (place, object) in zip(indexes, objects) { insert(object, at: place) }
    }

    override func remove(_ val: Any) {
        if isFollowing { return super.remove(val) }
        guard let object = val as? NSManagedObject else { return }
        change { owner, entry in owner.removeMember(object, index, entry) }
    }

    override func removeObject(at idx: Int) {
        if isFollowing { return super.removeObject(at: idx) }
        remove(object(at: idx))
    }

    override func removeObjects(at indexes: IndexSet) {
        if isFollowing { return super.removeObjects(at: indexes) }
        for object in objects(at: indexes) { remove(object) }
    }

    override func removeObjects(in range: NSRange) {
        guard let range = Range(range) else { return }
        removeObjects(at: IndexSet(integersIn: range))
    }

    override func removeObjects(in array: [Any]) {
        for object in array { remove(object) }
    }

    override func removeAllObjects() {
        change { owner, entry in owner.removeAllMembers(index, entry) }
    }

    override func replaceObject(at idx: Int, with obj: Any) {
        let present = index(of: obj)
        if present != NSNotFound { return }
        removeObject(at: idx)
        insert(obj, at: idx)
    }

    override func replaceObjects(at indexes: IndexSet, with objects: [Any]) {
        for (place, object) in zip(indexes, objects) { replaceObject(at: place, with: object) }
    }

    override func replaceObjects(in range: NSRange, with objects: UnsafePointer<AnyObject>!, count: Int) {
        guard let range = Range(range) else { return }
        rearrange {
            $0.replaceSubrange(range, with: UnsafeBufferPointer(start: objects, count: count).map { $0 as Any })
        }
    }

    override func setObject(_ obj: Any, at idx: Int) {
        if idx == count { add(obj) } else { replaceObject(at: idx, with: obj) }
    }

    override subscript(idx: Int) -> Any {
        get { super[idx] }
        set { setObject(newValue, at: idx) }
    }

    override func exchangeObject(at idx1: Int, withObjectAt idx2: Int) {
        let (low, high) = idx1 < idx2 ? (idx1, idx2) : (idx2, idx1)
        guard low < high else { return }
        move(from: high, to: low)
        move(from: low + 1, to: high)
    }

    override func moveObjects(at indexes: IndexSet, to idx: Int) {
        if indexes.count == 1, let place = indexes.first { return move(from: place, to: idx) }
        rearrange { list in
            let moved = indexes.map { list[$0] }
            for place in indexes.reversed() { list.remove(at: place) }
            list.insert(contentsOf: moved, at: idx)
        }
    }

    override func union(_ other: NSOrderedSet) { addObjects(from: other.array) }

    override func minus(_ other: NSOrderedSet) { removeObjects(in: other.array) }

    override func intersect(_ other: NSOrderedSet) {
        for object in array where !other.contains(object) { remove(object) }
    }

    override func unionSet(_ other: Set<AnyHashable>) { addObjects(from: other.map(\.base)) }

    override func minusSet(_ other: Set<AnyHashable>) { removeObjects(in: other.map(\.base)) }

    override func intersectSet(_ other: Set<AnyHashable>) {
        for object in members where !other.contains(object) { remove(object) }
    }

    override func sort(comparator cmptr: (Any, Any) -> ComparisonResult) {
        replaceAll(sortedArray(comparator: cmptr))
    }

    override func sort(options opts: NSSortOptions = [], usingComparator cmptr: (Any, Any) -> ComparisonResult) {
        replaceAll(sortedArray(options: opts, usingComparator: cmptr))
    }

    override func sortRange(
        _ range: NSRange, options opts: NSSortOptions = [], usingComparator cmptr: (Any, Any) -> ComparisonResult
    ) {
        guard let range = Range(range) else { return }
        rearrange { list in
            let sorted = NSArray(array: Array(list[range])).sortedArray(options: opts, usingComparator: cmptr)
            list.replaceSubrange(range, with: sorted)
        }
    }

    override func sort(using sortDescriptors: [NSSortDescriptor]) {
        replaceAll(sortedArray(using: sortDescriptors))
    }

    override func copy(with zone: NSZone? = nil) -> Any { NSOrderedSet(array: array) }

    override func mutableCopy(with zone: NSZone? = nil) -> Any { NSMutableOrderedSet(array: array) }
}
