import Foundation

extension _KeySortInitializable where Self: NSSortDescriptor {
    /// The order of Foundation's `SortDescriptor`, in the form that fetch requests take.
    ///
    ///     request.sortDescriptors = [NSSortDescriptor(SortDescriptor(\Person.name, order: .reverse))]
    ///
    /// A text for which no comparator was named is ordered by `localizedStandardCompare:`, as on Apple's platforms; `.lexical` means
    /// `compare:`.
    ///
    /// - Precondition: its key path is registered; see ``KeyPathNames``.
    public init<Compared: NSObject>(_ sortDescriptor: SortDescriptor<Compared>) {
        // Foundation's other descriptors, made from a key as text, are on Apple's platforms only.
        guard let keyPath = sortDescriptor.keyPath else {
            programmerError("NSSortDescriptor(SortDescriptor): \(sortDescriptor) has no key path")
        }
        let isOfText = [String.self, String?.self].contains { $0 == type(of: keyPath).valueType }
        let order: SortOrder = isOfText && sortDescriptor.stringComparator != .lexical ? .localizedStandard : .compare
        self = Self(
            key: KeyPathNames.require(keyPath, "NSSortDescriptor(SortDescriptor)"),
            ascending: sortDescriptor.order == .forward, selector: Selector(order.rawValue))
    }
}
