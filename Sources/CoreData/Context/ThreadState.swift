import Foundation

/// What the engine knows of one thread: which contexts it is inside of, and how it waits for its turn.
///
/// An instance serves as the identity of an owner. A thread that waits until another one has run a block for it lends itself:
/// the other one then counts as the owner of everything the waiting thread owns, so that A → B → A works across threads too.
final class ThreadState: @unchecked Sendable {
    /// Threads that wait for a block this thread is running.
    private var lenders: ContiguousArray<ThreadState> = []
    /// The contexts whose blocks this thread is running, the innermost last. They are alive: their blocks run.
    private var contexts: ContiguousArray<Unmanaged<NSManagedObjectContext>> = []

    private let condition = NSCondition()
    private var isCalled = false

    /// The state of the thread that asks.
    static var current: ThreadState {
        if let pointer = pthread_getspecific(key) {
            return Unmanaged<ThreadState>.fromOpaque(pointer).takeUnretainedValue()
        }
        let state = ThreadState()
        pthread_setspecific(key, Unmanaged.passRetained(state).toOpaque())
        return state
    }

    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        let result = pthread_key_create(&key) { pointer in
            guard let pointer = pointer as UnsafeMutableRawPointer? else { return }
            Unmanaged<ThreadState>.fromOpaque(pointer).release()
        }
        precondition(result == 0, "the process has no thread-local storage left")
        return key
    }()

    /// Whether what `owner` owns is this thread's to use.
    func acts(for owner: ThreadState) -> Bool {
        owner === self || lenders.contains { $0 === owner }
    }

    // MARK: Contexts

    var innermostContext: NSManagedObjectContext? { contexts.last?.takeUnretainedValue() }
    func push(_ context: NSManagedObjectContext) { contexts.append(.passUnretained(context)) }
    func pop() { contexts.removeLast() }

    // MARK: Lending

    /// Runs a block for a thread that waits for it.
    func lent<T, E: Error>(_ lender: ThreadState, _ body: () throws(E) -> T) throws(E) -> T {
        let count = lenders.count
        lenders.append(lender)
        // The lender is blocked: nobody changes its list meanwhile.
        lenders.append(contentsOf: lender.lenders)
        defer { lenders.removeLast(lenders.count - count) }
        return try body()
    }

    // MARK: Waiting

    /// Waits until `call()` was called, before or meanwhile.
    func waitForCall() {
        condition.lock()
        while !isCalled { condition.wait() }
        isCalled = false
        condition.unlock()
    }

    /// Waits until `call()` was called, or the deadline has passed.
    /// - Returns: whether it was called.
    func waitForCall(until deadline: Date) -> Bool {
        condition.lock()
        defer { condition.unlock() }
        while !isCalled, condition.wait(until: deadline) {}
        defer { isCalled = false }
        return isCalled
    }

    func call() {
        condition.lock()
        isCalled = true
        condition.signal()
        condition.unlock()
    }
}
