import Foundation

/// A fetch request as a context is about to execute it.
struct PreparedFetch {
    let facts: FetchRequestFacts
    var plan: FetchPlan
    /// What pending objects are tried with: the request's predicate, its fetches evaluated.
    let predicate: NSPredicate?
    let stores: [NSPersistentStore]
    let index: ModelIndex
}

extension NSManagedObjectContext {
    /// Analyses a request. Afterwards the request knows its entity.
    ///
    /// - Throws: `NSError` if there is no store to ask, or columns are asked for that no store can show.
    func prepare(_ facts: FetchRequestFacts, _ affectedStores: [NSPersistentStore]?) throws -> PreparedFetch {
        guard let index, let coordinator = persistentStoreCoordinator else {
            contextMisuse("A fetch request was executed in a context that has no persistent store coordinator")
        }
        let entity = entity(of: facts, index)
        facts.subject = .entity(entity)
        var plan = FetchPlan(entity: entity)
        plan.includesSubentities = facts.includesSubentities
        let evaluation = FetchEvaluation(self)
        plan.predicate = try facts.predicate.map { try prepare($0, evaluation) }
        plan.sort = facts.sortDescriptors ?? []
        plan.limit = max(facts.fetchLimit, 0)
        plan.offset = max(facts.fetchOffset, 0)
        guard !coordinator.persistentStores.isEmpty else { throw StackError.noStores("a fetch") }
        var stores = coordinator.stores(holding: entity)
        if let affectedStores { stores = stores.filter { store in affectedStores.contains { $0 === store } } }
        if facts.resultType == .dictionaryResultType {
            var dictionaries = try dictionaryPlan(facts, entity)
            dictionaries.isShared = stores.count > 1
            plan.shape = .dictionaries(dictionaries)
        } else if facts.propertiesToGroupBy?.isEmpty == false || facts.havingPredicate != nil {
            throw SQLRequestError.refused("Invalid fetch request: GROUP BY requires NSDictionaryResultType")
        }
        let predicate = evaluation.isNeeded ? plan.predicate : facts.predicate
        return PreparedFetch(facts: facts, plan: plan, predicate: predicate, stores: stores, index: index)
    }

    static let idsForObjects = PredicateConstants(
        replacement: { value in
            // A cast of a value to a class it has not takes long, and there may be thousands of ids.
            guard type(of: value) is NSManagedObject.Type else { return nil }
            return (value as? NSManagedObject)?.objectID
        }, readsKeyPaths: true)

    /// The predicate as a store is given it: ids for objects, values for fetches.
    private func prepare(_ predicate: NSPredicate, _ evaluation: FetchEvaluation) throws -> NSPredicate {
        var constants = Self.idsForObjects
        constants.fetched = evaluation.value
        let prepared = constants.replaced(in: predicate)
        if let error = evaluation.error { throw error }
        return prepared
    }

    private func entity(of facts: FetchRequestFacts, _ index: ModelIndex) -> NSEntityDescription {
        let name: String
        switch facts.subject {
        case .none: contextMisuse("A fetch request must have an entity.")
        case .entity(let entity):
            if entity.frozenLayout.map(index.owns) ?? false { return entity }
            name = entity.name ?? ""
        case .name(let given): name = given
        }
        guard let entity = index.model.entitiesByName[name] else {
            contextMisuse("NSFetchRequest could not locate an NSEntityDescription for entity name '\(name)'")
        }
        return entity
    }
}
