import CoreDataSQLite
import Foundation

// Batch deletes.
extension SQLiteStore {
    func batchDelete(_ plan: BatchDeletePlan) throws -> BatchDeleteOutcome {
        let entities = try selectedEntities(plan.selection)
        guard !entities.isEmpty else {
            try requireWritable()
            return BatchDeleteOutcome(count: 0, keys: [])
        }
        let rules = BatchDeletionRules(schema, deleting: entities)
        // Files may go only when no power loss can bring their rows back.
        let hasFiles =
            externalStorage != nil && rules.entities.contains { $0.layout.slots.contains(where: \.isExternal) }
        let result = try write(durable: hasFiles) { connection, _ in
            try BatchDeletion(self, connection, plan, rules).run()
        } afterCommit: { result, connection in
            if !result.emptied.isEmpty { rowCache.invalidateAll(roots: result.emptied) }
            if !result.touched.isEmpty { rowCache.invalidate(result.touched) }
            invalidateTriggered()
            for name in result.externalNames { externalStorage?.remove(named: name) }
            reclaimFreePages(connection)
        }
        return result.outcome
    }

    /// The entities of the rows that a request itself means.
    private func selectedEntities(_ selection: BatchDeletePlan.Selection) throws -> [SQLEntity] {
        switch selection {
        case .plan(let plan):
            guard let entity = schema.entity(plan.entity) else {
                throw SQLRequestError.refused("The store holds no entity \(plan.entity.name ?? "").")
            }
            guard plan.includesSubentities else { return [entity] }
            return [entity] + members(of: entity).filter { $0.ordinal != entity.ordinal }
        case .keys(let keys):
            guard let first = keys.first, let entity = schema.entity(ordinal: first.entity),
                let root = schema.entity(ordinal: entity.table.rootOrdinal)
            else { return [] }
            for key in keys where schema.entity(ordinal: key.entity)?.table !== entity.table {
                throw SQLRequestError.refused(
                    "A batch delete takes ids of one entity; two hierarchies are among these.")
            }
            // Keys may name a superentity of what is stored.
            return members(of: root)
        }
    }

    private func members(of entity: SQLEntity) -> [SQLEntity] {
        entity.numbers.compactMap { number in
            schema.ordinal(number: Int64(number)).flatMap { schema.entity(ordinal: $0) }
        }
    }
}
