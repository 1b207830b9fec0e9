import Foundation

extension NSManagedObject {
    // MARK: Changed and committed values

    /// The persistent properties that were set since the object was read or last saved and now differ from that, with their new
    /// values; `NSNull` stands for nil. Neither a fault nor a relationship is loaded for it.
    public final func changedValues() -> [String: Any] {
        guard let overlay, !state.isDisjoint(with: [.inserted, .updated]) else { return [:] }
        let changed = overlay.header.changed
        return values(of: layout.entries) { number in changed.contains(number) && self.differs(number) }
    }

    /// The properties that were set since the last `NSManagedObjectContextObjectsDidChange`, with their new values; `NSNull`
    /// stands for nil. Neither a fault nor a relationship is loaded for it.
    public final func changedValuesForCurrentEvent() -> [String: Any] {
        guard let overlay, !state.isDisjoint(with: [.eventInserted, .eventUpdated]) else { return [:] }
        let changed = overlay.header.changedInEvent
        return values(of: layout.entries, withTransients: true, where: changed.contains)
    }

    /// Whether a persistent property differs from what was read or last saved.
    public final var hasPersistentChangedValues: Bool {
        guard let overlay, !overlay.header.changed.isEmpty else { return false }
        for slot in layout.slots.indices where overlay.header.changed.contains(slot) && differs(slot) {
            if !layout.slots[slot].property.isTransient { return true }
        }
        guard let toMany else { return false }
        return toMany.indices.contains { index in
            toMany[index]?.hasChanges == true && !layout.toManyEntries[index].property.isTransient
        }
    }

    /// The values as they were read or last saved; `NSNull` stands for nil. It is empty for an object that was never saved.
    ///
    /// - Parameter keys: the properties; nil: all persistent ones, except to-many relationships that are not loaded. A to-many
    ///   that is named is loaded.
    public final func committedValues(forKeys keys: [String]?) -> [String: Any] {
        fireIfFault()
        guard row != nil, !state.contains(.inserted) else { return [:] }
        var result: [String: Any] = [:]
        for entry in keys.map({ $0.compactMap(layout.entry(named:)) }) ?? Array(layout.entries) {
            if keys == nil, entry.property.isTransient { continue }
            if let value = committedValue(entry, loads: keys != nil) { result[entry.name] = value }
        }
        return result
    }

    private func committedValue(_ entry: PropertyEntry, loads: Bool) -> Any? {
        switch entry.place {
        case .attribute(let slot): return baseValue(at: slot).any(kind: traits.kinds[slot]) ?? NSNull()
        case .composite(let elements): return committedComposite(elements) ?? NSNull()
        case .toOne(let slot, let isPolymorphic):
            guard let key = row?.toOne(slot, isPolymorphic: isPolymorphic) else { return NSNull() }
            return link.context?.object(for: key, in: storeLink)
        case .toMany(let index):
            let relationship = toManyState(index)
            guard loads || relationship.isLoaded else { return nil }
            loadMembers(relationship, entry)
            guard let context = link.context else { return nil }
            let objects = relationship.committedMembers.map { context.object(for: $0, in: storeLink) }
            return entry.relationship?.isOrdered == true ? NSOrderedSet(array: objects) : NSSet(array: objects)
        case .fetched: return nil
        }
    }

    private func committedComposite(_ elements: [(name: String, place: PropertyPlace)]) -> [String: Any]? {
        var result: [String: Any] = [:]
        for element in elements {
            switch element.place {
            case .attribute(let slot): result[element.name] = baseValue(at: slot).any(kind: traits.kinds[slot])
            case .composite(let inner): result[element.name] = committedComposite(inner)
            case .toOne, .toMany, .fetched: break
            }
        }
        return result.isEmpty ? nil : result
    }

    /// Present values of those entries one of whose numbers passes.
    private func values(
        of entries: ContiguousArray<PropertyEntry>, withTransients: Bool = false, where isMeant: (Int) -> Bool
    ) -> [String: Any] {
        var result: [String: Any] = [:]
        for entry in entries where withTransients || !entry.property.isTransient {
            guard contains(entry.place, isMeant) else { continue }
            if case .toMany(let index) = entry.place, toMany?[index]?.isLoaded != true {
                // Members that are not loaded stay so: the new ones alone are told.
                result[entry.name] = addedMembers(index, entry)
            } else {
                result[entry.name] = readLoaded(entry) ?? NSNull()
            }
        }
        return result
    }

    private func contains(_ place: PropertyPlace, _ isMeant: (Int) -> Bool) -> Bool {
        switch place {
        case .attribute(let slot), .toOne(let slot, _): isMeant(slot)
        case .toMany(let index): isMeant(changeNumber(toMany: index))
        case .composite(let elements): elements.contains { contains($0.place, isMeant) }
        case .fetched: false
        }
    }

    /// The value of a changed property; a fault does not fire for it.
    private func readLoaded(_ entry: PropertyEntry) -> Any? {
        guard state.contains(.fault) else { return readValue(entry) }
        switch entry.place {
        case .toOne(let slot, let isPolymorphic):
            guard let key = toOneKey(at: slot, isPolymorphic: isPolymorphic) else { return nil }
            return link.context?.object(for: key, in: storeLink)
        case .toMany(let index): return addedMembers(index, entry)
        case .attribute(let slot): return overlay?[slot].any(kind: traits.kinds[slot])
        case .composite, .fetched: return nil
        }
    }

    private func addedMembers(_ index: Int, _ entry: PropertyEntry) -> Any {
        let keys = toMany?[index]?.added.keys ?? []
        let objects = link.context.map { context in keys.map { context.object(for: $0, in: storeLink) } } ?? []
        return entry.relationship?.isOrdered == true ? NSOrderedSet(array: objects) : NSSet(array: objects)
    }

    // MARK: Comparing

    /// Whether the slot or to-many relationship of the number differs from the snapshot.
    private func differs(_ number: Int) -> Bool {
        guard number < layout.slots.count else { return toMany?[number - layout.slots.count]?.hasChanges == true }
        guard let overlay, !overlay.isUnset(number) else { return false }
        if let row, layout.slots[number].kind != .transient { return differs(overlay, from: row, at: number) }
        return !overlay[number].isEqual(to: baseValue(at: number))
    }

    /// Whether a changed slot differs from a row.
    func differs(_ overlay: SlotValues, from row: Row, at slot: Int) -> Bool {
        let value = overlay[slot]
        if value.isNull != row.isNull(slot) { return true }
        switch value {
        case .null, .unset: return false
        case .integer(let number): return number != row.integer(slot)
        case .double(let number):
            let stored = row.double(slot)
            return number != stored && number.bitPattern != stored.bitPattern
        case .string(let text): return !row.withBytes(slot) { $0.elementsEqual(text.utf8) }
        case .uuid(let uuid): return uuid != row.uuid(slot)
        case .key(let key): return key != row.toOne(slot, isPolymorphic: false)
        case .data, .object, .any: return !value.isEqual(to: storedValue(row, at: slot))
        }
    }
}
