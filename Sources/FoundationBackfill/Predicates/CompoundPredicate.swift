import Foundation

/// The compound predicate that the parser and substitution make: Foundation's, with text, equality and copying added.
///
/// Foundation's own (made with `NSCompoundPredicate(andPredicateWithSubpredicates:)` and the like) evaluates rightly, but
/// on Linux it prints as `FALSEPREDICATE`, equals every other one and turns into a constant when copied. Code that prints,
/// compares or keeps predicates goes through `NSPredicate.formatText`, `NSPredicate.isSame(as:)` and plain references.
final class CompoundPredicate: NSCompoundPredicate {
    override var predicateFormat: String { formatText }

    override var description: String { formatText }

    override var hash: Int { structuralHash }

    override func isEqual(_ object: Any?) -> Bool {
        (object as? NSPredicate).map(isSame) ?? false
    }

    override func copy(with zone: NSZone? = nil) -> Any { self }

    override func copy() -> Any { self }

    /// What archives call it.
    override var classForCoder: AnyClass { NSCompoundPredicate.self }
}

extension NSPredicate {
    /// A compound predicate that prints, compares and copies as it should.
    package static func compound(
        _ type: NSCompoundPredicate.LogicalType, _ members: [NSPredicate]
    ) -> NSCompoundPredicate {
        CompoundPredicate(type: type, subpredicates: members)
    }
}
