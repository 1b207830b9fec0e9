import Foundation

/// A fetch request as a context is about to execute it.
struct PreparedFetch {
    let facts: FetchRequestFacts
    var plan: FetchPlan
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
        plan.predicate = facts.predicate.map { Self.idsForObjects.replaced(in: $0) }
        plan.sort = facts.sortDescriptors ?? []
        plan.limit = max(facts.fetchLimit, 0)
        plan.offset = max(facts.fetchOffset, 0)
        guard !coordinator.persistentStores.isEmpty else { throw StackError.noStores("a fetch") }
        var stores = coordinator.stores(holding: entity)
        if let affectedStores { stores = stores.filter { store in affectedStores.contains { $0 === store } } }
        return PreparedFetch(facts: facts, plan: plan, stores: stores, index: index)
    }

    private static let idsForObjects = PredicateConstants(
        replacement: { ($0 as? NSManagedObject)?.objectID }, readsKeyPaths: true)

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

    /// The columns of dictionary results.
    func dictionaryShape(_ facts: FetchRequestFacts, _ entity: NSEntityDescription) throws -> FetchPlan.Shape {
        guard let properties = facts.propertiesToFetch else {
            let attributes = entity.slotLayout.entries.compactMap(\.attribute).filter { !$0.isTransient }
            return .dictionaries(attributes.map { ($0.name, $0) }, distinct: false)
        }
        let columns = try properties.map { property in
            let column = try column(property, entity)
            return (name: column.name, property: column)
        }
        return .dictionaries(columns, distinct: facts.returnsDistinctResults)
    }

    private func column(_ wanted: Any, _ entity: NSEntityDescription) throws -> NSPropertyDescription {
        let name: String
        switch wanted {
        case let text as String: name = text
        case is NSExpressionDescription: throw unsupportedColumn("an expression description", entity)
        case let property as NSPropertyDescription: name = property.name
        default:
            contextMisuse(
                "propertiesToFetch of entity '\(entity.name ?? "")' holds a \(type(of: wanted)): property names and descriptions "
                    + "are allowed")
        }
        guard let property = entity.propertiesByName[name] else {
            if name.contains(".") { throw unsupportedColumn("the key path \(name)", entity) }
            contextMisuse("propertiesToFetch: '\(name)' is no property of entity '\(entity.name ?? "")'")
        }
        if let relationship = property as? NSRelationshipDescription, relationship.isToMany {
            contextMisuse(
                "Invalid to-many relationship in setPropertiesToFetch: (\(name)) of entity '\(entity.name ?? "")': a column holds "
                    + "one value")
        }
        if property is NSFetchedPropertyDescription || property.isTransient {
            contextMisuse("propertiesToFetch: '\(name)' of entity '\(entity.name ?? "")' is not stored")
        }
        return property
    }

    private func unsupportedColumn(_ what: String, _ entity: NSEntityDescription) -> NSError {
        NSError(
            domain: NSCocoaErrorDomain, code: NSCoreDataError,
            userInfo: [
                NSLocalizedFailureReasonErrorKey:
                    "propertiesToFetch of entity '\(entity.name ?? "")' holds \(what), which is not supported yet."
            ])
    }
}
