import CoreData
import Foundation

/// Ends the process in good order when it is interrupted: private copies of stores and backups that are not complete are
/// removed first, and a change that is being written is finished.
package enum Signals {
    private static let watched = [SIGINT, SIGTERM, SIGHUP]
    private static let state = State()

    private final class State: @unchecked Sendable {
        let lock = NSLock()
        var isWriting = false
        var caught: Int32?
        var isEnding = false
    }

    /// Starts watching. To be called once, before there are other threads.
    package static func watch() {
        // A closed pipe is an error of writing, which the console knows what to do about.
        signal(SIGPIPE, SIG_IGN)
        var signals = sigset_t()
        sigemptyset(&signals)
        // What the caller chose to ignore (nohup) stays ignored.
        for number in watched where !isIgnored(number) { sigaddset(&signals, number) }
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        let waited = signals
        let thread = Thread {
            var signals = waited
            var number: Int32 = 0
            while sigwait(&signals, &number) == 0 { received(number) }
        }
        thread.start()
    }

    /// Runs what must not be cut short. The first signal is remembered until the end of it, the second one ends the process:
    /// the store is then as SQLite's journal leaves it, wholly before the change or wholly after it.
    static func uninterrupted<T>(_ body: () throws -> T) rethrows -> T {
        state.lock.withLock { state.isWriting = true }
        defer { state.lock.withLock { state.isWriting = false } }
        return try body()
    }

    /// The signal that came while a change was being written.
    private static var caught: Int32? { state.lock.withLock { state.caught } }

    /// Ends the process now if a signal came meanwhile.
    package static func endIfCaught() {
        if let caught { end(caught) }
    }

    /// Where the process is being ended already what fails now fails because of that, and nobody is told.
    static func endIfEnding() {
        if state.lock.withLock({ state.isEnding }) { endIfCaught() }
    }

    private static func received(_ number: Int32) {
        let mustWait = state.lock.withLock {
            defer { state.caught = number }
            return state.isWriting && state.caught == nil
        }
        if mustWait {
            let note = "coredata: the change is being written and will be finished; interrupt again to stop at once.\n"
            _ = note.withCString { write(STDERR_FILENO, $0, strlen($0)) }
        } else {
            end(number)
        }
    }

    /// Ends the process by a signal, as its parent expects.
    package static func end(_ number: Int32) -> Never {
        state.lock.withLock { state.isEnding = true }
        StoreInspection.removePrivateFolders()
        signal(number, SIG_DFL)
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, number)
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
        kill(getpid(), number)
        // Where the signal is ignored by the kernel, as for the first process of a container.
        exit(128 + number)
    }

    private static func isIgnored(_ number: Int32) -> Bool {
        var action = sigaction()
        guard sigaction(number, nil, &action) == 0 else { return false }
        return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
            == unsafeBitCast(SIG_IGN, to: Int.self)
    }
}
