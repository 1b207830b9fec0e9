import Foundation

/// The error for an archive that cannot be read.
///
/// - Returns: NSCocoaErrorDomain 259 (the file is corrupt) with the reason, which names the place where one is known.
func corruptArchive(_ reason: String) -> NSError {
    NSError(
        domain: NSCocoaErrorDomain, code: CocoaError.fileReadCorruptFile.rawValue,
        userInfo: [
            NSLocalizedDescriptionKey: "The archive cannot be read.", NSLocalizedFailureReasonErrorKey: reason,
        ])
}

/// The bounds of an archive. Whoever hands over one, real or forged, cannot make reading it take more than this.
enum ArchiveLimit {
    /// The largest archive.
    static let bytes = 64 << 20
    /// The most objects in an archive.
    static let objects = 1 << 20
    /// How deep values may nest.
    static let depth = 64
}
