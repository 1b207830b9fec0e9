import CoreData
import Foundation

/// The files of a store. All are zero for a store in memory.
public struct StoreFiles: Sendable, Hashable, Codable {
    public struct Size: Sendable, Hashable, Codable {
        /// How many files there are.
        public var count = 0
        public var bytes: Int64 = 0

        public init(count: Int = 0, bytes: Int64 = 0) {
            self.count = count
            self.bytes = bytes
        }
    }

    /// The database itself.
    public var main = Size()
    /// The write-ahead log (`-wal`).
    public var wal = Size()
    /// The index of the log (`-shm`).
    public var shm = Size()
    /// Values that lie outside the database, in `.NAME_SUPPORT/_EXTERNAL_DATA`.
    public var external = Size()

    /// All together.
    public var total: Size {
        [main, wal, shm, external].reduce(into: Size()) { sum, size in
            sum.count += size.count
            sum.bytes += size.bytes
        }
    }
}

extension StoreFiles {
    /// The files of a store as they are now.
    init(of store: NSPersistentStore) {
        guard store.type == NSSQLiteStoreType, let url = store.url, url.isFileURL, !url.path.hasPrefix("/dev/null")
        else { return }
        main = Self.size(url.path)
        wal = Self.size(url.path + "-wal")
        shm = Self.size(url.path + "-shm")
        let name = url.deletingPathExtension().lastPathComponent
        let folder = url.deletingLastPathComponent().appendingPathComponent(".\(name)_SUPPORT/_EXTERNAL_DATA").path
        for file in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] {
            let size = Self.size(folder + "/" + file)
            external.count += size.count
            external.bytes += size.bytes
        }
    }

    private static func size(_ path: String) -> Size {
        guard let bytes = try? FileManager.default.attributesOfItem(atPath: path)[.size] as? NSNumber else {
            return Size()
        }
        return Size(count: 1, bytes: bytes.int64Value)
    }
}
