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
    /// What is doubtful in the module's own files, as compilers write it.
    let warnings: [String]
    private var written: [Written] = []
    /// Files of the folder that were generated from the model before and would not be now.
    private(set) var leftovers: [String] = []

    /// - Parameter sources: a folder with the module's Swift files; the module must be given then.
    /// - Throws: `ToolError`
    init(
        model: String, module: String?, sources: String?, forced: ModelSource.CodeGeneration?, output: String
    ) throws {
        self.model = model
        self.output = output
        guard access(model, F_OK) == 0 else { throw ToolError(.notFound, model, "there is no such model.") }
        do {
            generator = try ModelCodeGenerator(modelAt: URL(fileURLWithPath: model), module: module, forced: forced)
            var files = try generator.files()
            var warnings: [String] = []
            if let module, let sources {
                let managed = try Self.managedCode(of: module, sources, generator)
                files.append(managed.file)
                warnings = managed.warnings
            }
            self.files = files
            self.warnings = warnings
        } catch let error as ModelCodeError {
            throw ToolError(.noModel, model, error.place + error.problem, advice: Self.advice(for: error))
        }
    }

    /// The file for the module's hand-written code.
    private static func managedCode(
        of module: String, _ folder: String, _ generator: ModelCodeGenerator
    ) throws -> (file: GeneratedFile, warnings: [String]) {
        var sources: [ManagedCodeGenerator.Source] = []
        for path in try SourceTree(folder).sources {
            let text: String
            do {
                text = String(decoding: try Data(contentsOf: URL(fileURLWithPath: path)), as: UTF8.self)
            } catch {
                throw ToolError.explaining(error, path)
            }
            // What this run writes is known already.
            if GeneratedFile.isGenerated(text, from: generator.modelName) { continue }
            if GeneratedFile.isGenerated(text), path.hasSuffix("/\(module)+Managed.swift") { continue }
            sources.append(ManagedCodeGenerator.Source(path: path, text: text))
        }
        var managed = ManagedCodeGenerator(
            module: module, sources: sources, dependencies: [], generated: generator.classes)
        let (file, diagnostics) = managed.generate()
        let errors = diagnostics.filter(\.isError).map(\.description)
        guard errors.isEmpty else {
            throw ToolError(
                .other, nil, "the module's own code cannot be completed: " + errors.prefix(10).joined(separator: "; "),
                advice: errors.count > 10 ? "And \(errors.count - 10) more." : nil)
        }
        return (file, diagnostics.map(\.description))
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
