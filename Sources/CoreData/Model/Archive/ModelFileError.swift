import Foundation

/// The error for a model file or cached model that cannot be read.
///
/// - Returns: NSCocoaErrorDomain 259 (the file is corrupt) with the reason, which names the place where one is known.
func corruptModel(_ reason: String) -> NSError {
    NSError(
        domain: NSCocoaErrorDomain, code: CocoaError.fileReadCorruptFile.rawValue,
        userInfo: [
            NSLocalizedDescriptionKey: "The model cannot be read.", NSLocalizedFailureReasonErrorKey: reason,
        ])
}

/// The bounds of a model file. Whoever hands over a file, real or forged, cannot make reading it take more than this.
package enum ModelFileLimit {
    /// The largest file, and the largest archive after decompression. The largest cached model known has 0.4 MB.
    package static let bytes = 64 << 20
    /// The most objects in an archive.
    static let objects = 1 << 20
    /// How deep values may nest.
    static let depth = 64
    /// The most attributes in a model, the elements of composites counted wherever they are used.
    static let attributes = 1 << 16
    /// How deep composite attributes may nest. Each level may repeat the one below, so the bound is low.
    static let compositeDepth = 8
}
