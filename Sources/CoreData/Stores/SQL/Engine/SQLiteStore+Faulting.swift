import CoreDataSQLite
import Foundation

// Rows by key and over relationships.
extension SQLiteStore {
    func rows(for keys: [ObjectKey]) throws -> ContiguousArray<Row> {
        var rows = ContiguousArray<Row>()
        rows.reserveCapacity(keys.count)
        if keys.count == 1 {
            if let row = try row(for: keys[0]) { rows.append(row) }
            return rows
        }
        guard !keys.isEmpty else { return rows }
        try read { connection, snapshot in
            // Neighbours are mostly of one entity: one statement is taken for the whole run.
            var start = 0
            while start < keys.count {
                var end = start + 1
                while end < keys.count, keys[end].entity == keys[start].entity { end += 1 }
                try read(keys[start..<end], connection, snapshot, into: &rows)
                start = end
            }
            rowCache.admit(&rows)
        }
        return rows
    }

    /// Whether a record alone could be read, and its row if there is one.
    private enum Found {
        case row(Row)
        case nothing
    }

    /// The row of one key: what a fault that fires by itself asks for.
    private func row(for key: ObjectKey) throws -> Row? {
        guard !key.isTemporary, let entity = schema.branch(ordinal: key.entity) else { return nil }
        let plan = rowPlans.reading(entity)
        let alone = try readAlone { connection, snapshot -> Found? in
            let statement = try connection.numbered(Int(entity.ordinal), plan.selectByKey)
            defer { statement.reset() }
            let before = statement.preparationCount
            try statement.bind(key.number, at: 1)
            let isFound = try statement.step()
            // The schema was changed by somebody: whether this is still the same store must be looked at first.
            guard statement.preparationCount == before else { return nil }
            guard isFound, let row = try plan.rowIfMember(statement.handle, commit: snapshot) else { return .nothing }
            return .row(row)
        }
        switch alone {
        case .row(let row)?: return rowCache.admit(row)
        case .nothing?: return nil
        case nil:
            var rows = ContiguousArray<Row>()
            try read { connection, snapshot in try read([key], connection, snapshot, into: &rows) }
            return rows.first.map(rowCache.admit)
        }
    }

    private func read(
        _ keys: ArraySlice<ObjectKey>, _ connection: SQLiteConnection, _ snapshot: UInt64,
        into rows: inout ContiguousArray<Row>
    ) throws {
        guard let first = keys.first, let entity = schema.branch(ordinal: first.entity) else { return }
        let plan = rowPlans.reading(entity)
        let statement = try connection.cached(plan.selectByKey)
        defer { statement.reset() }
        for key in keys where !key.isTemporary {
            try statement.bind(key.number, at: 1)
            if try statement.step(), let row = try plan.rowIfMember(statement.handle, commit: snapshot) {
                rows.append(row)
            }
            statement.reset()
        }
    }

    func relatedKeys(_ relationship: NSRelationshipDescription, of owner: ObjectKey) throws -> [ObjectKey] {
        var keys: [ObjectKey] = []
        guard !owner.isTemporary, let members = try toMany(relationship, of: owner.entity),
            let destination = relationship.destinationEntity.flatMap(schema.branch)
        else { return keys }
        let plan = rowPlans.reading(destination)
        let sql = members.selectMembers(plan.selection)
        try read { connection, snapshot in
            try connection.withCached(sql) { statement in
                try statement.bind(owner.number, at: 1)
                guard case .join = members else {
                    return try receiveRows(statement, plan, snapshot) { keys.append(contentsOf: $0.lazy.map(\.key)) }
                }
                var rows = ContiguousArray<Row>()
                let memberColumn = plan.columns.count
                while try statement.step() {
                    if statement.isNull(0) {
                        if statement.isNull(memberColumn) { continue }
                        keys.append(ObjectKey(number: statement.int64(memberColumn), entity: destination.ordinal))
                    } else {
                        let row = try plan.row(statement.handle, commit: snapshot)
                        keys.append(row.key)
                        rows.append(row)
                    }
                }
                rowCache.admit(&rows)
            }
        }
        return keys
    }

    /// How the members of an entity's relationship are found; nil for one that is not stored.
    func toMany(_ relationship: NSRelationshipDescription, of ordinal: Int32) throws -> SQLToMany? {
        guard let entity = schema.entity(ordinal: ordinal),
            case .toMany(let index)? = entity.layout.entry(named: relationship.name)?.place
        else {
            throw SQLRequestError.refused("The store has no to-many relationship \(relationship.name) of that record.")
        }
        return entity.toMany[index]
    }

    func exists(_ key: ObjectKey) throws -> Bool {
        guard !key.isTemporary, let entity = schema.branch(ordinal: key.entity) else { return false }
        var sql = "SELECT 1 FROM \(entity.table.sql) WHERE Z_PK = ?1"
        if entity.table.isShared {
            sql += " AND Z_ENT IN (\(entity.numbers.map(String.init).joined(separator: ", ")))"
        }
        return try read { connection, _ in
            try connection.withCached(sql) { statement in
                try statement.bind(key.number, at: 1)
                return try statement.step()
            }
        }
    }
}

extension SQLToMany {
    /// Selects the members of the owner in `?1`, in stored order where there is one. Their table is `t0`; from a join table the
    /// member's key follows, and there need not be a member.
    func selectMembers(_ selection: String) -> String {
        switch self {
        case .foreignKey(let link):
            let order = link.order.map { " ORDER BY t0.\($0.sql)" } ?? ""
            return "SELECT \(selection) FROM \(link.table.sql) t0 WHERE t0.\(link.key.sql) = ?1\(order)"
        case .join(let link):
            let order = link.memberOrder.map { " ORDER BY j.\($0.sql)" } ?? ""
            return "SELECT \(selection), j.\(link.member.sql) FROM \(link.table.sql) j LEFT JOIN \(link.members.sql) t0"
                + " ON t0.Z_PK = j.\(link.member.sql) WHERE j.\(link.owner.sql) = ?1\(order)"
        }
    }
}
