import Foundation

extension NSManagedObjectContext {
    /// Deletes in the stores at once; objects of contexts stay as they are until the deletion is merged.
    ///
    /// - Throws: `NSError` in `NSCocoaErrorDomain`: 134050 where a required relationship would lose its object, naming both; 134060
    ///   for ids of several entities; 134070 for ids of removed stores; 513 for a read-only store, and then nothing is
    ///   deleted anywhere. Each store deletes all or nothing; if some of several stores fail, 134040 with those under
    ///   `NSAffectedStoresErrorKey` and their errors under `NSDetailedErrorsKey`.
    func executeBatchDelete(_ request: NSBatchDeleteRequest) throws -> NSPersistentStoreResult {
        var count = 0
        var ids: [NSManagedObjectID] = []
        let wantsIDs = request.resultType == .resultTypeObjectIDs
        guard let index else {
            contextMisuse("A batch delete was executed in a context that has no persistent store coordinator")
        }
        let selections = try selections(of: request)
        var failures: [(store: NSPersistentStore, error: any Error)] = []
        for (store, selection) in selections {
            guard let engine = store.engine else { continue }
            do {
                let outcome = try engine.batchDelete(
                    BatchDeletePlan(
                        selection: selection(count), wantsKeys: wantsIDs, author: transactionAuthor, contextName: name))
                count += outcome.count
                guard wantsIDs else { continue }
                ids.reserveCapacity(ids.count + outcome.keys.count)
                for key in outcome.keys { ids.append(id(of: key, store.link, index)) }
            } catch {
                if selections.count == 1 { throw error }
                failures.append((store, error))
            }
        }
        if !failures.isEmpty {
            throw StackError.make(
                NSPersistentStoreIncompleteSaveError,
                "A batch delete failed in \(failures.count) of \(selections.count) stores.", url: nil,
                [
                    NSAffectedStoresErrorKey: failures.map(\.store),
                    NSDetailedErrorsKey: failures.map { $0.error as NSError },
                ])
        }
        let result: Any
        switch request.resultType {
        case .resultTypeStatusOnly: result = true
        case .resultTypeObjectIDs: result = ids
        case .resultTypeCount: result = count
        }
        return NSBatchDeleteResult(result: result, resultType: request.resultType)
    }

    /// The stores in question with what to delete there, given how many records were deleted in the stores before.
    private func selections(
        of request: NSBatchDeleteRequest
    ) throws -> [(NSPersistentStore, (Int) -> BatchDeletePlan.Selection)] {
        if let ids = request.objectIDs { return try selections(ids, request.affectedStores) }
        let prepared = try prepare(request.facts, request.affectedStores ?? request.fetchRequest.affectedStores)
        for store in prepared.stores where store.isReadOnly { throw readOnly(store) }
        let plan = prepared.plan
        if prepared.stores.count > 1, plan.offset > 0 || plan.limit > 0 {
            return try windowed(prepared)
        }
        return prepared.stores.map { ($0, { _ in .plan(plan) }) }
    }

    /// A window over several stores passes over the records of the first ones first.
    private func windowed(
        _ prepared: PreparedFetch
    ) throws -> [(NSPersistentStore, (Int) -> BatchDeletePlan.Selection)] {
        var offset = prepared.plan.offset
        var result: [(NSPersistentStore, (Int) -> BatchDeletePlan.Selection)] = []
        for store in prepared.stores {
            guard let engine = store.engine else { continue }
            var all = prepared.plan
            all.limit = 0
            all.offset = 0
            all.shape = .count
            let matching = try engine.count(all)
            var plan = prepared.plan
            plan.offset = min(offset, matching)
            offset -= plan.offset
            let limit = plan.limit
            if plan.offset == matching { continue }
            result.append(
                (
                    store,
                    { deleted in
                        guard limit > 0 else { return .plan(plan) }
                        if deleted >= limit { return .keys([]) }
                        var plan = plan
                        plan.limit = limit - deleted
                        return .plan(plan)
                    }
                ))
        }
        return result
    }

    private func selections(
        _ ids: [NSManagedObjectID], _ affected: [NSPersistentStore]?
    ) throws -> [(NSPersistentStore, (Int) -> BatchDeletePlan.Selection)] {
        var groups: [(store: NSPersistentStore, keys: [ObjectKey])] = []
        var root: Int32?
        for id in ids where !id.isTemporaryID {
            guard let index, let (key, link) = localize(id), let store = link?.store else { throw unreachableStore(id) }
            let ownRoot = index.root(key.entity)
            guard root ?? ownRoot == ownRoot else {
                throw NSError(
                    domain: NSCocoaErrorDomain, code: NSCoreDataError,
                    userInfo: [
                        NSLocalizedFailureReasonErrorKey:
                            "A batch delete was given ids of several entities; '\(id.entity.name ?? "")' is one too many."
                    ])
            }
            root = ownRoot
            if let affected, !affected.contains(where: { $0 === store }) { continue }
            if let place = groups.firstIndex(where: { $0.store === store }) {
                groups[place].keys.append(key)
            } else {
                groups.append((store, [key]))
            }
        }
        for group in groups where group.store.isReadOnly { throw readOnly(group.store) }
        return groups.map { group in (group.store, { _ in .keys(group.keys) }) }
    }
}
