import Foundation

extension NSPersistentStoreCoordinator {
    /// Runs the block on the coordinator's queue and returns when it is done. It may be nested.
    public func performAndWait(_ block: () -> Void) {
        executor.enter()
        defer { executor.leave() }
        block()
    }

    /// Runs the block on the coordinator's queue and returns what it returns, or throws what it throws.
    public func performAndWait<T, E: Error>(_ block: () throws(E) -> T) throws(E) -> T {
        executor.enter()
        defer { executor.leave() }
        return try block()
    }

    /// Runs the block on the coordinator's queue when its turn comes and returns at once.
    @preconcurrency
    public func perform(_ block: @escaping @Sendable () -> Void) {
        executor.enqueue(block)
    }

    /// Runs the block on the coordinator's queue and returns what it returns, or throws what it throws. The caller is suspended
    /// meanwhile, not blocked.
    @preconcurrency
    public func perform<T, E: Error>(_ block: @escaping @Sendable () throws(E) -> T) async throws(E) -> T {
        let outcome: Result<T, E> = await handedOver { finish in
            executor.enqueue { finish(Result(catching: block)) }
        }
        return try outcome.get()
    }
}
