import Foundation

/// Reads the files of models, which anybody may have written.
enum ModelFileContents {
    /// The bytes of a file.
    ///
    /// - Throws: NSCocoaErrorDomain 259 for what is no file, or one beyond the bounds; an error of reading it. A pipe or device
    ///   of a model's name is refused rather than waited for.
    static func read(_ url: URL) throws(NSError) -> Data {
        do {
            let file = url.resolvingSymlinksInPath()
            let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
            guard attributes[.type] as? FileAttributeType == .typeRegular else {
                throw corruptModel("\(url.path) is no file.")
            }
            let handle = try FileHandle(forReadingFrom: file)
            defer { try? handle.close() }
            let data = try handle.read(upToCount: ModelFileLimit.bytes + 1) ?? Data()
            guard data.count <= ModelFileLimit.bytes else {
                throw corruptModel(
                    "\(url.path) is larger than the \(ModelFileLimit.bytes) bytes that are read of a model.")
            }
            return data
        } catch {
            throw error as NSError
        }
    }
}
