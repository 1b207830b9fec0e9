import Foundation

extension NSManagedObject {
    // MARK: Where the object stands

    /// The entity of the object. Fires no fault.
    public final var entity: NSEntityDescription { layout.entity }

    /// The context that the object lives in; nil if it was made without one, after its deletion was saved, and once the context
    /// was reset or is gone.
    public final var managedObjectContext: NSManagedObjectContext? { link.context }

    /// Whether the next save inserts the object.
    public final var isInserted: Bool { state.contains(.inserted) }

    /// Whether the object was saved before and the next save updates it, be its values equal to the stored ones or not.
    public final var isUpdated: Bool { state.contains(.updated) }

    /// Whether the object was deleted and that is not saved yet, or its record turned out to be gone. (After the save it is false
    /// again: see ``managedObjectContext``.)
    public final var isDeleted: Bool { state.contains(.deleted) }

    /// Whether the values are not loaded: they are when the first one is read. To-many relationships are loaded one by one.
    public final var isFault: Bool { state.contains(.fault) }

    /// 0 for an object that is loaded and usable, anything else while it turns into a fault or back, or is one.
    public final var faultingState: Int {
        if state.contains(.firing) { return 2 }
        if state.contains(.turningIntoFault) { return 3 }
        return state.contains(.fault) ? 1 : 0
    }

    /// Whether the object will be inserted, updated or deleted by the next save.
    public final var hasChanges: Bool { !state.isDisjoint(with: [.inserted, .updated, .deleted]) }

    /// Whether the members of a relationship are still to be loaded. A to-one's key comes with the object's values.
    ///
    /// - Precondition: the entity has a relationship of that name.
    public final func hasFault(forRelationshipNamed key: String) -> Bool {
        switch relationshipEntry(key, "hasFault(forRelationshipNamed:)").place {
        case .toMany(let index):
            if let toMany, toMany[index]?.isLoaded == true { return false }
            return !state.contains(.inserted)
        default: return state.contains(.fault)
        }
    }

    /// The ids of the objects of a relationship, without making these objects: one or none for a to-one. Fires a fault.
    ///
    /// - Precondition: the entity has a relationship of that name.
    public final func objectIDs(forRelationshipNamed key: String) -> [NSManagedObjectID] {
        let entry = relationshipEntry(key, "objectIDs(forRelationshipNamed:)")
        fireIfFault()
        switch entry.place {
        case .toOne(let slot, let isPolymorphic):
            return toOneKey(at: slot, isPolymorphic: isPolymorphic).map { [objectID(of: $0)] } ?? []
        case .toMany(let index):
            return memberKeys(index, entry).map(objectID(of:))
        default: return []
        }
    }

    private func objectID(of key: ObjectKey) -> NSManagedObjectID {
        guard let context = link.context else {
            return NSManagedObjectID(key: key, entity: entity, storeLink: storeLink)
        }
        if key.isTemporary || storeLink == nil { return context.object(for: key, in: storeLink).objectID }
        if let object = context.registered(key, in: storeLink) { return object.objectID }
        let entities = context.model?.entitiesByOrdinal ?? []
        let place = Int(key.entity) - 1
        return NSManagedObjectID(
            key: key, entity: entities.indices.contains(place) ? entities[place] : entity, storeLink: storeLink)
    }

    func relationshipEntry(_ key: String, _ call: String) -> PropertyEntry {
        guard let entry = layout.entry(named: key), entry.relationship != nil else {
            objectMisuse("\(call): entity \(entityName) has no relationship named '\(key)'")
        }
        return entry
    }

    // MARK: Description

    /// What the object is; nothing is loaded for it.
    func describe() -> String {
        var text = "<\(type(of: self)): \(addressText)> (entity: \(entityName); id: \(objectID); data: "
        if state.contains(.fault) {
            text += "<fault>)"
            return text
        }
        text += "{"
        for entry in layout.entries.sorted(by: { $0.name < $1.name }) {
            text += "\n    \(entry.name) = \(describe(entry));"
        }
        return text + "\n})"
    }

    private func describe(_ entry: PropertyEntry) -> String {
        switch entry.place {
        case .attribute, .composite:
            return readValue(entry).map { $0 is String ? "\"\($0)\"" : "\($0)" } ?? "nil"
        case .toOne(let slot, let isPolymorphic):
            return toOneKey(at: slot, isPolymorphic: isPolymorphic).map { "\(objectID(of: $0))" } ?? "nil"
        case .toMany(let index):
            guard let toMany, let relationship = toMany[index], relationship.isLoaded else {
                return state.contains(.inserted) ? "()" : "\"<relationship fault: \(entry.name)>\""
            }
            return "(" + memberKeys(index, entry).map { "\(objectID(of: $0))" }.joined(separator: ", ") + ")"
        case .fetched:
            return "\"<fetched property>\""
        }
    }
}
