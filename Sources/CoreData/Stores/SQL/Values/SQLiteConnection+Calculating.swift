import CoreDataSQLite
import Foundation

// What SQL has no exact equal of: the comparisons, functions and aggregates of predicates in memory, for statements.
extension SQLiteConnection {
    func registerCalculations() throws {
        // coredata_relation(a, code, operator, b, code)
        try register(function: "coredata_relation", argumentCount: 5) { call in
            if call.isNull(0) || call.isNull(3) { return }
            let left = call.comparable(0, code: 1)
            let right = call.comparable(3, code: 4)
            switch NSComparisonPredicate.Operator(rawValue: UInt(truncatingIfNeeded: call.int64(2))) {
            case .equalTo: call.result(left.isEqual(to: right))
            case .notEqualTo: call.result(!left.isEqual(to: right))
            case .lessThan: call.result(left.compare(to: right) == .orderedAscending)
            case .lessThanOrEqualTo: call.result(left.compare(to: right).map { $0 != .orderedDescending } ?? false)
            case .greaterThan: call.result(left.compare(to: right) == .orderedDescending)
            case .greaterThanOrEqualTo: call.result(left.compare(to: right).map { $0 != .orderedAscending } ?? false)
            default: break
            }
        }
        // coredata_text(value, code): as texts count it.
        try register(function: "coredata_text", argumentCount: 2) { call in
            if let text = call.comparable(0, code: 1).text { call.result(text) }
        }
        // coredata_decimal(value): the exact text of a decimal attribute's value.
        try register(function: "coredata_decimal", argumentCount: 1) { call in
            call.result(call.comparable(0, .decimal))
        }
        // coredata_call(function, value, code, …)
        try register(function: "coredata_call", argumentCount: -1) { call in
            let arguments = stride(from: 1, to: call.count - 1, by: 2).map { call.value($0, code: $0 + 1) }
            call.result(ComparableValue(FunctionEvaluator.value(of: call.text(0) ?? "", arguments)))
        }
        // coredata_cast(value, code, type)
        try register(function: "coredata_cast", argumentCount: 3) { call in
            guard let value = call.value(0, code: 1), let type = call.text(2) else { return }
            call.result(ComparableValue(TypeCast.value(value, as: type)))
        }
        // coredata_random(), coredata_random(bound): another number for each row.
        for count in 0...1 {
            try register(function: "coredata_random", argumentCount: count, traits: .directOnly) { call in
                let name = call.count == 0 ? PredefinedFunction.random : .randomBelow
                let arguments = (0..<call.count).map { call.comparable($0, .number).number }
                call.result(ComparableValue(FunctionEvaluator.value(of: name.rawValue, arguments)))
            }
        }
        let aggregates: [(String, PredefinedFunction)] = [
            ("sum", .sum), ("average", .average), ("least", .min), ("greatest", .max), ("median", .median),
            ("deviation", .stddev),
        ]
        for (name, function) in aggregates {
            try register(aggregate: "coredata_\(name)", argumentCount: 1) {
                switch function {
                case .sum, .average: SummedValues(function)
                default: CollectedValues(function)
                }
            }
        }
    }
}

/// Sum or average of the numbers of a group.
private final class SummedValues: SQLiteAggregate {
    private let function: PredefinedFunction
    private var sum = NumberSum()

    init(_ function: PredefinedFunction) { self.function = function }

    func step(_ call: SQLiteFunctionCall) { sum.add(call.comparable(0, .number)) }

    func finish(_ call: SQLiteFunctionCall) { call.result(function == .sum ? sum.total : sum.average) }
}

/// A function that needs all numbers of a group at once.
private final class CollectedValues: SQLiteAggregate {
    private let function: PredefinedFunction
    private var values: [Any] = []

    init(_ function: PredefinedFunction) { self.function = function }

    func step(_ call: SQLiteFunctionCall) {
        switch call.comparable(0, .number) {
        case .integer(let value): values.append(value)
        case .real(let value): values.append(value)
        case .decimal(let value): values.append(value)
        default: break
        }
    }

    func finish(_ call: SQLiteFunctionCall) {
        call.result(ComparableValue(Aggregate.value(of: function, over: values)))
    }
}
