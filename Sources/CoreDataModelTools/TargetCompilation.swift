import Foundation

/// What the model plugin has done for a target: Swift code for its models and for its `@NSManaged` code, and the models where a
/// container finds them.
package struct TargetCompilation {
    package struct Model {
        package let url: URL
        /// Whether the model is to be put into the output folder, for the target's resource bundle.
        package let isCopied: Bool

        package init(url: URL, isCopied: Bool) {
            self.url = url
            self.isCopied = isCopied
        }
    }

    package var module = ""
    package var output = URL(fileURLWithPath: ".")
    /// Paths of the target's Swift files.
    package var sources: [String] = []
    package var models: [Model] = []
    /// The modules that the target depends on, with the paths of their Swift files.
    package var dependencies: [(module: String, sources: [String])] = []

    package struct BadArguments: Error {
        package let message: String
    }

    package init() {}

    /// - Parameter arguments: `--module NAME --output DIR`, then `--model MODEL`, `--model-in-bundle MODEL`, `--source FILE` and
    ///   `--dependency NAME`, which is followed by its `--dependency-source FILE`, each as often as there are some.
    package init(arguments: [String]) throws(BadArguments) {
        var rest = arguments[...]
        while let name = rest.popFirst() {
            guard let value = rest.popFirst() else { throw BadArguments(message: "\(name) needs a value") }
            switch name {
            case "--module": module = value
            case "--output": output = URL(fileURLWithPath: value, isDirectory: true)
            case "--model": models.append(Model(url: URL(fileURLWithPath: value), isCopied: true))
            case "--model-in-bundle": models.append(Model(url: URL(fileURLWithPath: value), isCopied: false))
            case "--source": sources.append(value)
            case "--dependency": dependencies.append((value, []))
            case "--dependency-source":
                guard !dependencies.isEmpty else { throw BadArguments(message: "\(name) comes before --dependency") }
                dependencies[dependencies.count - 1].sources.append(value)
            default: throw BadArguments(message: "there is no option \(name)")
            }
        }
        if module.isEmpty { throw BadArguments(message: "--module is missing") }
    }

    /// Writes the files. Those that hold the same already are not touched.
    ///
    /// - Returns: what is wrong with models and sources, as compilers write it; with an error among it, no file was written.
    /// - Throws: errors of the file system.
    package func run() throws -> (lines: [String], hasErrors: Bool) {
        var lines: [String] = []
        var classes: [GeneratedClass] = []
        var files: [GeneratedFile] = []
        for model in models {
            do {
                let generator = try ModelCodeGenerator(modelAt: model.url, module: module)
                classes += generator.classes
                files.append(try Self.joined(generator, model.url))
            } catch let error as ModelCodeError {
                lines.append("\(model.url.path):1: error: \(error)")
            }
        }
        if !lines.isEmpty { return (lines, true) }
        var generator = ManagedCodeGenerator(
            module: module, sources: try sources.map(Self.read), dependencies: try neededDependencies(),
            generated: classes)
        let (file, diagnostics) = generator.generate()
        lines = diagnostics.map(\.description)
        if diagnostics.contains(where: \.isError) { return (lines, true) }
        try FileManager.default.createDirectory(at: output, withIntermediateDirectories: true)
        for file in files + [file] { try file.write(into: output) }
        for model in models where model.isCopied { try copy(model.url) }
        return (lines, false)
    }

    private static func read(_ path: String) throws -> ManagedCodeGenerator.Source {
        ManagedCodeGenerator.Source(
            path: path, text: String(decoding: try Data(contentsOf: URL(fileURLWithPath: path)), as: UTF8.self))
    }

    /// A plugin has to say beforehand which files there will be: one a model.
    private static func joined(_ generator: ModelCodeGenerator, _ model: URL) throws -> GeneratedFile {
        let files = try generator.files()
        return GeneratedFile(
            name: fileName(model),
            contents: files.isEmpty
                ? "// No code is generated for \(model.lastPathComponent).\n"
                : files.map(\.contents).joined(separator: "\n"))
    }

    /// The file for a model's classes.
    package static func fileName(_ model: URL) -> String {
        model.deletingPathExtension().lastPathComponent + "+CoreDataModel.swift"
    }

    /// A package may have hundreds of other files. Those of modules that are imported where there is `@NSManaged` code count, and of
    /// modules that these import if they have managed objects.
    private func neededDependencies() throws -> [(module: String, sources: [ManagedCodeGenerator.Source])] {
        var needed = Set<String>()
        for source in sources {
            let text = try Self.read(source).text
            if text.contains("NSManaged") { needed.formUnion(Self.imports(text)) }
        }
        var found: [String: [ManagedCodeGenerator.Source]] = [:]
        while let next = dependencies.first(where: { needed.contains($0.module) && found[$0.module] == nil }) {
            let sources = try next.sources.map(Self.read)
            found[next.module] = sources
            for source in sources where source.text.contains("NSManagedObject") || source.text.contains("@_exported") {
                needed.formUnion(Self.imports(source.text))
            }
        }
        return dependencies.compactMap { dependency in
            found[dependency.module].map { (dependency.module, $0) }
        }
    }

    private static func imports(_ text: String) -> Set<String> {
        Set(SourceScanner.scan(text, path: "").imports.map(\.module))
    }

    /// Puts the model's files into the output folder, where they are taken into the resource bundle.
    private func copy(_ model: URL) throws {
        let target = output.appendingPathComponent(model.lastPathComponent, isDirectory: true)
        let manager = FileManager.default
        if manager.contentsEqual(atPath: model.path, andPath: target.path) { return }
        try? manager.removeItem(at: target)
        try manager.copyItem(at: model, to: target)
    }
}
