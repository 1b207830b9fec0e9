import CoreDataSQLite
import Foundation

/// Files that are superfluous once a transaction has been committed, written down beside them before it is.
///
/// Files go after the commit that removes the last row with their name: a row never stands without its file. Where the process
/// ends between the two, whoever opens the store next finds the list and finishes (`ExternalStorage.finishRemovals`).
struct ExternalRemoval {
    fileprivate let storage: ExternalStorage
    fileprivate let names: [String]
    fileprivate let list: String

    /// The commit was made: removes the files.
    func carryOut() {
        names.forEach(storage.remove)
        unlink(list)
    }

    /// The files are needed: they stay.
    func withdraw() {
        unlink(list)
    }

    /// The transaction failed: the files stay. Where it was the disk that failed the commit may have been made all the same;
    /// the next opening of the store finds out.
    func withdraw(after error: any Error) {
        if !Self.isOfDisk(error) { withdraw() }
    }

    static func isOfDisk(_ error: any Error) -> Bool {
        let code =
            (error as? SQLiteError)?.code ?? ((error as NSError).userInfo[NSSQLiteErrorDomain] as? Int).map(Int32.init)
        return (code ?? 0) & 0xFF == SQLITE_IOERR
    }
}

extension ExternalStorage {
    /// Followed by a UUID.
    private static let listPrefix = "PENDING_REMOVAL_"

    /// Promises to remove files, durably. To be called inside of `alone`, as is what follows.
    ///
    /// - Parameter names: those that are no file's are left out.
    /// - Returns: nil where no file has such a name.
    /// - Throws: `SQLiteError` with an I/O code where the list cannot be written.
    func promiseRemoval(of names: [String]) throws -> ExternalRemoval? {
        let present = Set(self.names)
        return try promiseRemoval(ofPresentOrComing: names.filter(present.contains))
    }

    /// As `promiseRemoval(of:)`, also for files that are not there yet.
    func promiseRemoval(ofPresentOrComing names: [String]) throws -> ExternalRemoval? {
        if names.isEmpty { return nil }
        let list = supportPath + "/" + Self.listPrefix + UUID().uuidString
        // One that was cut short names less; what it names is looked at again before anything is removed.
        let bytes = Array((names.joined(separator: "\n") + "\n").utf8)
        let descriptor = open(list, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure("write", list) }
        defer { close(descriptor) }
        var written = 0
        while written < bytes.count {
            let count = bytes[written...].withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                defer { unlink(list) }
                throw failure("write", list)
            }
            written += count
        }
        guard fsync(descriptor) == 0 else {
            defer { unlink(list) }
            throw failure("sync", list)
        }
        try SQLiteFileGroup.syncFolder(of: list)
        return ExternalRemoval(storage: self, names: names, list: list)
    }

    private func failure(_ action: String, _ path: String) -> SQLiteError {
        let reason = String(cString: strerror(errno))
        return SQLiteError(extendedCode: SQLITE_IOERR, message: "cannot \(action): \(reason)", path: path)
    }

    // MARK: After a crash

    private var pendingLists: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: supportPath)) ?? [])
            .filter { $0.hasPrefix(Self.listPrefix) }.map { supportPath + "/" + $0 }
    }

    /// Finishes what processes have promised that ended too early: removes the files they named, unless a row refers to one.
    ///
    /// Costs a look into the folder; only where there is something to finish the rows are read. What does not work out, because
    /// somebody else is writing, is left to the next opening.
    func finishRemovals(_ connection: SQLiteConnection) {
        guard !pendingLists.isEmpty else { return }
        do {
            // Long enough for a lock that a process just being started holds a copy of.
            try alone(timeout: 0.25) {
                // Nobody has promised anything lately: who does holds the lock until he is done.
                let lists = pendingLists
                let names = Set(lists.flatMap(Self.names(inList:)))
                let used = try connection.read { try Self.namesInRows(connection) }
                for name in names where !used.contains(name) { remove(named: name) }
                for name in names { unlink(unfinishedPath(named: name)) }
                lists.forEach { unlink($0) }
                removeEmptyFolders()
            }
        } catch {
            CoreDataLog.warning("Files that no row refers to were left in \(folderPath): \(error)")
        }
    }

    private static func names(inList path: String) -> [String] {
        guard let contents = FileManager.default.contents(atPath: path) else { return [] }
        return String(decoding: contents, as: UTF8.self).split(separator: "\n").map(String.init).filter {
            UUID(uuidString: $0) != nil
        }
    }

    /// The names of external files in all rows of a database, whatever its model.
    private static func namesInRows(_ connection: SQLiteConnection) throws -> Set<String> {
        var columns: [(table: String, column: String)] = []
        try connection.prepare(
            "SELECT m.name, p.name FROM sqlite_master m, pragma_table_info(m.name) p"
                + " WHERE m.type = 'table' AND upper(p.type) = 'BLOB'"
        ).forEachRow { row in
            if let table = row.text(0), let column = row.text(1) { columns.append((table, column)) }
        }
        var names: Set<String> = []
        for (table, column) in columns {
            let column = SQLiteConnection.quoted(identifier: column)
            let sql = "SELECT \(column) FROM \(SQLiteConnection.quoted(identifier: table)) WHERE length(\(column)) = 38"
            try connection.prepare(sql).forEachRow { row in
                guard let bytes = row.blobBytes(0), let name = Self.name(inColumn: bytes) else { return }
                names.insert(name)
            }
        }
        return names
    }

    /// The name of a file in the column form of a value that lies outside.
    private static func name(inColumn bytes: UnsafeRawBufferPointer) -> String? {
        guard bytes.count == 38, bytes[0] == 2, bytes[37] == 0 else { return nil }
        return String(decoding: bytes[1..<37], as: UTF8.self)
    }
}
