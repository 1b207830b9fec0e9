import Foundation

/// The folder for an executable's stores, by the rules of the XDG base directories.
enum DefaultDirectory {
    /// The folder, made if it is missing. Where it cannot be made, adding a store there says why.
    static func make() -> URL {
        let url = url(
            environment: ProcessInfo.processInfo.environment, home: NSHomeDirectory(), executable: executableName)
        if !FileManager.default.fileExists(atPath: url.path) {
            try? FileManager.default.createDirectory(
                at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        }
        return url
    }

    /// `$XDG_DATA_HOME/EXECUTABLE`; a value that is no absolute path counts as none.
    static func url(environment: [String: String], home: String, executable: String) -> URL {
        var base = URL(fileURLWithPath: home, isDirectory: true).appendingPathComponent(
            ".local/share", isDirectory: true)
        if let path = environment["XDG_DATA_HOME"], path.hasPrefix("/") {
            base = URL(fileURLWithPath: path, isDirectory: true)
        }
        return base.appendingPathComponent(executable, isDirectory: true)
    }

    private static var executableName: String {
        if let url = Bundle.main.executableURL { return url.lastPathComponent }
        let path = CommandLine.arguments.first ?? ""
        let name = URL(fileURLWithPath: path).lastPathComponent
        return name.isEmpty || name == "/" ? "CoreData" : name
    }
}
