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
        let hasFiles = rules.entities.contains { !$0.layout.externalSlots.isEmpty }
        guard hasFiles, let storage = externalStorage else { return try delete(plan, rules, nil) }
        do {
            return try storage.alone(timeout: options.timeout) { try delete(plan, rules, storage) }
        } catch {
            throw StoreError.translated(error, .write, url: url)
        }
    }

    /// - Parameter storage: where the rows may have external files; nobody else brings or removes files there now.
    private func delete(
        _ plan: BatchDeletePlan, _ rules: BatchDeletionRules, _ storage: ExternalStorage?
    ) throws -> BatchDeleteOutcome {
        var removal: ExternalRemoval?
        do {
            // Files may go only when no power loss can bring their rows back.
            let result = try write(durable: storage != nil) { connection, _ in
                let result = try BatchDeletion(self, connection, plan, rules).run()
                removal = try storage?.promiseRemoval(of: result.externalNames)
                return result
            } afterCommit: { result, connection in
                if !result.emptied.isEmpty { rowCache.invalidateAll(roots: result.emptied) }
                if !result.touched.isEmpty { rowCache.invalidate(result.touched) }
                invalidateTriggered()
                reclaimFreePages(connection, share: 5)
            }
            removal?.carryOut()
            return result.outcome
        } catch {
            removal?.withdraw(after: error)
            throw error
        }
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
            guard let first = keys.first, let entity = schema.branch(ordinal: first.entity),
                let root = schema.family(entity.table)
            else { return [] }
            for key in keys where schema.branch(ordinal: key.entity)?.table !== entity.table {
                throw SQLRequestError.refused(
                    "A batch delete takes ids of one entity; two hierarchies are among these.")
            }
            // Keys may name a superentity of what is stored.
            return members(of: root)
        case .entities(let entities):
            return try entities.map { description in
                guard let entity = schema.entity(description) else {
                    throw SQLRequestError.refused("The store holds no entity \(description.name ?? "").")
                }
                return entity
            }
        }
    }

    private func members(of entity: SQLEntity) -> [SQLEntity] {
        entity.numbers.compactMap { number in
            schema.ordinal(number: Int64(number)).flatMap { schema.entity(ordinal: $0) }
        }
    }
}
