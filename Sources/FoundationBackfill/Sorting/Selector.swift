import Foundation

/// The name of a method, as sort descriptors use it to say how values are compared.
///
///     NSSortDescriptor(key: "name", ascending: true, selector: Selector("localizedStandardCompare:"))
public struct Selector: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    let name: String

    /// The selector of that name, with its colons.
    public init(_ name: String) { self.name = name }

    public init(stringLiteral value: String) { name = value }

    public var description: String { name }
}

/// The selector of that name.
public func NSSelectorFromString(_ aSelectorName: String) -> Selector { Selector(aSelectorName) }

/// The name of a selector, with its colons.
public func NSStringFromSelector(_ aSelector: Selector) -> String { aSelector.name }
