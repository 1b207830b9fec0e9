import CoreDataSQLite

/// Writes what a save says about to-many relationships: pairs, hidden keys and order keys.
struct ToManyWriter {
    let store: SQLiteStore
    let connection: SQLiteConnection

    init(_ transaction: SaveTransaction) {
        store = transaction.store
        connection = transaction.connection
    }

    /// Everything that goes is taken away first, so that a member may move from one owner to another.
    func write(_ changes: [ChangeSet.ToManyChange]) throws {
        var stored: [(change: ChangeSet.ToManyChange, members: SQLToMany)] = []
        for change in changes {
            if let members = try store.toMany(change.relationship, of: change.owner.entity) {
                stored.append((change, members))
            }
        }
        for (change, members) in stored { try remove(change.removed, from: change.owner, members) }
        for (change, members) in stored { try add(change.added, to: change.owner, members) }
        for (change, members) in stored {
            try writeOrder(change.order, added: change.added, of: change.owner, members)
        }
    }

    // MARK: Members

    private func remove(_ removed: [ObjectKey], from owner: ObjectKey, _ members: SQLToMany) throws {
        if removed.isEmpty { return }
        switch members {
        case .join(let link):
            let sql = "DELETE FROM \(link.table.sql) WHERE \(link.owner.sql) = ?1 AND \(link.member.sql) = ?2"
            for member in removed {
                try run(sql, owner.number, member.number)
                if link.table.isReflexive { try run(sql, member.number, owner.number) }
            }
        case .foreignKey(let link):
            let table = link.table.sql
            let key = link.key.sql
            if link.inverseSlot == nil {
                let sql = "UPDATE \(table) SET \(key) = NULL WHERE Z_PK = ?2 AND \(key) = ?1"
                for member in removed { try run(sql, owner.number, member.number) }
            }
            // A member that has gone to another owner gets its place there.
            if let order = link.order {
                let sql = "UPDATE \(table) SET \(order.sql) = NULL WHERE Z_PK = ?1 AND \(key) IS NULL"
                for member in removed { try run(sql, member.number) }
            }
        }
    }

    private func add(_ added: [ObjectKey], to owner: ObjectKey, _ members: SQLToMany) throws {
        if added.isEmpty { return }
        switch members {
        case .join(let link):
            let sql =
                "INSERT OR IGNORE INTO \(link.table.sql) (\(link.owner.sql), \(link.member.sql)) VALUES (?1, ?2)"
            for member in added {
                try run(sql, owner.number, member.number)
                if link.table.isReflexive { try run(sql, member.number, owner.number) }
            }
            // The other side's list, if that is ordered too, gets the owner at its end.
            if let order = link.ownerOrder, order.name != link.memberOrder?.name {
                let sql =
                    append(order, to: link.member, in: link.table.sql)
                    + " WHERE \(link.owner.sql) = ?1 AND \(link.member.sql) = ?2 AND \(order.sql) IS NULL"
                for member in added { try run(sql, owner.number, member.number) }
            }
        case .foreignKey(let link):
            guard link.inverseSlot == nil else { return }
            let sql = "UPDATE \(link.table.sql) SET \(link.key.sql) = ?1 WHERE Z_PK = ?2"
            for member in added { try run(sql, owner.number, member.number) }
        }
    }

    /// Sets an order key behind those of all rows with the same owner.
    private func append(_ order: SQLColumn, to owner: SQLColumn, in table: String) -> String {
        let last = "SELECT max(o.\(order.sql)) FROM \(table) o WHERE o.\(owner.sql) = \(table).\(owner.sql)"
        return "UPDATE \(table) SET \(order.sql) = "
            + "ifnull((\(last)) + \(OrderKeys.step), \(OrderKeys.first))"
    }

    // MARK: Order

    /// The columns of an ordered relationship.
    private struct OrderedMembers {
        let table: String
        let owner: String
        let member: String
        let order: String
    }

    private func writeOrder(
        _ order: [ObjectKey]?, added: [ObjectKey], of owner: ObjectKey, _ members: SQLToMany
    ) throws {
        let place: OrderedMembers
        switch members {
        case .join(let link):
            guard let order = link.memberOrder else { return }
            place = OrderedMembers(
                table: link.table.sql, owner: link.owner.sql, member: link.member.sql, order: order.sql)
        case .foreignKey(let link):
            guard let order = link.order else { return }
            place = OrderedMembers(table: link.table.sql, owner: link.key.sql, member: "Z_PK", order: order.sql)
        }
        // All members that are stored now; those the caller does not name keep their keys. A new member may bring a key from
        // its former owner, which says nothing here.
        let new = Set(added.map(\.number))
        var keys: [Int64: Int64?] = [:]
        var inStoredOrder: [Int64] = []
        let select =
            "SELECT \(place.member), \(place.order) FROM \(place.table) WHERE \(place.owner) = ?1"
            + " ORDER BY \(place.order)"
        try connection.withCached(select) { statement in
            try statement.bind(owner.number, at: 1)
            try statement.forEachRow { row in
                let member = row.int64(0)
                let isOld = !row.isNull(1) && !new.contains(member)
                keys[member] = .some(isOld ? row.int64(1) : nil)
                if isOld { inStoredOrder.append(member) }
            }
        }
        let wanted = (order?.map(\.number) ?? inStoredOrder + added.map(\.number)).filter { keys[$0] != nil }
        let changes = OrderKeys.changes(wanted.map { keys[$0] ?? nil })
        let update = "UPDATE \(place.table) SET \(place.order) = ?1 WHERE \(place.owner) = ?2 AND \(place.member) = ?3"
        for change in changes { try run(update, change.key, owner.number, wanted[change.index]) }
    }

    private func run(_ sql: String, _ values: Int64...) throws {
        try connection.withCached(sql) { statement in
            for (index, value) in values.enumerated() { try statement.bind(value, at: index + 1) }
            try statement.run()
        }
    }
}
