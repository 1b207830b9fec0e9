import Foundation
import Synchronization

/// The rows of one store that its coordinator's contexts share, by root entity and primary key.
///
/// Rows carry the number of the commit in whose snapshot they were read. A row is admitted only if no later commit of this
/// store touched its key and no later version of it is there, so a slow reader never brings old rows back; keys that were
/// deleted stay as tombstones while a snapshot from before the delete is open. All members may be called from any thread.
final class RowCache: @unchecked Sendable {
    private struct Table {
        var rows = PagedTable<Row>()
        /// Deleted or invalidated keys with the commit that did it.
        var tombstones: [Int64: UInt64] = [:]
        var sweepAt = 4096
    }

    private let lock = NSLock()
    // The lock guards all that follows; the run-time checks for exclusive access would say nothing new.
    @exclusivity(unchecked) private var tables: ContiguousArray<Table>
    @exclusivity(unchecked) private var lastCommit: UInt64 = 1 {
        didSet { newest.store(lastCommit, ordering: .releasing) }
    }
    /// `lastCommit` for those who only ask whether anything has changed.
    private let newest = Atomic<UInt64>(1)
    /// Commit numbers of the snapshots that are open, with how many readers have each.
    @exclusivity(unchecked) private var openSnapshots: [UInt64: Int] = [:]
    /// Keys of rows changed behind the cache's back before this number are unknown: such rows are not admitted.
    @exclusivity(unchecked) private var floor: UInt64 = 0

    /// - Parameter entityCount: how many entities the model has; tables are indexed by the root entity's ordinal.
    init(entityCount: Int) {
        tables = ContiguousArray(repeating: Table(), count: entityCount + 1)
    }

    // MARK: Snapshots

    /// To be called before a read transaction begins; the number goes into the rows read in it.
    func beginSnapshot() -> UInt64 {
        lock.withLock {
            openSnapshots[lastCommit, default: 0] += 1
            return lastCommit
        }
    }

    func endSnapshot(_ number: UInt64) {
        lock.withLock {
            guard let count = openSnapshots[number] else { return }
            if count > 1 {
                openSnapshots[number] = count - 1
                return
            }
            openSnapshots[number] = nil
            dropTombstones()
        }
    }

    private func dropTombstones() {
        let oldest = openSnapshots.keys.min() ?? .max
        for index in tables.indices where !tables[index].tombstones.isEmpty {
            if oldest == .max {
                tables[index].tombstones.removeAll()
            } else {
                tables[index].tombstones = tables[index].tombstones.filter { $0.value > oldest }
            }
        }
    }

    // MARK: Reading

    /// Whether nothing at all was changed in the store since the snapshot of the row: then no newer row can be cached. Takes no
    /// lock.
    @inline(__always)
    func isCurrent(_ row: Row) -> Bool { row.commit == newest.load(ordering: .acquiring) }

    subscript(root: Int32, key: Int64) -> Row? {
        lock.lock()
        defer { lock.unlock() }
        return tables[Int(root)].rows[key]
    }

    /// Offers rows that were read; each is replaced by the newer row the cache has, if any. The order stays.
    func admit(_ rows: inout ContiguousArray<Row>) {
        lock.lock()
        defer { lock.unlock() }
        for index in rows.indices {
            let row = rows[index]
            if let winner = admit(row), winner !== row { rows[index] = winner }
        }
    }

    /// Offers one row and returns the one to use.
    func admit(_ row: Row) -> Row {
        lock.lock()
        defer { lock.unlock() }
        return admit(row) ?? row
    }

    /// - Returns: the row to use: the offered one or the cache's newer one; nil where the row is not taken.
    @inline(__always)
    private func admit(_ row: Row) -> Row? {
        let root = Int(row.layout.rootOrdinal)
        let key = row.primaryKey
        if row.commit < floor { return nil }
        if let present = tables[root].rows[key] {
            // Versions only grow. Another process may write between two snapshots of one number: then the version tells.
            if present.version > row.version { return present }
            if present.version == row.version, present.layout === row.layout, present.commit >= row.commit {
                return present
            }
        } else if !tables[root].tombstones.isEmpty, let died = tables[root].tombstones[key], died > row.commit {
            return nil
        }
        tables[root].rows[key] = row
        sweepIfDue(root)
        return row
    }

    // MARK: Commits

    /// Takes over what a committed save wrote. The rows get the commit's number.
    /// - Returns: the commit's number.
    @discardableResult
    func commit(written: ContiguousArray<Row>, deleted: [ObjectKey], roots: (ObjectKey) -> Int32) -> UInt64 {
        lock.lock()
        defer { lock.unlock() }
        lastCommit += 1
        let number = lastCommit
        for row in written {
            row.stamp(version: row.version, commit: number)
            let root = Int(row.layout.rootOrdinal)
            tables[root].rows[row.primaryKey] = row
            if !tables[root].tombstones.isEmpty { tables[root].tombstones[row.primaryKey] = nil }
            sweepIfDue(root)
        }
        for key in deleted { bury(Int(roots(key)), key.number, number) }
        return number
    }

    /// Rows of these keys were changed by set-based SQL: what is cached of them is old.
    func invalidate(_ keys: some Sequence<(root: Int32, key: Int64)>) {
        lock.withLock {
            lastCommit += 1
            for (root, key) in keys { bury(Int(root), key, lastCommit) }
        }
    }

    /// Everything cached of these root entities is old (a batch request that knows no keys). O(rows cached).
    func invalidateAll(roots: some Sequence<Int32>) {
        lock.withLock {
            lastCommit += 1
            floor = lastCommit
            for root in roots { tables[Int(root)].rows.removeAll() }
        }
    }

    /// Forgets one row, so that the next fault reads the store.
    func forget(root: Int32, key: Int64) {
        lock.withLock { _ = tables[Int(root)].rows.remove(key) }
    }

    func removeAll() {
        lock.withLock {
            lastCommit += 1
            floor = lastCommit
            for index in tables.indices { tables[index] = Table() }
        }
    }

    private func bury(_ root: Int, _ key: Int64, _ number: UInt64) {
        tables[root].rows.remove(key)
        if !openSnapshots.isEmpty { tables[root].tombstones[key] = number }
    }

    /// Drops the rows no object holds once a table has doubled since the last sweep.
    private func sweepIfDue(_ root: Int) {
        guard tables[root].rows.count > tables[root].sweepAt else { return }
        let dropped = tables[root].rows.takeUniquelyReferenced { _ in true }
        tables[root].sweepAt = max(4096, tables[root].rows.count * 2)
        withExtendedLifetime(dropped) {}
    }
}
