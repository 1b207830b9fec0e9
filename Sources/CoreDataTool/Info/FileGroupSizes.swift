import CoreData
import Foundation

/// The files that make up a store, and what they take up.
struct FileGroupSizes {
    struct File {
        /// `main`, `wal`, `shm` or `journal`.
        let role: String
        let path: String
        let bytes: Int64
    }

    let files: [File]
    let externalFolder: String
    let externalCount: Int
    let externalBytes: Int64

    var total: Int64 { files.reduce(externalBytes) { $0 + $1.bytes } }

    init(storePath: String) {
        files = [("main", ""), ("wal", "-wal"), ("shm", "-shm"), ("journal", "-journal")].compactMap { role, suffix in
            var information = stat()
            guard lstat(storePath + suffix, &information) == 0 else { return nil }
            return File(role: role, path: storePath + suffix, bytes: StoreFilePath.size(storePath + suffix))
        }
        let storage = ExternalStorage(storePath: storePath)
        externalFolder = storage.folderPath
        let names = storage.names
        externalCount = names.count
        externalBytes = names.reduce(0) { $0 + StoreFilePath.size(storage.folderPath + "/" + $1) }
    }
}
