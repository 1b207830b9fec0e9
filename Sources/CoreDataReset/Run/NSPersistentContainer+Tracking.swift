import CoreData
import Foundation

extension NSPersistentContainer {
    /// Lets a context that the container did not make follow its resets: one that was made with a coordinator of its own on the
    /// same store, or with a parent. It is held weakly.
    ///
    ///     let editor = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
    ///     editor.parent = container.viewContext
    ///     container.track(editor)
    ///
    /// Contexts on the container's own coordinator, such as its `viewContext` and those of `newBackgroundContext()`, follow by
    /// themselves. Apple's framework does not tell which these are: there, all but the `viewContext` must be tracked.
    ///
    /// - Returns: the context.
    @discardableResult
    public func track(_ context: NSManagedObjectContext) -> NSManagedObjectContext {
        TrackedContexts.shared.add(context, to: self)
        return context
    }

    /// Whom to tell of a reset: parents before their children.
    var contextsToTell: [NSManagedObjectContext] {
        let named = [viewContext] + livingContexts + TrackedContexts.shared.contexts(of: self)
        var known = Set<ObjectIdentifier>()
        return named.flatMap(\.lineage).filter { known.insert(ObjectIdentifier($0)).inserted }
            .sorted { $0.lineage.count < $1.lineage.count }
    }
}

extension NSManagedObjectContext {
    /// The context, its parent, and so on.
    var lineage: [NSManagedObjectContext] { Array(sequence(first: self) { $0.parent }) }
}

/// The contexts that containers were told to track.
private final class TrackedContexts: @unchecked Sendable {
    static let shared = TrackedContexts()

    private struct WeakContext {
        weak var context: NSManagedObjectContext?
    }

    private struct Entry {
        weak var container: NSPersistentContainer?
        var contexts: [WeakContext]
    }

    private let lock = NSLock()
    private var entries: [ObjectIdentifier: Entry] = [:]

    func add(_ context: NSManagedObjectContext, to container: NSPersistentContainer) {
        lock.withLock {
            dropDead()
            let key = ObjectIdentifier(container)
            var entry = entries[key] ?? Entry(container: container, contexts: [])
            if !entry.contexts.contains(where: { $0.context === context }) {
                entry.contexts.append(WeakContext(context: context))
            }
            entries[key] = entry
        }
    }

    func contexts(of container: NSPersistentContainer) -> [NSManagedObjectContext] {
        lock.withLock {
            dropDead()
            return entries[ObjectIdentifier(container)]?.contexts.compactMap(\.context) ?? []
        }
    }

    private func dropDead() {
        entries = entries.compactMapValues { entry in
            guard entry.container != nil else { return nil }
            var entry = entry
            entry.contexts.removeAll { $0.context == nil }
            return entry
        }
    }
}
