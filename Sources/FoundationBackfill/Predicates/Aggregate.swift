import Foundation

/// The functions over the members of a collection. Nils do not count, as in SQL; without any member the sum is 0, the
/// number 0 and everything else nil.
package enum Aggregate {
    /// The members of a value, nested collections opened; a single value is its own only member.
    static func members(_ value: Any?) -> [Any] {
        guard let value, !(value is NSNull) else { return [] }
        guard let members = collectionElements(value) else { return [value] }
        return members.flatMap { collectionElements($0) == nil ? ($0 is NSNull ? [] : [$0]) : self.members($0) }
    }

    package static func value(of function: PredefinedFunction, over members: [Any]) -> Any? {
        switch function {
        case .count: return NSNumber(value: members.count)
        case .sum: return summed(members).total.numericValue
        case .min: return extreme(members, .orderedAscending)
        case .max: return extreme(members, .orderedDescending)
        case .average: return summed(members).average.numericValue
        case .median: return median(numbers(members))
        case .mode: return mode(members)
        case .stddev: return standardDeviation(numbers(members).compactMap(Arithmetic.real))
        default: return nil
        }
    }

    private static func numbers(_ members: [Any]) -> [ComparableValue] {
        members.map { ComparableValue($0) }.filter { Arithmetic.real($0) != nil }
    }

    private static func summed(_ members: [Any]) -> NumberSum {
        var sum = NumberSum()
        for member in members { sum.add(ComparableValue(member)) }
        return sum
    }

    private static func extreme(_ members: [Any], _ wanted: ComparisonResult) -> Any? {
        var best: (value: ComparableValue, member: Any)?
        for member in members {
            let value = ComparableValue(member)
            guard let current = best else {
                best = (value, member)
                continue
            }
            if value.compare(to: current.value) == wanted { best = (value, member) }
        }
        return best?.member
    }

    private static func median(_ numbers: [ComparableValue]) -> NSNumber? {
        let sorted = numbers.compactMap(Arithmetic.real).sorted()
        guard !sorted.isEmpty else { return nil }
        let middle = sorted.count / 2
        return NSNumber(value: sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2)
    }

    /// All members that come most often, in the order in which they appear first.
    private static func mode(_ members: [Any]) -> [Any]? {
        var groups: [(value: ComparableValue, member: Any, count: Int)] = []
        for member in members {
            let value = ComparableValue(member)
            if let index = groups.firstIndex(where: { $0.value.isEqual(to: value) }) {
                groups[index].count += 1
            } else {
                groups.append((value, member, 1))
            }
        }
        guard let most = groups.map(\.count).max() else { return nil }
        return groups.filter { $0.count == most }.map(\.member)
    }

    /// Of the whole population.
    private static func standardDeviation(_ numbers: [Double]) -> NSNumber? {
        guard !numbers.isEmpty else { return nil }
        let mean = numbers.reduce(0, +) / Double(numbers.count)
        let squares = numbers.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
        return NSNumber(value: (squares / Double(numbers.count)).squareRoot())
    }
}
