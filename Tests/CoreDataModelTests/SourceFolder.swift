import CoreData
import Foundation
import TestSupport

/// A folder with models as Xcode writes them.
final class SourceFolder {
    private let folder: TemporaryDirectory
    var url: URL { folder.url }

    init() throws {
        folder = try TemporaryDirectory()
    }

    /// Writes the contents of a version, given what stands inside `<model>`.
    func write(_ inside: String, to version: String) throws {
        let url = folder.url.appendingPathComponent(version, isDirectory: true)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        try Self.xml(inside).write(to: url.appendingPathComponent("contents"))
    }

    /// Writes a model's marker of the current version.
    func writeMarker(_ version: String, in bundle: String) throws {
        let plist = try PropertyListSerialization.data(
            fromPropertyList: ["_XCCurrentVersionName": version], format: .xml, options: 0)
        try plist.write(to: folder.url.appendingPathComponent(bundle + "/.xccurrentversion"))
    }

    static func xml(_ inside: String) -> Data {
        Data(
            """
            <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
            <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" userDefinedModelVersionIdentifier="v1">
            \(inside)
            </model>
            """.utf8)
    }

    /// The model of some XML.
    static func model(_ inside: String) throws -> NSManagedObjectModel {
        let folder = try SourceFolder()
        try folder.write(inside, to: "Test.xcdatamodel")
        return try NSManagedObjectModel.loadModel(at: folder.url.appendingPathComponent("Test.xcdatamodel"))
    }
}
