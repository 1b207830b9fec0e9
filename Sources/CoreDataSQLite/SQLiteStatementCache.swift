/// Statements by their text, the latest used ones.
///
/// A statement counts as in use while anybody but the cache holds it.
final class SQLiteStatementCache {
    private final class Entry {
        var statement: SQLiteStatement
        var lastUse: UInt64

        init(_ statement: SQLiteStatement, lastUse: UInt64) {
            self.statement = statement
            self.lastUse = lastUse
        }
    }

    private var entries: [String: Entry] = [:]
    private var uses: UInt64 = 0

    var capacity = 200 {
        didSet { evict(downTo: max(capacity, 0)) }
    }

    var count: Int { entries.count }

    /// The cached statement, unless there is none or somebody uses it. O(length of the text).
    func idleStatement(for sql: String) -> SQLiteStatement? {
        guard let entry = entries[sql] else { return nil }
        uses &+= 1
        entry.lastUse = uses
        return isKnownUniquelyReferenced(&entry.statement) ? entry.statement : nil
    }

    /// Keeps a new statement, in place of the least recently used one when the cache is full. If the text is there
    /// already, its statement is in use and the new one is not kept.
    func insert(_ statement: SQLiteStatement, for sql: String) {
        guard capacity > 0, entries[sql] == nil else { return }
        // A look for the oldest is linear, but happens only beside a prepare, which costs far more.
        evict(downTo: capacity - 1)
        uses &+= 1
        entries[sql] = Entry(statement, lastUse: uses)
    }

    func removeAll() {
        entries.removeAll()
    }

    private func evict(downTo limit: Int) {
        while entries.count > limit {
            guard let oldest = entries.min(by: { $0.value.lastUse < $1.value.lastUse }) else { return }
            entries[oldest.key] = nil
        }
    }
}
