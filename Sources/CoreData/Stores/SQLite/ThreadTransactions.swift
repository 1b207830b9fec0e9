import CoreDataSQLite
import Foundation

/// The store transactions that one thread is in, the outermost first.
///
/// Finding them takes no lock: they are read at every fault.
final class ThreadTransactions {
    struct Transaction {
        unowned(unsafe) let store: SQLiteStore
        let connection: SQLiteConnection
        let snapshot: UInt64
        let isWriting: Bool
    }

    private var open: ContiguousArray<Transaction> = []

    /// This thread's.
    static var current: ThreadTransactions {
        if let address = pthread_getspecific(key) {
            return Unmanaged<ThreadTransactions>.fromOpaque(address).takeUnretainedValue()
        }
        let new = ThreadTransactions()
        pthread_setspecific(key, Unmanaged.passRetained(new).toOpaque())
        return new
    }

    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        pthread_key_create(&key) { address in
            if let address { Unmanaged<ThreadTransactions>.fromOpaque(address).release() }
        }
        return key
    }()

    /// The innermost transaction of a store that this thread is in.
    @inline(__always)
    func innermost(of store: SQLiteStore) -> Transaction? {
        if open.isEmpty { return nil }
        return open.last { $0.store === store }
    }

    func enter(_ store: SQLiteStore, _ connection: SQLiteConnection, _ snapshot: UInt64, isWriting: Bool) {
        open.append(Transaction(store: store, connection: connection, snapshot: snapshot, isWriting: isWriting))
    }

    func leave() { open.removeLast() }
}
