import Foundation

/// Runs a scenario of `CoreDataTestChild` to its end.
package func runChild(
    _ scenario: String, _ arguments: [String] = [], environment: [String: String] = [:]
) throws -> Subprocess.Result {
    try Subprocess.run(try childPath(), [scenario] + arguments, environment: environment, timeout: 60)
}

/// The child beside the test's own executable.
package func childPath() throws -> String {
    let folders = [Bundle.main.bundleURL, Bundle.main.executableURL?.deletingLastPathComponent()].compactMap { $0 }
    for folder in folders {
        let path = folder.appendingPathComponent("CoreDataTestChild").path
        if FileManager.default.isExecutableFile(atPath: path) { return path }
    }
    throw Subprocess.Failure(description: "CoreDataTestChild is not beside the tests: \(folders)")
}
