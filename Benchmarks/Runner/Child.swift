import CoreDataBenchmarkRaw
import Foundation

/// One side of one workload, in a process of its own; prints its measurement as JSON.
struct Child {
    let side: String
    let workload: String
    let path: String
    let count: Int

    func run() throws {
        var measurement = side == "raw" ? try runRaw() : try OurSide(path: path, count: count).run(workload)
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        measurement.peak = Double(usage.ru_maxrss) / 1024
        FileHandle.standardOutput.write(try JSONEncoder().encode(measurement))
    }

    private func runRaw() throws -> Measurement {
        switch workload {
        case "make-teamsOnly":
            raw_make_empty(path)
            return Measurement()
        case "make-filled":
            raw_make_filled(path, Int64(count))
            return Measurement()
        case "W6d":
            let result = raw_execute(path, RelatedModel.handWrittenDelete)
            var measurement = Measurement(result)
            measurement.checksum = try RelatedModel.rowsLeft(in: path)
            return measurement
        case "W10":
            return PlainObjects(count: count).sortTwice()
        case "A1": return Accesses.measureNumbers(PlainObjects(count: Accesses.objectCount).persons)
        case "A2": return Accesses.measureTexts(PlainObjects(count: Accesses.objectCount).persons)
        default:
            let result = raw_run(workload, path, Int64(count))
            guard result.seconds >= 0 else { throw Runner.Failure(description: "there is no raw side of \(workload)") }
            return Measurement(result)
        }
    }
}

/// The zero line of W10, A1 and A2: plain Swift objects that hold the same values.
struct PlainObjects {
    final class Person {
        var name: String?
        var email: String?
        var age: Int32
        var score: Double
        var createdAt: Date?
        var isActive: Bool
        var uuid: UUID?
        var team: Int64

        init(_ row: raw_row) {
            name = row.nameText
            email = row.emailText
            age = row.age
            score = row.score
            createdAt = Date(timeIntervalSinceReferenceDate: row.created_at)
            isActive = row.is_active != 0
            uuid = UUID(uuid: row.uuid)
            team = row.team
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

    func sortTwice() -> Measurement {
        Measurement {
            var sum = 0.0
            for _ in 0..<2 {
                let sorted = persons.sorted { $0.age != $1.age ? $0.age < $1.age : ($0.name ?? "") < ($1.name ?? "") }
                sum += Double(sorted[sorted.count / 2].age)
            }
            return sum
        }
    }
}

extension raw_row {
    var nameText: String { withUnsafeBytes(of: name) { String(decoding: $0.prefix(Int(name_length)), as: UTF8.self) } }
    var emailText: String {
        withUnsafeBytes(of: email) { String(decoding: $0.prefix(Int(email_length)), as: UTF8.self) }
    }
}
