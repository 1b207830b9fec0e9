import Foundation

/// A file that a generator made, before it is on the disk.
package struct GeneratedFile: Equatable, Sendable {
    /// The file's name, without a folder.
    package let name: String
    package let contents: String

    package init(name: String, contents: String) {
        self.name = name
        self.contents = contents
    }

    /// Writes the file into a folder. One that holds the same already is not touched, so that nothing is compiled again for it.
    ///
    /// - Returns: whether the file on the disk has changed.
    /// - Throws: `CocoaError` of the file system.
    @discardableResult
    package func write(into folder: URL) throws -> Bool {
        let url = folder.appendingPathComponent(name, isDirectory: false)
        let data = Data(contents.utf8)
        if let present = try? Data(contentsOf: url), present == data { return false }
        try data.write(to: url, options: .atomic)
        return true
    }
}
