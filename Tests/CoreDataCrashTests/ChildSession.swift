import Foundation
import TestSupport

/// Another process with a store of the league model open: `CoreDataTestChild session`, command by command.
final class ChildSession {
    private let process: Subprocess

    init() throws {
        process = try Subprocess(try childPath(), ["session"])
    }

    /// Opens the store at `path` in a new session.
    convenience init(_ path: String, model: String = "v1", options: String = "") throws {
        try self.init()
        try self("open \(path) \(model) \(options)")
    }

    /// Runs a command.
    ///
    /// - Returns: what there was to say.
    /// - Throws: where the command failed.
    @discardableResult
    func callAsFunction(_ command: String) throws -> String {
        let answer = answer(command)
        guard answer.hasPrefix("ok") else { throw Subprocess.Failure(description: "\(command): \(answer)") }
        return String(answer.dropFirst(3))
    }

    /// Runs a command and returns the whole answer: `ok …`, or `error DOMAIN CODE SQLITECODE`.
    func answer(_ command: String) -> String {
        start(command)
        return finish()
    }

    /// Lets a command run; `finish` gets its answer.
    func start(_ command: String) { process.writeLine(command) }

    func finish(timeout: Double = 60) -> String {
        process.readLine(timeout: timeout) ?? "no answer: \(process.wait(timeout: 1))"
    }

    /// Ends the process in good order, stores closed or not.
    ///
    /// - Returns: what it wrote to its standard error.
    @discardableResult
    func quit() -> String {
        process.writeLine("quit")
        return process.wait(timeout: 20).errorOutput
    }

    func kill() {
        process.kill(SIGKILL)
        process.wait(timeout: 20)
    }
}
