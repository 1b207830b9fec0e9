import CoreDataSQLite
import Foundation

// Whole entities, several at once.
extension BatchDeletion {
    /// Selects all rows of the selected entities, in however many tables they stand.
    func selectEntities() throws {
        let selected = Set(rules.selected.map(\.ordinal))
        for table in rules.selectedTables {
            let members = schema.entitiesInOrder.filter { $0.table === table }
            // There are no rows of an abstract entity.
            if members.allSatisfy({ selected.contains($0.ordinal) || $0.entity.isAbstract }) {
                doomed[table.rootOrdinal] = Doomed(
                    table: table, keys: "SELECT Z_PK FROM \(table.sql)", isWholeTable: true)
                continue
            }
            let numbers = members.filter { selected.contains($0.ordinal) }.map { String($0.number) }
            let name = try makeTemporaryTable(table)
            try connection.execute(
                "INSERT INTO \(name) SELECT Z_PK FROM \(table.sql) WHERE Z_ENT IN (\(numbers.joined(separator: ", ")))")
            result.outcome.count += Int(connection.changes)
        }
    }

    /// A cascade that reaches a row of an entity that is to be kept stops the request.
    func checkKeptEntities() throws {
        for entity in plan.kept.compactMap(schema.entity) {
            guard let doomed = doomed[entity.table.rootOrdinal] else { continue }
            let sql =
                "SELECT 1 FROM \(entity.table.sql) WHERE Z_ENT = \(entity.number) AND Z_PK IN (\(doomed.keys)) LIMIT 1"
            guard try connection.int64(sql) != nil else { continue }
            let relationship = try rules.cascades.first { try reaches(entity, by: $0) }?.relationship
            throw StoreError.make(
                NSPersistentStoreSaveConflictsError,
                "Nothing was deleted: \(entity.entity.name ?? "") is to be kept, and the cascade rule of "
                    + "\(relationship?.declaringEntity?.name ?? "")/\(relationship?.name ?? "") would delete records of it.",
                url: store.url)
        }
    }

    /// Whether a cascade leads from a row that goes to one of the entity.
    private func reaches(_ entity: SQLEntity, by cascade: BatchDeletionRules.Cascade) throws -> Bool {
        guard cascade.to === entity.table, doomed[cascade.from.rootOrdinal] != nil else { return false }
        let origin = keys(cascade.from)
        let way =
            switch cascade.way {
            case .key(let column): "m.\(column.sql) IN (\(origin))"
            case .ownKey(let column):
                "m.Z_PK IN (SELECT \(column.sql) FROM \(cascade.from.sql) WHERE Z_PK IN (\(origin)))"
            case .join(let link):
                "m.Z_PK IN (SELECT \(link.member.sql) FROM \(link.table.sql) WHERE \(link.owner.sql) IN (\(origin)))"
            }
        let sql = "SELECT 1 FROM \(entity.table.sql) m WHERE m.Z_ENT = \(entity.number) AND \(way) LIMIT 1"
        return try connection.int64(sql) != nil
    }

    /// How many rows each entity of the store has, by ordinal.
    func rowCounts() throws -> [Int32: Int] {
        var counts: [Int32: Int] = [:]
        for entity in schema.entitiesInOrder { counts[entity.ordinal] = 0 }
        for table in schema.tables {
            let sql =
                table.isShared
                ? "SELECT COUNT(*), Z_ENT FROM \(table.sql) GROUP BY Z_ENT"
                : "SELECT COUNT(*), NULL FROM \(table.sql)"
            try connection.withCached(sql) { statement in
                try statement.forEachRow { row in
                    let ordinal = table.isShared ? schema.ordinal(number: row.int64(1)) : table.rootOrdinal
                    if let ordinal { counts[ordinal] = Int(row.int64(0)) }
                }
            }
        }
        return counts
    }
}
