import Foundation
import TestSupport

/// Runs a child process under `strace`: to learn which system calls it makes between its two marks, and to kill it at one.
struct SystemCallTracer {
    /// The calls that change files, and `openat` and `mkdir`, which may make them. Those with a question mark are not known on
    /// every architecture.
    static let traced = [
        "write", "pwrite64", "writev", "pwritev", "ftruncate", "fallocate", "fsync", "fdatasync", "openat", "?unlink",
        "unlinkat",
        "?rename", "?renameat", "renameat2", "?mkdir", "mkdirat", "?rmdir", "?link", "linkat", "?symlink", "symlinkat",
        "copy_file_range", "sendfile",
    ]
    /// How the child says that the operation begins and ends.
    private static let marks = ["?access", "faccessat", "faccessat2"]
    private static let markPath = "/coredata-mark/"

    static var isPresent: Bool { (try? Subprocess.find("strace")) != nil }

    /// For `.enabled(if:)`: in continuous integration a missing strace is a failure, not a reason to skip.
    static var isUsable: Bool { isPresent || Corpus.isRequired }

    /// A call between the marks.
    struct Call: Hashable {
        let name: String
        /// The how manyth of its name this is in its thread, counted from the start of the process: what `when=` counts.
        let ordinal: Int
    }

    struct Trace {
        /// In the order in which they were made; the last one is the end mark.
        fileprivate(set) var calls: [Call] = []
        /// Calls between the marks that other threads made. They cannot be counted from outside.
        fileprivate(set) var strayCalls: [String] = []
        fileprivate(set) var hasBegun = false
        fileprivate(set) var hasEnded = false
    }

    let executable: String
    let arguments: [String]

    /// Runs the child to its end.
    func trace() throws -> Trace {
        let (trace, result) = try run(inject: nil)
        guard result.isSuccess, trace.hasEnded else {
            throw Subprocess.Failure(description: "the child failed: \(result.status) \(result.errorOutput)")
        }
        return trace
    }

    /// Runs the child and kills it as it enters a call.
    ///
    /// - Returns: whether the child made that call, and no later one.
    func kill(at call: Call) throws -> Bool {
        let (trace, result) = try run(inject: call)
        // strace ends as its child did.
        return result.status == .signalled(SIGKILL) && trace.calls.last == call
    }

    private func run(inject: Call?) throws -> (Trace, Subprocess.Result) {
        let log = FileManager.default.temporaryDirectory.appendingPathComponent("strace-" + UUID().uuidString).path
        defer { unlink(log) }
        // (Its --seccomp-bpf is faster, but then nothing is killed.)
        var options = ["-f", "-qq", "-s", "64", "-o", log]
        options += ["-e", "trace=" + (Self.traced + Self.marks).joined(separator: ","), "-e", "signal=none"]
        if let inject { options += ["-e", "inject=\(inject.name):signal=KILL:when=\(inject.ordinal)"] }
        let result = try Subprocess.run("strace", options + ["--", executable] + arguments, timeout: 300)
        guard let text = try? String(contentsOf: URL(fileURLWithPath: log), encoding: .utf8) else {
            throw Subprocess.Failure(description: "strace failed: \(result)")
        }
        return (parse(text), result)
    }

    private func parse(_ log: String) -> Trace {
        var trace = Trace()
        var counts: [Substring: Int] = [:]
        var mainThread: Substring?
        for line in log.split(separator: "\n") {
            // `PID name(arguments) = result`; calls of several threads are told in two halves.
            let parts = line.split(separator: " ", maxSplits: 1).map { $0.drop { $0 == " " } }
            guard parts.count == 2, let parenthesis = parts[1].firstIndex(of: "("), !parts[1].hasPrefix("<...") else {
                continue
            }
            let name = parts[1][..<parenthesis]
            if mainThread == nil { mainThread = parts[0] }
            guard parts[0] == mainThread else {
                if trace.hasBegun, !trace.hasEnded { trace.strayCalls.append(String(parts[1])) }
                continue
            }
            counts[name, default: 0] += 1
            if parts[1].contains(Self.markPath + "begin") {
                trace.hasBegun = true
            } else if trace.hasBegun, !trace.hasEnded {
                trace.hasEnded = parts[1].contains(Self.markPath + "end")
                let isMark = name.contains("access")
                // Looking whether a file is there changes nothing.
                if isMark, !trace.hasEnded { continue }
                trace.calls.append(Call(name: String(name), ordinal: counts[name] ?? 0))
            }
        }
        return trace
    }
}
