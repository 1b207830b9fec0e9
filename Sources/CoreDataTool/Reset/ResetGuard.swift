import CoreData
import CoreDataSQLite
import Foundation

/// Finds reasons against a reset before anything is touched.
struct ResetGuard {
    private let options: ResetOptions
    private let store: StoreSnapshot

    init(_ options: ResetOptions, _ store: StoreSnapshot) {
        self.options = options
        self.store = store
    }

    /// - Throws: `ToolError`
    func check() throws {
        try checkMirroring()
        if !options.isDryRun { try checkWritable() }
        try checkIntegrity()
    }

    private func checkMirroring() throws {
        guard store.isMirrored, !options.allowsMirrored else { return }
        throw ToolError(
            .mirrored, options.path,
            "the store mirrors CloudKit (it has \(store.mirroringTables.count) ANSCK… tables). What is deleted here would be "
                + "deleted in iCloud and on the person's other devices, or come back from there.",
            advice: "If that is meant, add --mirrored.")
    }

    private func checkWritable() throws {
        let path = store.path.path
        if let problem = Self.obstacle(to: path) {
            throw ToolError(
                .readOnly, options.path, "the file cannot be written: \(problem).", advice: ToolError.permissionsAdvice)
        }
        // SQLite makes its journal beside the file.
        let folder = path.parentPath
        if let problem = Self.obstacle(to: folder) {
            throw ToolError(
                .readOnly, options.path, "its folder cannot be written: \(problem).",
                advice: ToolError.permissionsAdvice)
        }
    }

    private static func obstacle(to path: String) -> String? {
        access(path, W_OK) == 0 ? nil : String(cString: strerror(errno))
    }

    /// A damaged database may lose what a deletion does not mean, and breaks only in the middle of it.
    private func checkIntegrity() throws {
        let lines = try StoreInspection.withConnection(path: store.path.path, timeout: options.timeout) { connection in
            connection.limitWork(toThatOf: store.path.path)
            defer { connection.limitWork(toSteps: nil) }
            return try Integrity.problems(connection)
        }
        guard let first = lines.first else { return }
        throw ToolError(
            .damaged, options.path, "the database is damaged (\(first)); it is left as it is.",
            advice: ToolError.recoveryAdvice)
    }
}

/// SQLite's own check of a database.
enum Integrity {
    /// - Returns: nothing if all is well.
    static func problems(_ connection: SQLiteConnection) throws -> [String] {
        var lines: [String] = []
        try connection.prepare("PRAGMA integrity_check(3)").forEachRow { lines.append($0.text(0) ?? "?") }
        return lines == ["ok"] ? [] : lines
    }
}
