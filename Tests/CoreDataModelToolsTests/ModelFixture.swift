import CoreData
import CoreDataModelTools
import Foundation
import TestSupport

/// A model's source for a test.
struct ModelFixture {
    let folder: TemporaryDirectory
    let url: URL

    /// - Parameter entities: the XML of the entities.
    init(_ entities: String, name: String = "Library.xcdatamodel") throws {
        folder = try TemporaryDirectory()
        url = folder.url.appendingPathComponent(name, isDirectory: true)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        let text = """
            <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
            <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">\(entities)</model>
            """
        try text.write(to: url.appendingPathComponent("contents"), atomically: true, encoding: .utf8)
    }

    func generator(
        module: String? = nil, forced: ModelSource.CodeGeneration? = nil
    ) throws -> ModelCodeGenerator {
        try ModelCodeGenerator(modelAt: url, module: module, forced: forced)
    }

    /// The generated files by name.
    func files(module: String? = nil, forced: ModelSource.CodeGeneration? = nil) throws -> [String: String] {
        let files = try generator(module: module, forced: forced).files()
        return Dictionary(uniqueKeysWithValues: files.map { ($0.name, $0.contents) })
    }

    /// What the generator says against the model; nil if it generates code.
    func problem(module: String? = nil, forced: ModelSource.CodeGeneration? = nil) -> String? {
        do {
            _ = try generator(module: module, forced: forced)
            return nil
        } catch {
            return "\(error)"
        }
    }

    /// The files of this target, from their place beside this one.
    static let targetFolder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    static let showcase = targetFolder.appendingPathComponent("Models/Showcase.xcdatamodeld", isDirectory: true)
}
