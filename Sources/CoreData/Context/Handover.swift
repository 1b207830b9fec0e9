import Foundation

/// Suspends the caller until the closure that `start` gets has been called, once, and returns the value it was called with.
///
///     let count = await handedOver { finish in
///         queue.async { finish(countEverything()) }
///     }
///
/// The value goes through a lock and not through the continuation: a continuation keeps its result in memory that the runtime
/// hands from one thread to the other by means the thread sanitizer does not see, so it would report every result as a race.
nonisolated(nonsending) func handedOver<Value>(
    _ start: (_ finish: @escaping @Sendable (Value) -> Void) -> Void
) async -> Value {
    let handover = Handover<Value>()
    await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
        start { value in
            handover.put(value)
            continuation.resume()
        }
    }
    return handover.take()
}

/// A place for one value between two threads. Its lock is what makes it sendable.
private final class Handover<Value>: @unchecked Sendable {
    private let lock = NSLock()
    private var value: Value?

    func put(_ value: Value) {
        lock.lock()
        defer { lock.unlock() }
        self.value = value
    }

    func take() -> Value {
        lock.lock()
        defer { lock.unlock() }
        guard let value else { stackMisuse("the block was not run") }
        self.value = nil
        return value
    }
}
