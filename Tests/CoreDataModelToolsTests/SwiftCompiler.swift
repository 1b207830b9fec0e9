import Foundation
import TestSupport

/// The Swift compiler, with the modules that these tests were built with.
enum SwiftCompiler {
    /// Checks sources that make one module, with warnings as errors; nothing is written.
    static func check(_ files: [String], languageMode: Int, options: [String] = []) throws -> Subprocess.Result {
        var arguments = [
            // All files by one compiler: it reads the modules once.
            "-typecheck", "-wmo", "-parse-as-library", "-warnings-as-errors", "-swift-version", "\(languageMode)",
            "-module-name", "Generated", "-I", try modules().path,
        ]
        for library in ["CoreDataCSQLite", "CoreDataCZlib"] {
            let map = Corpus.packageRoot.appendingPathComponent("Sources/\(library)/module.modulemap")
            arguments += ["-Xcc", "-fmodule-map-file=" + map.path]
        }
        return try Subprocess.run("swiftc", arguments + options + files, timeout: 600)
    }

    /// The folder of the built modules, beside the tests' own executable.
    private static func modules() throws -> URL {
        var folder = Bundle.main.executableURL?.deletingLastPathComponent()
        while let current = folder, current.path != "/" {
            let modules = current.appendingPathComponent("Modules", isDirectory: true)
            if FileManager.default.fileExists(atPath: modules.appendingPathComponent("CoreData.swiftmodule").path) {
                return modules
            }
            folder = current.deletingLastPathComponent()
        }
        throw Subprocess.Failure(description: "There are no modules beside \(Bundle.main.bundlePath).")
    }
}
