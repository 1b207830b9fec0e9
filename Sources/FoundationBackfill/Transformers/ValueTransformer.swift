import Foundation

/// The name that a value transformer is registered under.
public struct NSValueTransformerName: RawRepresentable, Hashable, Sendable {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    public init(_ rawValue: String) { self.rawValue = rawValue }
}

extension NSValueTransformerName {
    /// Keyed archives of any class; deprecated on Apple's platforms.
    public static let keyedUnarchiveFromDataTransformerName = NSValueTransformerName("NSKeyedUnarchiveFromData")
    /// Keyed archives of allowed classes only.
    public static let secureUnarchiveFromDataTransformerName = NSValueTransformerName("NSSecureUnarchiveFromData")
    /// True for false and false for true.
    public static let negateBooleanTransformerName = NSValueTransformerName("NSNegateBoolean")
    /// Whether a value is nil.
    public static let isNilTransformerName = NSValueTransformerName("NSIsNil")
    /// Whether a value is not nil.
    public static let isNotNilTransformerName = NSValueTransformerName("NSIsNotNil")
}

/// Turns values of one kind into another; Core Data turns the values of transformable attributes into data with it.
open class ValueTransformer: NSObject {
    public override init() { super.init() }

    /// The class that `transformedValue(_:)` gives.
    open class func transformedValueClass() -> AnyClass { NSObject.self }

    /// Whether `reverseTransformedValue(_:)` works; false unless overridden.
    open class func allowsReverseTransformation() -> Bool { false }

    /// The value turned into the other kind; the value itself unless overridden.
    open func transformedValue(_ value: Any?) -> Any? { value }

    /// The value turned back. Stops the program if the transformer does not allow it.
    open func reverseTransformedValue(_ value: Any?) -> Any? {
        guard Swift.type(of: self).allowsReverseTransformation() else {
            programmerError("\(Swift.type(of: self)): reverseTransformedValue(_:) is not supported")
        }
        return transformedValue(value)
    }

    // MARK: Registry

    /// Registers a transformer under a name; nil removes what was registered.
    open class func setValueTransformer(_ transformer: ValueTransformer?, forName name: NSValueTransformerName) {
        TransformerRegistry.shared.set(transformer, for: name)
    }

    /// The transformer registered under a name. A class is not looked up by that name, as Apple's does: register one.
    open class func valueTransformer(forName name: NSValueTransformerName) -> ValueTransformer? {
        TransformerRegistry.shared.transformer(for: name)
    }

    /// The names of all registered transformers.
    open class func valueTransformerNames() -> [NSValueTransformerName] {
        TransformerRegistry.shared.names
    }
}

/// The registered transformers of the process, by name.
private final class TransformerRegistry: @unchecked Sendable {
    static let shared = TransformerRegistry()

    private let lock = NSLock()
    private var transformers: [NSValueTransformerName: ValueTransformer] = [
        .secureUnarchiveFromDataTransformerName: NSSecureUnarchiveFromDataTransformer(),
        .keyedUnarchiveFromDataTransformerName: KeyedUnarchiveFromDataTransformer(),
        .negateBooleanTransformerName: NegateBooleanTransformer(),
        .isNilTransformerName: IsNilTransformer(),
        .isNotNilTransformerName: IsNotNilTransformer(),
    ]

    func set(_ transformer: ValueTransformer?, for name: NSValueTransformerName) {
        lock.withLock { transformers[name] = transformer }
    }

    func transformer(for name: NSValueTransformerName) -> ValueTransformer? {
        lock.withLock { transformers[name] }
    }

    var names: [NSValueTransformerName] {
        lock.withLock { Array(transformers.keys) }
    }
}
