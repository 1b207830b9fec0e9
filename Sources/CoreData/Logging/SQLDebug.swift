import CoreDataSQLite
import Foundation

/// How much of the SQL is logged: the launch argument `-com.apple.CoreData.SQLDebug 1…3`, or the environment variable
/// `COREDATA_SQLDEBUG`.
///
/// From 1 on each statement is logged with its rows and time, at 3 with the bound values in place.
package enum SQLDebug {
    private final class Shared: @unchecked Sendable {
        let lock = NSLock()
        var level = SQLDebug.configured(
            arguments: ProcessInfo.processInfo.arguments, environment: ProcessInfo.processInfo.environment)
    }

    private static let shared = Shared()

    /// 0: nothing is logged. Connections read it when they open.
    package static var level: Int {
        get { shared.lock.withLock { shared.level } }
        set { shared.lock.withLock { shared.level = newValue } }
    }

    /// The level that a process with these arguments and this environment asks for. The argument counts more.
    package static func configured(arguments: [String], environment: [String: String]) -> Int {
        if let place = arguments.lastIndex(of: "-com.apple.CoreData.SQLDebug"), place + 1 < arguments.count,
            let level = Int(arguments[place + 1])
        {
            return clamped(level)
        }
        return environment["COREDATA_SQLDEBUG"].flatMap { Int($0) }.map(clamped) ?? 0
    }

    private static func clamped(_ level: Int) -> Int { min(max(level, 0), 3) }

    /// Makes a connection log its statements, if logging is on. Off, it costs nothing.
    package static func observe(_ connection: SQLiteConnection) {
        let level = level
        guard level > 0 else { return }
        connection.trace(expandingValues: level >= 3) { record in
            let rows = "\(record.rows) row\(record.rows == 1 ? "" : "s")"
            let time = String(format: "%.4f s", record.seconds)
            CoreDataLog.write(.sql, "\(record.expandedSQL ?? record.sql) -- \(rows), \(time)")
        }
    }
}
