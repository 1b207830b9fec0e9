import Foundation

extension NSManagedObjectModel {
    /// The model cached in a store (`Z_MODELCACHE`).
    ///
    /// - Parameter contents: the column's bytes: a keyed archive under raw DEFLATE.
    /// - Throws: NSCocoaErrorDomain 259 if the bytes are damaged or beyond the bounds; 134020 if they describe a model that
    ///   cannot be used. Nothing in the bytes can stop the program.
    package static func model(fromStoreCache contents: Data) throws(NSError) -> NSManagedObjectModel {
        let archive: Data
        do {
            archive = try RawDeflate.inflate(contents, limit: ModelFileLimit.bytes)
        } catch {
            throw corruptModel("The cached model cannot be decompressed (\(error)).")
        }
        return try ModelArchiveReader.model(from: archive, isCache: true)
    }

    /// The model in a keyed archive, as in a `.mom` file.
    ///
    /// - Throws: as ``model(fromStoreCache:)``.
    package static func model(fromArchive archive: Data) throws(NSError) -> NSManagedObjectModel {
        try ModelArchiveReader.model(from: archive, isCache: false)
    }
}

extension NSManagedObjectModel {
    /// The model as a store caches it: a keyed archive under raw DEFLATE, which ``model(fromStoreCache:)`` reads.
    ///
    /// - Throws: NSCocoaErrorDomain 134060 if memory runs out.
    package final func storeCacheContents() throws(NSError) -> Data {
        guard let frozen else { return try makeStoreCacheContents() }
        return try frozen.storeCache.contents { () throws(NSError) -> Data in try makeStoreCacheContents() }
    }

    private final func makeStoreCacheContents() throws(NSError) -> Data {
        do {
            return try RawDeflate.deflate(ModelArchiveWriter.archive(of: self))
        } catch {
            throw NSError(
                domain: NSCocoaErrorDomain, code: 134060,
                userInfo: [NSLocalizedFailureReasonErrorKey: "The model cannot be compressed (\(error))."])
        }
    }
}
