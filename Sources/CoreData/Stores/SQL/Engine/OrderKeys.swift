/// The keys by which the members of an ordered relationship are sorted (`Z_FOK_…`).
///
/// Core Data's first key is 2048 and the next ones follow at steps of 1024, so that a member put between two others gets a key
/// between theirs and nothing else is written.
enum OrderKeys {
    static let first: Int64 = 2048
    static let step: Int64 = 1024

    /// The keys that must change so that the members stand in the given order.
    ///
    /// As many members as possible keep their keys. Only where no free key is left between two of them all are numbered anew.
    /// O(n log n).
    /// - Parameter current: each member's key, nil for one without.
    /// - Returns: index and new key of the members whose key changes.
    static func changes(_ current: [Int64?]) -> [(index: Int, key: Int64)] {
        let kept = longestRun(current)
        var changes: [(index: Int, key: Int64)] = []
        var index = 0
        while index < current.count {
            if kept[index] {
                index += 1
                continue
            }
            var end = index
            while end < current.count, !kept[end] { end += 1 }
            let below = index > 0 ? current[index - 1] : nil
            let above = end < current.count ? current[end] : nil
            guard let keys = keys(end - index, after: below, before: above) else { return renumbered(current) }
            for (offset, key) in keys.enumerated() { changes.append((index + offset, key)) }
            index = end
        }
        return changes
    }

    /// `count` ascending keys between two others; nil if there are not so many.
    private static func keys(_ count: Int, after below: Int64?, before above: Int64?) -> [Int64]? {
        let count = Int64(count)
        guard let above else {
            let start = below ?? first - step
            guard start < Int64.max - step * (count + 1) else { return nil }
            return (1...count).map { start + $0 * step }
        }
        let low = below ?? 0
        let (gap, overflow) = above.subtractingReportingOverflow(low)
        guard !overflow, gap > count else { return nil }
        return (1...count).map { low + gap / (count + 1) * $0 + gap % (count + 1) * $0 / (count + 1) }
    }

    private static func renumbered(_ current: [Int64?]) -> [(index: Int, key: Int64)] {
        current.indices.compactMap { index in
            let key = first + Int64(index) * step
            return current[index] == key ? nil : (index, key)
        }
    }

    /// Marks a longest strictly ascending run of keys, not necessarily of neighbours.
    private static func longestRun(_ current: [Int64?]) -> [Bool] {
        // tails[n]: the index at which the run of length n + 1 with the smallest last key ends.
        var tails: [Int] = []
        var previous = [Int](repeating: -1, count: current.count)
        for index in current.indices {
            guard let key = current[index] else { continue }
            var low = 0
            var high = tails.count
            while low < high {
                let middle = (low + high) / 2
                if let tail = current[tails[middle]], tail < key { low = middle + 1 } else { high = middle }
            }
            if low > 0 { previous[index] = tails[low - 1] }
            if low == tails.count { tails.append(index) } else { tails[low] = index }
        }
        var kept = [Bool](repeating: false, count: current.count)
        var index = tails.last ?? -1
        while index >= 0 {
            kept[index] = true
            index = previous[index]
        }
        return kept
    }
}
