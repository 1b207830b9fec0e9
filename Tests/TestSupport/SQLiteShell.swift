import Foundation

/// The `sqlite3` shell: a second process and a second opinion on what a database file holds.
package enum SQLiteShell {
    package static let path = "/usr/bin/sqlite3"

    package static var isPresent: Bool { access(path, X_OK) == 0 }

    /// For `.enabled(if:)`: false where the shell is missing on a user's machine. In continuous integration it is true all
    /// the same, so that the test fails there.
    package static var isUsable: Bool { isPresent || Corpus.isRequired }
}

/// Runs `sql` on the database at `path` in the `sqlite3` shell and returns what it prints: columns separated by `|`, a row a
/// line, without the last line end. NULL prints as nothing.
///
/// - Throws: `Subprocess.Failure` with the shell's message if it reports an error.
package func sqlite3(_ path: String, _ sql: String) throws -> String {
    guard SQLiteShell.isPresent else { throw Subprocess.Failure(description: "\(SQLiteShell.path) is missing") }
    let result = try Subprocess.run(SQLiteShell.path, ["-batch", "-bail", path], input: sql + "\n")
    guard result.isSuccess, result.errorOutput.isEmpty else {
        throw Subprocess.Failure(description: "sqlite3 \(path): \(result.status) \(result.errorOutput)")
    }
    return result.output.hasSuffix("\n") ? String(result.output.dropLast()) : result.output
}

package func sqlite3(_ url: URL, _ sql: String) throws -> String {
    try sqlite3(url.path, sql)
}
