import Foundation

/// The path of a file that looks like a SQLite database, symbolic links followed: SQLite keeps its other files beside the
/// file itself.
struct StoreFilePath {
    /// As it was given.
    let given: String
    let path: String
    /// Bytes 18 and 19 of the header: the log of changes goes to a `-wal` file.
    let usesWriteAheadLog: Bool

    var url: URL { URL(fileURLWithPath: path) }

    /// Looks at the file before SQLite does. Nothing here waits, whatever the name leads to.
    ///
    /// - Throws: `ToolError` for everything that cannot be a SQLite database, saying what it is instead.
    init(_ given: String) throws {
        self.given = given
        path = try Self.regularFile(given)
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { throw Self.unreadable(given, errno) }
        defer { close(descriptor) }
        var header = [UInt8](repeating: 0, count: 100)
        let count = read(descriptor, &header, header.count)
        guard count >= 0 else { throw Self.unreadable(given, errno) }
        try Self.check(header[..<count], given, hasLog: Self.size(path + "-wal") > 0)
        usesWriteAheadLog = header[18] == 2 || count == 0
    }

    private static func check(_ header: ArraySlice<UInt8>, _ path: String, hasLog: Bool) throws {
        if header.starts(with: "SQLite format 3\0".utf8) {
            guard header.count == 100 else {
                throw ToolError(
                    .damaged, path, "the database is damaged (cut off after \(header.count) bytes).",
                    advice: ToolError.recoveryAdvice)
            }
            return
        }
        if header.isEmpty {
            // A store whose first save is still in the log.
            if hasLog { return }
            throw ToolError(
                .notAStore, path, "the file is empty (0 bytes); it holds no store.", advice: ToolError.storeAdvice)
        }
        if header.starts(with: "<?xml".utf8) {
            throw ToolError(
                .notAStore, path, "it is an XML file; only SQLite stores can be read.", advice: ToolError.storeAdvice)
        }
        if header.starts(with: "bplist".utf8) {
            throw ToolError(
                .notAStore, path,
                "it is a binary property list, perhaps a compiled model or a binary store; only SQLite stores can be read.",
                advice: "'coredata schema' lists compiled models (.mom).")
        }
        let name = path.fileName
        for suffix in ["-wal", "-shm", "-journal"] where name.hasSuffix(suffix) {
            throw ToolError(
                .notAStore, path, "this file only accompanies a database.",
                advice: "Name the main file: \(path.dropLast(suffix.count))")
        }
        throw ToolError(.notAStore, path, "it is no SQLite database.", advice: ToolError.storeAdvice)
    }

    /// The path of a regular file, links followed.
    static func regularFile(_ given: String) throws -> String {
        var information = stat()
        guard lstat(given, &information) == 0 else { throw missing(given, errno) }
        guard stat(given, &information) == 0 else {
            let code = errno
            guard code == ENOENT else { throw unreadable(given, code) }
            let target = (try? FileManager.default.destinationOfSymbolicLink(atPath: given)) ?? "?"
            throw ToolError(.notFound, given, "it is a symbolic link to '\(target)', which does not exist.")
        }
        switch information.st_mode & S_IFMT {
        case S_IFREG: break
        case S_IFDIR: throw ToolError(.notAFile, given, "it is a folder.", advice: folderAdvice(given))
        case S_IFIFO: throw ToolError(.notAFile, given, "it is a pipe, not a file.", advice: ToolError.storeAdvice)
        case S_IFSOCK: throw ToolError(.notAFile, given, "it is a socket, not a file.", advice: ToolError.storeAdvice)
        default: throw ToolError(.notAFile, given, "it is a device, not a file.", advice: ToolError.storeAdvice)
        }
        guard let resolved = realpath(given, nil) else { throw unreadable(given, errno) }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    static func size(_ path: String) -> Int64 {
        var information = stat()
        guard stat(path, &information) == 0, information.st_mode & S_IFMT == S_IFREG else { return 0 }
        return Int64(information.st_size)
    }

    // MARK: Errors

    private static func missing(_ given: String, _ code: Int32) -> ToolError {
        guard code == ENOENT || code == ENOTDIR else { return unreadable(given, code) }
        let folder = given.parentPath
        let name = given.fileName
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.isEmpty ? "." : folder)) ?? []
        let near = Suggestion.nearest(to: name, among: names.prefix(10_000).sorted())
        return ToolError(
            .notFound, given, "there is no such file.",
            advice: near.map { "Did you mean '\((folder as NSString).appendingPathComponent($0))'?" })
    }

    private static func unreadable(_ given: String, _ code: Int32) -> ToolError {
        let reason = String(cString: strerror(code))
        return code == EACCES || code == EPERM
            ? ToolError(.noPermission, given, "it cannot be read: \(reason).", advice: ToolError.permissionsAdvice)
            : ToolError(.other, given, "it cannot be read: \(reason).")
    }

    private static func folderAdvice(_ folder: String) -> String {
        let stores = ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).prefix(10_000).filter {
            ["sqlite", "store", "storedata", "db"].contains(($0 as NSString).pathExtension)
        }
        guard let first = stores.min() else { return ToolError.storeAdvice }
        return "Name the store's main file, perhaps '\((folder as NSString).appendingPathComponent(first))'."
    }
}

// Foundation's own stop the program at a path that is one letter beyond ASCII.
extension String {
    /// What stands behind the last slash of a path.
    var fileName: String { split(separator: "/").last.map(String.init) ?? self }

    /// What stands before the last slash of a path: empty where there is none, and the root for what lies in it.
    var parentPath: String {
        guard let slash = utf8.lastIndex(of: UInt8(ascii: "/")) else { return "" }
        return slash == startIndex ? "/" : String(self[..<slash])
    }
}
