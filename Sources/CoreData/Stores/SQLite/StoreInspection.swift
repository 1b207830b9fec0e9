import CoreDataSQLite
import Foundation

/// Reads a store's file without changing a byte of it or of the files beside it.
///
/// SQLite itself changes things when it only reads: it makes `-wal` and `-shm`, rolls a journal back, and moves the log into
/// the file when the last connection closes. So a file that nobody has open is read where it is only if no log or journal
/// waits beside it, and else from a private copy.
package enum StoreInspection {
    package enum Interference: Error {
        /// Somebody changed the file while it was read without locks.
        case changedMeanwhile
    }

    /// Calls `body` with a connection that only reads, outside of a transaction; once more if somebody changed the file meanwhile.
    ///
    /// - Throws: `SQLiteError`, code 14 where there is no file, 26 where it is no database; what `body` throws.
    package static func withConnection<T>(
        path: String, timeout: Double, _ body: (SQLiteConnection) throws -> T
    ) throws -> T {
        if let result = try unsettled(path, timeout, body) { return result }
        return try immutable(path, timeout, body)
    }

    /// Calls `body` once with a connection that only reads, for a file that may be read for long: in a read transaction of it
    /// nothing changes, whatever others write.
    ///
    /// Where nobody has the file open that takes a private copy. `attempt` is called before, as often as the file changes: what
    /// it returns is the result, and nil means that it would take longer than the copy. What it returns may not count: it must
    /// have no effect.
    ///
    /// - Throws: as `withConnection`; `Interference` if the file was changed and there was no room for a copy.
    package static func withSnapshot<T>(
        path: String, timeout: Double, attempt: (SQLiteConnection) throws -> T?, _ body: (SQLiteConnection) throws -> T
    ) throws -> T {
        if let result = try unsettled(path, timeout, body) { return result }
        if let result = try immutable(path, timeout, attempt) { return result }
        var isCopied = false
        do {
            return try fromCopy(path, timeout) { connection in
                isCopied = true
                return try body(connection)
            }
        } catch  where !isCopied {
            return try unlocked(path, timeout, body)
        }
    }

    /// Calls `body` with a connection in a read transaction.
    package static func read<T>(path: String, timeout: Double, _ body: (SQLiteConnection) throws -> T) throws -> T {
        try withConnection(path: path, timeout: timeout) { connection in
            try connection.read { try body(connection) }
        }
    }

    /// Calls `body` with a new folder that nobody else can look into and that is removed afterwards, also by
    /// `removePrivateFolders`.
    package static func withPrivateFolder<T>(_ body: (String) throws -> T) throws -> T {
        try folders.with(NSTemporaryDirectory() + "/coredata-" + UUID().uuidString, mode: 0o700, body)
    }

    /// Calls `body` with a new folder in which something is made that will be moved into `folder` when it is whole. It is
    /// removed afterwards, also by `removePrivateFolders`. Who may look into `folder` may look into it.
    package static func withPrivateFolder<T>(in folder: String, _ body: (String) throws -> T) throws -> T {
        var information = stat()
        let mode = stat(folder, &information) == 0 ? information.st_mode & 0o777 : 0
        return try folders.with(folder + "/.coredata-" + UUID().uuidString, mode: mode | 0o700, body)
    }

    /// Whether another process has a file in WAL mode open.
    package static func isInUse(_ path: String) -> Bool { !isOpenInThisProcess(path) && isOpenElsewhere(path) }

    /// Removes the private folders, though they are in use, for a program that is about to be ended by a signal. No other will be
    /// made.
    package static func removePrivateFolders() { folders.close() }

    private static let folders = PrivateFolders()

    // MARK: Ways of reading

    /// Reads a file that others have open, or beside which a log or a journal waits; nil for any other.
    private static func unsettled<T>(
        _ path: String, _ timeout: Double, _ body: (SQLiteConnection) throws -> T
    ) throws -> T? {
        if isOpenInThisProcess(path) || isOpenElsewhere(path) { return try inPlace(path, timeout, body) }
        if size(path + "-journal") > 0 {
            // Somebody is writing, and then it may be read; or a writer died, and SQLite refuses until it is rolled back.
            do {
                return try inPlace(path, timeout, body)
            } catch let error as SQLiteError where error.code == SQLITE_READONLY || error.code == SQLITE_CANTOPEN {
                return try fromCopy(path, timeout, body)
            }
        }
        return size(path + "-wal") > 0 ? try fromCopy(path, timeout, body) : nil
    }

    /// Somebody has the file open: the files beside it exist, and a connection that may not write leaves them as they are.
    private static func inPlace<T>(
        _ path: String, _ timeout: Double, _ body: (SQLiteConnection) throws -> T
    ) throws -> T {
        let connection = try SQLiteConnection(path: path, access: .readOnly, busyTimeout: timeout)
        defer { try? connection.close() }
        try StoreFunctions.register(on: connection, changes: nil)
        return try body(connection)
    }

    /// Nobody seems to have the file open, and nothing waits beside it: it is read without locks. If it changed meanwhile what
    /// was read counts for nothing.
    private static func immutable<T>(
        _ path: String, _ timeout: Double, _ body: (SQLiteConnection) throws -> T
    ) throws -> T {
        for _ in 0..<5 {
            do { return try unlocked(path, timeout, body) } catch is Interference {}
        }
        return try inPlace(path, timeout, body)
    }

    private static func unlocked<T>(
        _ path: String, _ timeout: Double, _ body: (SQLiteConnection) throws -> T
    ) throws -> T {
        let before = try settledStamp(path)
        let connection = try SQLiteConnection(path: path, access: .immutable, busyTimeout: timeout)
        let result = Result { try body(connection) }
        try? connection.close()
        guard stamp(path) == before else { throw Interference.changedMeanwhile }
        return try result.get()
    }

    /// The file, perhaps with a log or a journal of somebody who has gone. Should somebody begin to use it while it is copied, the
    /// copy counts for nothing.
    private static func fromCopy<T>(
        _ path: String, _ timeout: Double, _ body: (SQLiteConnection) throws -> T
    ) throws -> T {
        for _ in 0..<5 {
            guard let before = try? settledStamp(path) else { continue }
            let result = try withPrivateFolder { folder -> T? in
                let copied = Result { try copy(path, to: folder + "/store") }
                guard stamp(path) == before else { return nil }
                try copied.get()
                let connection = try SQLiteConnection(
                    path: folder + "/store", access: .readWrite, busyTimeout: timeout)
                defer { try? connection.close() }
                return try body(connection)
            }
            if let result { return result }
        }
        return try inPlace(path, timeout, body)
    }

    private static func copy(_ path: String, to copy: String) throws {
        for suffix in ["", "-wal", "-journal"] where suffix.isEmpty || size(path + suffix) > 0 {
            try FileManager.default.copyItem(atPath: path + suffix, toPath: copy + suffix)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: copy + suffix)
        }
    }

    // MARK: Files

    private struct Stamp: Equatable {
        var size: Int64 = -1
        var seconds = 0
        var nanoseconds = 0
        var logSize: Int64 = 0
        var journalSize: Int64 = 0
    }

    /// The stamp of a file that was not changed just now: two changes within one tick of the file system's clock look like one.
    private static func settledStamp(_ path: String) throws -> Stamp {
        for _ in 0..<10 {
            let stamp = stamp(path)
            var now = timespec()
            clock_gettime(CLOCK_REALTIME, &now)
            let age = Double(now.tv_sec - stamp.seconds) + Double(now.tv_nsec - stamp.nanoseconds) / 1e9
            if !(0..<0.02).contains(age) { return stamp }
            usleep(20_000)
        }
        throw Interference.changedMeanwhile
    }

    private static func stamp(_ path: String) -> Stamp {
        var information = stat()
        var stamp = Stamp()
        if stat(path, &information) == 0 {
            stamp.size = Int64(information.st_size)
            stamp.seconds = information.st_mtim.tv_sec
            stamp.nanoseconds = information.st_mtim.tv_nsec
        }
        stamp.logSize = size(path + "-wal")
        stamp.journalSize = size(path + "-journal")
        return stamp
    }

    /// In bytes; 0 where there is no file, and for a folder or a device.
    static func size(_ path: String) -> Int64 {
        var information = stat()
        guard stat(path, &information) == 0, information.st_mode & S_IFMT == S_IFREG else { return 0 }
        return Int64(information.st_size)
    }

    /// Whether another process has a file in WAL mode open: it then holds a lock on a certain byte of the `-shm` file.
    ///
    /// This process must not have it open.
    private static func isOpenElsewhere(_ path: String) -> Bool {
        // A pipe of that name must not make anybody wait.
        let descriptor = open(path + "-shm", O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var information = stat()
        guard fstat(descriptor, &information) == 0, information.st_mode & S_IFMT == S_IFREG else { return false }
        var lock = flock()
        lock.l_type = Int16(F_WRLCK)
        lock.l_whence = Int16(SEEK_SET)
        lock.l_start = 128
        lock.l_len = 1
        guard fcntl(descriptor, F_GETLK, &lock) == 0 else { return true }
        return lock.l_type != Int16(F_UNLCK)
    }

    /// Whether this process has the file open. Reading it beside SQLite would then drop SQLite's locks: POSIX gives them up
    /// when any descriptor of the file is closed.
    static func isOpenInThisProcess(_ path: String) -> Bool {
        var file = stat()
        guard stat(path, &file) == 0 else { return false }
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd") else { return true }
        return names.contains { name in
            var open = stat()
            guard let descriptor = Int32(name), fstat(descriptor, &open) == 0 else { return false }
            return open.st_dev == file.st_dev && open.st_ino == file.st_ino
        }
    }
}
