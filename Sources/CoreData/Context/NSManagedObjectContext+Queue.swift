import Foundation

extension NSManagedObjectContext {
    /// When a block of `perform(schedule:_:)` runs.
    public enum ScheduledTaskType: Sendable {
        /// At once if the caller is inside the context's queue already, else when its turn comes.
        case immediate
        /// When its turn comes, behind all blocks that wait already.
        case enqueued
    }

    /// The queue a context works on, in short names.
    public struct ConcurrencyType: RawRepresentable, Hashable, Sendable {
        public var rawValue: NSManagedObjectContextConcurrencyType

        public init(rawValue: NSManagedObjectContextConcurrencyType) { self.rawValue = rawValue }

        /// The main queue.
        public static let mainQueue = ConcurrencyType(rawValue: .mainQueueConcurrencyType)
        /// A queue of the context's own.
        public static let privateQueue = ConcurrencyType(rawValue: .privateQueueConcurrencyType)
    }

    /// A context without coordinator.
    public nonisolated convenience init(_ type: ConcurrencyType) {
        self.init(concurrencyType: type.rawValue)
    }

    /// Which queue the context works on.
    public final var concurrencyType: NSManagedObjectContextConcurrencyType { concurrency }

    /// The context whose `perform` or `performAndWait` block this thread is running, the innermost one.
    static var current: NSManagedObjectContext? { ThreadState.current.innermostContext }

    // MARK: Blocks that are waited for

    /// Runs the block in the context's queue and returns when it is done.
    ///
    /// It may be called from anywhere, also inside blocks of this or other contexts. The block of a private-queue context runs
    /// on the calling thread; the block of a main-queue context runs on the main queue, unless nobody starts it there within
    /// a quarter of a second. Pending changes are not processed at the end, as on Apple's platforms.
    ///
    /// Two threads that wait for each other's context wait for ever: a thread inside context A that waits for B, while one
    /// inside B waits for A.
    public func performAndWait(_ block: () -> Void) {
        guard executor.kind == .mainQueue, !executor.isInScope else { return inside(block) }
        executor.runOnMainQueue { inContext(block) }
    }

    /// Runs the block in the context's queue and returns what it returns, or throws what it throws.
    ///
    /// See ``performAndWait(_:)-(()->Void)`` for where it runs.
    public nonisolated func performAndWait<T, E: Error>(_ block: () throws(E) -> T) throws(E) -> T {
        guard executor.kind == .mainQueue, !executor.isInScope else { return try inside(block) }
        var outcome: Result<T, E>?
        executor.runOnMainQueue {
            outcome = inContext { () -> Result<T, E> in Result(catching: block) }
        }
        guard let outcome else { stackMisuse("performAndWait: the block was not run") }
        return try outcome.get()
    }

    /// Runs the block as ``performAndWait(_:)-(()->Void)`` does, unless another thread is inside the context's queue until the
    /// deadline: never waits for somebody who waits for this thread.
    ///
    /// - Returns: whether the block was run.
    @_spi(CoreDataReset)
    public func performIfFree(until deadline: Date = .distantPast, _ block: () -> Void) -> Bool {
        if executor.kind == .mainQueue, !executor.isInScope {
            return executor.runOnMainQueue(until: deadline) { inContext(block) }
        }
        guard executor.enter(until: deadline) else { return false }
        defer { executor.leave() }
        inContext(block)
        return true
    }

    /// Runs the block when its turn comes, also where nobody runs the main queue, and returns at once.
    @_spi(CoreDataReset)
    public func performLater(_ block: @escaping @Sendable () -> Void) {
        switch executor.kind {
        case .privateQueue: executor.enqueue { self.runEvent(block) }
        case .mainQueue: executor.enqueueOnMainQueue(isAwaited: true) { self.runEvent(block) }
        }
    }

    /// Whether the calling thread may use the context right now.
    @_spi(CoreDataReset)
    public var isQueueCurrent: Bool { executor.isInScope }

    // MARK: Blocks that are not waited for

    /// Runs the block in the context's queue when its turn comes and returns at once. Afterwards pending changes are processed.
    ///
    /// Blocks run in the order of the calls. The context lives until they are done.
    @preconcurrency
    public func perform(_ block: @escaping @Sendable () -> Void) {
        switch executor.kind {
        case .privateQueue: executor.enqueue { self.runEvent(block) }
        case .mainQueue: executor.enqueueOnMainQueue(isAwaited: false) { self.runEvent(block) }
        }
    }

    /// Runs the block in the context's queue and returns what it returns, or throws what it throws. The caller is suspended
    /// meanwhile, not blocked. Pending changes are processed at the end.
    ///
    ///     let count = try await context.perform {
    ///         try context.count(for: request)
    ///     }
    ///
    /// - Parameters:
    ///   - schedule: whether the block may run at once where the caller is inside the context's queue already.
    ///   - block: what is done in the queue.
    @preconcurrency
    public nonisolated(nonsending) func perform<T, E: Error>(
        schedule: ScheduledTaskType = .immediate, _ block: @escaping @Sendable () throws(E) -> T
    ) async throws(E) -> T {
        if schedule == .immediate, executor.isInScope { return try inside(block) }
        let outcome: Result<T, E> = await handedOver { finish in
            let run: @Sendable () -> Void = {
                finish(self.runEvent { () -> Result<T, E> in Result(catching: block) })
            }
            switch self.executor.kind {
            case .privateQueue: self.executor.enqueue(run)
            case .mainQueue: self.executor.enqueueOnMainQueue(isAwaited: true, run)
            }
        }
        return try outcome.get()
    }

    // MARK: Inside

    /// Runs the block on this thread when its turn comes.
    private nonisolated func inside<T, E: Error>(_ block: () throws(E) -> T) throws(E) -> T {
        executor.enter()
        defer { executor.leave() }
        return try inContext(block)
    }

    /// Runs the block on this thread, which is inside.
    private nonisolated func inContext<T, E: Error>(_ block: () throws(E) -> T) throws(E) -> T {
        let state = ThreadState.current
        state.push(self)
        defer { state.pop() }
        return try block()
    }

    /// Runs a block that is an event of its own: pending changes are processed at its end.
    private nonisolated func runEvent<T>(_ block: () -> T) -> T {
        inContext {
            defer { processPendingChanges() }
            return block()
        }
    }
}

/// Carries a value from one thread to another where the order is known to be safe.
struct Unchecked<Value>: @unchecked Sendable {
    let value: Value
    init(_ value: Value) { self.value = value }
}
