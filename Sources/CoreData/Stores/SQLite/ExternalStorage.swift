import CoreDataSQLite
import Foundation

/// The folder beside a store that holds the values too large for its rows: `.NAME_SUPPORT/_EXTERNAL_DATA`.
package struct ExternalStorage: Sendable {
    /// `.NAME_SUPPORT`, NAME being the store's file name without its extension.
    package let supportPath: String
    /// `_EXTERNAL_DATA` in it.
    package let folderPath: String

    package init(storePath: String) {
        let path = storePath as NSString
        let name = (path.lastPathComponent as NSString).deletingPathExtension
        supportPath = (path.deletingLastPathComponent as NSString).appendingPathComponent(".\(name)_SUPPORT")
        folderPath = supportPath + "/_EXTERNAL_DATA"
    }

    /// The file of a value; nil for a name that is no UUID and so cannot be the name of one.
    func path(named name: String) -> String? {
        UUID(uuidString: name) == nil ? nil : folderPath + "/" + name
    }

    /// How many bytes a value has; nil where the file is missing.
    func size(named name: String) -> Int64? {
        var information = stat()
        guard let path = path(named: name), stat(path, &information) == 0 else { return nil }
        return Int64(information.st_size)
    }

    /// The bytes of a value; nil where the file is missing.
    ///
    /// - Throws: what Foundation throws for a file that cannot be read.
    func data(named name: String) throws -> Data? {
        guard let path = path(named: name) else { return nil }
        do {
            return try Data(contentsOf: URL(fileURLWithPath: path))
        } catch let error as CocoaError where error.code == .fileReadNoSuchFile || error.code == .fileNoSuchFile {
            return nil
        }
    }

    /// Removes a value's file once no row refers to it any more. What cannot be removed stays behind, as on a full disk.
    func remove(named name: String) {
        if let path = path(named: name) { unlink(path) }
    }

    /// The names of the files there are.
    package var names: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folderPath)) ?? []).filter {
            UUID(uuidString: $0) != nil
        }
    }

    /// Removes all values, and the folders if nothing else is in them.
    func removeAll() {
        names.forEach(remove)
        removeEmptyFolders()
    }

    /// Removes the folders if nothing is in them.
    func removeEmptyFolders() {
        rmdir(folderPath)
        rmdir(supportPath)
    }

    /// Makes the folders where they are missing. The store's own folder must be there.
    ///
    /// - Throws: `CocoaError` of the file system.
    func createFolders() throws {
        for path in [supportPath, folderPath] where mkdir(path, 0o777) != 0 && errno != EEXIST {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        }
    }

    /// Where a value is on its way to its file: a copy that was cut short must never be taken for the value.
    func unfinishedPath(named name: String) -> String { folderPath + "/." + name }

    /// Copies values of another store, durably, so that rows that refer to them may be committed.
    func copy(_ names: [String], from other: ExternalStorage) throws {
        if names.isEmpty { return }
        let manager = FileManager.default
        for name in names {
            let unfinished = unfinishedPath(named: name)
            unlink(unfinished)
            try manager.copyItem(atPath: other.folderPath + "/" + name, toPath: unfinished)
            let descriptor = open(unfinished, O_RDONLY | O_CLOEXEC)
            if descriptor >= 0 {
                fsync(descriptor)
                close(descriptor)
            }
            guard rename(unfinished, folderPath + "/" + name) == 0 else {
                let reason = String(cString: strerror(errno))
                throw SQLiteError(extendedCode: SQLITE_IOERR, message: "cannot rename: \(reason)", path: unfinished)
            }
        }
        try SQLiteFileGroup.syncFolder(of: folderPath + "/.")
        try SQLiteFileGroup.syncFolder(of: folderPath)
        try SQLiteFileGroup.syncFolder(of: supportPath)
    }
}

extension SQLiteStore {
    /// Where the store's large values are; nil in memory.
    var externalStorage: ExternalStorage? {
        if case .file(let path) = location { ExternalStorage(storePath: path) } else { nil }
    }

    /// The bytes of an external file that a row refers to (prefix byte 2), nil where the file is missing.
    ///
    /// - Throws: NSCocoaErrorDomain 256 or 257 for a file that cannot be read.
    func externalData(named name: String) throws -> Data? {
        try externalStorage?.data(named: name)
    }
}
