import CoreDataBenchmarkRaw
import Foundation

/// Runs pairs of child processes and prints the table.
struct Runner {
    private let workloads: [Workload]
    private let count: Int
    private let rounds: Int
    private let folder: URL

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    init(workloads ids: [String]) throws {
        for id in ids where !Workload.all.contains(where: { $0.id == id }) {
            let known = Workload.all.map(\.id).joined(separator: " ")
            throw Failure(description: "there is no workload \(id); choose among \(known)")
        }
        workloads = ids.isEmpty ? Workload.all : Workload.all.filter { ids.contains($0.id) }
        let environment = ProcessInfo.processInfo.environment
        count = environment["COREDATA_BENCHMARK_N"].flatMap(Int.init) ?? 100_000
        rounds = max(1, environment["COREDATA_BENCHMARK_ROUNDS"].flatMap(Int.init) ?? 5)
        folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "coredata-benchmark-\(UUID().uuidString)")
    }

    func run() throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        print("N = \(count), median of \(rounds) pairs, each side in a process of its own\n")
        print(line("", "work", "ratio", "goal", "raw cpu", "our cpu", "raw wall", "our wall", "raw MiB", "our MiB"))
        for workload in workloads { try measure(workload) }
    }

    private func measure(_ workload: Workload) throws {
        var ratios: [Double] = []
        var raw: [Measurement] = []
        var ours: [Measurement] = []
        for _ in 0..<rounds {
            raw.append(try child("raw", workload))
            ours.append(try child("ours", workload))
            ratios.append(ours[ours.count - 1].cpuSeconds / raw[raw.count - 1].cpuSeconds)
        }
        for (left, right) in zip(raw, ours) where abs(left.checksum - right.checksum) > abs(left.checksum) * 1e-9 {
            throw Failure(
                description: "\(workload.id): both sides saw different data: \(left.checksum) and \(right.checksum)")
        }
        let ratio = median(ratios)
        print(
            line(
                workload.id, workload.title, String(format: "%.2f%@", ratio, ratio > workload.goal ? " *" : "  "),
                String(format: "%.1f", workload.goal), time(median(raw.map(\.cpuSeconds))),
                time(median(ours.map(\.cpuSeconds))), time(median(raw.map(\.seconds))),
                time(median(ours.map(\.seconds))),
                String(format: "%.0f", raw.map(\.peak).max() ?? 0), String(format: "%.0f", ours.map(\.peak).max() ?? 0))
        )
    }

    private func child(_ side: String, _ workload: Workload) throws -> Measurement {
        let path = folder.appendingPathComponent("run.sqlite").path
        try copy(try template(side, workload.start), to: path)
        let output = try spawn(["--child", side, workload.id, path, String(count)])
        guard let measurement = try? JSONDecoder().decode(Measurement.self, from: output) else {
            throw Failure(description: "\(workload.id): the \(side) side failed")
        }
        return measurement
    }

    private func spawn(_ arguments: [String]) throws -> Data {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = arguments
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Failure(description: "the process \(arguments.joined(separator: " ")) failed")
        }
        return output
    }

    /// The file both sides start from, made once by a process of its own. W6d runs on our file on both sides.
    private func template(_ side: String, _ start: Workload.Start) throws -> String {
        let maker = start == .related ? "ours" : side
        let path = folder.appendingPathComponent("\(maker)-\(start).sqlite").path
        if !FileManager.default.fileExists(atPath: path) {
            _ = try spawn(["--child", maker, "make-\(start)", path, String(count)])
        }
        return path
    }

    private func copy(_ template: String, to path: String) throws {
        for suffix in ["", "-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: path + suffix)
            if FileManager.default.fileExists(atPath: template + suffix) {
                try FileManager.default.copyItem(atPath: template + suffix, toPath: path + suffix)
            }
        }
    }

    private func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

    private func time(_ seconds: Double) -> String { String(format: "%.1f ms", seconds * 1000) }

    private func line(_ columns: String...) -> String {
        let widths = [4, 56, 8, 5, 10, 10, 10, 10, 8, 8]
        return zip(columns, widths).enumerated().map { index, pair in
            let padding = String(repeating: " ", count: max(0, pair.1 - pair.0.count))
            return index < 2 ? pair.0 + padding : padding + pair.0
        }.joined(separator: " ")
    }
}
