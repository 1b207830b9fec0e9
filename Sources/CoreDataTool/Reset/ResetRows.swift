import CoreDataReset

/// The records of one entity, those of entities below it not counted.
struct ResetRows {
    let entity: String
    let before: Int64
    let after: Int64
}

extension StoreSnapshot {
    /// What the library reports, in the order of the store's entities.
    func rows(in report: ResetReport) -> [ResetRows] {
        let known = Dictionary(report.stores.flatMap(\.rows).map { ($0.entity, $0) }) { first, _ in first }
        return entities.map { entity in
            guard let row = known[entity.name] else {
                return ResetRows(entity: entity.name, before: entity.rows, after: entity.rows)
            }
            return ResetRows(entity: entity.name, before: Int64(row.before), after: Int64(row.after))
        }
    }
}

extension [ResetRows] {
    var deleted: Int64 { reduce(0) { $0 + $1.before - $1.after } }
}
