import Foundation

// What the methods that are generated beside a to-many relationship's property do: `addToBooks`, `insertIntoBooks` and so on. An
// index that is none, or an object that cannot be a member, stops the program, as with the proxies of key-value coding.

extension NSManagedObject {
    // MARK: Any to-many relationship

    /// Adds a member to a to-many relationship at its end: generated `addTo…` methods. O(1).
    public final func _add(_ property: _ManagedProperty, _ object: NSManagedObject) {
        let handle = property.handle(self)
        guard handle.isKind(.toMany) else { refuseMember(property) }
        addMember(object, handle.slot, layout.toManyEntries[handle.slot])
    }

    /// Removes a member of a to-many relationship: generated `removeFrom…` methods. O(1).
    public final func _remove(_ property: _ManagedProperty, _ object: NSManagedObject) {
        let handle = property.handle(self)
        guard handle.isKind(.toMany) else { refuseMember(property) }
        removeMember(object, handle.slot, layout.toManyEntries[handle.slot])
    }

    /// Adds members at the end. O(m) for m objects.
    public final func _add(_ property: _ManagedProperty, _ objects: NSSet) {
        let entry = property.entry(layout)
        for object in objects.allObjects { _add(property, member(object, entry)) }
    }

    /// Adds members at the end, in order. O(m) for m objects.
    public final func _add(_ property: _ManagedProperty, _ objects: NSOrderedSet) {
        let entry = property.entry(layout)
        for object in objects.array { _add(property, member(object, entry)) }
    }

    /// Removes members. O(m) for m objects.
    public final func _remove(_ property: _ManagedProperty, _ objects: NSSet) {
        let entry = property.entry(layout)
        for object in objects.allObjects { _remove(property, member(object, entry)) }
    }

    /// Removes members. O(m) for m objects.
    public final func _remove(_ property: _ManagedProperty, _ objects: NSOrderedSet) {
        let entry = property.entry(layout)
        for object in objects.array { _remove(property, member(object, entry)) }
    }

    private func refuseMember(_ property: _ManagedProperty) -> Never {
        objectMisuse("\(entityName).\(property.name) is no to-many relationship")
    }

    // MARK: Ordered relationships

    public final func _insert(_ property: _ManagedProperty, _ object: NSManagedObject, at index: Int) {
        mutableOrderedSet(property.name).insert(object, at: index)
    }

    public final func _insert(_ property: _ManagedProperty, _ objects: [NSManagedObject], at indexes: NSIndexSet) {
        mutableOrderedSet(property.name).insert(objects, at: IndexSet(indexes))
    }

    public final func _remove(_ property: _ManagedProperty, at index: Int) {
        mutableOrderedSet(property.name).removeObject(at: index)
    }

    public final func _remove(_ property: _ManagedProperty, at indexes: NSIndexSet) {
        mutableOrderedSet(property.name).removeObjects(at: IndexSet(indexes))
    }

    public final func _replace(_ property: _ManagedProperty, at index: Int, with object: NSManagedObject) {
        mutableOrderedSet(property.name).replaceObject(at: index, with: object)
    }

    public final func _replace(
        _ property: _ManagedProperty, at indexes: NSIndexSet, with objects: [NSManagedObject]
    ) {
        mutableOrderedSet(property.name).replaceObjects(at: IndexSet(indexes), with: objects)
    }
}
