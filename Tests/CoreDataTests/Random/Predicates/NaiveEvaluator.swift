import Foundation

/// Evaluates questions over plain records in the most obvious way: what Core Data's answers are held against.
///
/// Two sets of rules for nil: in memory a comparison with nil has an answer; in a store nothing is known of what is not there, as
/// in SQL, so that neither `a != 1` nor `NOT a == 1` finds a record without `a`.
struct NaiveEvaluator {
    enum Rules { case memory, store }

    let world: PlainWorld
    let rules: Rules
    let own: Int
    var variables: [String: PlainValue] = [:]

    func holds(_ question: Question) -> Bool { truth(question) ?? false }

    /// nil: not known.
    private func truth(_ question: Question) -> Bool? {
        switch question {
        case .constant(let value): return value
        case .not(let part): return truth(part).map { !$0 }
        case .and(let parts):
            let truths = parts.map(truth)
            return truths.contains(false) ? false : truths.contains(nil) ? nil : true
        case .or(let parts):
            let truths = parts.map(truth)
            return truths.contains(true) ? true : truths.contains(nil) ? nil : false
        case .compare(let comparison): return truth(comparison)
        }
    }

    private func truth(_ comparison: Question.Comparison) -> Bool? {
        let left = value(comparison.left)
        let right = value(comparison.right)
        var members = left.members
        if rules == .memory { members.removeAll(where: \.isNone) }
        switch comparison.quantifier {
        case "ANY": return members.contains { compare($0, right, comparison) == true }
        case "NONE": return !members.contains { compare($0, right, comparison) == true }
        case "ALL": return members.allSatisfy { compare($0, right, comparison) == true }
        default: return compare(left, right, comparison)
        }
    }

    // MARK: Comparing

    private func compare(_ a: PlainValue, _ b: PlainValue, _ comparison: Question.Comparison) -> Bool? {
        let symbol = comparison.symbol
        switch symbol {
        case "IN": return isMember(a, of: b, comparison.right, comparison)
        case "CONTAINS":
            if case .many = a { return isMember(b, of: a, comparison.left, comparison) }
        case "BETWEEN":
            guard case .many(let bounds) = b, bounds.count == 2 else { return false }
            let low = order(a, bounds[0], comparison, ">=")
            let high = order(a, bounds[1], comparison, "<=")
            if low == false || high == false { return false }
            return low == nil || high == nil ? nil : true
        case "==", "!=":
            let equal = isEqual(a, b, comparison)
            return symbol == "==" ? equal : equal.map { !$0 }
        case "<", "<=", ">", ">=": return order(a, b, comparison, symbol)
        default: break
        }
        if a.isNone || b.isNone { return rules == .memory ? false : nil }
        guard let text = a.asText, let other = b.asText else { return false }
        let (x, y) = (text.folded(comparison.options), other.folded(comparison.options))
        switch symbol {
        case "BEGINSWITH": return x.utf8.starts(with: y.utf8)
        case "ENDSWITH": return x.utf8.reversed().starts(with: y.utf8.reversed())
        case "CONTAINS": return Self.contains(x, y)
        case "LIKE", "MATCHES": return matches(x, comparison)
        default: preconditionFailure(symbol)
        }
    }

    private static func contains(_ text: String, _ part: String) -> Bool {
        let (text, part) = (Array(text.utf8), Array(part.utf8))
        guard text.count >= part.count else { return false }
        return (0...(text.count - part.count)).contains { text[$0..<($0 + part.count)].elementsEqual(part) }
    }

    private func matches(_ text: String, _ comparison: Question.Comparison) -> Bool {
        let pieces: [Question.PatternPiece] = (comparison.pattern ?? []).flatMap { piece in
            guard case .piece(let piece) = piece else { return [piece] }
            // Scalar by scalar, as `?` counts.
            return PlainText([piece]).folded(comparison.options).unicodeScalars.map {
                .piece(PlainText.piece(String($0)))
            }
        }
        return Self.matches(Array(text.unicodeScalars)[...], pieces[...])
    }

    private static func matches(_ text: ArraySlice<UnicodeScalar>, _ pattern: ArraySlice<Question.PatternPiece>) -> Bool
    {
        guard let first = pattern.first else { return text.isEmpty }
        switch first {
        case .anyText:
            return matches(text, pattern.dropFirst()) || (!text.isEmpty && matches(text.dropFirst(), pattern))
        case .anyCharacter: return !text.isEmpty && matches(text.dropFirst(), pattern.dropFirst())
        case .piece(let piece):
            return text.first.map { String($0) == piece.text } ?? false
                && matches(text.dropFirst(), pattern.dropFirst())
        }
    }

    private func isMember(
        _ value: PlainValue, of container: PlainValue, _ term: Question.Term, _ comparison: Question.Comparison
    ) -> Bool? {
        if case .path = term, container.isNone {
            // A to-many of nothing has no members.
            return false
        }
        guard case .many(let all) = container else {
            if value.isNone || container.isNone { return rules == .memory ? false : nil }
            guard let text = container.asText, let part = value.asText else { return false }
            return Self.contains(text.folded(comparison.options), part.folded(comparison.options))
        }
        var comparison = comparison
        switch term {
        case .path, .subquery, .behind:
            // A to-many: unordered, so nil is no member.
            comparison.symbol = "=="
            return container.members.contains { !$0.isNone && isEqual(value, $0, comparison) == true }
        default: break
        }
        if rules == .memory { return all.contains { isEqual(value, $0, comparison) == true } }
        var members = all
        if case .constant = term {
            members.removeAll(where: \.isNone)
            // Members that are constants: one list.
            if value.isNone { return all.isEmpty ? false : nil }
        } else if case .list(let terms) = term {
            members = zip(terms, all).filter { !($0.isLiteral && $1.isNone) }.map(\.1)
            if value.isNone { return all.isEmpty ? false : nil }
        }
        let truths = members.map { isEqual(value, $0, comparison, isLiteral: false) }
        return truths.contains(true) ? true : truths.contains(nil) ? nil : false
    }

    private func isEqual(
        _ a: PlainValue, _ b: PlainValue, _ comparison: Question.Comparison, isLiteral: Bool? = nil
    ) -> Bool? {
        if a.isNone || b.isNone {
            if rules == .memory { return a.isNone && b.isNone }
            // `x == nil` is a question of its own.
            let asksForNil =
                isLiteral ?? true
                && ((b.isNone && comparison.right.isLiteral) || (a.isNone && comparison.left.isLiteral))
            return asksForNil ? a.isNone && b.isNone : nil
        }
        if case .text(let a) = a, case .text(let b) = b {
            return a.folded(comparison.options).utf8.elementsEqual(b.folded(comparison.options).utf8)
        }
        if case .record(let a) = a, case .record(let b) = b { return a == b }
        return comparison.left.isLiteral ? Self.order(b, a) == 0 : Self.order(a, b) == 0
    }

    private func order(
        _ a: PlainValue, _ b: PlainValue, _ comparison: Question.Comparison, _ symbol: String
    ) -> Bool? {
        if a.isNone || b.isNone { return rules == .memory ? false : nil }
        let order: Int?
        if case .text(let a) = a, case .text(let b) = b {
            order = Self.order(Array(a.folded(comparison.options).utf8), Array(b.folded(comparison.options).utf8))
        } else {
            order = comparison.left.isLiteral ? Self.order(b, a).map { -$0 } : Self.order(a, b)
        }
        guard let order else { return false }
        switch symbol {
        case "<": return order < 0
        case "<=": return order <= 0
        case ">": return order > 0
        default: return order >= 0
        }
    }

    // MARK: The order of values

    private static func order<Value: Comparable>(_ a: Value, _ b: Value) -> Int { a < b ? -1 : a > b ? 1 : 0 }

    private static func order(_ a: [UInt8], _ b: [UInt8]) -> Int {
        a.elementsEqual(b) ? 0 : a.lexicographicallyPrecedes(b) ? -1 : 1
    }

    /// The right value takes the left one's kind. nil: no order.
    private static func order(_ a: PlainValue, _ b: PlainValue) -> Int? {
        switch (a, b) {
        case (.uuid(let a), .uuid(let b)): return order(Array(a.uuidString.utf8), Array(b.uuidString.utf8))
        case (.data(let a), .data(let b)): return order(Array(a), Array(b))
        case (.uuid, .text(let text)): return UUID(uuidString: text.text).flatMap { order(a, .uuid($0)) }
        case (.text(let text), .uuid): return UUID(uuidString: text.text).flatMap { order(.uuid($0), b) }
        case (.text, .text), (.text, .whole), (.text, .real), (.text, .decimal), (.text, .link), (.link, .link),
            (.link, .text):
            guard let a = a.asText, let b = b.asText else { return nil }
            return order(Array(a.text.utf8), Array(b.text.utf8))
        case (.whole, .text(let text)), (.real, .text(let text)), (.decimal, .text(let text)):
            let word = text.text.trimmingCharacters(in: .whitespaces)
            if let whole = Int64(word) { return order(a, .whole(whole)) }
            if let real = Double(word), word.last?.isNumber ?? false { return order(a, .real(real)) }
            return nil
        default: break
        }
        if let a = seconds(a), let b = seconds(b) { return numbers(a, b) }
        return nil
    }

    private static func seconds(_ value: PlainValue) -> PlainValue? {
        if case .date(let seconds) = value { return .real(seconds) }
        return value.isNumber ? value : nil
    }

    private static func numbers(_ a: PlainValue, _ b: PlainValue) -> Int? {
        switch (a, b) {
        case (.whole(let a), .whole(let b)): return order(a, b)
        case (.real(let a), .real(let b)): return a.isNaN || b.isNaN ? nil : order(a, b)
        case (.whole(let a), .real(let b)):
            if Double(a) != b { return order(Double(a), b) }
            // Equal once rounded: whichever is larger exactly. 2^63 is no whole number of 64 bits.
            return b == 0x1p63 ? -1 : order(a, Int64(b))
        case (.real, .whole): return numbers(b, a).map { -$0 }
        default:
            guard let x = exact(a), let y = exact(b) else {
                guard let x = a.asReal, let y = b.asReal else { return nil }
                return order(x, y)
            }
            return order(x, y)
        }
    }

    /// A real beside a decimal counts by its shortest text.
    private static func exact(_ value: PlainValue) -> Decimal? {
        switch value {
        case .whole(let value): Decimal(value)
        case .real(let value): value.isFinite ? Decimal(string: "\(value)").flatMap { $0.isNaN ? nil : $0 } : nil
        case .decimal(let value): value
        default: nil
        }
    }
}
