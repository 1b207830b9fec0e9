import Foundation

/// Changes that happened elsewhere, by ids.
struct RemoteChanges {
    var inserted: [NSManagedObjectID] = []
    var updated: [NSManagedObjectID] = []
    var deleted: [NSManagedObjectID] = []
    var refreshed: [NSManagedObjectID] = []
    var invalidated: [NSManagedObjectID] = []
    var invalidatesAll = false

    var isEmpty: Bool {
        inserted.isEmpty && updated.isEmpty && deleted.isEmpty && refreshed.isEmpty && invalidated.isEmpty
            && !invalidatesAll
    }
}

/// Saves of other contexts that a context has not merged yet. May be used from any thread.
final class MergeInbox: @unchecked Sendable {
    private let lock = NSLock()
    private var waiting: [RemoteChanges] = []
    private var isScheduled = false

    /// - Returns: true where the context must be told: no block that empties the inbox is on its way yet.
    func put(_ changes: RemoteChanges) -> Bool {
        lock.withLock {
            waiting.append(changes)
            defer { isScheduled = true }
            return !isScheduled
        }
    }

    /// To be called by the block that empties the inbox.
    func blockHasCome() {
        lock.withLock { isScheduled = false }
    }

    func takeAll() -> [RemoteChanges] {
        lock.withLock {
            defer { waiting = [] }
            return waiting
        }
    }

    func removeAll() {
        lock.withLock { waiting = [] }
    }
}
