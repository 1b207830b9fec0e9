import Foundation
import Synchronization

/// What a module of a program says of its classes. Code that the model plugin generates has one subclass a module, named
/// `_ManagedClasses`.
///
/// Nothing runs when the program is loaded but a note that there is something to run. It runs when a class, a key path or a rule is
/// first looked for. Modules that could not leave a note are found by the name of the subclass.
open class _ManagedModule {
    /// Makes the module's classes known. Called once or more often, from any thread.
    open class func register() {}

    /// Notes that a module has something to register. Called while the program is being loaded: it must not use anything that
    /// the run-time library has to set up first.
    public static func add(_ register: @convention(c) () -> Void) { ManagedModules.add(register) }
}

/// The modules whose classes are not registered yet.
package enum ManagedModules {
    private struct Note {
        let register: @convention(c) () -> Void
        let next: UnsafeMutablePointer<Note>?
    }

    /// Address of the last note.
    private static let last = Atomic<UInt>(0)
    /// Notes whose functions did not return yet.
    private static let open = Atomic<Int>(0)
    private static let lock = NSRecursiveLock()
    nonisolated(unsafe) private static var tried: Set<String> = []

    fileprivate static func add(_ register: @convention(c) () -> Void) {
        open.add(1, ordering: .relaxed)
        let note = UnsafeMutablePointer<Note>.allocate(capacity: 1)
        var known = last.load(ordering: .relaxed)
        while true {
            note.initialize(to: Note(register: register, next: UnsafeMutablePointer(bitPattern: known)))
            let (isDone, present) = last.compareExchange(
                expected: known, desired: UInt(bitPattern: note), ordering: .acquiringAndReleasing)
            if isDone { return }
            known = present
        }
    }

    /// Lets the modules that left a note register their classes. Cheap if all have.
    @inline(__always)
    package static func load() {
        if open.load(ordering: .acquiring) != 0 { loadOpen() }
    }

    @inline(never)
    private static func loadOpen() {
        // A second thread waits for the first; a module that asks while it registers goes on.
        lock.lock()
        defer { lock.unlock() }
        while let note = UnsafeMutablePointer<Note>(bitPattern: last.exchange(0, ordering: .acquiringAndReleasing)) {
            var current: UnsafeMutablePointer<Note>? = note
            while let note = current {
                current = note.pointee.next
                note.pointee.register()
                note.deallocate()
                open.subtract(1, ordering: .releasing)
            }
        }
    }

    /// Looks for modules that left no note.
    ///
    /// - Returns: whether there was one that was not known.
    package static func load(named names: [String]) -> Bool {
        let found = lock.withLock {
            names.filter { tried.insert($0).inserted }.compactMap {
                NSClassFromString($0 + "._ManagedClasses") as? _ManagedModule.Type
            }
        }
        for module in found { module.register() }
        return !found.isEmpty
    }
}
