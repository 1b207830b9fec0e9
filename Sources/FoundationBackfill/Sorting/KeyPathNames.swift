import Foundation

/// The names of Swift key paths. A key path yields no name at run time on Linux, so each is registered with its name.
///
/// Code that the model plugin generates registers those of `@NSManaged` and generated properties. Register others once, before they
/// are used:
///
///     KeyPathNames.register(\Person.team?.name, name: "team.name")
public enum KeyPathNames {
    private static let lock = NSLock()
    nonisolated(unsafe) private static var names: [AnyKeyPath: String] = [:]
    /// What registers the key paths that begin at a class.
    nonisolated(unsafe) private static var sources: [ObjectIdentifier: @Sendable (inout _KeyPathNames) -> Void] = [:]

    /// Notes the property that a key path stands for.
    public static func register(_ keyPath: AnyKeyPath, name: String) {
        lock.withLock { names[keyPath] = name }
    }

    /// Notes what tells the names of the key paths that begin at a class: called when one is asked for.
    package static func register(_ root: Any.Type, _ source: @escaping @Sendable (inout _KeyPathNames) -> Void) {
        lock.withLock { sources[ObjectIdentifier(root)] = source }
    }

    /// The property that a key path stands for, if it was registered.
    public static func name(of keyPath: AnyKeyPath) -> String? {
        if let known = lock.withLock({ names[keyPath] }) { return known }
        ManagedModules.load()
        let root = type(of: keyPath).rootType
        if let name = ask(root, keyPath) { return name }
        if let known = lock.withLock({ names[keyPath] }) { return known }
        guard let module = String(reflecting: root).split(separator: ".").first,
            ManagedModules.load(named: [String(module)])
        else { return nil }
        return ask(root, keyPath)
    }

    private static func ask(_ root: Any.Type, _ keyPath: AnyKeyPath) -> String? {
        // Two threads may both ask it: each is then sure of the answer.
        guard let source = lock.withLock({ sources[ObjectIdentifier(root)] }) else { return nil }
        var found = _KeyPathNames()
        source(&found)
        return lock.withLock {
            names.merge(found.names) { known, _ in known }
            sources[ObjectIdentifier(root)] = nil
            return names[keyPath]
        }
    }

    /// The name of a key path that a call cannot do without. Stops the program if it has none.
    package static func require(_ keyPath: AnyKeyPath, _ call: String) -> String {
        if let name = name(of: keyPath) { return name }
        programmerError(
            "\(call): the key path \(keyPath.debugDescription) has no name. CoreDataModelPlugin registers @NSManaged and generated "
                + "properties; register others with KeyPathNames.register(\\\(type(of: keyPath).rootType).property, name: "
                + "\"property\") before they are used, or give the key as text.")
    }
}

/// Takes the names of a class' key paths from generated code.
public struct _KeyPathNames {
    var names: [AnyKeyPath: String] = [:]

    public mutating func add<Root, Value>(_ keyPath: KeyPath<Root, Value>, _ name: String) { names[keyPath] = name }
}
