import CoreData
import CoreDataSQLite
import Foundation

/// Copies a store with its external files as one unit, and checks the copy.
struct StoreBackup {
    struct Outcome {
        let path: String
        let bytes: Int64
        let externalFiles: Int
    }

    private let store: StoreSnapshot
    private let model: NSManagedObjectModel?
    private let timeout: Double
    private let path: String

    /// - Throws: `ToolError` for a place that is taken or cannot be written.
    init(of store: StoreSnapshot, at given: String, _ model: NSManagedObjectModel?, _ timeout: Double) throws {
        self.store = store
        self.model = model
        self.timeout = timeout
        var information = stat()
        let isFolder = stat(given, &information) == 0 && information.st_mode & S_IFMT == S_IFDIR
        let name = store.path.path.fileName
        path = URL(fileURLWithPath: isFolder ? given + "/" + name : given).standardizedFileURL.path
        try checkPlace()
    }

    private var storage: ExternalStorage { ExternalStorage(storePath: path) }
    private var folder: String { path.parentPath }

    private func checkPlace() throws {
        // A log of another file that lies there would become the copy's own.
        for taken in ["", "-wal", "-shm", "-journal"].map({ path + $0 }) + [storage.supportPath] {
            var information = stat()
            guard lstat(taken, &information) == 0 else { continue }
            if taken == storage.supportPath, sharesFolder, store.sizes.externalCount == 0 { continue }
            throw failure(
                sharesFolder && taken == storage.supportPath
                    ? "the copy would share the folder of external files with the store"
                    : "'\(taken)' is there already, and nothing is replaced",
                advice: "Choose another name or folder for the backup.")
        }
        guard access(folder, W_OK | X_OK) == 0 else {
            throw failure("the folder '\(folder)' cannot be written: \(String(cString: strerror(errno)))", advice: nil)
        }
    }

    private var sharesFolder: Bool {
        URL(fileURLWithPath: storage.supportPath).resolvingSymlinksInPath()
            == URL(fileURLWithPath: ExternalStorage(storePath: store.path.path).supportPath).resolvingSymlinksInPath()
    }

    /// Makes the copy in a folder of its own and moves it to its place when it is whole and checked, so that what has a backup's
    /// name is one.
    ///
    /// - Throws: `ToolError`; nothing of the copy is left then.
    func make() throws -> Outcome {
        do {
            return try StoreInspection.withPrivateFolder(in: folder) { workshop in
                let copy = workshop + "/" + path.fileName
                try self.copy(to: copy)
                let snapshot = try verified(copy)
                try Signals.uninterrupted { try move(workshop) }
                return Outcome(
                    path: path, bytes: snapshot.sizes.total, externalFiles: snapshot.sizes.externalCount)
            }
        } catch {
            let cause = ToolError.explaining(error, path)
            throw cause.kind == .backup ? cause : failure(cause.problem, advice: cause.advice)
        }
    }

    private func copy(to copy: String) throws {
        let mode = store.path.usesWriteAheadLog ? "wal" : "delete"
        try NSPersistentStoreCoordinator(managedObjectModel: model ?? NSManagedObjectModel())
            .replacePersistentStore(
                at: URL(fileURLWithPath: copy), destinationOptions: [NSSQLitePragmasOption: ["journal_mode": mode]],
                withPersistentStoreFrom: store.path.url,
                sourceOptions: [NSPersistentStoreTimeoutOption: timeout], ofType: NSSQLiteStoreType)
    }

    /// What the rows refer to comes first, the database last.
    private func move(_ workshop: String) throws {
        try checkPlace()
        let database = path.fileName
        let others = try FileManager.default.contentsOfDirectory(atPath: workshop).filter { $0 != database }
        for name in others + [database] where !name.hasSuffix("-shm") {
            guard rename(workshop + "/" + name, folder + "/" + name) == 0 else {
                throw failure(
                    "'\(folder)/\(name)' cannot be made: \(String(cString: strerror(errno)))", advice: nil)
            }
        }
        try SQLiteFileGroup.syncFolder(of: path)
    }

    // MARK: Checking

    private func verified(_ path: String) throws -> StoreSnapshot {
        let problems = try StoreInspection.withConnection(path: path, timeout: timeout) {
            try Integrity.problems($0)
        }
        if let first = problems.first { throw failure("the copy is damaged: \(first)", advice: nil) }
        let copy = try StoreSnapshot.read(path, timeout: timeout)
        let now = FileGroupSizes(storePath: store.path.path)
        let isSame =
            copy.totalRows == store.totalRows
            && copy.metadata[NSStoreUUIDKey] as? String == store.metadata[NSStoreUUIDKey] as? String
            && copy.joinTables.map(\.rows) == store.joinTables.map(\.rows)
            && copy.sizes.externalCount == now.externalCount && copy.sizes.externalBytes == now.externalBytes
        guard isSame else {
            throw failure(
                "the copy has not all that the store has; a program is changing the store meanwhile",
                advice: "Close the programs that use the store, and try again.")
        }
        if let model {
            let container = try OpenedStore.open(
                URL(fileURLWithPath: path), model, tracksHistory: store.history != nil, timeout, isReadOnly: true)
            try container.close()
        }
        return copy
    }

    private func failure(_ problem: String, advice: String?) -> ToolError {
        ToolError(
            .backup, path, "the backup cannot be made, so nothing was reset: \(problem).", advice: advice)
    }
}
