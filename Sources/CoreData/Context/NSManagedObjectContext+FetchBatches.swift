extension NSManagedObjectContext {
    /// More lists than this are not kept: the objects of earlier ones are read one by one.
    private static let maximumBatchLists = 16

    /// Whether a fetch makes objects without rows that are read a batch at a time.
    func readsInBatches(_ prepared: PreparedFetch) -> Bool {
        let facts = prepared.facts
        guard facts.fetchBatchSize > 0, facts.includesPropertyValues, facts.returnsObjectsAsFaults,
            stalenessInterval < 0
        else { return false }
        // Those few rows are read at once; and merging several stores needs all values.
        if facts.fetchLimit > 0, facts.fetchLimit <= facts.fetchBatchSize { return false }
        return prepared.stores.count == 1 || prepared.plan.sort.isEmpty
    }

    /// Keeps the keys of a result, so that its rows can be read in batches.
    func keep(_ keys: [ObjectKey], of store: NSPersistentStore, _ prepared: PreparedFetch) {
        guard !keys.isEmpty else { return }
        fetchBatches.removeAll { $0.isDone || $0.link.store == nil }
        if fetchBatches.count >= Self.maximumBatchLists { fetchBatches.removeFirst() }
        fetchBatches.append(
            FetchBatch(
                keys, store.link, rootOrdinal: prepared.plan.entity.slotLayout.rootOrdinal,
                size: prepared.facts.fetchBatchSize,
                prefetched: prepared.facts.relationshipKeyPathsForPrefetching ?? []))
    }

    /// Reads the rows of the batch that an object is in.
    ///
    /// - Returns: the object's row; nil if it is in no batch, or its record is gone.
    func readBatch(of object: NSManagedObject) throws -> Row? {
        guard let link = object.storeLink, let engine = link.store?.engine else { return nil }
        for list in fetchBatches.reversed() where list.link === link && list.rootOrdinal == object.layout.rootOrdinal {
            guard let keys = list.takeBatch(with: object.key) else { continue }
            var own: Row?
            var members: [NSManagedObject] = []
            for row in try engine.rows(for: Array(keys)) {
                guard let member = identityMap.tables(of: link)?[row.layout.rootOrdinal, row.primaryKey],
                    fits(row, member)
                else { continue }
                if member === object { own = row }
                if member.row == nil, member.state.contains(.fault) { member.row = row }
                if !list.prefetched.isEmpty { members.append(member) }
            }
            if list.isDone { fetchBatches.removeAll { $0 === list } }
            if !members.isEmpty { try prefetch(list.prefetched, of: members) }
            return own
        }
        return nil
    }
}
