import Foundation

/// The framework's messages to the developer: one line each on standard error, or to a handler.
package enum CoreDataLog {
    package enum Level: String, Sendable {
        case info, warning, error, sql
    }

    /// Receives every message. Called on the thread that has something to say.
    package typealias Handler = @Sendable (Level, String) -> Void

    private final class Shared: @unchecked Sendable {
        let lock = NSLock()
        var handler: Handler?
    }

    private static let shared = Shared()

    /// Replaces standard error as the place of messages; nil brings it back.
    package static var handler: Handler? {
        get { shared.lock.withLock { shared.handler } }
        set { shared.lock.withLock { shared.handler = newValue } }
    }

    package static func info(_ message: @autoclosure () -> String) { write(.info, message()) }
    package static func warning(_ message: @autoclosure () -> String) { write(.warning, message()) }
    package static func error(_ message: @autoclosure () -> String) { write(.error, message()) }

    package static func write(_ level: Level, _ message: String) {
        if let handler {
            handler(level, message)
            return
        }
        let line = "CoreData: \(level.rawValue): \(message)\n"
        FileHandle.standardError.write(Data(line.utf8))
    }
}
