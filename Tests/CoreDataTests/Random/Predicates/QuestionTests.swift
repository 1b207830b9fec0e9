import CoreData
import Foundation
import TestSupport
import Testing

/// Random predicates over random records: the store, predicates in memory and a naive evaluator must agree.
@Suite("Random predicates", .enabled(if: SQLiteShell.isUsable))
struct QuestionTests {
    private static let isSoak = ProcessInfo.processInfo.environment["COREDATA_SOAK"] != nil
    /// Other questions with `COREDATA_SEED`.
    private static let seed = ProcessInfo.processInfo.environment["COREDATA_SEED"].flatMap(UInt64.init) ?? 5

    @Test("a store, memory and a naive evaluator find the same records", arguments: [0, 1])
    func agree(_ part: UInt64) throws {
        let run = QuestionRun(seed: Self.seed * 1000 + part)
        try run.run(worlds: Self.isSoak ? 600 : 4, questions: Self.isSoak ? 250 : 200)
        print(run.table)
        for failure in run.failures { Issue.record("\(failure)") }
        guard Self.isSoak else { return }
        for (name, some) in run.some where !name.hasSuffix("of another kind") {
            #expect(some >= 200, "\(name) found some records only \(some) times")
        }
        #expect(run.total.refused * 10 < run.total.asked)
    }

    @Test("a wrong answer is found, and made as small as it can be")
    func shrinking() throws {
        func isGuilty(_ question: Question) -> Bool {
            switch question {
            case .constant: false
            case .not(let part): isGuilty(part)
            case .and(let parts), .or(let parts): parts.contains(where: isGuilty)
            case .compare(let comparison): comparison.symbol == "BEGINSWITH"
            }
        }
        let run = QuestionRun(seed: 3, mostFailures: 1, isMisled: isGuilty)
        try run.run(worlds: 2, questions: 200)
        let failure = try #require(run.failures.first)
        // One comparison and one record of the 38 are left.
        #expect(failure.contains("BEGINSWITH") && !failure.contains(" AND ") && !failure.contains(" OR "))
        #expect(
            failure.split(separator: "\n").count { $0.hasPrefix("  ") && !$0.hasPrefix("  with") } <= 3, "\(failure)")
    }
}
