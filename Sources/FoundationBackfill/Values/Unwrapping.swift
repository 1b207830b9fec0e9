import Foundation

/// What lets an `Any` that holds an optional be looked into.
private protocol OptionalValue {
    var wrappedAny: Any? { get }
}

extension Optional: OptionalValue {
    fileprivate var wrappedAny: Any? {
        switch self {
        case .none: nil
        case .some(let value): unwrapped(value)
        }
    }
}

/// The value without optionals around it: a nil that was turned into `Any` is a nil again.
package func unwrapped(_ value: Any?) -> Any? {
    guard let value else { return nil }
    let type = Swift.type(of: value)
    if type == String.self || type == Int.self || type == Double.self || type == Date.self || type == Bool.self {
        return value
    }
    if type is AnyClass { return value }
    if let optional = value as? any OptionalValue { return optional.wrappedAny }
    return value
}

/// The members of a Swift or Foundation collection, nil for anything else. A dictionary is no collection of this kind: it
/// stands for a record.
package func collectionElements(_ value: Any) -> [Any]? {
    if Swift.type(of: value) is AnyClass {
        switch value as AnyObject {
        case let array as NSArray: return Array(array)
        case let set as NSSet: return set.allObjects
        case let set as NSOrderedSet: return set.array
        default: return nil
        }
    }
    switch value {
    case let array as any ArrayCollection: return array.anyElements
    case let set as any SetCollection: return set.anyElements
    default: return nil
    }
}

/// Whether a collection has no order.
func isSet(_ value: Any) -> Bool { value is NSSet || value is any SetAlgebra }

/// Whether a value is of the kind that a to-many relationship has.
func isToManyValue(_ value: Any) -> Bool {
    guard type(of: value) is AnyClass else { return false }
    return value is NSSet || value is NSOrderedSet
}

/// Swift's arrays, whatever their element type.
private protocol ArrayCollection {
    var anyElements: [Any] { get }
}

extension Array: ArrayCollection {
    fileprivate var anyElements: [Any] { self }
}

/// Swift's sets, whatever their element type.
private protocol SetCollection {
    var anyElements: [Any] { get }
}

extension Set: SetCollection {
    fileprivate var anyElements: [Any] { map { ($0 as AnyHashable).base } }
}
