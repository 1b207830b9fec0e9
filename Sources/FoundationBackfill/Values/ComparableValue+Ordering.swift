import Foundation

extension ComparableValue {
    /// Whether two values are the same to a predicate; nil equals nil.
    package func isEqual(to other: ComparableValue) -> Bool {
        switch (self, other) {
        case (.null, .null): return true
        case (.null, _), (_, .null): return false
        case (.text(let a), .text(let b)): return a.utf8.elementsEqual(b.utf8)
        case (.data(let a), .data(let b)): return a == b
        case (.identity(let a), .identity(let b)): return a == b
        case (.object(let a), .object(let b)): return a === b || a.isEqual(b)
        case (.collection(let a, let aUnordered), .collection(let b, let bUnordered)):
            return Self.areEqual(a, b, inAnyOrder: aUnordered || bUnordered)
        case (.other(let a), .other(let b)):
            guard let a = a as? AnyHashable, let b = b as? AnyHashable else { return false }
            return a == b
        default: return compare(to: other) == .orderedSame
        }
    }

    private static func areEqual(_ a: [Any], _ b: [Any], inAnyOrder: Bool) -> Bool {
        guard a.count == b.count else { return false }
        let a = a.map { ComparableValue($0) }
        var b = b.map { ComparableValue($0) }
        guard inAnyOrder else { return zip(a, b).allSatisfy { $0.isEqual(to: $1) } }
        for value in a {
            guard let index = b.firstIndex(where: { value.isEqual(to: $0) }) else { return false }
            b.swapAt(index, b.count - 1)
            b.removeLast()
        }
        return true
    }

    /// The order of two values, nil if they have none (different kinds, nil, not a number).
    package func compare(to other: ComparableValue) -> ComparisonResult? {
        switch (self, other) {
        case (.integer(let a), .integer(let b)): return Self.order(a, b)
        case (.real(let a), .real(let b)), (.date(let a), .date(let b)), (.real(let a), .date(let b)),
            (.date(let a), .real(let b)):
            return a.isNaN || b.isNaN ? nil : Self.order(a, b)
        case (.integer(let a), .real(let b)), (.integer(let a), .date(let b)): return Self.order(integer: a, b)
        case (.real(let a), .integer(let b)), (.date(let a), .integer(let b)):
            return Self.order(integer: b, a)?.reversed
        case (.decimal(let a), .decimal(let b)): return Self.order(a, b)
        case (.decimal(let a), .integer(let b)): return Self.order(a, Decimal(b))
        case (.integer(let a), .decimal(let b)): return Self.order(Decimal(a), b)
        case (.decimal(let a), .real(let b)), (.decimal(let a), .date(let b)): return Self.order(decimal: a, b)
        case (.real(let a), .decimal(let b)), (.date(let a), .decimal(let b)):
            return Self.order(decimal: b, a)?.reversed
        case (.text(let a), .text(let b)), (.url(let a), .url(let b)): return Self.order(text: a, b)
        case (.uuid(let a), .uuid(let b)): return Self.order(text: a.uuidString, b.uuidString)
        case (.data(let a), .data(let b)): return Self.order(bytes: a, b)
        case (.text(let a), .integer), (.text(let a), .real), (.text(let a), .decimal), (.text(let a), .url):
            return other.text.map { Self.order(text: a, $0) }
        case (.url(let a), .text(let b)): return Self.order(text: a, b)
        case (.text(let a), .uuid(let b)):
            return UUID(uuidString: a).map { Self.order(text: $0.uuidString, b.uuidString) }
        case (.uuid(let a), .text(let b)):
            return UUID(uuidString: b).map { Self.order(text: a.uuidString, $0.uuidString) }
        case (.integer, .text(let b)), (.real, .text(let b)), (.decimal, .text(let b)):
            return Self.number(comparedWith: b).flatMap(compare)
        default: return nil
        }
    }

    private static func order<Value: Comparable>(_ a: Value, _ b: Value) -> ComparisonResult {
        a < b ? .orderedAscending : (b < a ? .orderedDescending : .orderedSame)
    }

    /// By code point, which is the order of the bytes of UTF-8.
    private static func order(text a: String, _ b: String) -> ComparisonResult {
        var a = a.utf8.makeIterator()
        var b = b.utf8.makeIterator()
        while true {
            switch (a.next(), b.next()) {
            case (nil, nil): return .orderedSame
            case (nil, _): return .orderedAscending
            case (_, nil): return .orderedDescending
            case (let x?, let y?): if x != y { return x < y ? .orderedAscending : .orderedDescending }
            }
        }
    }

    private static func order(bytes a: Data, _ b: Data) -> ComparisonResult {
        if a.lexicographicallyPrecedes(b) { return .orderedAscending }
        return a == b ? .orderedSame : .orderedDescending
    }

    /// Exactly: a real of more than 53 bits is not rounded to the whole number next to it.
    private static func order(integer a: Int64, _ b: Double) -> ComparisonResult? {
        if b.isNaN { return nil }
        if b >= 0x1p63 { return .orderedAscending }
        if b < -0x1p63 { return .orderedDescending }
        let whole = Int64(b.rounded(.towardZero))
        return a == whole ? order(0, b - Double(whole)) : order(a, whole)
    }

    private static func order(decimal a: Decimal, _ b: Double) -> ComparisonResult? {
        guard b.isFinite, let decimal = Decimal(string: "\(b)"), decimal.isFinite else {
            return b.isNaN ? nil : order(NSDecimalNumber(decimal: a).doubleValue, b)
        }
        return order(a, decimal)
    }
}

extension ComparisonResult {
    var reversed: ComparisonResult {
        switch self {
        case .orderedAscending: .orderedDescending
        case .orderedDescending: .orderedAscending
        case .orderedSame: .orderedSame
        }
    }
}
