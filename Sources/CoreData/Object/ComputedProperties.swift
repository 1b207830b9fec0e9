import Foundation

/// Registering properties that only Swift code computes; every managed object class has it.
public protocol _ComputedPropertyRegistering {}

extension NSManagedObject: _ComputedPropertyRegistering {}

extension _ComputedPropertyRegistering where Self: NSManagedObject {
    /// Lets `value(forKey:)`, and with it predicates, sort descriptors and section names that are evaluated in memory, read a
    /// property of this class that is not in the model.
    ///
    /// Swift cannot find a property by its name at run time without Objective-C. Register it once, before it is first asked for:
    ///
    ///     Book.registerComputedProperty("initial") { $0.title?.first.map(String.init) }
    ///     books.filter { NSPredicate(format: "initial == 'S'").evaluate(with: $0) }
    ///
    /// A store knows nothing of it: a fetch request whose predicate or sort order names it is refused with an error.
    public static func registerComputedProperty<Value>(
        _ name: String, _ value: @escaping @Sendable (Self) -> Value?
    ) {
        ComputedProperties.register(name) { object in
            guard let object = object as? Self else { return nil }
            return .some(value(object))
        }
    }
}

/// The registered properties of all classes, by name.
enum ComputedProperties {
    /// nil for an object of another class.
    private typealias Reader = @Sendable (NSManagedObject) -> Any??

    private static let lock = NSLock()
    nonisolated(unsafe) private static var readers: [String: [Reader]] = [:]

    fileprivate static func register(_ name: String, _ reader: @escaping @Sendable (NSManagedObject) -> Any??) {
        lock.withLock { readers[name, default: []].append(reader) }
    }

    /// The value by the latest registration that fits the object; nil where none does.
    static func value(of object: NSManagedObject, _ name: String) -> Any?? {
        let readers = lock.withLock { Self.readers[name] } ?? []
        for reader in readers.reversed() {
            if let value = reader(object) { return .some(value) }
        }
        return nil
    }
}
