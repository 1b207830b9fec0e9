import Foundation

extension NSManagedObjectContext {
    // MARK: Fetching

    /// The records that a request describes, in its order and form.
    ///
    /// Pending changes are processed first and laid over the result: the window of limit and offset is that of the saved records,
    /// then unsaved changes are folded in and the limit is applied again.
    ///
    /// - Throws: `NSError` in `NSCocoaErrorDomain`: 134070 if the coordinator has no stores, or a store was reset or replaced by
    ///   somebody; errors of the store for a predicate or sort order that it cannot carry out.
    /// - Precondition: the entity is one of the coordinator's model, and the result type fits `T`.
    public nonisolated final func fetch<T: NSFetchRequestResult>(_ request: NSFetchRequest<T>) throws -> [T] {
        let result = try executeFetch(request.facts, request.affectedStores)
        requireType(T.self, result, request.facts)
        // One word an element on both sides, checked above: the array is handed over without touching its elements.
        return unsafeBitCast(result, to: [T].self)
    }

    /// The records that a request describes; see the typed form.
    public nonisolated final func fetch(_ request: NSFetchRequest<NSFetchRequestResult>) throws -> [Any] {
        try executeFetch(request.facts, request.affectedStores)
    }

    /// How many records a fetch of the request would return.
    ///
    /// - Throws: as `fetch`.
    public nonisolated final func count<T: NSFetchRequestResult>(for request: NSFetchRequest<T>) throws -> Int {
        processPendingChanges()
        return try count(prepare(request.facts, request.affectedStores))
    }

    /// Sends a request to the stores at once. It is neither part of the context's changes nor announced.
    ///
    /// - Returns: for an `NSBatchDeleteRequest` an `NSBatchDeleteResult`.
    /// - Throws: `NSError` in `NSCocoaErrorDomain`: 134091 for a request that cannot be executed this way (fetch requests go to
    ///   `fetch`, saves to `save`); errors of the store.
    @discardableResult
    public func execute(_ request: NSPersistentStoreRequest) throws -> NSPersistentStoreResult {
        if let request = request as? NSBatchDeleteRequest { return try executeBatchDelete(request) }
        throw NSError(
            domain: NSCocoaErrorDomain, code: NSPersistentStoreUnsupportedRequestTypeError,
            userInfo: [
                NSLocalizedFailureReasonErrorKey:
                    "execute(_:) cannot execute a \(type(of: request)): fetch requests go to fetch(_:), saves to save()."
            ])
    }

    // MARK: Results by type

    func executeFetch(_ facts: FetchRequestFacts, _ stores: [NSPersistentStore]?) throws -> [AnyObject] {
        processPendingChanges()
        let prepared = try prepare(facts, stores)
        switch facts.resultType {
        case .managedObjectIDResultType: return try fetchIDs(prepared)
        case .dictionaryResultType: return try fetchDictionaries(prepared)
        case .countResultType: return [NSNumber(value: try count(prepared))]
        // One word an element on both sides; the cast of an array looks at each element.
        default: return unsafeBitCast(try fetchObjects(prepared), to: [AnyObject].self)
        }
    }

    /// Stops the program where elements are not of the class that the caller's array promises. O(n), a comparison an element.
    private func requireType<T>(_ wanted: T.Type, _ result: [AnyObject], _ facts: FetchRequestFacts) {
        // `NSFetchRequestResult` itself: any object will do.
        if wanted == AnyObject.self { return }
        var known: AnyClass?
        for element in result {
            let type: AnyClass = type(of: element)
            if type == known { continue }
            guard type is T.Type else {
                contextMisuse(
                    "fetch: the result of entity '\(facts.entityName ?? "")' holds objects of class \(type), the request promises "
                        + "\(wanted)")
            }
            known = type
        }
    }

    // MARK: Objects

    private func fetchObjects(_ prepared: PreparedFetch) throws -> [NSManagedObject] {
        sweepIfDue()
        var prepared = prepared
        var result: [NSManagedObject] = []
        let offset = prepared.plan.offset
        let isMerged = prepared.stores.count > 1
        if isMerged {
            // Each store gives what the window may need; the window itself is cut from the merged order.
            if prepared.plan.limit > 0 { prepared.plan.limit += offset }
            prepared.plan.offset = 0
        }
        for store in prepared.stores { try appendObjects(of: store, prepared, to: &result) }
        if isMerged {
            if !prepared.plan.sort.isEmpty { result = sorted(result, by: prepared.plan.sort) }
            if offset > 0 { result.removeFirst(min(offset, result.count)) }
            let limit = prepared.facts.fetchLimit
            if limit > 0, result.count > limit { result.removeLast(result.count - limit) }
        }
        if prepared.facts.includesPendingChanges { overlayPendingChanges(on: &result, prepared) }
        if !prepared.facts.returnsObjectsAsFaults { try fireTogether(result) }
        if let paths = prepared.facts.relationshipKeyPathsForPrefetching, !paths.isEmpty {
            try prefetch(paths, of: result)
        }
        return result
    }

    private func appendObjects(
        of store: NSPersistentStore, _ prepared: PreparedFetch, to result: inout [NSManagedObject]
    ) throws {
        guard let engine = store.engine else { return }
        let index = prepared.index
        let tables = identityMap.makeTables(of: store.link, entityCount: index.entityCount)
        var plan = prepared.plan
        guard prepared.facts.includesPropertyValues else {
            plan.shape = .keys
            for key in try engine.fetchKeys(plan) { result.append(register(key, tables)) }
            return
        }
        plan.shape = .rows
        // Taken out of the parameter while the closure fills it.
        var objects = result
        result = []
        try engine.fetchRows(plan) { rows in
            for row in rows { objects.append(register(row, tables, index)) }
        }
        result = objects
    }

    /// A stable sort by descriptors, in memory.
    func sorted(_ objects: [NSManagedObject], by descriptors: [NSSortDescriptor]) -> [NSManagedObject] {
        // Swift's sort is stable.
        objects.sorted { precedes($0, $1, descriptors) }
    }

    func precedes(_ left: NSManagedObject, _ right: NSManagedObject, _ descriptors: [NSSortDescriptor]) -> Bool {
        for descriptor in descriptors {
            switch descriptor.compare(left, to: right) {
            case .orderedAscending: return true
            case .orderedDescending: return false
            case .orderedSame: continue
            }
        }
        return false
    }

    // MARK: Ids, counts, dictionaries

    private func fetchIDs(_ prepared: PreparedFetch) throws -> [NSManagedObjectID] {
        if prepared.stores.count > 1, !prepared.plan.sort.isEmpty || prepared.plan.limit > 0 || prepared.plan.offset > 0
        {
            return try fetchObjects(prepared).map(\.objectID)
        }
        var keys = try fetchKeys(prepared)
        var added: [NSManagedObject] = []
        if prepared.facts.includesPendingChanges { added = overlayPendingChanges(on: &keys, prepared) }
        var ids: [NSManagedObjectID] = []
        ids.reserveCapacity(keys.count + added.count)
        for (key, link) in keys { ids.append(id(of: key, link, prepared.index)) }
        for object in added { ids.append(object.objectID) }
        let limit = prepared.plan.limit
        return limit > 0 && ids.count > limit ? Array(ids.prefix(limit)) : ids
    }

    func id(of key: ObjectKey, _ link: StoreLink, _ index: ModelIndex) -> NSManagedObjectID {
        NSManagedObjectID(key: key, entity: index.layout(key.entity)?.entity ?? NSEntityDescription(), storeLink: link)
    }

    private func fetchKeys(_ prepared: PreparedFetch) throws -> [(key: ObjectKey, link: StoreLink)] {
        var plan = prepared.plan
        plan.shape = .keys
        var keys: [(key: ObjectKey, link: StoreLink)] = []
        for store in prepared.stores {
            guard let engine = store.engine else { continue }
            for key in try engine.fetchKeys(plan) { keys.append((key, store.link)) }
        }
        return keys
    }

    private func count(_ prepared: PreparedFetch) throws -> Int {
        let hasWindow = prepared.plan.limit > 0 || prepared.plan.offset > 0
        if prepared.facts.includesPendingChanges, !pendingObjects(in: prepared).isEmpty {
            return try fetchIDs(prepared).count
        }
        var plan = prepared.plan
        plan.shape = .count
        plan.sort = []
        guard prepared.stores.count > 1, hasWindow else {
            return try prepared.stores.reduce(0) { try $0 + ($1.engine?.count(plan) ?? 0) }
        }
        plan.limit = 0
        plan.offset = 0
        let all = try prepared.stores.reduce(0) { try $0 + ($1.engine?.count(plan) ?? 0) }
        let rest = max(all - prepared.plan.offset, 0)
        return prepared.plan.limit > 0 ? min(rest, prepared.plan.limit) : rest
    }

    private func fetchDictionaries(_ prepared: PreparedFetch) throws -> [NSDictionary] {
        var plan = prepared.plan
        plan.shape = try dictionaryShape(prepared.facts, plan.entity)
        var result: [NSDictionary] = []
        for store in prepared.stores {
            guard let engine = store.engine else { continue }
            for row in try engine.fetchDictionaries(plan) {
                result.append(
                    NSDictionary(
                        dictionary: row.mapValues { value in
                            (value as? ObjectKey).map { id(of: $0, store.link, prepared.index) } ?? value
                        }))
            }
        }
        guard prepared.stores.count > 1 else { return result }
        if !plan.sort.isEmpty {
            result = result.sorted { left, right in
                for descriptor in plan.sort {
                    switch descriptor.compare(left, to: right) {
                    case .orderedAscending: return true
                    case .orderedDescending: return false
                    case .orderedSame: continue
                    }
                }
                return false
            }
        }
        return plan.limit > 0 ? Array(result.prefix(plan.limit)) : result
    }
}
