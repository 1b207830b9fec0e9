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
    if let optional = value as? any OptionalValue { return optional.wrappedAny }
    return value
}

/// The members of a Swift or Foundation collection, nil for anything else. A dictionary is no collection of this kind: it
/// stands for a record.
package func collectionElements(_ value: Any) -> [Any]? {
    switch value {
    case let array as [Any] where !(value is NSObject): return array
    case let array as NSArray: return Array(array)
    case let set as NSSet: return set.allObjects
    case let set as NSOrderedSet: return set.array
    case let set as any SetCollection: return set.anyElements
    default: return nil
    }
}

/// Swift's sets, whatever their element type.
private protocol SetCollection {
    var anyElements: [Any] { get }
}

extension Set: SetCollection {
    fileprivate var anyElements: [Any] { map { ($0 as AnyHashable).base } }
}
