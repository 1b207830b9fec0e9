import Foundation

/// What a predicate is, whoever made it.
package enum PredicateForm {
    case comparison(NSComparisonPredicate)
    case compound(NSCompoundPredicate.LogicalType, [NSPredicate])
    /// `TRUEPREDICATE`, `FALSEPREDICATE`, `NSPredicate(value:)`.
    case constant(Bool)
    /// A closure, or a client's own subclass: only the predicate itself can evaluate it; no store can.
    case opaque
}

extension NSPredicate {
    /// What this predicate is. An empty AND is true and an empty OR is false, as Apple documents.
    package var form: PredicateForm {
        switch self {
        case let comparison as NSComparisonPredicate:
            return .comparison(comparison)
        case let compound as NSCompoundPredicate:
            return .compound(compound.compoundPredicateType, compound.subpredicates)
        default:
            // Foundation compares its constants by value; a block equals neither of them.
            guard Swift.type(of: self) == NSPredicate.self else { return .opaque }
            if isEqual(NSPredicate(value: true)) { return .constant(true) }
            if isEqual(NSPredicate(value: false)) { return .constant(false) }
            return .opaque
        }
    }
}
