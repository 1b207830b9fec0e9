import CoreDataSQLite
import Foundation
import TestSupport

/// Another process with the database open: the `sqlite3` shell, statement by statement. One thread at a time.
final class ShellSession: @unchecked Sendable {
    private let process: Subprocess
    private var count = 0

    init(_ path: String) throws {
        process = try Subprocess(SQLiteShell.path, ["-batch", path])
    }

    /// Runs `sql` and returns what it printed, lines joined; errors go elsewhere.
    @discardableResult
    func run(_ sql: String) throws -> String {
        count += 1
        let mark = "-- \(count) done --"
        process.writeLine("\(sql)\n;SELECT '\(mark)';")
        var lines: [String] = []
        while let line = process.readLine(timeout: 30) {
            if line == mark { return lines.joined(separator: "\n") }
            lines.append(line)
        }
        throw Subprocess.Failure(description: "the sqlite3 shell ended: \(process.wait(timeout: 1))")
    }

    func end() {
        process.closeInput()
        process.wait(timeout: 10)
    }
}

/// The `SQLiteError` that `body` throws; `nil` if it throws none or another one.
func sqliteError<T>(_ body: () throws -> T) -> SQLiteError? {
    do {
        _ = try body()
        return nil
    } catch {
        return error as? SQLiteError
    }
}
