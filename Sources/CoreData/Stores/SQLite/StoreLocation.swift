import CoreDataSQLite
import Foundation

/// Where a store of the SQLite engine lives.
enum StoreLocation: Hashable, Sendable {
    /// A file, by its path.
    case file(String)
    /// A database of one store's own in memory.
    case memory
    /// A database in memory that the stores of this process with the same name share (`/dev/null/NAME`).
    case sharedMemory(String)

    /// - Throws: NSCocoaErrorDomain 134060 for a URL that names no file.
    init(url: URL) throws {
        let path = url.isFileURL ? url.standardizedFileURL.path : ""
        guard !path.isEmpty, path != "/", !path.utf8.contains(0) else {
            throw StoreError.make(NSCoreDataError, "The URL names no file: \(url.absoluteString)", url: url)
        }
        if path == "/dev/null" {
            self = .memory
        } else if path.hasPrefix("/dev/null/") {
            self = .sharedMemory(String(path.dropFirst(10)))
        } else {
            self = .file(path)
        }
    }

    var path: String {
        if case .file(let path) = self { path } else { SQLiteConnection.memoryPath }
    }

    var isInMemory: Bool {
        if case .file = self { false } else { true }
    }
}
