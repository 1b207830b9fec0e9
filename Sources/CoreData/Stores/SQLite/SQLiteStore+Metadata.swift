import CoreDataSQLite
import Foundation

extension SQLiteStore {
    /// The metadata of a store that need not be open. Nothing beside the file or in it changes.
    ///
    /// - Throws: NSCocoaErrorDomain 260 where there is no file; 259 for a file that is no store; 256 with SQLite's code for one
    ///   that cannot be read now.
    static func metadata(at location: StoreLocation, url: URL, options: [AnyHashable: Any]?) throws -> [String: Any] {
        do {
            let options = try SQLiteStoreOptions(options)
            switch location {
            case .memory: throw StoreError.noFile(url)
            case .sharedMemory(let name):
                guard let pool = SharedMemory.pool(name) else { throw StoreError.noFile(url) }
                return try pool.read { try StoreFile.metadata($0, url: url) }
            case .file(let path):
                guard SQLiteFileGroup(path: path).exists else { throw StoreError.noFile(url) }
                return try StoreInspection.read(path: path, timeout: options.timeout) {
                    try StoreFile.metadata($0, url: url)
                }
            }
        } catch {
            throw StoreError.translated(error, .read, url: url)
        }
    }

    /// Replaces the metadata of a store at once. What the framework keeps among them stays where the new ones leave it out;
    /// type and identifier never change.
    ///
    /// - Throws: as `metadata(at:url:options:)`; 513 for a file that cannot be written; 134060 for a value that cannot be stored.
    static func setMetadata(
        _ metadata: [String: Any], at location: StoreLocation, url: URL, options: [AnyHashable: Any]?
    ) throws {
        do {
            let options = try SQLiteStoreOptions(options)
            switch location {
            case .memory: throw StoreError.noFile(url)
            case .sharedMemory(let name):
                guard let pool = SharedMemory.pool(name) else { throw StoreError.noFile(url) }
                try pool.write { try replaceMetadata(metadata, $0, url) }
            case .file(let path):
                guard SQLiteFileGroup(path: path).exists else { throw StoreError.noFile(url) }
                let connection = try SQLiteConnection(path: path, access: .readWrite, busyTimeout: options.timeout)
                defer { try? connection.close() }
                try connection.write { try replaceMetadata(metadata, connection, url) }
            }
        } catch {
            throw StoreError.translated(error, .write, url: url)
        }
    }

    /// Writes metadata in the write transaction that a connection is in, under the same rule.
    func writeMetadata(_ metadata: [String: Any], _ connection: SQLiteConnection) throws {
        try Self.replaceMetadata(metadata, connection, url)
    }

    private static func replaceMetadata(
        _ metadata: [String: Any], _ connection: SQLiteConnection, _ url: URL?
    ) throws {
        let old = try StoreFile.metadata(connection, url: url)
        try StoreFile.write(StoreMetadata.merged(metadata, into: old), connection, url: url)
    }
}
