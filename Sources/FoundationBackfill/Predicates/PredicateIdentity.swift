import Foundation

/// Something that a predicate compares by what it stands for.
///
/// A managed object and its object id stand for the same record: both answer with the id, so that `parent == %@` holds
/// for either.
package protocol PredicateComparable {
    /// Equal for values that a predicate should hold to be the same.
    var predicateIdentity: AnyHashable { get }
}
