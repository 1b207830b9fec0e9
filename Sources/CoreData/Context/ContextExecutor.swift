import Foundation

/// The queue of a context or coordinator: a lock with an owner and one line, first come first served.
///
/// A block that is waited for runs on the calling thread as soon as its turn comes; a thread that is inside already goes on at
/// once. Blocks that nobody waits for run on a worker, one after the other. Where the queue is the main one, the lock keeps
/// out those that run a main-queue block elsewhere (see `MainQueue`), and blocks from elsewhere go to the main queue.
///
/// What can wait for ever here does so on Apple's platforms too: two threads that each are inside a context the other wants.
final class ContextExecutor: @unchecked Sendable {
    enum Kind { case privateQueue, mainQueue }

    private enum Turn {
        /// A thread that waits to go in.
        case thread(ThreadState)
        /// A block for the worker.
        case block(() -> Void)
    }

    let kind: Kind
    private let label: String
    private let lock = NSLock()
    private var owner: ThreadState?
    /// How often the owner went in.
    private var depth = 0
    /// The turn is the worker's, which has not started yet.
    private var isReserved = false
    /// Empty while nobody is inside.
    private var line = FIFO<Turn>()
    private lazy var worker = DispatchQueue(label: label)

    init(_ kind: Kind, label: String) {
        self.kind = kind
        self.label = label
    }

    /// Whether this thread is inside.
    var isEntered: Bool {
        let me = ThreadState.current
        return lock.withLock { owner.map(me.acts(for:)) ?? false }
    }

    /// Whether this thread may use what the queue guards right now.
    var isInScope: Bool { (kind == .mainQueue && MainQueue.isCurrent) || isEntered }

    /// How many threads and blocks wait for their turn.
    var waitingCount: Int { lock.withLock { line.count } }

    // MARK: Going in and out

    /// Goes in on this thread, waiting for its turn.
    func enter() {
        let me = ThreadState.current
        lock.lock()
        let isInside = enterOrQueue(me)
        lock.unlock()
        // Whoever leaves makes this thread the owner before calling it.
        if !isInside { me.waitForCall() }
    }

    /// Goes in on this thread as `enter()` does, unless its turn does not come in time.
    /// - Returns: whether it is inside.
    func enter(until deadline: Date) -> Bool {
        let me = ThreadState.current
        lock.lock()
        let isInside = enterOrQueue(me)
        lock.unlock()
        if isInside || me.waitForCall(until: deadline) { return true }
        lock.lock()
        defer { lock.unlock() }
        if owner === me {
            // The turn came while the thread was giving up.
            me.waitForCall()
            return true
        }
        line.removeFirst { turn in
            if case .thread(let waiting) = turn { waiting === me } else { false }
        }
        return false
    }

    /// Goes in if nobody else is inside or about to be, else takes a place in the line. The lock is held.
    /// - Returns: whether the thread is inside.
    @inline(__always)
    private func enterOrQueue(_ me: ThreadState) -> Bool {
        if let owner {
            if me.acts(for: owner) {
                depth += 1
                return true
            }
        } else if !isReserved {
            owner = me
            depth = 1
            return true
        }
        line.append(.thread(me))
        return false
    }

    func leave() {
        lock.lock()
        depth -= 1
        guard depth == 0 else {
            lock.unlock()
            return
        }
        owner = nil
        passTurn()
        lock.unlock()
    }

    /// Gives the turn to the next in line. The lock is held and nobody is inside.
    private func passTurn() {
        switch line.first {
        case nil: break
        case .thread(let next)?:
            _ = line.popFirst()
            owner = next
            depth = 1
            next.call()
        case .block?:
            isReserved = true
            worker.async { self.runBlocks() }
        }
    }

    // MARK: Blocks

    /// Runs the block on the worker when its turn comes.
    func enqueue(_ block: @escaping () -> Void) {
        lock.lock()
        line.append(.block(block))
        if owner == nil, !isReserved { passTurn() }
        lock.unlock()
    }

    /// The worker: runs blocks until a thread is next.
    private func runBlocks() {
        let me = ThreadState.current
        lock.lock()
        isReserved = false
        while case .block(let block)? = line.first {
            _ = line.popFirst()
            owner = me
            depth = 1
            lock.unlock()
            block()
            lock.lock()
            owner = nil
            depth = 0
        }
        passTurn()
        lock.unlock()
    }

    // MARK: The main queue

    /// Runs the block inside the main queue and returns when it is done. This thread is not executing the main queue.
    func runOnMainQueue(_ block: () -> Void) {
        let me = ThreadState.current
        withoutActuallyEscaping(block) { block in
            let item = MainQueue.Item {
                let runner = ThreadState.current
                if runner === me {
                    self.enterAndRun(block)
                } else {
                    runner.lent(me) { self.enterAndRun(block) }
                }
            }
            MainQueue.enqueue(item)
            item.waitUntilFinished()?()
        }
    }

    /// Runs the block inside the main queue when its turn comes.
    /// - Parameter isAwaited: somebody waits for the block, so that it must not wait for a main queue that nobody runs.
    func enqueueOnMainQueue(isAwaited: Bool, _ block: @escaping () -> Void) {
        let item = MainQueue.Item { self.enterAndRun(block) }
        MainQueue.enqueue(item)
        guard isAwaited else { return }
        DispatchQueue.global().asyncAfter(deadline: .now() + MainQueue.grace) {
            item.claimExpired()?()
        }
    }

    /// Runs the block inside the main queue as `runOnMainQueue(_:)` does, unless another thread stays inside until the deadline.
    /// - Returns: whether it was run.
    func runOnMainQueue(until deadline: Date, _ block: () -> Void) -> Bool {
        let me = ThreadState.current
        // Written by the thread that runs the block, read when it is done.
        nonisolated(unsafe) var didRun = false
        withoutActuallyEscaping(block) { block in
            let run = {
                guard self.enter(until: deadline) else { return }
                defer { self.leave() }
                block()
                didRun = true
            }
            let item = MainQueue.Item {
                let runner = ThreadState.current
                if runner === me { run() } else { runner.lent(me, run) }
            }
            MainQueue.enqueue(item)
            item.waitUntilFinished()?()
        }
        return didRun
    }

    private func enterAndRun(_ block: () -> Void) {
        enter()
        defer { leave() }
        block()
    }
}
