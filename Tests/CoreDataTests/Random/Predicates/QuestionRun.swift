import CoreData
import Foundation

/// Many questions about many worlds, with a count of what they touched.
final class QuestionRun {
    struct Counts {
        var asked = 0
        var refused = 0
        /// Questions that found some records, but not all.
        var some = 0
    }

    private(set) var counts: [QuestionMaker.Use: Counts] = [:]
    private(set) var total = Counts()
    /// What went wrong, made as small as it could be. Enough is enough.
    private(set) var failures: [String] = []
    private let mostFailures: Int
    private var dice: Dice
    private let seed: UInt64
    /// Gives a wrong answer for one kind of question, so that the run itself can be tested.
    let isMisled: (Question) -> Bool

    init(seed: UInt64, mostFailures: Int = 8, isMisled: @escaping (Question) -> Bool = { _ in false }) {
        self.seed = seed
        self.mostFailures = mostFailures
        self.isMisled = isMisled
        dice = Dice(seed: seed)
    }

    static let entities = ["Thing", "Thing", "Thing", "Special", "Owner", "Label"]

    func run(worlds: Int, questions: Int) throws {
        for index in 0..<worlds {
            let world = PlainWorld.make(&dice)
            let type = index % 3 == 2 ? NSInMemoryStoreType : NSSQLiteStoreType
            let store = try QuestionStore(world, type: type)
            var maker = QuestionMaker(world, Dice(seed: dice.next()))
            for number in 0..<questions {
                let entity = Self.entities[Int.random(in: 0..<Self.entities.count, using: &dice)]
                let question = maker.question(about: entity)
                do {
                    try ask(store, question, entity, maker.uses)
                    if type == NSSQLiteStoreType, number % 40 == 0 { try store.batchDelete(question, about: entity) }
                } catch {
                    failures.append(report(world, type, question, entity, error))
                    if failures.count == mostFailures { return }
                }
            }
        }
    }

    private func ask(
        _ store: QuestionStore, _ question: Question, _ entity: String, _ uses: Set<QuestionMaker.Use>
    ) throws {
        let answer = try check(store, question, entity)
        var counts = Counts(asked: 1)
        switch answer {
        case .refused: counts.refused = 1
        case .found(let numbers, let all): counts.some = numbers.isEmpty || numbers.count == all ? 0 : 1
        }
        total.add(counts)
        for use in uses { self.counts[use, default: Counts()].add(counts) }
    }

    private func check(_ store: QuestionStore, _ question: Question, _ entity: String) throws -> QuestionStore.Answer {
        let answer = try store.answer(question, about: entity)
        if isMisled(question), case .found(let numbers, _) = answer, !numbers.isEmpty {
            throw QuestionStore.Disagreement(description: "misled")
        }
        return answer
    }

    // MARK: Shrinking

    private func fails(_ world: PlainWorld, _ type: String, _ question: Question, _ entity: String) -> String? {
        do {
            let store = try QuestionStore(world, type: type)
            _ = try check(store, question, entity)
            return nil
        } catch { return "\(error)" }
    }

    /// The smallest question about the fewest records that still goes wrong.
    func smallest(
        _ world: PlainWorld, _ type: String, _ question: Question, _ entity: String
    ) -> (world: PlainWorld, question: Question, reason: String)? {
        // A store in memory is made sooner; not every fault shows there.
        var type = type
        if fails(world, NSInMemoryStoreType, question, entity) != nil { type = NSInMemoryStoreType }
        guard var reason = fails(world, type, question, entity) else { return nil }
        var world = world
        var question = question
        var isSmaller = true
        while isSmaller {
            isSmaller = false
            for simpler in question.simpler {
                guard let found = fails(world, type, simpler, entity) else { continue }
                (question, reason, isSmaller) = (simpler, found, true)
                break
            }
        }
        // Many at once first, then one by one.
        for size in [16, 8, 4, 2, 1] {
            let numbers = world.records.keys.sorted()
            for start in stride(from: 0, to: numbers.count, by: size) {
                var fewer = world
                for number in numbers[start..<min(start + size, numbers.count)] { fewer = fewer.without(number) }
                guard let found = fails(fewer, type, question, entity) else { continue }
                (world, reason) = (fewer, found)
            }
        }
        return (world, question, reason)
    }

    private func report(
        _ world: PlainWorld, _ type: String, _ question: Question, _ entity: String, _ error: any Error
    ) -> String {
        let found = smallest(world, type, question, entity) ?? (world, question, "\(error)")
        var arguments: [PlainValue] = []
        let format = found.question.format(&arguments)
        let records = found.world.records.values.sorted { $0.number < $1.number }.map { record in
            "  \(record.number) \(record.entity) \(record.values.mapValues { "\($0.argument([:]))" })"
                + " \(record.toOne) labels \(record.labels)"
        }
        return "seed \(seed), \(entity): \(format)\n  with \(arguments)\n\(found.reason)\n"
            + records.joined(separator: "\n")
    }

    // MARK: The printed table

    /// One line an operator: how often it was asked, refused, found some; and the kinds of values it met.
    var table: String {
        var lines = [
            "seed \(seed): \(total.asked) questions, \(total.refused) refused, \(total.some) found some records"
        ]
        for (name, uses) in Dictionary(grouping: counts, by: \.key.name).sorted(by: { $0.key < $1.key }) {
            var sum = Counts()
            for use in uses { sum.add(use.value) }
            let kinds = uses.sorted { $0.key.kind.rawValue < $1.key.kind.rawValue }
                .map { "\($0.key.kind.rawValue) \($0.value.asked)/\($0.value.some)" }
            lines.append(
                "\(name): asked \(sum.asked), refused \(sum.refused), some \(sum.some) — "
                    + kinds.joined(separator: ", "))
        }
        return lines.joined(separator: "\n")
    }

    /// How many questions with an operator found some records but not all.
    var some: [String: Int] {
        var result: [String: Int] = [:]
        for (use, counts) in counts { result[use.name, default: 0] += counts.some }
        return result
    }
}

extension QuestionRun.Counts {
    fileprivate mutating func add(_ other: Self) {
        asked += other.asked
        refused += other.refused
        some += other.some
    }
}

extension PlainWorld {
    func without(_ number: Int) -> PlainWorld {
        var world = self
        world.records[number] = nil
        for (key, var record) in world.records {
            record.toOne = record.toOne.filter { $0.value != number }
            record.labels.removeAll { $0 == number }
            world.records[key] = record
        }
        return world
    }
}

extension Question {
    /// Questions with a part less.
    var simpler: [Question] {
        switch self {
        case .constant: return []
        case .and(let parts), .or(let parts):
            return parts
                + parts.indices.flatMap { index in
                    parts[index].simpler.map { part in
                        var parts = parts
                        parts[index] = part
                        if case .and = self { return Question.and(parts) }
                        return Question.or(parts)
                    }
                }
        case .not(let part): return [part] + part.simpler.map { .not($0) }
        case .compare(let comparison):
            func changed(_ change: (inout Comparison) -> Void) -> Question {
                var copy = comparison
                change(&copy)
                return .compare(copy)
            }
            var result = comparison.left.simpler.map { term in changed { $0.left = term } }
            result += comparison.right.simpler.map { term in changed { $0.right = term } }
            result += comparison.options.map { option in changed { $0.options.remove(option) } }
            return result
        }
    }
}

extension Question.Term {
    /// Terms with a part less; not always of the same kind.
    var simpler: [Question.Term] {
        switch self {
        case .own, .variable: return []
        case .constant(.many(let members)) where members.count > 1:
            return members.indices.map { index in
                var members = members
                members.remove(at: index)
                return .constant(.many(members))
            }
        case .constant(.text(let text)) where text.pieces.count > 1:
            return [.constant(.text(PlainText(Array(text.pieces.dropLast()))))]
        case .constant: return []
        case .path(let path, of: let variable):
            guard let dot = path.firstIndex(of: ".") else { return [] }
            return [.path(String(path[path.index(after: dot)...]), of: variable)]
        case .call(let name, let parts):
            return parts
                + parts.indices.flatMap { index in
                    parts[index].simpler.map { part in
                        var parts = parts
                        parts[index] = part
                        return .call(name, parts)
                    }
                }
        case .list(let members):
            return members.indices.map { index in
                var members = members
                members.remove(at: index)
                return .list(members)
            }
        case .subquery(let collection, let name, let question):
            if case .constant(true) = question { return [] }
            return [.subquery(collection, name, .constant(true))]
                + question.simpler.map { .subquery(collection, name, $0) }
        case .behind(let term, let path): return term.simpler.map { .behind($0, path) }
        case .choice(let question, let first, let second):
            return [first, second] + question.simpler.map { .choice($0, first, second) }
        case .cast(let term, let type): return term.simpler.map { .cast($0, type) }
        }
    }
}
