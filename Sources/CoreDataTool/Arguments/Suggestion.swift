/// Finds what somebody meant who typed a name wrong.
enum Suggestion {
    /// The candidate that is nearest to a name; nil if none is near. Upper and lower case count as one letter.
    ///
    /// Cost: the product of the lengths, for each candidate of a similar length.
    static func nearest(to name: String, among candidates: some Sequence<String>) -> String? {
        let typed = Array(name.lowercased().unicodeScalars.prefix(64))
        let limit = max(1, typed.count / 3)
        var best: (candidate: String, distance: Int)?
        for candidate in candidates {
            let letters = Array(candidate.lowercased().unicodeScalars.prefix(64))
            // The beginning of a longer name is as good as two wrong letters.
            let isBeginning = typed.count >= 3 && letters.starts(with: typed)
            guard isBeginning || abs(letters.count - typed.count) <= limit else { continue }
            let distance = isBeginning ? min(limit, 2) : distance(typed, letters)
            if distance <= limit, distance < best?.distance ?? .max { best = (candidate, distance) }
        }
        return best?.candidate
    }

    /// How many letters must be inserted, removed, replaced or exchanged with their neighbour.
    private static func distance(_ left: [UnicodeScalar], _ right: [UnicodeScalar]) -> Int {
        var beforeLast: [Int] = []
        var last = Array(0...right.count)
        for (row, letter) in left.enumerated() {
            var current = [row + 1]
            for (column, other) in right.enumerated() {
                var cost = min(last[column + 1] + 1, current[column] + 1, last[column] + (letter == other ? 0 : 1))
                if row > 0, column > 0, letter == right[column - 1], left[row - 1] == other {
                    cost = min(cost, beforeLast[column - 1] + 1)
                }
                current.append(cost)
            }
            beforeLast = last
            last = current
        }
        return last[right.count]
    }
}
