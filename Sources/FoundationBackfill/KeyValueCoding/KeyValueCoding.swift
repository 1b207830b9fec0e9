import Foundation

/// An object whose values predicates, expressions and sort descriptors read by name.
///
/// Swift cannot look up a property by name at run time on Linux, so a class says itself what its keys are. Managed
/// objects adopt it. Objects that do not are read through `Mirror`: stored properties only.
public protocol KeyValueCoding: AnyObject {
    /// The value of the property of that name, nil if it has none.
    func value(forKey key: String) -> Any?
}
