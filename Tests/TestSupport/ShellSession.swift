import Foundation

/// Another process with the database open: the `sqlite3` shell, statement by statement. One thread at a time.
package final class ShellSession: @unchecked Sendable {
    private let process: Subprocess
    private var count = 0

    package init(_ path: String) throws {
        process = try Subprocess(SQLiteShell.path, ["-batch", path])
    }

    /// Runs `sql` and returns what it printed, lines joined; errors go elsewhere.
    @discardableResult
    package func run(_ sql: String) throws -> String {
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

    package func end() {
        process.closeInput()
        process.wait(timeout: 10)
    }
}
