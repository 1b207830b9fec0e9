import Foundation

// To-many relationships as a whole.

extension NSManagedObject {
    // MARK: Reading

    /// The keys of the members, in order.
    func memberKeys(_ index: Int, _ entry: PropertyEntry) -> [ObjectKey] {
        let relationship = toManyState(index)
        loadMembers(relationship, entry)
        return relationship.members?.keys ?? []
    }

    func memberCount(_ index: Int, _ entry: PropertyEntry) -> Int {
        let relationship = toManyState(index)
        loadMembers(relationship, entry)
        return relationship.members?.count ?? 0
    }

    func isMember(_ object: NSManagedObject, _ index: Int, _ entry: PropertyEntry) -> Bool {
        guard object.link === link else { return false }
        let relationship = toManyState(index)
        loadMembers(relationship, entry)
        return relationship.contains(object.key)
    }

    /// The members as objects, in order: the registered ones, or new faults.
    func members(_ index: Int, _ entry: PropertyEntry) -> [NSManagedObject] {
        guard let context = link.context else { return [] }
        let relationship = toManyState(index)
        loadMembers(relationship, entry)
        guard let members = relationship.members else { return [] }
        var objects: [NSManagedObject] = []
        objects.reserveCapacity(members.count)
        for key in members { objects.append(context.object(for: key, in: storeLink)) }
        return objects
    }

    /// The `NSSet` or `NSOrderedSet` of a to-many; the same instance until something changes.
    func collection(_ index: Int, _ entry: PropertyEntry) -> AnyObject {
        fireIfFault()
        let relationship = toManyState(index)
        if let collection = relationship.cachedCollection { return collection }
        let objects = members(index, entry)
        let collection = objects.withUnsafeBufferPointer { buffer -> AnyObject in
            buffer.withMemoryRebound(to: AnyObject.self) { buffer -> AnyObject in
                entry.relationship?.isOrdered == true
                    ? NSOrderedSet(objects: buffer.baseAddress, count: buffer.count)
                    : NSSet(objects: buffer.baseAddress, count: buffer.count)
            }
        }
        relationship.cachedCollection = collection
        return collection
    }

    /// The members as a Swift set of a class; the same storage until something changes.
    func typedCollection<T: NSManagedObject>(_ index: Int, _ entry: PropertyEntry) -> Set<T> {
        fireIfFault()
        let relationship = toManyState(index)
        if let known = relationship.cachedTypedCollection as? TypedCollection<T> { return known.set }
        let objects = members(index, entry)
        var set = Set<T>(minimumCapacity: objects.count)
        for object in objects {
            guard let object = object as? T else {
                objectMisuse("\(entityName).\(entry.name) has a member of class \(type(of: object)), not \(T.self)")
            }
            set.insert(object)
        }
        relationship.cachedTypedCollection = TypedCollection(set)
        return set
    }

    private final class TypedCollection<T: NSManagedObject> {
        let set: Set<T>
        init(_ set: Set<T>) { self.set = set }
    }

    // MARK: Writing

    /// Replaces the members by what a setter was given: a set, an ordered set or an array of objects, or nil.
    func setMembers(_ index: Int, _ entry: PropertyEntry, to value: Any?) {
        setMembers(index, entry, to: objects(from: value, entry))
    }

    func setMembers(_ index: Int, _ entry: PropertyEntry, to objects: [NSManagedObject]) {
        for object in objects { check(object, entry) }
        fireIfFault()
        _ = beginUpkeep(changeNumber(toMany: index))
        let wanted = Set(objects.map(ObjectIdentifier.init))
        for member in members(index, entry) where !wanted.contains(ObjectIdentifier(member)) {
            removeMember(member, index, entry)
        }
        for object in objects { addMember(object, index, entry) }
        if entry.relationship?.isOrdered == true { arrange(objects, index, entry) }
    }

    /// Puts the members in an order; `objects` are just the members.
    func arrange(_ objects: [NSManagedObject], _ index: Int, _ entry: PropertyEntry) {
        let relationship = toManyState(index)
        loadMembers(relationship, entry)
        var order = KeyList()
        for object in objects { order.append(object.key) }
        let keys = order.keys
        guard keys != relationship.members?.keys ?? [] else { return }
        _ = beginUpkeep(changeNumber(toMany: index))
        relationship.arrange(keys)
        relationship.orderedProxy?.synchronise()
    }

    /// Moves the member at one place to another: what an array needs for it, whatever the number of members.
    func moveMember(from: Int, to: Int, _ index: Int, _ entry: PropertyEntry) {
        guard from != to else { return }
        let relationship = toManyState(index)
        loadMembers(relationship, entry)
        _ = beginUpkeep(changeNumber(toMany: index))
        relationship.move(from: from, to: to)
        relationship.orderedProxy?.didMove(from: from, to: to)
    }

    /// Removes all members.
    func removeAllMembers(_ index: Int, _ entry: PropertyEntry) {
        for member in members(index, entry) { removeMember(member, index, entry) }
    }

    /// The objects that a setter of a to-many was given.
    func objects(from value: Any?, _ entry: PropertyEntry) -> [NSManagedObject] {
        guard let value = unwrapped(value), !(value is NSNull) else { return [] }
        guard let elements = collectionElements(value) else {
            refuseType(
                "to-many relationship", entry.name,
                desired: entry.relationship?.isOrdered == true ? "NSOrderedSet" : "NSSet", given: value)
        }
        return elements.map { member($0, entry) }
    }

    func member(_ value: Any, _ entry: PropertyEntry) -> NSManagedObject {
        if let object = value as? NSManagedObject { return object }
        refuseType(
            "to-many relationship", entry.name, desired: entry.relationship?.destinationEntity?.name ?? "", given: value
        )
    }

    // MARK: Proxies

    func mutableSet(_ key: String) -> NSMutableSet {
        guard let entry = layout.entry(named: key), case .toMany(let index) = entry.place,
            entry.relationship?.isOrdered == false
        else {
            objectMisuse(
                "NSManagedObjects of entity '\(entityName)' do not support mutableSetValue(forKey:) for the property '\(key)'"
            )
        }
        return RelationshipSet(self, index, entry)
    }

    func mutableOrderedSet(_ key: String) -> NSMutableOrderedSet {
        guard let entry = layout.entry(named: key), case .toMany(let index) = entry.place,
            entry.relationship?.isOrdered == true
        else {
            objectMisuse(
                "NSManagedObjects of entity '\(entityName)' do not support mutableOrderedSetValue(forKey:) for the property "
                    + "'\(key)'")
        }
        fireIfFault()
        let relationship = toManyState(index)
        if let proxy = relationship.orderedProxy {
            proxy.catchUp()
            return proxy
        }
        let proxy = RelationshipOrderedSet(self, index, entry)
        relationship.orderedProxy = proxy
        return proxy
    }

    /// `didChangeValue(forKey:withSetMutation:using:)`
    func mutate(_ key: String, _ kind: NSKeyValueSetMutationKind, _ objects: Set<AnyHashable>) {
        guard let entry = layout.entry(named: key), case .toMany(let index) = entry.place else {
            objectMisuse("didChangeValue(forKey:withSetMutation:using:): entity \(entityName) has no to-many '\(key)'")
        }
        let objects = objects.map { member($0.base, entry) }
        switch kind {
        case .union: for object in objects { addMember(object, index, entry) }
        case .minus: for object in objects { removeMember(object, index, entry) }
        case .intersect:
            let kept = Set(objects.map(ObjectIdentifier.init))
            for member in members(index, entry) where !kept.contains(ObjectIdentifier(member)) {
                removeMember(member, index, entry)
            }
        case .set: setMembers(index, entry, to: objects)
        }
    }
}
