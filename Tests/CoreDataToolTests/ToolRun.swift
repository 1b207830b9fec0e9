import Foundation
import TestSupport

@testable import CoreDataTool

/// One call of the tool inside the test's process.
struct ToolRun {
    let code: Int32
    let output: String
    let errors: String

    /// - Parameter answers: what the person at the terminal types; nil: there is nobody.
    init(_ words: String..., answers: [String]? = nil, isColoured: Bool = false) {
        self.init(words, answers: answers, isColoured: isColoured)
    }

    init(_ words: [String], answers: [String]? = nil, isColoured: Bool = false) {
        let output = TextSink(descriptor: nil)
        let errors = TextSink(descriptor: nil)
        var left = answers ?? []
        let answer: (() -> String?)? = answers == nil ? nil : { left.isEmpty ? nil : left.removeFirst() }
        code = Tool.run(
            words, Console(output: output, errors: errors, isColoured: isColoured, answer: answer))
        self.output = output.text
        self.errors = errors.text
    }

    /// The output as JSON.
    func json() throws -> [String: Any] {
        let object = try JSONSerialization.jsonObject(with: Data(output.utf8))
        guard let dictionary = object as? [String: Any] else { throw Subprocess.Failure(description: output) }
        return dictionary
    }
}

/// What a folder holds: every name with kind, permissions, time of change and contents.
func fingerprint(of folder: URL) throws -> [String: String] {
    var result: [String: String] = [:]
    let names = try FileManager.default.subpathsOfDirectory(atPath: folder.path) + ["."]
    for name in names {
        let path = folder.path + "/" + name
        var information = stat()
        guard lstat(path, &information) == 0 else { continue }
        let isFile = information.st_mode & S_IFMT == S_IFREG
        let contents = isFile ? FileManager.default.contents(atPath: path)?.hashValue : nil
        result[name] =
            "\(information.st_mode) \(information.st_size) \(information.st_mtim.tv_sec).\(information.st_mtim.tv_nsec) "
            + "\(contents.map(String.init) ?? "-")"
    }
    return result
}
