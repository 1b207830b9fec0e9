import Foundation

/// The main queue as contexts use it: blocks for it that wait in a line of their own, so that whoever waits for one may run it
/// itself where nobody runs the main queue.
enum MainQueue {
    /// How long a waiting caller gives the main queue to start its block. Once a block has waited in vain, others do not wait
    /// until the main queue is run again.
    static var grace: Double { 0.25 }

    /// Whether this thread is executing the main queue. (`Thread.isMainThread` is false after the first `await` of an
    /// asynchronous main.)
    static var isCurrent: Bool {
        _ = mark
        return DispatchQueue.getSpecific(key: key) != nil
    }

    private static let key = DispatchSpecificKey<Bool>()
    private static let mark: Void = DispatchQueue.main.setSpecific(key: key, value: true)

    private static let line = Line()

    private final class Line: @unchecked Sendable {
        private let lock = NSLock()
        private var items = FIFO<Item>()
        /// Items in the line whose grace time passed in vain.
        private var expiredCount = 0

        func append(_ item: Item) {
            lock.withLock { items.append(item) }
        }

        /// The next item; somebody else may have run it.
        func next() -> Item? {
            lock.withLock {
                let item = items.popFirst()
                if let item, item.isExpired { expiredCount -= 1 }
                item?.isPassed = true
                return item
            }
        }

        func expire(_ item: Item) {
            lock.withLock {
                guard !item.isPassed else { return }
                item.isExpired = true
                expiredCount += 1
            }
        }

        var isIdle: Bool { lock.withLock { expiredCount > 0 } }
    }

    /// Runs the item on the main queue, in the order of the calls.
    static func enqueue(_ item: Item) {
        _ = mark
        line.append(item)
        DispatchQueue.main.async { line.next()?.runIfUnclaimed() }
    }

    /// A block for the main queue that is run once: there, or by whoever claims it first.
    final class Item: @unchecked Sendable {
        private enum State { case pending, running, finished }

        private let condition = NSCondition()
        private var state = State.pending
        private var body: (() -> Void)?
        /// The line's: the main queue has come to the item; the grace time passed before that.
        fileprivate var isPassed = false
        fileprivate var isExpired = false

        init(_ body: @escaping () -> Void) { self.body = body }

        /// - Returns: the block, if nobody had it before.
        func claim() -> (() -> Void)? {
            condition.lock()
            defer { condition.unlock() }
            guard state == .pending else { return nil }
            state = .running
            defer { body = nil }
            return body
        }

        func runIfUnclaimed() {
            if runClaimed() { finish() }
        }

        /// In a function of its own, so that the block is let go before somebody learns that it has finished: he counts on
        /// nobody holding it any more.
        @inline(never)
        private func runClaimed() -> Bool {
            guard let body = claim() else { return false }
            body()
            return true
        }

        private func finish() {
            condition.lock()
            state = .finished
            condition.broadcast()
            condition.unlock()
        }

        /// Waits until the block was run; claims it where the grace time passes without anybody starting it.
        /// - Returns: the block, if the caller must run it.
        func waitUntilFinished() -> (() -> Void)? {
            let limit = Date(timeIntervalSinceNow: line.isIdle ? 0 : MainQueue.grace)
            condition.lock()
            while state == .pending, condition.wait(until: limit) {}
            guard state == .pending else {
                while state != .finished { condition.wait() }
                condition.unlock()
                return nil
            }
            condition.unlock()
            return claimExpired() ?? waitUntilFinished()
        }

        /// Claims the block because the main queue has not started it in time.
        func claimExpired() -> (() -> Void)? {
            guard let claimed = claim() else { return nil }
            line.expire(self)
            MainQueue.warnOfIdleMainQueue()
            return claimed
        }
    }

    private static let warning = OnceFlag()

    /// Logs once that the main queue is not run.
    private static func warnOfIdleMainQueue() {
        guard warning.raise() else { return }
        CoreDataLog.warning(
            "A block of a main-queue context waited \(Int(grace * 1000)) ms and the main queue did not start it; the caller "
                + "runs it. Does the process run its main queue (dispatchMain(), RunLoop.main.run() or an async main)? "
                + "Otherwise use a private-queue context. This is said once.")
    }
}

/// Says once that it was raised.
final class OnceFlag: @unchecked Sendable {
    private let lock = NSLock()
    private var isRaised = false

    /// - Returns: true for the first call only.
    func raise() -> Bool {
        lock.withLock {
            defer { isRaised = true }
            return !isRaised
        }
    }
}

/// A first-in, first-out line. Appending and removing are O(1) on average.
struct FIFO<Element> {
    private var items: ContiguousArray<Element?> = []
    private var head = 0

    var isEmpty: Bool { head == items.count }
    var count: Int { items.count - head }
    var first: Element? { isEmpty ? nil : items[head] }

    mutating func append(_ element: Element) { items.append(element) }

    /// Takes the first element out that the closure accepts. O(n).
    mutating func removeFirst(where isMeant: (Element) -> Bool) {
        guard let index = items[head...].firstIndex(where: { $0.map(isMeant) ?? false }) else { return }
        items.remove(at: index)
        if isEmpty {
            items.removeAll()
            head = 0
        }
    }

    mutating func popFirst() -> Element? {
        guard !isEmpty else { return nil }
        defer {
            items[head] = nil
            head += 1
            if head == items.count {
                items.removeAll(keepingCapacity: items.count <= 64)
                head = 0
            } else if head >= 64, head * 2 > items.count {
                items.removeFirst(head)
                head = 0
            }
        }
        return items[head]
    }
}
