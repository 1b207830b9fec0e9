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
        try count(request.facts, request.affectedStores)
    }

    /// Sends a request to the stores at once. It is neither part of the context's changes nor announced.
    ///
    /// - Returns: for an `NSBatchDeleteRequest` an `NSBatchDeleteResult`; for an `NSAsynchronousFetchRequest`, at once, the
    ///   `NSAsynchronousFetchResult` that will have the result.
    /// - Throws: `NSError` in `NSCocoaErrorDomain`: 134091 for a request that cannot be executed this way (fetch requests go to
    ///   `fetch`, saves to `save`); errors of the store.
    @discardableResult
    public func execute(_ request: NSPersistentStoreRequest) throws -> NSPersistentStoreResult {
        if let request = request as? NSBatchDeleteRequest { return try executeBatchDelete(request) }
        if let request = request as? any AsynchronousFetch { return try request.start(in: self) }
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
        return try executeFetch(prepare(facts, stores))
    }

    func executeFetch(_ prepared: PreparedFetch) throws -> [AnyObject] {
        switch prepared.facts.resultType {
        case .managedObjectIDResultType: return try fetchIDs(prepared)
        case .dictionaryResultType: return try fetchDictionaries(prepared)
        case .countResultType: return [NSNumber(value: try count(prepared))]
        // One word an element on both sides; the cast of an array looks at each element.
        default: return unsafeBitCast(try fetchObjects(prepared), to: [AnyObject].self)
        }
    }

    /// Stops the program where elements are not of the class that the caller's array promises. O(n), a comparison an element.
    func requireType<T>(_ wanted: T.Type, _ result: [AnyObject], _ facts: FetchRequestFacts) {
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

    func count(_ facts: FetchRequestFacts, _ stores: [NSPersistentStore]?) throws -> Int {
        processPendingChanges()
        return try count(prepare(facts, stores))
    }

    // MARK: Objects

    /// - Parameter rows: the rows that were read already, one list a store.
    func fetchObjects(_ prepared: PreparedFetch, rows: [ContiguousArray<Row>]? = nil) throws -> [NSManagedObject] {
        sweepIfDue()
        var result: [NSManagedObject] = []
        if let rows {
            for (rows, store) in zip(rows, prepared.stores) { register(rows, of: store, prepared, into: &result) }
        } else if readsRows(prepared) {
            for store in prepared.stores { try fetchRows(of: store, prepared, into: &result) }
        } else {
            result = try fetchByKey(prepared)
        }
        if prepared.facts.includesPendingChanges { overlayPendingChanges(on: &result, prepared) }
        if !prepared.facts.returnsObjectsAsFaults { try fireTogether(result) }
        if let paths = prepared.facts.relationshipKeyPathsForPrefetching, !paths.isEmpty, !readsInBatches(prepared) {
            try prefetch(paths, of: result)
        }
        return result
    }

    /// Whether the rows that each store gives, one store after the other, are the result.
    func readsRows(_ prepared: PreparedFetch) -> Bool {
        guard prepared.facts.includesPropertyValues, !readsInBatches(prepared) else { return false }
        return prepared.stores.count <= 1 || prepared.plan.sort.isEmpty && !prepared.plan.hasWindow
    }

    private func register(
        _ rows: ContiguousArray<Row>, of store: NSPersistentStore, _ prepared: PreparedFetch,
        into result: inout [NSManagedObject]
    ) {
        let tables = identityMap.makeTables(of: store.link, entityCount: prepared.index.entityCount)
        for row in rows { result.append(register(row, tables, prepared.index)) }
    }

    private func fetchRows(
        of store: NSPersistentStore, _ prepared: PreparedFetch, into result: inout [NSManagedObject]
    ) throws {
        // Taken out of the parameter while the closure fills it.
        var objects = result
        result = []
        try store.engine?.fetchRows(prepared.plan) { register($0, of: store, prepared, into: &objects) }
        result = objects
    }

    /// The objects of the keys that the stores give together: of several stores the order and the window are those of the whole.
    private func fetchByKey(_ prepared: PreparedFetch) throws -> [NSManagedObject] {
        dropUnusedBatches()
        let keys = try fetchKeys(prepared)
        let result = keys.map { object(for: $0.key, in: $0.link) }
        if readsInBatches(prepared) {
            keep(keys, prepared)
        } else if prepared.facts.includesPropertyValues {
            try readTogether(result.lazy.filter { $0.row == nil }) { $0.row = $1 }
        }
        return result
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
}
