import CoreDataBenchmarkRaw
import Foundation

/// One side of one workload, in a process of its own; prints its measurement as JSON.
struct Child {
    let side: String
    let workload: String
    let path: String
    let count: Int

    func run() throws {
        let result = side == "raw" ? try runRaw() : try OurSide(path: path, count: count).run(workload)
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        let measurement = Measurement(
            seconds: result.seconds, checksum: result.checksum, peak: Double(usage.ru_maxrss) / 1024)
        FileHandle.standardOutput.write(try JSONEncoder().encode(measurement))
    }

    private func runRaw() throws -> (seconds: Double, checksum: Double) {
        switch workload {
        case "make-teamsOnly":
            raw_make_empty(path)
            return (0, 0)
        case "make-filled":
            raw_make_filled(path, Int64(count))
            return (0, 0)
        case "W6d":
            let result = raw_execute(path, RelatedModel.handWrittenDelete)
            return (result.seconds, try RelatedModel.rowsLeft(in: path))
        case "W10":
            return PlainObjects(count: count).sortTwice()
        default:
            let result = raw_run(workload, path, Int64(count))
            guard result.seconds >= 0 else { throw Runner.Failure(description: "there is no raw side of \(workload)") }
            return (result.seconds, result.checksum)
        }
    }
}

/// The zero line of W10: plain Swift objects sorted by the same keys.
struct PlainObjects {
    final class Person {
        let name: String
        let age: Int32
        init(_ row: raw_row) {
            name = row.nameText
            age = row.age
        }
    }

    let persons: [Person]

    init(count: Int) {
        persons = (0..<count).map { index in
            var row = raw_row()
            raw_generate(Int64(index), &row)
            return Person(row)
        }
    }

    func sortTwice() -> (seconds: Double, checksum: Double) {
        let clock = ContinuousClock()
        var sum = 0.0
        let time = clock.measure {
            for _ in 0..<2 {
                let sorted = persons.sorted { $0.age != $1.age ? $0.age < $1.age : $0.name < $1.name }
                sum += Double(sorted[sorted.count / 2].age)
            }
        }
        return (time.seconds, sum)
    }
}

extension raw_row {
    var nameText: String { withUnsafeBytes(of: name) { String(decoding: $0.prefix(Int(name_length)), as: UTF8.self) } }
    var emailText: String {
        withUnsafeBytes(of: email) { String(decoding: $0.prefix(Int(email_length)), as: UTF8.self) }
    }
}

extension Duration {
    var seconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}
