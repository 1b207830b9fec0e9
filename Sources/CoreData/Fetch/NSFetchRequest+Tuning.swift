import Foundation

extension NSFetchRequest {
    /// Key paths of relationships whose objects are read along with the result, each relationship in one go where the store can do
    /// it, so that following them needs no further reading.
    public final var relationshipKeyPathsForPrefetching: [String]? {
        get { facts.relationshipKeyPathsForPrefetching }
        set { facts.relationshipKeyPathsForPrefetching = newValue }
    }
}
