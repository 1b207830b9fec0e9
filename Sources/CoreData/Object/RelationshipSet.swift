import Foundation

/// What `mutableSetValue(forKey:)` gives: a live view of an unordered to-many relationship.
///
/// It keeps no members of its own. Foundation's casts from `NSSet` to `Set` look at the storage of the base class, which stays
/// empty; nothing can be done about that from here.
final class RelationshipSet: NSMutableSet {
    private let owner: NSManagedObject
    private let index: Int
    private let entry: PropertyEntry

    init(_ owner: NSManagedObject, _ index: Int, _ entry: PropertyEntry) {
        self.owner = owner
        self.index = index
        self.entry = entry
        super.init(objects: nil, count: 0)
    }

    required init(capacity numItems: Int) { objectMisuse("A relationship's set cannot be made without its object") }

    required convenience init?(coder aDecoder: NSCoder) { return nil }

    private var members: [NSManagedObject] { owner.members(index, entry) }

    // MARK: Reading

    override var count: Int { owner.memberCount(index, entry) }

    override func member(_ object: Any) -> Any? {
        guard let object = object as? NSManagedObject, owner.isMember(object, index, entry) else { return nil }
        return object
    }

    override func objectEnumerator() -> NSEnumerator { ObjectEnumerator(members) }

    override var allObjects: [Any] { members }

    override func copy(with zone: NSZone? = nil) -> Any { NSSet(array: members) }

    override func mutableCopy(with zone: NSZone? = nil) -> Any { NSMutableSet(array: members) }

    // MARK: Writing

    override func add(_ object: Any) { owner.addMember(owner.member(object, entry), index, entry) }

    override func remove(_ object: Any) {
        if let object = object as? NSManagedObject { owner.removeMember(object, index, entry) }
    }

    override func addObjects(from array: [Any]) {
        for object in array { add(object) }
    }

    override func removeAllObjects() { owner.removeAllMembers(index, entry) }

    override func union(_ otherSet: Set<AnyHashable>) {
        for object in otherSet { add(object.base) }
    }

    override func minus(_ otherSet: Set<AnyHashable>) {
        for object in otherSet { remove(object.base) }
    }

    override func intersect(_ otherSet: Set<AnyHashable>) {
        for object in members where !otherSet.contains(object) { remove(object) }
    }

    override func setSet(_ otherSet: Set<AnyHashable>) {
        owner.setMembers(index, entry, to: otherSet.map { owner.member($0.base, entry) })
    }
}

private final class ObjectEnumerator: NSEnumerator {
    private var rest: IndexingIterator<[NSManagedObject]>

    init(_ objects: [NSManagedObject]) { rest = objects.makeIterator() }

    override func nextObject() -> Any? { rest.next() }
}
