import Foundation

/// The names of Swift key paths. A key path yields no name at run time on Linux, so generated code registers them.
public enum KeyPathNames {
    private static let lock = NSLock()
    nonisolated(unsafe) private static var names: [AnyKeyPath: String] = [:]

    /// Notes the property that a key path stands for.
    public static func register(_ keyPath: AnyKeyPath, name: String) {
        lock.withLock { names[keyPath] = name }
    }

    /// The property that a key path stands for, if it was registered.
    public static func name(of keyPath: AnyKeyPath) -> String? {
        lock.withLock { names[keyPath] }
    }
}
