extension NSManagedObjectContext {
    /// More lists than this are not kept: the objects of earlier ones are read one by one.
    private static let maximumBatchLists = 16

    /// Whether a fetch makes objects without rows that are read a batch at a time.
    func readsInBatches(_ prepared: PreparedFetch) -> Bool {
        let facts = prepared.facts
        guard facts.fetchBatchSize > 0, facts.includesPropertyValues, facts.returnsObjectsAsFaults,
            stalenessInterval < 0
        else { return false }
        // Those few rows are read at once.
        return facts.fetchLimit <= 0 || facts.fetchLimit > facts.fetchBatchSize
    }

    /// Forgets the lists of results that nobody has any more. To be called before their objects are fetched again.
    func dropUnusedBatches() {
        fetchBatches.removeAll { list in
            list.isDone || list.link.store == nil || !list.isUsed(in: identityMap.tables(of: list.link))
        }
    }

    /// Keeps the keys of a result, so that its rows can be read in batches: one list a store.
    func keep(_ keys: [(key: ObjectKey, link: StoreLink)], _ prepared: PreparedFetch) {
        for store in prepared.stores {
            let own =
                prepared.stores.count == 1
                ? ContiguousArray(keys.lazy.map(\.key))
                : ContiguousArray(keys.lazy.filter { $0.link === store.link }.map(\.key))
            if own.isEmpty { continue }
            if fetchBatches.count >= Self.maximumBatchLists { fetchBatches.removeFirst() }
            fetchBatches.append(
                FetchBatch(
                    own, store.link, rootOrdinal: prepared.plan.entity.slotLayout.rootOrdinal,
                    size: prepared.facts.fetchBatchSize,
                    prefetched: prepared.facts.relationshipKeyPathsForPrefetching ?? []))
        }
    }

    /// Reads the rows of the batch that an object is in, and lets go of those of an earlier one.
    ///
    /// - Returns: the object's row; nil if it is in no batch, or its record is gone.
    func readBatch(of object: NSManagedObject) throws -> Row? {
        guard let link = object.storeLink, let engine = link.store?.engine else { return nil }
        for list in fetchBatches.reversed() where list.link === link && list.rootOrdinal == object.layout.rootOrdinal {
            guard let keys = list.takeBatch(with: object.key) else { continue }
            var own: Row?
            var members: [NSManagedObject] = []
            for row in try engine.rows(for: keys) {
                guard let member = identityMap.tables(of: link)?[row.layout.rootOrdinal, row.primaryKey],
                    fits(row, member)
                else { continue }
                if member === object { own = row }
                if member.row == nil, member.state.contains(.fault) { member.row = row }
                if !list.prefetched.isEmpty { members.append(member) }
            }
            if list.isDone { fetchBatches.removeAll { $0 === list } }
            if !members.isEmpty { try prefetch(list.prefetched, of: members) }
            if let old = list.takeOldBatch() { letGo(of: old, list) }
            return own
        }
        return nil
    }

    /// Makes faults of the unchanged objects that only a fetch's result has. On Apple's platforms an array of results holds no
    /// object that nobody uses; a Swift array does, but without the row it is small.
    private func letGo(of keys: [ObjectKey], _ list: FetchBatch) {
        guard let tables = identityMap.tables(of: list.link) else { return }
        for key in keys where tables.holders(list.rootOrdinal, key.number) == 1 {
            guard let object = tables[list.rootOrdinal, key.number],
                object.state.isDisjoint(with: .pending), object.state.isDisjoint(with: [.firing, .untracked]),
                object.state.isDisjoint(with: .inert)
            else { continue }
            object.turnIntoFault()
        }
    }
}
