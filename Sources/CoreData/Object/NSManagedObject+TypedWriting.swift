import Foundation

extension NSManagedObject {
    // MARK: Slots of one kind

    /// Sets a slot that is known to be of the value's kind.
    @inline(__always)
    private func put(_ value: SlotValue, at slot: Int) {
        if state.contains(.untracked) {
            setUntracked(value, at: slot)
        } else {
            beginChange(slot)[slot] = value
        }
    }

    /// Sets a property whose type is another than the accessor's.
    @inline(never)
    private func putOther(_ value: Any?, _ property: _ManagedProperty) {
        writeValue(value, property.entry(layout))
    }

    @inline(__always)
    private func putInteger(_ value: Int64, _ property: _ManagedProperty) {
        let handle = property.handle(self)
        if handle.isKind(.integer) {
            put(.integer(value), at: handle.slot)
        } else {
            putOther(NSNumber(value: value), property)
        }
    }

    // MARK: Numbers

    public final func _set(_ property: _ManagedProperty, _ value: Int64) { putInteger(value, property) }
    public final func _set(_ property: _ManagedProperty, _ value: Int32) { putInteger(Int64(value), property) }
    public final func _set(_ property: _ManagedProperty, _ value: Int16) { putInteger(Int64(value), property) }
    public final func _set(_ property: _ManagedProperty, _ value: Int) { putInteger(Int64(value), property) }

    public final func _set(_ property: _ManagedProperty, _ value: Bool) {
        let handle = property.handle(self)
        if handle.isInteger {
            put(.integer(value ? 1 : 0), at: handle.slot)
        } else {
            putOther(NSNumber(value: value), property)
        }
    }

    public final func _set(_ property: _ManagedProperty, _ value: Double) {
        let handle = property.handle(self)
        if handle.isKind(.double) || handle.isKind(.date) {
            put(.double(value), at: handle.slot)
        } else {
            putOther(NSNumber(value: value), property)
        }
    }

    public final func _set(_ property: _ManagedProperty, _ value: Float) {
        let handle = property.handle(self)
        if handle.isReal {
            put(.double(Double(value)), at: handle.slot)
        } else {
            putOther(NSNumber(value: value), property)
        }
    }

    public final func _set(_ property: _ManagedProperty, _ value: NSNumber?) { putOther(value, property) }

    public final func _set(_ property: _ManagedProperty, _ value: NSDecimalNumber?) { putOther(value, property) }

    public final func _set(_ property: _ManagedProperty, _ value: Decimal?) {
        putOther(value.map { NSDecimalNumber(decimal: $0) }, property)
    }

    // MARK: Text, dates, bytes

    public final func _set(_ property: _ManagedProperty, _ value: String?) {
        let handle = property.handle(self)
        if handle.isKind(.string) {
            put(value.map { .string($0) } ?? .null, at: handle.slot)
        } else {
            putOther(value, property)
        }
    }

    public final func _set(_ property: _ManagedProperty, _ value: Date?) {
        let handle = property.handle(self)
        if handle.isKind(.date) {
            put(value.map { .double($0.timeIntervalSinceReferenceDate) } ?? .null, at: handle.slot)
        } else {
            putOther(value, property)
        }
    }

    public final func _set(_ property: _ManagedProperty, _ value: UUID?) {
        let handle = property.handle(self)
        if handle.isKind(.uuid) {
            put(value.map { .uuid($0) } ?? .null, at: handle.slot)
        } else {
            putOther(value, property)
        }
    }

    public final func _set(_ property: _ManagedProperty, _ value: Data?) {
        let handle = property.handle(self)
        if handle.isKind(.data) {
            put(value.map { .data($0) } ?? .null, at: handle.slot)
        } else {
            putOther(value, property)
        }
    }

    public final func _set(_ property: _ManagedProperty, _ value: URL?) { putOther(value, property) }

    // MARK: Values of other types

    /// Sets a transformable or undefined attribute, or a composite's dictionary.
    @_disfavoredOverload
    public final func _set<T>(_ property: _ManagedProperty, _ value: T?) { putOther(value, property) }

    /// Sets any property to a value of any type; see `_getValue`.
    public final func _setValue<T>(_ property: _ManagedProperty, _ value: T?) { putOther(value, property) }

    public final func _set<T: RawRepresentable>(_ property: _ManagedProperty, _ value: T?) {
        putOther(value?.rawValue, property)
    }

    // MARK: Relationships

    public final func _set(_ property: _ManagedProperty, _ value: NSManagedObject?) {
        let handle = property.handle(self)
        if handle.isKind(.toOne) {
            setToOne(property.entry(layout), handle.slot, isPolymorphic: handle.isPolymorphic, to: value)
        } else {
            putOther(value, property)
        }
    }

    public final func _set<T: NSManagedObject>(_ property: _ManagedProperty, _ value: Set<T>?) {
        let handle = property.handle(self)
        if handle.isKind(.toMany) {
            setMembers(handle.slot, layout.toManyEntries[handle.slot], to: value.map { Array($0) } ?? [])
        } else {
            putOther(value, property)
        }
    }

    public final func _set(_ property: _ManagedProperty, _ value: NSSet?) { putOther(value, property) }

    public final func _set(_ property: _ManagedProperty, _ value: NSOrderedSet?) { putOther(value, property) }
}
