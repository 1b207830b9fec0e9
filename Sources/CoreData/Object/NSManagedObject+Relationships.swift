import Foundation

// To-one relationships, and single members of to-many ones. Both ends are put right at once: the other end neither fires as a
// fault (unless it has to give up a third object) nor loads its members, and both ends count as changed.

extension NSManagedObject {
    // MARK: To-one

    /// The object a to-one slot points at: the registered one, or a new fault.
    func toOneObject(at slot: Int, isPolymorphic: Bool) -> NSManagedObject? {
        fireIfFault()
        guard let key = toOneKey(at: slot, isPolymorphic: isPolymorphic), let context = link.context else { return nil }
        if !key.isTemporary,
            let object = context.identityMap.object(key.number, root: layout.destinationRoot(slot), in: heldStoreLink)
        {
            return object
        }
        return context.object(for: key, in: storeLink)
    }

    func setToOne(_ entry: PropertyEntry, _ slot: Int, isPolymorphic: Bool, to object: NSManagedObject?) {
        if let object { check(object, entry) }
        fireIfFault()
        let old = toOneKey(at: slot, isPolymorphic: isPolymorphic)
        beginUpkeep(slot)[slot] = object.map { .key($0.key) } ?? .null
        guard old != object?.key, let inverse = entry.inverse else { return }
        if let old { link.context?.object(for: old, in: storeLink).dropInverse(inverse, self) }
        object?.takeInverse(inverse, self)
    }

    // MARK: To-many

    /// Adds a member at the end. O(1).
    func addMember(_ object: NSManagedObject, _ index: Int, _ entry: PropertyEntry) {
        check(object, entry)
        let relationship = toManyState(index)
        _ = beginUpkeep(changeNumber(toMany: index))
        if let inverse = entry.inverse, case .toOne(let slot, let isPolymorphic) = inverse.place {
            object.fireIfFault()
            let old = object.toOneKey(at: slot, isPolymorphic: isPolymorphic)
            if old == key { return }
            object.beginUpkeep(slot)[slot] = .key(key)
            if let old { link.context?.object(for: old, in: storeLink).dropInverse(entry, object) }
            relationship.add(object.key, isNew: true)
        } else {
            guard relationship.add(object.key, isNew: false) else { return }
            if let inverse = entry.inverse, object !== self || inverse !== entry { object.takeInverse(inverse, self) }
        }
        relationship.orderedProxy?.didAdd(object)
    }

    /// Removes a member. O(1).
    func removeMember(_ object: NSManagedObject, _ index: Int, _ entry: PropertyEntry) {
        guard object.link === link else { return }
        let relationship = toManyState(index)
        if let inverse = entry.inverse, case .toOne(let slot, let isPolymorphic) = inverse.place {
            if object.isUnknown(slot) { object.fireIfFault() }
            guard object.toOneKey(at: slot, isPolymorphic: isPolymorphic) == key else { return }
            _ = beginUpkeep(changeNumber(toMany: index))
            object.beginUpkeep(slot)[slot] = .null
            relationship.remove(object.key)
        } else {
            if entry.inverse == nil || !relationship.isLoaded { loadMembers(relationship, entry) }
            guard relationship.remove(object.key) else { return }
            _ = beginUpkeep(changeNumber(toMany: index))
            if let inverse = entry.inverse, object !== self || inverse !== entry { object.dropInverse(inverse, self) }
        }
        relationship.orderedProxy?.didRemove(object)
    }

    // MARK: The other end

    /// The other end was told to point here: `entry` is this end's relationship.
    private func takeInverse(_ entry: PropertyEntry, _ other: NSManagedObject) {
        switch entry.place {
        case .toOne(let slot, let isPolymorphic):
            if isUnknown(slot) { fireIfFault() }
            let old = toOneKey(at: slot, isPolymorphic: isPolymorphic)
            if old == other.key { return }
            beginUpkeep(slot)[slot] = .key(other.key)
            if let old, let inverse = entry.inverse {
                link.context?.object(for: old, in: storeLink).dropInverse(inverse, self)
            }
        case .toMany(let index):
            let relationship = toManyState(index)
            _ = beginUpkeep(changeNumber(toMany: index))
            // The other end pointed elsewhere before, so it is no member yet; between two to-many ends that is not known.
            let isNew = if case .toOne? = entry.inverse?.place { true } else { false }
            if relationship.add(other.key, isNew: isNew) { relationship.orderedProxy?.didAdd(other) }
        case .attribute, .composite, .fetched: break
        }
    }

    /// The other end no longer points here: `entry` is this end's relationship.
    func dropInverse(_ entry: PropertyEntry, _ other: NSManagedObject) {
        switch entry.place {
        case .toOne(let slot, let isPolymorphic):
            // What is not known without firing the fault is what the other end says.
            if !isUnknown(slot), toOneKey(at: slot, isPolymorphic: isPolymorphic) != other.key { return }
            beginUpkeep(slot)[slot] = .null
        case .toMany(let index):
            let relationship = toManyState(index)
            _ = beginUpkeep(changeNumber(toMany: index))
            if relationship.remove(other.key) { relationship.orderedProxy?.didRemove(other) }
        case .attribute, .composite, .fetched: break
        }
    }

    /// Whether the key of a to-one slot can be told only by firing the fault.
    private func isUnknown(_ slot: Int) -> Bool {
        state.contains(.fault) && row == nil && overlay?.isUnset(slot) ?? true
    }

    // MARK: States of to-many relationships

    /// What is known of a to-many relationship; made where nothing is.
    func toManyState(_ index: Int) -> ToManyState {
        if let toMany, let known = toMany[index] { return known }
        if toMany == nil { toMany = ContiguousArray(repeating: nil, count: layout.toManyEntries.count) }
        let entry = layout.toManyEntries[index]
        let isPaired = if case .toOne? = entry.inverse?.place { false } else { true }
        let made = ToManyState(isOrdered: entry.relationship?.isOrdered == true, isPaired: isPaired)
        toMany?[index] = made
        return made
    }

    func loadMembers(_ relationship: ToManyState, _ entry: PropertyEntry) {
        guard !relationship.isLoaded else { return }
        relationship.load(link.context?.loadRelated(self, entry) ?? [])
    }

    // MARK: Checks

    /// Stops the program where the object cannot be at the other end.
    func check(_ object: NSManagedObject, _ entry: PropertyEntry) {
        guard object.link === link, link !== ContextLink.detached else {
            objectMisuse(
                "Illegal attempt to establish a relationship '\(entry.name)' between objects in different contexts (source = "
                    + "\(described), destination = \(object.described))"
                    + (link === ContextLink.detached || object.link === ContextLink.detached
                        ? ": an object that is in no context has no relationships." : ""))
        }
        // One context has one model: ordinals decide.
        if object.key.entity != entry.destinationOrdinal, let destination = entry.relationship?.destinationEntity,
            !object.layout.entity.isKindOf(entity: destination)
        {
            refuseType(
                entry.relationship?.isToMany == true ? "to-many relationship" : "to-one relationship", entry.name,
                desired: destination.name ?? "", given: object)
        }
        if storeLink !== object.storeLink, !bringTogether(object) {
            objectMisuse(
                "Illegal attempt to establish a relationship '\(entry.name)' between objects in different persistent stores "
                    + "(source = \(described), destination = \(object.described)): use a fetched property.")
        }
    }

    /// Whether two objects can lie in one store. One that has none yet follows the other.
    private func bringTogether(_ object: NSManagedObject) -> Bool {
        switch (storeLink, object.storeLink) {
        case (let home?, let other?): home.identifier == other.identifier
        // Where both are new there is time until the save, which fails if there is no store for both.
        case (nil, let other?): link.context?.follow(self, to: other) ?? true || object.key.isTemporary
        case (let home?, nil): link.context?.follow(object, to: home) ?? true || key.isTemporary
        case (nil, nil): true
        }
    }

    private var described: String {
        "<\(type(of: self)): \(addressText)> (\(objectID.uriRepresentation().absoluteString))"
    }

    /// The object that a setter of a to-one was given.
    func object(from value: Any?, _ entry: PropertyEntry) -> NSManagedObject? {
        guard let value = unwrapped(value) else { return nil }
        if let object = value as? NSManagedObject { return object }
        refuseType(
            "to-one relationship", entry.name, desired: entry.relationship?.destinationEntity?.name ?? "", given: value)
    }
}
