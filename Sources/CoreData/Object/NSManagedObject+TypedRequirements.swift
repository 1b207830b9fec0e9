import Foundation

// What accessors of hand-written `@NSManaged` properties need beside the typed ones.

extension NSManagedObject {
    /// The value of an accessor whose type has no nil.
    ///
    /// - Precondition: there is a value.
    public final func _require<T>(_ property: _ManagedProperty, _ value: T?) -> T {
        guard let value else {
            objectMisuse("\(entityName).\(property.name) is nil, but its accessor is of type \(T.self)")
        }
        return value
    }

    /// The setter of `primitiveName`: sets `name` without the object counting as changed. Where the entity has a property of the whole
    /// name, it is that one's setter.
    public final func _setPrimitive<T>(_ property: _ManagedProperty, _ value: T?) {
        writePrimitive(value, property)
    }

    public final func _setPrimitive<T: RawRepresentable>(_ property: _ManagedProperty, _ value: T?) {
        writePrimitive(value?.rawValue, property)
    }

    private func writePrimitive(_ value: Any?, _ property: _ManagedProperty) {
        let entry = property.entry(layout)
        if property.isPrimitive(layout) {
            setPrimitiveValue(value, forKey: entry.name)
        } else {
            writeValue(value, entry)
        }
    }
}
