import CoreData
import CoreDataModelTools
import Foundation

/// The code of a model, on its way into a folder.
final class GeneratedCode {
    private struct Written {
        let name: String
        let isChanged: Bool
    }

    let model: String
    let output: String
    private let generator: ModelCodeGenerator
    private let files: [GeneratedFile]
    private var written: [Written] = []
    /// Files of the folder that were generated from the model before and would not be now.
    private(set) var leftovers: [String] = []

    /// - Throws: `ToolError`
    init(model: String, module: String?, forced: ModelSource.CodeGeneration?, output: String) throws {
        self.model = model
        self.output = output
        guard access(model, F_OK) == 0 else { throw ToolError(.notFound, model, "there is no such model.") }
        do {
            generator = try ModelCodeGenerator(modelAt: URL(fileURLWithPath: model), module: module, forced: forced)
            files = try generator.files()
        } catch let error as ModelCodeError {
            throw ToolError(.noModel, model, error.place + error.problem, advice: Self.advice(for: error))
        }
    }

    private static func advice(for error: ModelCodeError) -> String? {
        error.entity == nil ? nil : "Change it in the model, or set the entity's Codegen to Manual/None."
    }

    /// Writes the files; all or, if one of them would replace somebody's own, none.
    ///
    /// - Throws: `ToolError`
    func write() throws {
        let folder = URL(fileURLWithPath: output, isDirectory: true)
        for file in files { try check(folder.appendingPathComponent(file.name)) }
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            for file in files {
                written.append(Written(name: file.name, isChanged: try file.write(into: folder)))
            }
        } catch {
            throw ToolError.explaining(error, output)
        }
        leftovers = Self.generated(in: folder, from: generator.modelName).filter { name in
            !files.contains { $0.name == name }
        }
    }

    private func check(_ url: URL) throws {
        guard access(url.path, F_OK) == 0 else { return }
        guard let text = Self.beginning(of: url), GeneratedFile.isGenerated(text) else {
            throw ToolError(
                .exists, url.path, "the file was not generated, so it is not replaced. Nothing was written.",
                advice:
                    "Move it away, name another folder, or set the entity's Codegen to fit: Category/Extension where the "
                    + "class is written by hand, Manual/None where all of it is.")
        }
    }

    private static func beginning(of url: URL) -> String? {
        guard let file = try? FileHandle(forReadingFrom: url) else { return nil }
        defer { try? file.close() }
        return (try? file.read(upToCount: 4096)).map { String(decoding: $0, as: UTF8.self) }
    }

    private static func generated(in folder: URL, from modelName: String) -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.sorted().filter { name in
            name.hasSuffix(".swift")
                && beginning(of: folder.appendingPathComponent(name)).map {
                    GeneratedFile.isGenerated($0, from: modelName)
                } ?? false
        }
    }

    // MARK: Output

    var json: JSON {
        .object([
            ("model", .text(model)), ("output", .text(output)),
            (
                "files",
                .list(written.map { .object([("name", .text($0.name)), ("isChanged", .boolean($0.isChanged))]) })
            ),
            ("leftovers", .list(leftovers.map { .text($0) })),
            (
                "classes",
                .list(
                    generator.classes.map { type in
                        .object([
                            ("name", .text(type.name)), ("codegen", .text(type.codeGeneration.rawValue)),
                            ("entities", .list(type.entityNames.map { .text($0) })),
                        ])
                    })
            ),
        ])
    }

    func list(on console: Console) {
        guard !files.isEmpty else {
            console.print(
                "Nothing to write: every entity of \(generator.modelName) leaves its class to hand-written code")
            console.print("(Codegen Manual/None). Use --codegen class to have classes all the same.")
            return
        }
        for file in written {
            console.print(
                "\(file.isChanged ? "written  " : "unchanged") \((output + "/" + file.name).printable(limit: 4096))")
        }
    }
}
