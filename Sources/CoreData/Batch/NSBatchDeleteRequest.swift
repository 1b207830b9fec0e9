import Foundation

/// What a batch delete returns.
public enum NSBatchDeleteRequestResultType: UInt, Sendable {
    /// `true` (`Bool`).
    case resultTypeStatusOnly = 0
    /// The ids of the deleted objects (`[NSManagedObjectID]`).
    case resultTypeObjectIDs = 1
    /// How many objects were deleted (`Int`).
    case resultTypeCount = 2
}

/// Deletes records in the stores by SQL, without loading objects.
///
///     let old = NSFetchRequest<NSFetchRequestResult>(entityName: "Event")
///     old.predicate = NSPredicate(format: "date < %@", limit)
///     let request = NSBatchDeleteRequest(fetchRequest: old)
///     request.resultType = .resultTypeObjectIDs
///     let result = try context.execute(request) as? NSBatchDeleteResult
///
/// The request commits by itself. Delete rules are carried out in SQL; validation, life-cycle hooks and notifications are not.
/// Contexts learn of it only by a merge (`NSManagedObjectContext.mergeChanges(fromRemoteContextSave:into:)`).
open class NSBatchDeleteRequest: NSPersistentStoreRequest, @unchecked Sendable {
    /// The ids to delete, nil for a request made from a fetch request.
    let objectIDs: [NSManagedObjectID]?
    private let selection: NSFetchRequest<NSFetchRequestResult>

    /// A request that deletes what a fetch request selects; its predicate, sort, limit, offset and `includesSubentities` count.
    public init(fetchRequest fetch: NSFetchRequest<NSFetchRequestResult>) {
        selection = Self.copied(fetch)
        objectIDs = nil
        super.init()
    }

    /// A request that deletes the objects of these permanent ids, which are of one entity.
    public init(objectIDs objects: [NSManagedObjectID]) {
        let fetch = NSFetchRequest<NSFetchRequestResult>()
        fetch.entity = objects.first?.entity
        selection = fetch
        objectIDs = objects
        super.init()
    }

    private init(copying other: NSBatchDeleteRequest) {
        selection = Self.copied(other.selection)
        objectIDs = other.objectIDs
        resultType = other.resultType
        super.init()
        affectedStores = other.affectedStores
    }

    /// A copy of the fetch request that tells which records go.
    open var fetchRequest: NSFetchRequest<NSFetchRequestResult> { Self.copied(selection) }

    /// What the request is to return; `.resultTypeStatusOnly` unless set.
    open var resultType: NSBatchDeleteRequestResultType = .resultTypeStatusOnly

    open override var requestType: NSPersistentStoreRequestType { .batchDeleteRequestType }

    open override func copy(with zone: NSZone? = nil) -> Any { NSBatchDeleteRequest(copying: self) }

    /// The facts of the selection, without copying it.
    var facts: FetchRequestFacts { selection.facts }

    private static func copied(_ fetch: NSFetchRequest<NSFetchRequestResult>) -> NSFetchRequest<NSFetchRequestResult> {
        let copy = NSFetchRequest<NSFetchRequestResult>(facts: FetchRequestFacts(copying: fetch.facts))
        copy.affectedStores = fetch.affectedStores
        return copy
    }
}
