import Foundation

/// What lets an initialiser of `NSSortDescriptor` return our subclass.
public protocol _KeySortInitializable {}

extension NSSortDescriptor: _KeySortInitializable {}

extension _KeySortInitializable where Self: NSSortDescriptor {
    /// Sorts by the value for a key path; a nil key compares the objects themselves. Nil comes first when ascending.
    public init(key: String?, ascending: Bool) {
        self = Self.keyed(key, ascending: ascending, order: .compare)
    }

    /// Sorts by the value for a key path with one of the comparisons `compare:`, `caseInsensitiveCompare:`,
    /// `localizedCompare:`, `localizedCaseInsensitiveCompare:`, `localizedStandardCompare:`. Any other stops the program.
    public init(key: String?, ascending: Bool, selector: Selector?) {
        guard let order = selector.map({ SortOrder(rawValue: $0.name) }) ?? .compare else {
            programmerError("NSSortDescriptor(key: \(key ?? "nil")): no comparison is called \(selector?.name ?? "")")
        }
        self = Self.keyed(key, ascending: ascending, order: order)
    }

    /// Sorts by the value for a key path with a comparison of its own, which no store can carry out.
    public init(key: String?, ascending: Bool, comparator: @escaping Comparator) {
        self = Self.keyed(key, ascending: ascending, order: .compare, comparator: comparator)
    }

    /// Sorts by a property whose type has no order of its own in Swift, such as an optional: by its value as ``init(key:ascending:)``
    /// does. (Foundation's own initialiser takes the others.)
    ///
    ///     NSSortDescriptor(keyPath: \Person.name, ascending: true)
    ///
    /// - Precondition: the key path is registered; see ``KeyPathNames``.
    public init<Root, Value>(keyPath: KeyPath<Root, Value>, ascending: Bool) {
        let key = KeyPathNames.require(keyPath, "NSSortDescriptor(keyPath:ascending:)")
        self = Self.keyed(key, ascending: ascending, order: .compare)
    }

    private static func keyed(
        _ key: String?, ascending: Bool, order: SortOrder, comparator: Comparator? = nil
    ) -> Self {
        let made = KeySortDescriptor(key: key, ascending: ascending, order: order, comparator: comparator)
        guard let result = made as? Self else {
            programmerError("\(Self.self)(key:ascending:): subclasses cannot be made by key")
        }
        return result
    }
}

extension NSSortDescriptor {
    /// The key path sorted by; nil for the object itself, or for a Swift key path whose name is not known.
    public var key: String? {
        if let keyed = self as? KeySortDescriptor { return keyed.sortKey }
        return KeyPathNames.name(of: keyPath)
    }

    /// Stops the program for a Swift key path whose name is not known, in a call that cannot do without.
    package func requireKey(_ call: String) {
        if !(self is KeySortDescriptor) { _ = KeyPathNames.require(keyPath, call) }
    }

    /// The comparison's name; nil with a comparator.
    public var selector: Selector? {
        sortOrder.map { Selector($0.rawValue) }
    }

    /// The comparison; nil with a comparator of the client's.
    package var sortOrder: SortOrder? {
        guard let keyed = self as? KeySortDescriptor else { return .compare }
        return keyed.customComparator == nil ? keyed.order : nil
    }
}

/// The comparisons that a sort descriptor may name.
package enum SortOrder: String, Sendable {
    case compare = "compare:"
    case caseInsensitive = "caseInsensitiveCompare:"
    case localized = "localizedCompare:"
    case localizedCaseInsensitive = "localizedCaseInsensitiveCompare:"
    /// As file managers sort: numbers in the text by value.
    case localizedStandard = "localizedStandardCompare:"

    /// The order of two texts. SQL collations call it, so that memory and store agree.
    package func compare(_ a: String, _ b: String) -> ComparisonResult {
        switch self {
        case .compare: StringFolding.compare(a, b)
        case .caseInsensitive: StringFolding.compare(a, b, options: .caseInsensitive)
        case .localized: a.localizedCompare(b)
        case .localizedCaseInsensitive: a.localizedCaseInsensitiveCompare(b)
        case .localizedStandard: a.localizedStandardCompare(b)
        }
    }

    /// The order of two values: nil first, then by value; values that have no order are the same.
    package func compare(_ a: ComparableValue, _ b: ComparableValue) -> ComparisonResult {
        if case .text(let a) = a, case .text(let b) = b { return compare(a, b) }
        switch (a.isNull, b.isNull) {
        case (true, true): return .orderedSame
        case (true, false): return .orderedAscending
        case (false, true): return .orderedDescending
        case (false, false): return a.compare(to: b) ?? .orderedSame
        }
    }
}

/// Sorts by a key path given as a text.
final class KeySortDescriptor: NSSortDescriptor {
    let sortKey: String?
    let order: SortOrder
    let customComparator: Comparator?

    init(key: String?, ascending: Bool, order: SortOrder, comparator: Comparator?) {
        sortKey = key
        self.order = order
        customComparator = comparator
        super.init(keyPath: \Unread.value, ascending: ascending, comparator: { _, _ in .orderedSame })
    }

    /// What Foundation's initialiser wants a key path of; it is never read.
    private struct Unread {
        let value = 0
    }

    override var comparator: Comparator {
        if let customComparator { return customComparator }
        let order = order
        return { order.compare(ComparableValue($0), ComparableValue($1)) }
    }

    override func compare(_ object1: Any, to object2: Any) -> ComparisonResult {
        let a = value(object1)
        let b = value(object2)
        let result =
            customComparator.map { $0(a ?? NSNull(), b ?? NSNull()) }
            ?? order.compare(ComparableValue(a), ComparableValue(b))
        return ascending ? result : result.reversed
    }

    private func value(_ object: Any) -> Any? {
        guard let sortKey else { return object }
        return KeyPathReader.value(of: object, keyPath: sortKey)
    }

    override var reversedSortDescriptor: Any {
        KeySortDescriptor(key: sortKey, ascending: !ascending, order: order, comparator: customComparator)
    }

    override func copy(with zone: NSZone? = nil) -> Any { self }

    override func copy() -> Any { self }

    /// What archives call it.
    override var classForCoder: AnyClass { NSSortDescriptor.self }

    override var description: String {
        "(\(sortKey ?? "self"), \(ascending ? "ascending" : "descending"), \(order.rawValue))"
    }

    override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? KeySortDescriptor else { return false }
        guard customComparator == nil, other.customComparator == nil else { return self === other }
        return sortKey == other.sortKey && ascending == other.ascending && order == other.order
    }

    override var hash: Int { sortKey.hashValue ^ (ascending ? 1 : 0) }
}
