import Foundation

/// A property whose value is the result of a fetch request. It is neither stored nor part of the version hash.
///
/// The request's predicate may name the object (`$FETCH_SOURCE`) and this property (`$FETCHED_PROPERTY`).
///
/// Unchecked `Sendable` for the reason given at ``NSPropertyDescription``.
open class NSFetchedPropertyDescription: NSPropertyDescription, @unchecked Sendable {
    /// The request whose result is the property's value. Once the model is in use this is a copy, so that no change of it
    /// changes the model.
    open var fetchRequest: NSFetchRequest<NSFetchRequestResult>? {
        get { isFrozen ? storedRequest?.resolvedCopy(in: declaringEntity?.owningModel) : storedRequest }
        set {
            requireMutable("fetchRequest")
            storedRequest = newValue
        }
    }
    private final var storedRequest: NSFetchRequest<NSFetchRequestResult>?

    /// The request as it is kept: by its entity's name once the model is in use.
    final var keptRequest: NSFetchRequest<NSFetchRequestResult>? { storedRequest }

    /// Keeps the request by its entity's name, so that an entity that holds this property does not hold itself through it.
    final func freezeRequest() {
        storedRequest = storedRequest?.copyByName()
    }

    /// A fetched property without a request. Fetched properties are always transient.
    public override init() {
        super.init()
        isTransient = true
    }

    /// A changeable copy that belongs to no entity, with a request for the entity of the same name.
    open override func copy(with zone: NSZone? = nil) -> Any {
        let copy = NSFetchedPropertyDescription()
        copyDefinition(to: copy)
        copy.storedRequest = storedRequest?.copyByName()
        return copy
    }
}

extension NSFetchRequest where ResultType == NSFetchRequestResult {
    /// A copy that names its entity instead of holding it.
    final func copyByName() -> NSFetchRequest<NSFetchRequestResult> {
        let facts = FetchRequestFacts(copying: facts)
        if let name = facts.entityName { facts.subject = .name(name) }
        return NSFetchRequest(facts: facts)
    }

    /// A copy for the entity of its name in a model.
    final func resolvedCopy(in model: NSManagedObjectModel?) -> NSFetchRequest<NSFetchRequestResult> {
        let facts = FetchRequestFacts(copying: facts)
        if let name = facts.entityName, let entity = model?.entitiesByName[name] { facts.subject = .entity(entity) }
        return NSFetchRequest(facts: facts)
    }
}
