import Foundation

/// A child process of a test: started, talked to over pipes, and certainly gone when the last reference goes.
package final class Subprocess: @unchecked Sendable {
    package enum Status: Equatable, Sendable {
        case exited(Int32)
        case signalled(Int32)
        /// It ran for longer than allowed and was killed.
        case timedOut
    }

    package struct Result: Sendable {
        package let status: Status
        package let output: String
        package let errorOutput: String

        package var isSuccess: Bool { status == .exited(0) }
    }

    package struct Failure: Error, CustomStringConvertible {
        package let description: String

        package init(description: String) {
            self.description = description
        }
    }

    package let processID: pid_t

    // One thread at a time uses a child; the reader of its output has a lock of its own.
    private let input: Int32
    private var isInputOpen = true
    private let output: PipeReader
    private let errorOutput: PipeReader
    private var status: Status?

    /// Runs `executable` (a path, or a name looked up in `PATH`) to its end.
    ///
    /// - Parameters:
    ///   - environment: added to this process's own.
    ///   - timeout: seconds after which it is killed.
    package static func run(
        _ executable: String, _ arguments: [String] = [], environment: [String: String] = [:],
        directory: URL? = nil, input: String = "", timeout: Double = 120
    ) throws -> Result {
        let child = try Subprocess(executable, arguments, environment: environment, directory: directory)
        child.write(input)
        child.closeInput()
        return child.wait(timeout: timeout)
    }

    /// Starts `executable`; see `run`.
    package init(
        _ executable: String, _ arguments: [String] = [], environment: [String: String] = [:], directory: URL? = nil
    ) throws {
        // A child that is gone must be an error of its pipe, not the end of the tests.
        signal(SIGPIPE, SIG_IGN)
        var command = [try Self.find(executable)] + arguments
        if let directory { command = ["/usr/bin/env", "-C", directory.path] + command }
        let path = command[0]
        // Pipes are closed on exec from the moment another child can start, or that one would hold this one's open.
        Self.starting.lock()
        defer { Self.starting.unlock() }
        let pipes = try [Self.makePipe(), Self.makePipe(), Self.makePipe()]

        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, pipes[0].read, 0)
        posix_spawn_file_actions_adddup2(&actions, pipes[1].write, 1)
        posix_spawn_file_actions_adddup2(&actions, pipes[2].write, 2)

        // The child gets back the default for SIGPIPE and an empty mask, whatever this process has set.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        sigaddset(&signals, SIGPIPE)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))

        let variables = ProcessInfo.processInfo.environment.merging(environment) { _, new in new }
        let argumentList = Self.cStrings(command)
        let variableList = Self.cStrings(variables.map { "\($0.key)=\($0.value)" })
        defer {
            argumentList.forEach { free($0) }
            variableList.forEach { free($0) }
        }
        var child: pid_t = 0
        let result = posix_spawn(&child, path, &actions, &attributes, argumentList, variableList)
        close(pipes[0].read)
        close(pipes[1].write)
        close(pipes[2].write)
        guard result == 0 else {
            close(pipes[0].write)
            close(pipes[1].read)
            close(pipes[2].read)
            throw Failure(description: "cannot start \(path): \(String(cString: strerror(result)))")
        }
        processID = child
        input = pipes[0].write
        output = PipeReader(pipes[1].read)
        errorOutput = PipeReader(pipes[2].read)
    }

    deinit {
        if status == nil {
            kill(SIGKILL)
            _ = wait(timeout: 10)
        }
        closeInput()
    }

    /// Sends text to the child's standard input. A child that no longer reads is no error.
    package func write(_ text: String) {
        guard isInputOpen else { return }
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Foundation.write(input, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    package func writeLine(_ line: String) {
        write(line + "\n")
    }

    package func closeInput() {
        guard isInputOpen else { return }
        isInputOpen = false
        close(input)
    }

    /// The next line of the child's standard output without its end, or `nil` at the end of it or after `timeout` seconds.
    package func readLine(timeout: Double = 60) -> String? {
        output.nextLine(until: Date(timeIntervalSinceNow: timeout))
    }

    package func kill(_ signal: Int32) {
        if status == nil { _ = Foundation.kill(processID, signal) }
    }

    /// Waits for the end of the child; after `timeout` seconds it is killed.
    ///
    /// - Returns: how it ended and what it wrote, without the lines that `readLine` took.
    @discardableResult
    package func wait(timeout: Double = 120) -> Result {
        let end = Date(timeIntervalSinceNow: timeout)
        var pause: UInt32 = 500
        while status == nil {
            var code: Int32 = 0
            let result = waitpid(processID, &code, WNOHANG)
            if result == processID {
                status = code & 0x7F == 0 ? .exited(code >> 8 & 0xFF) : .signalled(code & 0x7F)
            } else if result < 0, errno != EINTR {
                status = .exited(-1)
            } else if Date() > end {
                _ = Foundation.kill(processID, SIGKILL)
                waitpid(processID, &code, 0)
                status = .timedOut
            } else {
                usleep(pause)
                pause = min(pause * 2, 10_000)
            }
        }
        // A grandchild may keep the pipes open; what the child wrote is there by now.
        let grace = Date(timeIntervalSinceNow: 2)
        return Result(
            status: status ?? .timedOut, output: output.rest(until: grace), errorOutput: errorOutput.rest(until: grace))
    }

    // MARK: Starting

    private static let starting = NSLock()

    private static func makePipe() throws -> (read: Int32, write: Int32) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw Failure(description: "no pipe: \(String(cString: strerror(errno)))") }
        ends.forEach { _ = fcntl($0, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }

    private static func cStrings(_ strings: [String]) -> [UnsafeMutablePointer<CChar>?] {
        strings.map { strdup($0) } + [nil]
    }

    /// The path of an executable, as a shell finds it.
    package static func find(_ executable: String) throws -> String {
        if executable.contains("/") { return executable }
        let folders = ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":") ?? ["/usr/bin", "/bin"]
        for folder in folders where access("\(folder)/\(executable)", X_OK) == 0 {
            return "\(folder)/\(executable)"
        }
        throw Failure(description: "no \(executable) in PATH")
    }
}

/// Collects what comes out of a pipe on a thread of its own, so that a child never waits for a reader.
private final class PipeReader: @unchecked Sendable {
    private let condition = NSCondition()
    private var bytes: [UInt8] = []
    private var taken = 0
    private var isAtEnd = false

    init(_ descriptor: Int32) {
        let thread = Thread { [self] in
            var buffer = [UInt8](repeating: 0, count: 1 << 16)
            while true {
                let count = read(descriptor, &buffer, buffer.count)
                if count < 0, errno == EINTR { continue }
                condition.lock()
                if count > 0 { bytes.append(contentsOf: buffer[..<count]) } else { isAtEnd = true }
                condition.broadcast()
                condition.unlock()
                if count <= 0 { break }
            }
            close(descriptor)
        }
        thread.start()
    }

    func nextLine(until end: Date) -> String? {
        condition.lock()
        defer { condition.unlock() }
        while true {
            if let newline = bytes[taken...].firstIndex(of: 0x0A) {
                defer { taken = newline + 1 }
                return String(decoding: bytes[taken..<newline], as: UTF8.self)
            }
            if isAtEnd {
                guard taken < bytes.count else { return nil }
                defer { taken = bytes.count }
                return String(decoding: bytes[taken...], as: UTF8.self)
            }
            guard condition.wait(until: end) else { return nil }
        }
    }

    func rest(until end: Date) -> String {
        condition.lock()
        defer { condition.unlock() }
        while !isAtEnd, condition.wait(until: end) {}
        defer { taken = bytes.count }
        return String(decoding: bytes[taken...], as: UTF8.self)
    }
}
