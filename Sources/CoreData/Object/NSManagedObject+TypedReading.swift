import Foundation

// Typed accessors for generated and hand-written subclasses. They never box a value or look up a name unless the accessor's type is
// another than the attribute's. nil reads as 0, false, "", no bytes or an empty set where the accessor's type is not optional.

extension NSManagedObject {
    // MARK: Slots of one kind

    // A fault is fired first; then the changes count, then the snapshot, then the defaults of an unsaved object. Nothing here touches
    // a reference count.

    @inline(__always)
    private func integer(at slot: Int) -> Int64 {
        if state.contains(.fault) { fireFault() }
        if !heldOverlay.isEmpty {
            switch heldOverlay.look({ $0[slot] }) {
            case .integer(let number): return number
            case .null: return 0
            default: break
            }
        }
        // The word of a null is 0.
        if let number = heldRow.look({ $0.integer(slot) }) { return number }
        if case .integer(let number) = baseValue(at: slot) { return number }
        return 0
    }

    @inline(__always)
    private func real(at slot: Int) -> Double? {
        if state.contains(.fault) { fireFault() }
        if !heldOverlay.isEmpty {
            switch heldOverlay.look({ $0[slot] }) {
            case .double(let number): return number
            case .null: return nil
            default: break
            }
        }
        if let number = heldRow.look({ $0.word(slot) == 0 && $0.isNull(slot) ? nil : $0.double(slot) }) {
            return number
        }
        if case .double(let number) = baseValue(at: slot) { return number }
        return nil
    }

    /// The number of an accessor whose type is not the attribute's.
    @inline(never)
    private func otherNumber(_ property: _ManagedProperty) -> NSNumber? {
        readValue(property.entry(layout)) as? NSNumber
    }

    @inline(never)
    private func other<T>(_ property: _ManagedProperty) -> T? {
        guard let value = readValue(property.entry(layout)) else { return nil }
        guard let typed = value as? T else {
            objectMisuse(
                "\(entityName).\(property.name) has a value of type \(type(of: value)), its accessor is of type \(T.self)"
            )
        }
        return typed
    }

    // MARK: Numbers

    public final func _get(_ property: _ManagedProperty) -> Int64 {
        let handle = property.handle(self)
        return handle.isInteger ? integer(at: handle.slot) : otherNumber(property)?.int64Value ?? 0
    }

    public final func _get(_ property: _ManagedProperty) -> Int32 {
        let handle = property.handle(self)
        return handle.isInteger
            ? Int32(truncatingIfNeeded: integer(at: handle.slot)) : otherNumber(property)?.int32Value ?? 0
    }

    public final func _get(_ property: _ManagedProperty) -> Int16 {
        let handle = property.handle(self)
        return handle.isInteger
            ? Int16(truncatingIfNeeded: integer(at: handle.slot)) : otherNumber(property)?.int16Value ?? 0
    }

    public final func _get(_ property: _ManagedProperty) -> Int {
        let handle = property.handle(self)
        return handle.isInteger
            ? Int(truncatingIfNeeded: integer(at: handle.slot)) : otherNumber(property)?.intValue ?? 0
    }

    public final func _get(_ property: _ManagedProperty) -> Bool {
        let handle = property.handle(self)
        return handle.isInteger ? integer(at: handle.slot) != 0 : otherNumber(property)?.boolValue ?? false
    }

    /// Of a date: the seconds since the reference date, as a scalar date's `TimeInterval`.
    public final func _get(_ property: _ManagedProperty) -> Double {
        let handle = property.handle(self)
        return handle.isReal || handle.isKind(.date)
            ? real(at: handle.slot) ?? 0 : otherNumber(property)?.doubleValue ?? 0
    }

    public final func _get(_ property: _ManagedProperty) -> Float {
        let handle = property.handle(self)
        return handle.isReal ? Float(real(at: handle.slot) ?? 0) : otherNumber(property)?.floatValue ?? 0
    }

    /// `NSNumber` or `NSDecimalNumber`, nil where there is none.
    public final func _get<T: NSNumber>(_ property: _ManagedProperty) -> T? {
        let number = decimal(property) ?? otherNumber(property)
        return number as? T
    }

    /// The number of a decimal attribute; nil for other attributes too.
    private func decimal(_ property: _ManagedProperty) -> NSDecimalNumber? {
        let handle = property.handle(self)
        guard handle.isKind(.decimal), case .object(let number) = value(at: handle.slot) else { return nil }
        return number as? NSDecimalNumber
    }

    public final func _get(_ property: _ManagedProperty) -> Decimal? {
        (decimal(property) ?? otherNumber(property))?.decimalValue
    }

    public final func _get(_ property: _ManagedProperty) -> Decimal {
        (decimal(property) ?? otherNumber(property))?.decimalValue ?? 0
    }

    // MARK: Text, dates, bytes

    public final func _get(_ property: _ManagedProperty) -> String? {
        let handle = property.handle(self)
        guard handle.isKind(.string) else { return other(property) }
        let slot = handle.slot
        if state.contains(.fault) { fireFault() }
        if !heldOverlay.isEmpty {
            switch heldOverlay.look({ $0[slot] }) {
            case .string(let text): return text
            case .null: return nil
            default: break
            }
        }
        if !heldRow.isEmpty { return text(at: slot) }
        if case .string(let text) = baseValue(at: slot) { return text }
        return nil
    }

    public final func _get(_ property: _ManagedProperty) -> String {
        let text: String? = _get(property)
        return text ?? ""
    }

    public final func _get(_ property: _ManagedProperty) -> Date? {
        let handle = property.handle(self)
        guard handle.isKind(.date) else { return other(property) }
        return real(at: handle.slot).map { Date(timeIntervalSinceReferenceDate: $0) }
    }

    public final func _get(_ property: _ManagedProperty) -> Date {
        let date: Date? = _get(property)
        return date ?? Date(timeIntervalSinceReferenceDate: 0)
    }

    public final func _get(_ property: _ManagedProperty) -> UUID? {
        let handle = property.handle(self)
        guard handle.isKind(.uuid) else { return other(property) }
        let slot = handle.slot
        if state.contains(.fault) { fireFault() }
        if !heldOverlay.isEmpty {
            switch heldOverlay.look({ $0[slot] }) {
            case .uuid(let uuid): return uuid
            case .null: return nil
            default: break
            }
        }
        if let uuid = heldRow.look({ $0.hasNoBytes(slot) ? nil : $0.uuid(slot) }) { return uuid }
        if case .uuid(let uuid) = baseValue(at: slot) { return uuid }
        return nil
    }

    public final func _get(_ property: _ManagedProperty) -> Data? {
        let handle = property.handle(self)
        guard handle.isKind(.data) else { return other(property) }
        guard case .data(let data) = value(at: handle.slot) else { return nil }
        return data
    }

    public final func _get(_ property: _ManagedProperty) -> Data {
        let data: Data? = _get(property)
        return data ?? Data()
    }

    public final func _get(_ property: _ManagedProperty) -> URL? {
        let handle = property.handle(self)
        guard handle.isKind(.uri) else { return other(property) }
        guard case .object(let url) = value(at: handle.slot) else { return nil }
        return (url as? NSURL).map { $0 as URL }
    }

    // MARK: Values of other types

    /// The value of a transformable or undefined attribute, or a composite's dictionary.
    @_disfavoredOverload
    public final func _get<T>(_ property: _ManagedProperty) -> T? { other(property) }

    /// The value of any property, of a type that the other accessors are not sure to tell from their own: `Any`, `NSObject`, or a
    /// class of the client's.
    public final func _getValue<T>(_ property: _ManagedProperty) -> T? { other(property) }

    public final func _get<T: RawRepresentable>(_ property: _ManagedProperty) -> T? where T.RawValue == String {
        let text: String? = _get(property)
        return text.flatMap(T.init(rawValue:))
    }

    public final func _get<T: RawRepresentable>(_ property: _ManagedProperty) -> T?
    where T.RawValue: FixedWidthInteger {
        let number = readValue(property.entry(layout)) as? NSNumber
        return number.flatMap { T.RawValue(exactly: $0.int64Value) }.flatMap(T.init(rawValue:))
    }

    // MARK: Relationships

    public final func _get<T: NSManagedObject>(_ property: _ManagedProperty) -> T? {
        let handle = property.handle(self)
        guard handle.isKind(.toOne) else { return other(property) }
        guard let object = toOneObject(at: handle.slot, isPolymorphic: handle.isPolymorphic) else { return nil }
        guard let typed = object as? T else {
            objectMisuse(
                "\(entityName).\(property.name) leads to an object of class \(type(of: object)), its accessor is of type "
                    + "\(T.self)")
        }
        return typed
    }

    public final func _get<T: NSManagedObject>(_ property: _ManagedProperty) -> Set<T> {
        let handle = property.handle(self)
        guard handle.isKind(.toMany) else { return other(property) ?? [] }
        return typedCollection(handle.slot, layout.toManyEntries[handle.slot])
    }

    public final func _get<T: NSManagedObject>(_ property: _ManagedProperty) -> Set<T>? {
        let handle = property.handle(self)
        guard handle.isKind(.toMany) else { return other(property) }
        return .some(typedCollection(handle.slot, layout.toManyEntries[handle.slot]))
    }

    public final func _get(_ property: _ManagedProperty) -> NSSet? { other(property) }

    public final func _get(_ property: _ManagedProperty) -> NSOrderedSet? { other(property) }
}
