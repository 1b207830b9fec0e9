import Foundation

/// What `NSFetchRequest.resultType` may hold.
public struct NSFetchRequestResultType: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// Managed objects.
    public static var managedObjectResultType: NSFetchRequestResultType { NSFetchRequestResultType(rawValue: 0) }
    /// Object ids; no object is registered with the context.
    public static var managedObjectIDResultType: NSFetchRequestResultType { NSFetchRequestResultType(rawValue: 1) }
    /// Dictionaries of property values as they are saved.
    public static var dictionaryResultType: NSFetchRequestResultType { NSFetchRequestResultType(rawValue: 2) }
    /// One number: how many records match.
    public static var countResultType: NSFetchRequestResultType { NSFetchRequestResultType(rawValue: 4) }
}

/// What a fetch request asks for, without its result type: the engine's view, the same for every `ResultType`.
final class FetchRequestFacts {
    enum Subject {
        case none
        case name(String)
        case entity(NSEntityDescription)
    }

    var subject = Subject.none
    var predicate: NSPredicate?
    var sortDescriptors: [NSSortDescriptor]?
    var fetchLimit = 0
    var fetchOffset = 0
    var fetchBatchSize = 0
    var resultType: NSFetchRequestResultType = .managedObjectResultType
    var includesSubentities = true
    var includesPropertyValues = true
    var includesPendingChanges = true
    var returnsObjectsAsFaults = true
    var returnsDistinctResults = false
    var shouldRefreshRefetchedObjects = false
    var relationshipKeyPathsForPrefetching: [String]?
    var propertiesToFetch: [Any]?
    var propertiesToGroupBy: [Any]?
    var havingPredicate: NSPredicate?

    init() {}

    init(copying other: FetchRequestFacts) {
        subject = other.subject
        predicate = other.predicate
        sortDescriptors = other.sortDescriptors
        fetchLimit = other.fetchLimit
        fetchOffset = other.fetchOffset
        fetchBatchSize = other.fetchBatchSize
        resultType = other.resultType
        includesSubentities = other.includesSubentities
        includesPropertyValues = other.includesPropertyValues
        includesPendingChanges = other.includesPendingChanges
        returnsObjectsAsFaults = other.returnsObjectsAsFaults
        returnsDistinctResults = other.returnsDistinctResults
        shouldRefreshRefetchedObjects = other.shouldRefreshRefetchedObjects
        relationshipKeyPathsForPrefetching = other.relationshipKeyPathsForPrefetching
        propertiesToFetch = other.propertiesToFetch
        propertiesToGroupBy = other.propertiesToGroupBy
        havingPredicate = other.havingPredicate
    }

    var entityName: String? {
        switch subject {
        case .none: nil
        case .name(let name): name
        case .entity(let entity): entity.name
        }
    }
}

/// Describes which records are wanted, in which order and in which form.
///
///     let request = NSFetchRequest<Person>(entityName: "Person")
///     request.predicate = NSPredicate(format: "age >= %d", 18)
///     request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
///     let adults = try context.fetch(request)
open class NSFetchRequest<ResultType: NSFetchRequestResult>: NSPersistentStoreRequest, @unchecked Sendable {
    let facts: FetchRequestFacts

    public override init() {
        facts = FetchRequestFacts()
        super.init()
    }

    /// A request for an entity by name; the name is looked up in the model of the context that executes it.
    public convenience init(entityName: String) {
        self.init()
        facts.subject = .name(entityName)
    }

    init(facts: FetchRequestFacts) {
        self.facts = facts
        super.init()
    }

    open override var requestType: NSPersistentStoreRequestType { .fetchRequestType }

    open override func copy(with zone: NSZone? = nil) -> Any {
        let copy = NSFetchRequest<ResultType>(facts: FetchRequestFacts(copying: facts))
        copy.affectedStores = affectedStores
        return copy
    }

    /// The entity. A request made with a name has none until a context executed it: reading it earlier is a programmer's error.
    open var entity: NSEntityDescription? {
        get {
            switch facts.subject {
            case .none: return nil
            case .entity(let entity): return entity
            case .name(let name):
                fatalError(
                    "This fetch request was created with a string name (\(name)), and cannot respond to -entity until used by an NSManagedObjectContext"
                )
            }
        }
        set { facts.subject = newValue.map { .entity($0) } ?? .none }
    }

    open var entityName: String? { facts.entityName }

    /// nil, or a compound predicate of no parts, selects every record.
    open var predicate: NSPredicate? {
        get { facts.predicate }
        set {
            if let compound = newValue as? NSCompoundPredicate, compound.compoundPredicateType == .and,
                compound.subpredicates.isEmpty
            {
                facts.predicate = nil
            } else {
                facts.predicate = newValue
            }
        }
    }

    /// nil or empty: no order is promised.
    ///
    /// - Precondition: key paths of managed objects are registered; see `KeyPathNames`.
    open var sortDescriptors: [NSSortDescriptor]? {
        get { facts.sortDescriptors }
        set {
            newValue?.forEach { $0.requireKey("NSFetchRequest.sortDescriptors") }
            facts.sortDescriptors = newValue
        }
    }

    /// The most records to return; 0: no limit.
    open var fetchLimit: Int {
        get { facts.fetchLimit }
        set { facts.fetchLimit = newValue }
    }

    /// How many matching records to pass over.
    open var fetchOffset: Int {
        get { facts.fetchOffset }
        set { facts.fetchOffset = newValue }
    }

    open var resultType: NSFetchRequestResultType {
        get { facts.resultType }
        set { facts.resultType = newValue }
    }

    open var includesSubentities: Bool {
        get { facts.includesSubentities }
        set { facts.includesSubentities = newValue }
    }

    /// false: only ids are read; the objects are faults whose rows are not cached.
    open var includesPropertyValues: Bool {
        get { facts.includesPropertyValues }
        set { facts.includesPropertyValues = newValue }
    }

    /// Whether unsaved changes of the context count. Dictionary results never show them.
    open var includesPendingChanges: Bool {
        get { facts.includesPendingChanges }
        set { facts.includesPendingChanges = newValue }
    }

    open var returnsObjectsAsFaults: Bool {
        get { facts.returnsObjectsAsFaults }
        set { facts.returnsObjectsAsFaults = newValue }
    }

    /// Drops equal dictionaries; needs the dictionary result type and `propertiesToFetch`.
    open var returnsDistinctResults: Bool {
        get { facts.returnsDistinctResults }
        set { facts.returnsDistinctResults = newValue }
    }

    /// The columns of dictionary results: property descriptions, names, key paths over to-one relationships, or
    /// `NSExpressionDescription`s; nil: every attribute. Results of other types are whole whatever this says.
    open var propertiesToFetch: [Any]? {
        get { facts.propertiesToFetch }
        set {
            for case let relationship as NSRelationshipDescription in newValue ?? [] where relationship.isToMany {
                fatalError(
                    "Invalid to-many relationship in setPropertiesToFetch: (\(relationship.name)): a column holds one value"
                )
            }
            facts.propertiesToFetch = newValue
        }
    }

    /// Executes the request in the context whose `perform` block this thread runs.
    open func execute() throws -> [ResultType] {
        guard let context = NSManagedObjectContext.current else {
            fatalError("NSFetchRequest.execute() must be called inside a block of a managed object context")
        }
        return try context.fetch(self)
    }
}
