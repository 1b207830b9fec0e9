import Foundation
import PackagePlugin

/// Generates code for a target's Core Data models and for its `@NSManaged` properties, and puts the models into the target's
/// resource bundle. On Apple's platforms Xcode and the Objective-C runtime do all this.
@main
struct CoreDataModelPlugin: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        #if os(macOS)
            return []
        #else
            guard let target = target as? any SourceModuleTarget else { return [] }
            return [try command(context, target)]
        #endif
    }

    /// Modules whose types the generator knows without their sources.
    private static let known: Set<String> = [
        "CoreData", "CoreDataReset", "CoreDataSQLite", "CoreDataModelTools", "FoundationBackfill",
    ]

    private func command(_ context: PluginContext, _ target: any SourceModuleTarget) throws -> Command {
        let output = context.pluginWorkDirectoryURL
        var arguments = ["--module", target.moduleName, "--output", output.path]
        var inputs: [URL] = []
        var outputs = [output.appending(path: target.moduleName + "+Managed.swift")]
        for source in swiftFiles(of: target) {
            arguments += ["--source", source.path]
            inputs.append(source)
        }
        for model in models(of: target) {
            arguments += [model.isResource ? "--model-in-bundle" : "--model", model.url.path]
            // The model itself too, so that SwiftPM knows what it is there for.
            inputs += [model.url] + files(in: model.url)
            let name = model.url.deletingPathExtension().lastPathComponent
            outputs.append(output.appending(path: name + "+CoreDataModel.swift"))
            if !model.isResource {
                outputs.append(output.appending(path: model.url.lastPathComponent, directoryHint: .isDirectory))
            }
        }
        for dependency in target.recursiveTargetDependencies {
            guard let module = dependency as? any SourceModuleTarget, !Self.known.contains(module.moduleName) else {
                continue
            }
            let sources = swiftFiles(of: module)
            if sources.isEmpty { continue }
            arguments += ["--dependency", module.moduleName]
            arguments += sources.flatMap { ["--dependency-source", $0.path] }
            inputs += sources
        }
        return .buildCommand(
            displayName: "Generating Core Data code for \(target.name)",
            executable: try context.tool(named: "CoreDataModelCompiler").url, arguments: arguments, inputFiles: inputs,
            outputFiles: outputs)
    }

    private func swiftFiles(of target: any SourceModuleTarget) -> [URL] {
        target.sourceFiles.map(\.url).filter { $0.pathExtension == "swift" }
    }

    private static func isModel(_ url: URL) -> Bool { ["xcdatamodeld", "xcdatamodel"].contains(url.pathExtension) }

    /// The models in the target's folder. Those that its `resources:` name are in the bundle already.
    private func models(of target: any SourceModuleTarget) -> [(url: URL, isResource: Bool)] {
        var resources = Set<String>()
        for file in target.sourceFiles where file.type == .resource {
            // The model itself, or a file in it.
            var url = file.url
            while url.path.count > 1 {
                if Self.isModel(url) { resources.insert(url.standardizedFileURL.path) }
                url.deleteLastPathComponent()
            }
        }
        var found: [URL] = []
        var folders = [target.directoryURL]
        while let folder = folders.popLast() {
            let entries =
                (try? FileManager.default.contentsOfDirectory(
                    at: folder, includingPropertiesForKeys: [.isDirectoryKey], options: .skipsHiddenFiles)) ?? []
            for entry in entries where (try? entry.resourceValues(forKeys: [.isDirectoryKey]))?.isDirectory == true {
                if Self.isModel(entry) { found.append(entry) } else { folders.append(entry) }
            }
        }
        return found.sorted { $0.path < $1.path }.map { ($0, resources.contains($0.standardizedFileURL.path)) }
    }

    private func files(in model: URL) -> [URL] {
        let enumerator = FileManager.default.enumerator(at: model, includingPropertiesForKeys: [.isRegularFileKey])
        let files = (enumerator?.allObjects as? [URL] ?? []).filter {
            (try? $0.resourceValues(forKeys: [.isRegularFileKey]))?.isRegularFile == true
        }
        return files.sorted { $0.path < $1.path }
    }
}
