import CoreDataCSQLite
import Foundation

/// A statement that ran to its end or was reset, for a log.
package struct SQLiteTraceRecord: Sendable {
    /// The text with placeholders.
    package let sql: String
    /// The text with the bound values in place, if they were asked for.
    package let expandedSQL: String?
    /// Rows it returned.
    package let rows: Int
    /// Seconds from its first step to its end, the caller's time between two rows included.
    package let seconds: Double
}

extension SQLiteConnection {
    /// Calls `handler` at the end of each statement of this connection; `nil` turns it off, and then it costs nothing. The
    /// handler must not use the connection.
    ///
    /// - Parameter expandingValues: also give the text with the bound values in it. They are people's data: only on request.
    package func trace(expandingValues: Bool = false, _ handler: ((SQLiteTraceRecord) -> Void)?) {
        tracer?.detach()
        tracer = handler.map { SQLiteTracer(handle, expandingValues: expandingValues, handler: $0) }
    }
}

/// Counts rows and time of the statements that are running.
final class SQLiteTracer {
    private struct Run {
        var start: UInt64
        var rows = 0
    }

    private let database: OpaquePointer
    private let expandingValues: Bool
    private let handler: (SQLiteTraceRecord) -> Void
    private var runs: [OpaquePointer: Run] = [:]

    init(_ database: OpaquePointer, expandingValues: Bool, handler: @escaping (SQLiteTraceRecord) -> Void) {
        self.database = database
        self.expandingValues = expandingValues
        self.handler = handler
        let events = SQLITE_TRACE_STMT | SQLITE_TRACE_ROW | SQLITE_TRACE_PROFILE
        sqlite3_trace_v2(
            database, UInt32(events),
            { event, tracer, statement, detail in
                guard let tracer, let statement else { return 0 }
                Unmanaged<SQLiteTracer>.fromOpaque(tracer).takeUnretainedValue()
                    .receive(Int32(event), OpaquePointer(statement), detail)
                return 0
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    func detach() {
        sqlite3_trace_v2(database, 0, nil, nil)
    }

    private func receive(_ event: Int32, _ statement: OpaquePointer, _ detail: UnsafeMutableRawPointer?) {
        switch event {
        case SQLITE_TRACE_STMT:
            // The start of a trigger is told with its name behind "--"; it is part of the statement that fired it.
            let text = detail?.assumingMemoryBound(to: CChar.self)
            if let text, text[0] == 0x2D, text[1] == 0x2D { return }
            runs[statement] = Run(start: DispatchTime.now().uptimeNanoseconds)
        case SQLITE_TRACE_ROW:
            runs[statement]?.rows += 1
        case SQLITE_TRACE_PROFILE:
            // SQLite's own measure has a resolution of a millisecond.
            guard let run = runs.removeValue(forKey: statement) else { return }
            let seconds = Double(DispatchTime.now().uptimeNanoseconds - run.start) / 1e9
            handler(
                SQLiteTraceRecord(
                    sql: sqlite3_sql(statement).map { String(cString: $0) } ?? "",
                    expandedSQL: expandingValues ? expanded(statement) : nil, rows: run.rows, seconds: seconds))
        default:
            break
        }
    }

    private func expanded(_ statement: OpaquePointer) -> String? {
        guard let text = sqlite3_expanded_sql(statement) else { return nil }
        defer { sqlite3_free(text) }
        return String(cString: text)
    }
}
