// Ratios to the raw SQLite C API: `Benchmarks [W1 W2 …]` runs each workload in pairs, raw and ours back to back in processes of
// their own on copies of the same rows, and prints the median ratio and the peak memory. COREDATA_BENCHMARK_N sets the number of
// rows (100,000), COREDATA_BENCHMARK_ROUNDS the number of pairs (5).
import Foundation

let arguments = Array(CommandLine.arguments.dropFirst())
do {
    if arguments.first == "--child", arguments.count == 5 {
        try Child(side: arguments[1], workload: arguments[2], path: arguments[3], count: Int(arguments[4]) ?? 0).run()
    } else {
        try Runner(workloads: arguments).run()
    }
} catch {
    FileHandle.standardError.write(Data("Benchmarks: \(error)\n".utf8))
    exit(1)
}
