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

        /// Drops the rows no object holds once the table has doubled since the last sweep.
        @inline(__always)
        mutating func sweepIfDue() {
            if rows.count > sweepAt { sweep() }
        }

        private mutating func sweep() {
            let dropped = rows.takeUniquelyReferenced { _ in true }
            sweepAt = max(4096, rows.count * 2)
            withExtendedLifetime(dropped) {}
        }
    }

    private let lock = NSLock()
    // The lock guards all that follows; the run-time checks for exclusive access would say nothing new.
    /// Plain memory, like the tables' pages: an access costs no reference count.
    private let tables: UnsafeMutableBufferPointer<Table>
    @exclusivity(unchecked) private var lastCommit: UInt64 = 1 {
        didSet { newest.value.store(lastCommit, ordering: .releasing) }
    }
    /// `lastCommit` for those who only ask whether anything has changed.
    let newest = CommitNumber()
    /// Commit numbers of the snapshots that are open, with how many readers have each.
    @exclusivity(unchecked) private var openSnapshots: [(number: UInt64, readers: Int)] = []
    /// Whether any table may have some.
    @exclusivity(unchecked) private var hasTombstones = false
    /// Keys of rows changed behind the cache's back before this number are unknown: such rows are not admitted.
    @exclusivity(unchecked) private var floor: UInt64 = 0

    /// - Parameter entityCount: how many entities the model has; tables are indexed by the root entity's ordinal.
    init(entityCount: Int) {
        tables = .allocate(capacity: entityCount + 1)
        tables.initialize(repeating: Table())
    }

    deinit {
        tables.deinitialize()
        tables.deallocate()
    }

    // MARK: Snapshots

    /// To be called before a read transaction begins; the number goes into the rows read in it.
    func beginSnapshot() -> UInt64 {
        lock.withLock {
            // The newest one stands last, and there are few.
            if let last = openSnapshots.indices.last, openSnapshots[last].number == lastCommit {
                openSnapshots[last].readers += 1
            } else {
                openSnapshots.append((lastCommit, 1))
            }
            return lastCommit
        }
    }

    func endSnapshot(_ number: UInt64) {
        lock.withLock {
            guard let index = openSnapshots.lastIndex(where: { $0.number == number }) else { return }
            if openSnapshots[index].readers > 1 {
                openSnapshots[index].readers -= 1
                return
            }
            openSnapshots.remove(at: index)
            if hasTombstones { dropTombstones() }
        }
    }

    private func dropTombstones() {
        let oldest = openSnapshots.first?.number ?? .max
        hasTombstones = oldest != .max
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
    func isCurrent(_ row: Row) -> Bool { newest.isThat(of: row) }

    subscript(root: Int32, key: Int64) -> Row? {
        lock.lock()
        defer { lock.unlock() }
        return tables[Int(root)].rows[key]
    }

    /// Offers rows that were read; each is replaced by the newer row the cache has, if any. The order stays.
    func admit(_ rows: inout ContiguousArray<Row>) {
        lock.lock()
        defer { lock.unlock() }
        var start = 0
        while start < rows.count {
            let root = rows[start].layout.rootOrdinal
            Self.admit(&rows, from: &start, of: root, into: &tables[Int(root)], floor: floor)
        }
    }

    /// Offers one row and returns the one to use.
    func admit(_ row: Row) -> Row {
        lock.lock()
        defer { lock.unlock() }
        return Self.admit(row, into: &tables[Int(row.layout.rootOrdinal)], floor: floor) ?? row
    }

    /// Offers neighbours of one hierarchy; the table is reached once for all of them.
    private static func admit(
        _ rows: inout ContiguousArray<Row>, from index: inout Int, of root: Int32, into table: inout Table,
        floor: UInt64
    ) {
        rows.withUnsafeMutableBufferPointer { rows in
            while index < rows.count, rows[index].layout.rootOrdinal == root {
                if let winner = admit(rows[index], into: &table, floor: floor), winner !== rows[index] {
                    rows[index] = winner
                }
                index += 1
            }
        }
    }

    /// - Returns: the row to use: the offered one or the cache's newer one; nil where the row is not taken.
    @inline(__always)
    private static func admit(_ row: Row, into table: inout Table, floor: UInt64) -> Row? {
        let key = row.primaryKey
        if row.commit < floor { return nil }
        if let present = table.rows[key] {
            // Versions only grow. Another process may write between two snapshots of one number: then the version tells.
            if present.version > row.version { return present }
            if present.version == row.version, present.layout === row.layout, present.commit >= row.commit {
                return present
            }
        } else if !table.tombstones.isEmpty, let died = table.tombstones[key], died > row.commit {
            return nil
        }
        table.rows[key] = row
        table.sweepIfDue()
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
        var start = 0
        while start < written.count {
            let root = written[start].layout.rootOrdinal
            Self.put(written, from: &start, of: root, into: &tables[Int(root)], commit: number)
        }
        for key in deleted { bury(Int(roots(key)), key.number, number) }
        return number
    }

    private static func put(
        _ written: ContiguousArray<Row>, from index: inout Int, of root: Int32, into table: inout Table, commit: UInt64
    ) {
        while index < written.count, written[index].layout.rootOrdinal == root {
            let row = written[index]
            row.stamp(version: row.version, commit: commit)
            table.rows[row.primaryKey] = row
            if !table.tombstones.isEmpty { table.tombstones[row.primaryKey] = nil }
            table.sweepIfDue()
            index += 1
        }
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
        if openSnapshots.isEmpty { return }
        tables[root].tombstones[key] = number
        hasTombstones = true
    }
}

/// The number of the last commit that a store's rows know of. Whoever has a row at hand sees by it, without a lock, whether the row
/// still is the newest one.
final class CommitNumber: Sendable {
    let value = Atomic<UInt64>(1)

    /// Whether nothing at all was changed in the store since the snapshot of the row.
    @inline(__always)
    func isThat(of row: Row) -> Bool { row.commit == value.load(ordering: .acquiring) }
}
