import CoreDataBenchmarkRaw
import Foundation

/// A line of the table.
struct Workload {
    let id: String
    let title: String
    /// The ratio we want to stay under.
    let goal: Double
    /// What the file holds before the run.
    let start: Start

    enum Start { case teamsOnly, filled, related }

    static let all = [
        Workload(id: "W1", title: "insert N objects, one save", goal: 1.8, start: .teamsOnly),
        Workload(id: "W2", title: "fetch all N, read every property", goal: 1.5, start: .filled),
        Workload(id: "W2b", title: "fetch all N in batches of 100, read the first 50", goal: 4, start: .filled),
        Workload(id: "W3", title: "fetch 1 % by an indexed attribute, twenty times", goal: 1.3, start: .filled),
        Workload(id: "W3b", title: "fetch by an IN of 10,000 ids", goal: 1.5, start: .filled),
        Workload(id: "W4", title: "20,000 look-ups by id, cold caches", goal: 1.4, start: .filled),
        Workload(id: "W5", title: "change one property of N loaded objects, save", goal: 1.5, start: .filled),
        Workload(id: "W6a", title: "batch delete all, status only", goal: 1.1, start: .filled),
        Workload(id: "W6b", title: "batch delete all, returning every id", goal: 1.4, start: .filled),
        Workload(id: "W6c", title: "delete N loaded objects one by one, save", goal: 1.5, start: .filled),
        Workload(
            id: "W6d", title: "batch delete by predicate: relations, cascade, history", goal: 1.3, start: .related),
        Workload(id: "W7", title: "N rows sorted by name, limit 50, three times", goal: 1.1, start: .filled),
        Workload(
            id: "W8", title: "the persons of each of 1,000 teams, by the to-many", goal: 1.4, start: .filled),
        Workload(id: "W9", title: "full store reset with N rows in it", goal: 1.0, start: .filled),
        Workload(id: "W10", title: "sort N fetched objects by two keys, twice", goal: 1.5, start: .filled),
        Workload(id: "A1", title: "read three numbers of 1,000 loaded objects, 5,000 times", goal: 3, start: .filled),
        Workload(id: "A2", title: "read a text of 1,000 loaded objects, 5,000 times", goal: 3, start: .filled),
    ]
}

/// What one process measured.
struct Measurement: Codable {
    /// By the clock.
    var seconds = 0.0
    /// How long the processor worked for the process: what the ratios compare, since the machine and its disk serve others too.
    var cpuSeconds = 0.0
    /// What the work came to; both sides must agree.
    var checksum = 0.0
    /// Peak resident memory of the process in MiB.
    var peak = 0.0

    init() {}

    /// Measures what the closure does.
    init(_ work: () throws -> Double) rethrows {
        let start = (wall: Self.now(CLOCK_MONOTONIC), cpu: Self.now(CLOCK_PROCESS_CPUTIME_ID))
        checksum = try work()
        seconds = Self.now(CLOCK_MONOTONIC) - start.wall
        cpuSeconds = Self.now(CLOCK_PROCESS_CPUTIME_ID) - start.cpu
    }

    init(_ result: raw_result) {
        seconds = result.seconds
        cpuSeconds = result.cpu_seconds
        checksum = result.checksum
    }

    private static func now(_ clock: clockid_t) -> Double {
        var time = timespec()
        clock_gettime(clock, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
