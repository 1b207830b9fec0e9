import CoreDataCSQLite
import Foundation

/// The files that make up one database: the main file and what SQLite keeps beside it.
package struct SQLiteFileGroup: Sendable {
    /// The endings of the files beside the main file, in the order in which they are taken away: first what holds data.
    package static let suffixes = ["-journal", "-wal", "-shm"]

    package let path: String

    /// The group of the database at `path`, or of the file that a symbolic link there leads to: SQLite keeps the others
    /// beside that one.
    package init(path: String) {
        self.path = Self.linkTarget(of: path) ?? path
    }

    /// The main file first.
    package var paths: [String] { [path] + Self.suffixes.map { path + $0 } }

    /// Whether there is a main file, or anything else of its name.
    package var exists: Bool { Self.exists(path) }

    package var existingPaths: [String] { paths.filter(Self.exists) }

    package struct Move: Sendable, Equatable {
        package let from: String
        package let to: String

        package init(from: String, to: String) {
            self.from = from
            self.to = to
        }
    }

    /// Renames the database out of the way, to `NAME.damaged-TIME` with the same endings, for a file that SQLite cannot
    /// read or whose holders do not answer. Nothing is truncated or deleted: a process that still has the files open goes
    /// on with them under their new names, and the moved group opens as a database where it is.
    ///
    /// After a crash at any point the database is either complete in its old place or complete in its new one. A file that
    /// is left over beside a missing main file does no harm: SQLite removes it when a new database is made there.
    ///
    /// - Parameters:
    ///   - extraPaths: files or folders that belong to the store and go with it, after the database.
    ///   - date: the time in the new names.
    /// - Returns: what was moved.
    /// - Throws: `SQLiteError` with an I/O code (10 with the reason in its message).
    @discardableResult
    package func setAside(extraPaths: [String] = [], date: Date = Date()) throws -> [Move] {
        let files = existingPaths
        let extras = extraPaths.filter(Self.exists)
        let ending = freeEnding(for: files + extras, date: date)
        let moves = files.map { file in
            Move(from: file, to: path + ending + file.dropFirst(path.count))
        }
        // Second names first, so that there is no moment at which a main file stands without its log or journal.
        if try Self.link(moves) {
            try Self.syncFolder(of: path)
            for move in moves where Self.isSameFile(move.from, move.to) {
                guard unlink(move.from) == 0 || errno == ENOENT else { throw Self.failure("remove", move.from) }
            }
        } else {
            for move in moves {
                guard rename(move.from, move.to) == 0 || errno == ENOENT else {
                    throw Self.failure("rename", move.from)
                }
            }
        }
        try Self.syncFolder(of: path)
        let extraMoves = extras.map { Move(from: $0, to: $0 + ending) }
        for move in extraMoves {
            guard rename(move.from, move.to) == 0 || errno == ENOENT else { throw Self.failure("rename", move.from) }
            try Self.syncFolder(of: move.from)
        }
        return (moves + extraMoves).filter { Self.exists($0.to) }
    }

    /// Gives every file its second name; false, and nothing done, where the file system knows no hard links.
    private static func link(_ moves: [Move]) throws -> Bool {
        var made: [String] = []
        for move in moves {
            if Foundation.link(move.from, move.to) == 0 {
                made.append(move.to)
                continue
            }
            let code = errno
            // A log that its last holder has just removed.
            if code == ENOENT { continue }
            made.forEach { _ = unlink($0) }
            guard [EPERM, ENOTSUP, EOPNOTSUPP, ENOSYS, EMLINK].contains(code) else {
                errno = code
                throw failure("link", move.from)
            }
            return false
        }
        return true
    }

    private func freeEnding(for files: [String], date: Date) -> String {
        let base = ".damaged-" + Self.timestamp(date)
        var ending = base
        var number = 1
        while files.contains(where: { Self.exists(target(of: $0, ending)) }) {
            number += 1
            ending = base + "-\(number)"
        }
        return ending
    }

    private func target(of file: String, _ ending: String) -> String {
        guard file.hasPrefix(path), Self.suffixes.contains(String(file.dropFirst(path.count))) else {
            return file + ending
        }
        return path + ending + file.dropFirst(path.count)
    }

    /// `20261130T053000Z`.
    private static func timestamp(_ date: Date) -> String {
        var seconds = time_t(date.timeIntervalSince1970)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        return String(
            format: "%04d%02d%02dT%02d%02d%02dZ", Int(parts.tm_year) + 1900, Int(parts.tm_mon) + 1, Int(parts.tm_mday),
            Int(parts.tm_hour), Int(parts.tm_min), Int(parts.tm_sec))
    }

    // MARK: Files

    /// True for anything of that name, a dangling symbolic link included.
    static func exists(_ path: String) -> Bool {
        var information = stat()
        return lstat(path, &information) == 0
    }

    private static func linkTarget(of path: String) -> String? {
        var information = stat()
        guard lstat(path, &information) == 0, information.st_mode & S_IFMT == S_IFLNK,
            let target = realpath(path, nil)
        else { return nil }
        defer { free(target) }
        return String(cString: target)
    }

    private static func isSameFile(_ one: String, _ other: String) -> Bool {
        var first = stat()
        var second = stat()
        guard lstat(one, &first) == 0, lstat(other, &second) == 0 else { return false }
        return first.st_dev == second.st_dev && first.st_ino == second.st_ino
    }

    /// Takes from a file that was just made the permissions its folder does not have: what lies in a private folder stays
    /// private when it is moved elsewhere. SQLite gives `-wal`, `-shm` and the journal the permissions of the main file.
    static func restrictToFolder(_ path: String) {
        var file = stat()
        var folder = stat()
        guard stat(path, &file) == 0, file.st_size == 0, stat(parent(of: path), &folder) == 0 else { return }
        let allowed = file.st_mode & folder.st_mode & 0o666 | 0o600
        if file.st_mode & 0o777 != allowed { chmod(path, allowed) }
    }

    /// Makes the names in a file's folder survive a loss of power.
    package static func syncFolder(of path: String) throws {
        let folder = parent(of: path)
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure("open", folder) }
        defer { close(descriptor) }
        // Some file systems cannot sync a folder, and need not.
        guard fsync(descriptor) == 0 || errno == EINVAL || errno == ENOTSUP else { throw failure("sync", folder) }
    }

    private static func parent(of path: String) -> String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    private static func failure(_ action: String, _ path: String) -> SQLiteError {
        let reason = String(cString: strerror(errno))
        return SQLiteError(extendedCode: SQLITE_IOERR, message: "cannot \(action): \(reason)", path: path)
    }
}
