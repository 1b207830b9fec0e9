import Foundation

/// Puts new contents in the place of a file's.
enum FileRewriting {
    /// Replaces a file in one step: whoever reads it gets the old or the new contents, whole. Permissions stay.
    ///
    /// - Throws: `ToolError`; the file is then as it was.
    static func replace(_ path: String, by contents: Data) throws {
        var information = stat()
        // The folder's permissions alone would let a file be replaced that must not be written.
        guard stat(path, &information) == 0, access(path, W_OK) == 0 else { throw failure(path, errno) }
        let temporary = "\(path).\(UUID().uuidString).tmp"
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure(path, errno) }
        do {
            defer { close(descriptor) }
            try FileHandle(fileDescriptor: descriptor, closeOnDealloc: false).write(contentsOf: contents)
            // Only root may give files away; for others the owner is the same anyway.
            _ = fchown(descriptor, information.st_uid, information.st_gid)
            guard fchmod(descriptor, information.st_mode & 0o7777) == 0, fsync(descriptor) == 0 else {
                throw failure(path, errno)
            }
        } catch {
            unlink(temporary)
            throw ToolError.explaining(error, path)
        }
        guard rename(temporary, path) == 0 else {
            let code = errno
            unlink(temporary)
            throw failure(path, code)
        }
    }

    private static func failure(_ path: String, _ code: Int32) -> ToolError {
        let reason = String(cString: strerror(code))
        let isForbidden = [EACCES, EPERM, EROFS].contains(code)
        return ToolError(
            isForbidden ? .noPermission : code == ENOSPC ? .noSpace : .other, path, "it cannot be changed: \(reason).",
            advice: isForbidden ? "Check the permissions of the file and its folder (ls -ld)." : nil)
    }
}
