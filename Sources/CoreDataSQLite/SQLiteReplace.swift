import CoreDataCSQLite
import Foundation

/// Puts the contents of one database in the place of another's, in one transaction under SQLite's own locks.
///
/// The file stays the same file, so that whoever has it open, in this process or another, keeps the snapshot he reads from
/// and prepares his statements again afterwards. A crash leaves the old contents or the new.
package enum SQLiteReplace {
    package struct Outcome: Sendable, Equatable {
        /// The destination's schema cookie afterwards; greater than any before.
        package let schemaVersion: Int32
        /// True if the file has been shrunk and its log emptied; false if somebody's snapshot still needs them, or somebody
        /// was writing again already: the checkpoint is then left to later.
        package let isCheckpointed: Bool
    }

    /// Replaces the contents of `destination` by those of `template`, durably.
    ///
    /// Page size and auto-vacuum stay those of the destination (unless it is an empty file), and so does its journal mode.
    ///
    /// - Parameters:
    ///   - template: a finished database; it is only read. Outside of a transaction, like `destination`.
    ///   - timeout: seconds to wait for others: a writer, and with a rollback journal also a reader.
    /// - Throws: `SQLiteError`, and the destination is untouched: code 5 if the locks were not to be had in time, 11 or 26 if
    ///   the destination cannot be read (see `SQLiteFileGroup.setAside`), 20 if the text encodings differ, 8 if it is
    ///   read-only.
    @discardableResult
    package static func replaceContents(
        of destination: SQLiteConnection, with template: SQLiteConnection, timeout: Double
    ) throws -> Outcome {
        let deadline = Deadline(after: timeout)
        try requireIdle(destination)
        try requireIdle(template)
        guard !destination.isReadOnly else {
            throw SQLiteError(extendedCode: SQLITE_READONLY, path: destination.path)
        }
        let formerTimeout = destination.busyTimeout
        defer { destination.busyTimeout = formerTimeout }
        destination.busyTimeout = timeout

        let before = try destination.readSchemaVersion()
        let isEmpty = try destination.pragma("page_count") == 0
        if !isEmpty { try requireSameEncoding(destination, template) }
        let fitting = try FittingTemplate(template, for: destination, isEmpty: isEmpty)

        if !isEmpty { try endGeneration(destination, before) }
        destination.busyTimeout = deadline.remaining
        try destination.withDurableCommits { try copy(fitting.connection, to: destination, deadline) }
        let after = try ascend(destination, from: before)

        // Whoever still reads an old snapshot keeps the log from being emptied; that is no reason to wait long.
        destination.busyTimeout = min(deadline.remaining, 0.1)
        return Outcome(schemaVersion: after, isCheckpointed: checkpoint(destination))
    }

    /// Replaces the contents of the database at `path`, which must exist unless `isCreating`.
    @discardableResult
    package static func replaceContents(
        ofFileAt path: String, isCreating: Bool = false, with template: SQLiteConnection, timeout: Double
    ) throws -> Outcome {
        let access: SQLiteConnection.Access = isCreating ? .create : .readWrite
        let destination = try SQLiteConnection(path: path, access: access, busyTimeout: timeout)
        let outcome = try replaceContents(of: destination, with: template, timeout: timeout)
        try destination.close()
        return outcome
    }

    /// How many times the contents behind a schema cookie had been replaced, modulo 65,536: its upper half. Changes of the
    /// schema count in the lower half.
    ///
    /// So whoever has the file open can tell a replacement from a new table or a vacuum, also where the new contents are an
    /// earlier state of the same store.
    package static func generation(of schemaVersion: Int32) -> UInt16 {
        UInt16(truncatingIfNeeded: UInt32(bitPattern: schemaVersion) >> 16)
    }

    // MARK: Steps

    /// SQLite's backup adds one to the cookie, in the transaction that brings the new contents: sets it to the last one of its
    /// generation before. A crash between the two leaves the old contents, under a cookie that says so.
    private static func endGeneration(_ destination: SQLiteConnection, _ before: Int32) throws {
        let last = before | 0xFFFF
        if before == last { return }
        // In a write-ahead log the commit that follows brings this one to the disk with it.
        let level: Int64? = try destination.journalMode == "wal" ? 1 : nil
        try destination.withSynchronous(level) {
            try destination.write {
                // Somebody else may have been first.
                guard generation(of: destination.schemaVersion) == generation(of: before) else { return }
                try destination.setPragma("schema_version", to: String(last))
            }
        }
    }

    private static func copy(
        _ template: SQLiteConnection, to destination: SQLiteConnection, _ deadline: Deadline
    ) throws {
        guard let backup = sqlite3_backup_init(destination.handle, "main", template.handle, "main") else {
            throw SQLiteError(sqlite3_errcode(destination.handle), on: destination.handle, path: destination.path)
        }
        // All pages in one step: between two steps the source could change, or others see the file locked for long.
        var result = sqlite3_backup_step(backup, -1)
        while result & 0xFF == SQLITE_BUSY || result & 0xFF == SQLITE_LOCKED, !deadline.hasPassed {
            usleep(2_000)
            result = sqlite3_backup_step(backup, -1)
        }
        // Gives up the locks, and rolls the destination back unless the step was done.
        let end = sqlite3_backup_finish(backup)
        guard result == SQLITE_DONE, end == SQLITE_OK else {
            throw SQLiteError(result == SQLITE_DONE ? end : result, on: destination.handle, path: destination.path)
        }
    }

    /// Makes sure that the schema cookie has moved on: connections that hold prepared statements look at nothing else.
    private static func ascend(_ destination: SQLiteConnection, from before: Int32) throws -> Int32 {
        let after = try destination.readSchemaVersion()
        guard after &- before <= 0 else { return after }
        let next = (before | 0xFFFF) &+ 1
        _ = try destination.write(durable: true) { try destination.setPragma("schema_version", to: String(next)) }
        return try destination.readSchemaVersion()
    }

    private static func checkpoint(_ destination: SQLiteConnection) -> Bool {
        var frames: Int32 = 0
        var moved: Int32 = 0
        return sqlite3_wal_checkpoint_v2(destination.handle, nil, SQLITE_CHECKPOINT_TRUNCATE, &frames, &moved)
            == SQLITE_OK
    }

    private static func requireIdle(_ connection: SQLiteConnection) throws {
        guard connection.isAutocommit, sqlite3_txn_state(connection.handle, nil) == SQLITE_TXN_NONE else {
            throw SQLiteError(
                extendedCode: SQLITE_MISUSE, message: "a transaction is open on this connection", path: connection.path)
        }
    }

    private static func requireSameEncoding(_ destination: SQLiteConnection, _ template: SQLiteConnection) throws {
        // Connections that have the file open keep to the encoding they found in it.
        let wanted = try destination.textPragma("encoding")
        let found = try template.textPragma("encoding")
        guard wanted == found else {
            throw SQLiteError(
                extendedCode: SQLITE_MISMATCH,
                message: "text encodings differ: \(wanted ?? "?") here, \(found ?? "?") in the new contents",
                path: destination.path)
        }
    }
}

/// A template that can be copied page by page: the given one, or a rebuilt copy of it.
private struct FittingTemplate {
    let connection: SQLiteConnection

    init(_ template: SQLiteConnection, for destination: SQLiteConnection, isEmpty: Bool) throws {
        let pageSize = try destination.pragma("page_size") ?? 4096
        let autoVacuum = try destination.pragma("auto_vacuum") ?? 0
        let hasSameLayout =
            try isEmpty || (template.pragma("page_size") == pageSize && template.pragma("auto_vacuum") == autoVacuum)
        // The first page says which kind of journal a file has, so that a template in WAL mode would turn a file with a
        // rollback journal into one. (The other way round SQLite's backup takes care of it.)
        let keepsJournal = try template.journalMode != "wal" || destination.journalMode == "wal"
        if hasSameLayout, keepsJournal {
            connection = template
            return
        }
        // Among the temporary files, as SQLite does it for a vacuum: beside the store a crash would leave it for good.
        let folder = NSTemporaryDirectory() + "/CoreData-" + UUID().uuidString
        do {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        } catch {
            throw SQLiteError(
                extendedCode: SQLITE_CANTOPEN, message: "cannot make a temporary folder: \(error)", path: folder)
        }
        // Gone before the copying begins: the connection keeps the file alive.
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let path = folder + "/template"
        try template.execute("VACUUM INTO " + SQLiteConnection.quoted(text: path))
        connection = try SQLiteConnection(path: path, access: .readWrite)
        if !hasSameLayout {
            // A new page size takes effect in a vacuum, and not in an in-memory database.
            try connection.execute("PRAGMA page_size=\(pageSize); PRAGMA auto_vacuum=\(autoVacuum); VACUUM")
        }
    }
}
