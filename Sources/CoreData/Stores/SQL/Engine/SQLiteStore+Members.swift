import CoreDataSQLite
import Foundation

// The members of many owners at once.
extension SQLiteStore {
    private static let memberChunkSize = 256

    func relatedRows(
        _ relationship: NSRelationshipDescription, of owners: [ObjectKey],
        _ receive: (_ owner: Int64, _ member: ObjectKey, _ row: Row?) throws -> Void
    ) throws {
        let numbers = ContiguousArray(owners.lazy.filter { !$0.isTemporary }.map(\.number))
        guard !numbers.isEmpty, let members = try toMany(relationship, of: owners[0].entity),
            let destination = relationship.destinationEntity.flatMap(schema.branch)
        else { return }
        let plan = rowPlans.reading(destination)
        let request = FetchCompiler.Statement(
            sql: members.selectMembersOfMany(plan.selection), values: [.list(SQLValueList(keys: numbers))])
        // Behind the member's own columns.
        let ownerColumn = plan.columns.count
        let memberColumn = ownerColumn + 1
        try read { connection, snapshot in
            try connection.run(request) { statement in
                var chunk = ContiguousArray<Row>()
                var pairs: [(owner: Int64, member: ObjectKey, row: Int?)] = []
                func handOver() throws {
                    rowCache.admit(&chunk)
                    for pair in pairs { try receive(pair.owner, pair.member, pair.row.map { chunk[$0] }) }
                    chunk.removeAll(keepingCapacity: true)
                    pairs.removeAll(keepingCapacity: true)
                }
                while try statement.step() {
                    let owner = statement.int64(ownerColumn)
                    if statement.isNull(0) {
                        if statement.isNull(memberColumn) { continue }
                        let key = ObjectKey(number: statement.int64(memberColumn), entity: destination.ordinal)
                        pairs.append((owner, key, nil))
                    } else {
                        let row = try plan.row(statement.handle, commit: snapshot)
                        pairs.append((owner, row.key, chunk.count))
                        chunk.append(row)
                    }
                    if pairs.count == Self.memberChunkSize { try handOver() }
                }
                try handOver()
            }
        }
    }
}

extension SQLToMany {
    /// Selects the members of the owners in the list `?1`, those of one owner in stored order where there is one; behind the
    /// columns of each, which are of `t0`, its owner's key and its own.
    fileprivate func selectMembersOfMany(_ selection: String) -> String {
        switch self {
        case .foreignKey(let link):
            let owner = "t0.\(link.key.sql)"
            let order = link.order.map { " ORDER BY \(owner), t0.\($0.sql)" } ?? ""
            return "SELECT \(selection), \(owner), t0.Z_PK FROM \(link.table.sql) t0"
                + " WHERE \(owner) IN (SELECT value FROM coredata_values(?1))\(order)"
        case .join(let link):
            let owner = "j.\(link.owner.sql)"
            let order = link.memberOrder.map { " ORDER BY \(owner), j.\($0.sql)" } ?? ""
            return "SELECT \(selection), \(owner), j.\(link.member.sql) FROM \(link.table.sql) j"
                + " LEFT JOIN \(link.members.sql) t0 ON t0.Z_PK = j.\(link.member.sql)"
                + " WHERE \(owner) IN (SELECT value FROM coredata_values(?1))\(order)"
        }
    }
}
