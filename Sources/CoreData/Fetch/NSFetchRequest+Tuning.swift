import Foundation

extension NSFetchRequest {
    /// Key paths of relationships whose objects are read along with the result, each relationship in one go where the store can do
    /// it, so that following them needs no further reading.
    public final var relationshipKeyPathsForPrefetching: [String]? {
        get { facts.relationshipKeyPathsForPrefetching }
        set { facts.relationshipKeyPathsForPrefetching = newValue }
    }

    /// How many rows Apple's framework reads at a time while its Objective-C array is walked. A Swift array holds all its objects, so
    /// here the rows of the whole result are read at once, packed in the row cache, whatever this says. The result is the same.
    public final var fetchBatchSize: Int {
        get { facts.fetchBatchSize }
        set { facts.fetchBatchSize = newValue }
    }

    /// Whether objects that are loaded already should take over what the fetch read. As on Apple's systems it has no such effect:
    /// use `refresh(_:mergeChanges:)`.
    public final var shouldRefreshRefetchedObjects: Bool {
        get { facts.shouldRefreshRefetchedObjects }
        set { facts.shouldRefreshRefetchedObjects = newValue }
    }
}
