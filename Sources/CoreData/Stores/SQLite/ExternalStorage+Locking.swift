import CoreDataSQLite
import Foundation

extension ExternalStorage {
    /// Runs `body` while nobody else, in this process or another, brings files into the folder or removes some.
    ///
    /// Values are files, and rows that refer to them come and go by commits: between the two somebody could restore a row whose
    /// file is about to be removed. The lock is taken before the database's. Where there is no folder there is nothing to lock.
    ///
    /// - Throws: `SQLiteError` with code 5 if the lock is not to be had within `timeout` seconds; what `body` throws.
    func alone<T>(timeout: Double, _ body: () throws -> T) throws -> T {
        let deadline = Deadline(after: timeout)
        while true {
            let descriptor = open(supportPath, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            guard descriptor >= 0 else { return try body() }
            defer {
                // A process that is being started may have a copy of the descriptor until it runs its own program.
                flock(descriptor, LOCK_UN)
                close(descriptor)
            }
            if flock(descriptor, LOCK_EX | LOCK_NB) == 0 {
                // Its last holder may have removed the folder, and another one may stand there now.
                if isSupportFolder(descriptor) { return try body() }
                continue
            }
            guard !deadline.hasPassed else {
                throw SQLiteError(
                    extendedCode: SQLITE_BUSY, message: "somebody else is changing the external files of the store",
                    path: supportPath)
            }
            usleep(2_000)
        }
    }

    private func isSupportFolder(_ descriptor: Int32) -> Bool {
        var locked = stat()
        var present = stat()
        guard fstat(descriptor, &locked) == 0, stat(supportPath, &present) == 0 else { return false }
        return locked.st_dev == present.st_dev && locked.st_ino == present.st_ino
    }
}
