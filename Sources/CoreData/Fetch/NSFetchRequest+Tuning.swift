import Foundation

extension NSFetchRequest {
    /// Key paths of relationships whose objects are read along with the result, each relationship in one go where the store can do
    /// it, so that following them needs no further reading.
    public final var relationshipKeyPathsForPrefetching: [String]? {
        get { facts.relationshipKeyPathsForPrefetching }
        set { facts.relationshipKeyPathsForPrefetching = newValue }
    }

    /// How many rows are read at a time; 0: all at once. With a batch size the fetch itself reads keys only. The rows of a batch are
    /// read together when a value of one of its objects is first needed.
    ///
    /// The result is a Swift array, which holds all its objects, but not their rows: of the unchanged objects that nothing else
    /// holds, those of earlier batches become faults again once about a thousand rows of later ones have been read. Whoever keeps
    /// such an object, in an array of his own for one, keeps its values.
    ///
    /// The batch size has no effect on other results than objects, nor with `returnsObjectsAsFaults` or `includesPropertyValues`
    /// false.
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
