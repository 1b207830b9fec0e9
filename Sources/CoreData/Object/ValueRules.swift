import Foundation
import Synchronization

/// The methods `validateName(_:)` of managed classes. Without Objective-C nobody finds a method by its name, so generated code notes
/// them. Safe to use from any thread.
final class ValueRules: @unchecked Sendable {
    typealias Rule = @Sendable (NSManagedObject, inout Any?) throws -> Void

    static let shared = ValueRules()

    private let lock = NSLock()
    /// By class, and by the property's name with its first letter in upper case.
    private var own: [ObjectIdentifier: [String: Rule]] = [:]
    /// The same with what is inherited, for classes that were asked for.
    private var all: [ObjectIdentifier: [String: Rule]] = [:]
    /// Most programs have no such method.
    private let hasAny = Atomic<Bool>(false)

    func add(_ rule: @escaping Rule, _ stem: String, _ type: NSManagedObject.Type) {
        lock.withLock {
            own[ObjectIdentifier(type), default: [:]][Self.key(stem)] = rule
            all = [:]
        }
        hasAny.store(true, ordering: .releasing)
    }

    @inline(__always)
    func exist(for type: NSManagedObject.Type) -> Bool {
        ManagedModules.load()
        return hasAny.load(ordering: .acquiring) && lock.withLock { !rules(type).isEmpty }
    }

    func rule(for key: String, of type: NSManagedObject.Type) -> Rule? {
        ManagedModules.load()
        guard hasAny.load(ordering: .acquiring) else { return nil }
        return lock.withLock {
            let rules = rules(type)
            return rules.isEmpty ? nil : rules[Self.key(key)]
        }
    }

    private static func key(_ name: String) -> String { name.prefix(1).uppercased() + name.dropFirst() }

    /// A subclass' method counts before its superclass'.
    private func rules(_ type: NSManagedObject.Type) -> [String: Rule] {
        if let known = all[ObjectIdentifier(type)] { return known }
        var rules: [String: Rule] = [:]
        var current: AnyClass? = type
        while let type = current {
            rules.merge(own[ObjectIdentifier(type)] ?? [:]) { known, _ in known }
            current = _getSuperclass(type)
        }
        all[ObjectIdentifier(type)] = rules
        return rules
    }
}

/// What Apple's form of a method `validateName(_:)` gets its value in, and leaves another one in.
///
///     func validateName(_ value: AutoreleasingUnsafeMutablePointer<AnyObject?>) throws {
///         if let name = value.pointee as? String { value.pointee = name.capitalized as AnyObject }
///     }
public struct AutoreleasingUnsafeMutablePointer<Pointee> {
    fileprivate let place: UnsafeMutablePointer<Pointee>

    public var pointee: Pointee {
        get { place.pointee }
        nonmutating set { place.pointee = newValue }
    }
}

/// Lets a method of Apple's form check, and change, a value. Generated code calls it.
public func _withPointer(
    to value: inout Any?, _ method: (AutoreleasingUnsafeMutablePointer<AnyObject?>) throws -> Void
) rethrows {
    let before = value.map { $0 as AnyObject }
    var object = before
    defer {
        // A box is another value than what it holds, so an untouched value stays what it was.
        if object !== before { value = object }
    }
    try withUnsafeMutablePointer(to: &object) { try method(AutoreleasingUnsafeMutablePointer(place: $0)) }
}
