import Foundation

/// An object whose values are read and written by name: by predicates, expressions, sort descriptors and key paths.
///
/// Swift cannot look up a property by name at run time on Linux, so a class says itself what its keys are. Managed
/// objects adopt it. Objects that do not are read through `Mirror`: stored properties only.
///
///     final class Sample: KeyValueCoding {
///         var size = 0
///         var area: Int { size * size }
///
///         func value(forKey key: String) -> Any? {
///             switch key {
///             case "size": size
///             case "area": area
///             default: nil
///             }
///         }
///         func setValue(_ value: Any?, forKey key: String) {
///             if key == "size", let value = value as? Int { size = value }
///         }
///     }
public protocol KeyValueCoding: AnyObject {
    /// The value of the property of that name, nil if it has none.
    func value(forKey key: String) -> Any?

    /// Gives the property of that name a value. Where a class does not say how, the program stops with a message.
    func setValue(_ value: Any?, forKey key: String)
}

extension KeyValueCoding {
    public func setValue(_ value: Any?, forKey key: String) {
        programmerError(
            "\(Self.self): setValue(_:forKey:): the class is not key value coding-compliant for writing the key '\(key)'"
        )
    }
}
