import Foundation

/// The row plans of a store, made when first needed.
final class SQLRowPlans: @unchecked Sendable {
    private let schema: SQLSchema
    private let lock = NSLock()
    /// By model ordinal.
    private var plans: ContiguousArray<SQLRowPlan?>
    private var writePlans: ContiguousArray<SQLWritePlan?>

    init(_ schema: SQLSchema) {
        self.schema = schema
        plans = ContiguousArray(repeating: nil, count: schema.entities.count)
        writePlans = ContiguousArray(repeating: nil, count: schema.entities.count)
    }

    /// How rows of the entity and those below it are read.
    func reading(_ entity: SQLEntity) -> SQLRowPlan {
        lock.withLock {
            let index = Int(entity.ordinal)
            if let plan = plans[index] { return plan }
            let plan = SQLRowPlan(schema, entity)
            plans[index] = plan
            return plan
        }
    }

    /// How rows of just this entity are written.
    func writing(_ entity: SQLEntity) -> SQLWritePlan {
        lock.withLock {
            let index = Int(entity.ordinal)
            if let plan = writePlans[index] { return plan }
            let plan = SQLWritePlan(schema, entity)
            writePlans[index] = plan
            return plan
        }
    }
}
