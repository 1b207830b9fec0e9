import Foundation

/// The tables and columns that a file has, names in upper case.
struct FileTables {
    /// The column names as they stand in the file, by upper-case table name and upper-case column name.
    private(set) var columns: [String: [String: String]] = [:]
    /// The table names as they stand in the file, by upper-case name.
    private(set) var names: [String: String] = [:]
    /// Column names in the order of the table.
    private(set) var orderedColumns: [String: [String]] = [:]

    mutating func add(table: String, column: String) {
        let key = table.uppercased()
        names[key] = table
        columns[key, default: [:]][column.uppercased()] = column
        orderedColumns[key, default: []].append(column.uppercased())
    }
}

/// What a file lacks of what its model asks for.
struct SchemaMismatch: Error {
    let reason: String
}

extension SQLSchema {
    /// The schema of a plan.
    ///
    /// - Parameters:
    ///   - file: what an existing file has. Tables and columns are looked up by name; a join table or a key whose number is not
    ///     the planned one (migration renumbers) by the rest of its name. nil: the file is as planned.
    /// - Throws: `SchemaMismatch` where a table or a column of a property is missing.
    convenience init(
        _ plan: SchemaPlan, file: FileTables?, storesDecimalsAsText: Bool = false
    ) throws(SchemaMismatch) {
        var resolver = SchemaResolver(plan, file)
        try resolver.resolveTables()
        try resolver.resolveJoins()
        self.init(
            model: plan.model, configuration: plan.configuration, entities: resolver.makeEntities(),
            branches: resolver.makeBranches(), tables: resolver.tables,
            joins: ContiguousArray(resolver.joins.map(\.table)),
            history: file.flatMap(Self.history),
            storesDecimalsAsText: storesDecimalsAsText)
    }

    private static func history(_ file: FileTables) -> SQLHistorySchema? {
        guard let changes = file.orderedColumns[SQLHistorySchema.changeTable],
            let transactions = file.orderedColumns[SQLHistorySchema.transactionTable]
        else { return nil }
        return SQLHistorySchema(
            changeColumns: changes, transactionColumns: transactions,
            hasStringTable: file.names[SQLHistorySchema.stringTable] != nil)
    }
}

private struct SchemaResolver {
    let plan: SchemaPlan
    let file: FileTables?
    private(set) var tables: ContiguousArray<SQLTable> = []
    private(set) var joins: [(plan: PlannedJoin, table: SQLJoinTable)] = []
    /// By table index: the columns of slots, by declaring ordinal and slot.
    private var slotColumns: [[SlotKey: SQLColumn]] = []
    private var orderColumns: [[SlotKey: SQLColumn]] = []
    private var hiddenKeys: [ObjectIdentifier: (key: SQLColumn, order: SQLColumn?)] = [:]

    private struct SlotKey: Hashable {
        let ordinal: Int
        let slot: Int
    }

    init(_ plan: SchemaPlan, _ file: FileTables?) {
        self.plan = plan
        self.file = file
    }

    // MARK: Tables

    mutating func resolveTables() throws(SchemaMismatch) {
        for (index, table) in plan.tables.enumerated() {
            guard let name = file == nil ? table.name : file?.names[table.name] else {
                throw SchemaMismatch(
                    reason: "The file has no table \(table.name) for entity '\(table.root.name ?? "")'.")
            }
            let isShared = plan.entities.filter { $0.table == index }.count > 1 || !table.root.subentities.isEmpty
            tables.append(
                SQLTable(
                    name: name, rootOrdinal: Int32(table.root.ordinal),
                    rootNumber: plan.numbers[table.root.ordinal] != 0
                        ? plan.numbers[table.root.ordinal] : plan.entities.first { $0.table == index }?.number ?? 0,
                    isShared: isShared))
            try resolveColumns(of: table)
        }
    }

    private mutating func resolveColumns(of table: PlannedTable) throws(SchemaMismatch) {
        var slots: [SlotKey: SQLColumn] = [:]
        var orders: [SlotKey: SQLColumn] = [:]
        let present = file.map { $0.columns[table.name] ?? [:] }
        for name in ["Z_PK", "Z_ENT", "Z_OPT"] where present?[name] == nil && present != nil {
            throw SchemaMismatch(reason: "Table \(table.name) has no column \(name).")
        }
        for column in table.columns {
            let name = present.map { Self.find(column, in: $0) } ?? column.name
            let found = name.map { SQLColumn($0, column.type) }
            switch column.role {
            case .slot(let ordinal, let slot):
                slots[SlotKey(ordinal: ordinal, slot: slot)] = found
                if found == nil, !Self.isEntityColumn(ordinal, slot, plan.model) { throw Self.missing(column, table) }
            case .order(let ordinal, let slot):
                orders[SlotKey(ordinal: ordinal, slot: slot)] = found
            case .hiddenKey(let relationship):
                guard let found else { throw Self.missing(column, table) }
                hiddenKeys[ObjectIdentifier(relationship)] = (found, nil)
            case .hiddenOrder(let relationship):
                hiddenKeys[ObjectIdentifier(relationship)]?.order = found
            }
        }
        slotColumns.append(slots)
        orderColumns.append(orders)
    }

    private static func missing(_ column: PlannedTable.Column, _ table: PlannedTable) -> SchemaMismatch {
        SchemaMismatch(reason: "Table \(table.name) has no column \(column.name).")
    }

    private static func isEntityColumn(_ ordinal: Int, _ slot: Int, _ model: NSManagedObjectModel) -> Bool {
        model.entitiesByOrdinal[ordinal - 1].slotLayout.slots[slot].kind == .toOneEntity
    }

    /// The column in the file: of that name, or of a name that differs only in an entity's number.
    private static func find(_ column: PlannedTable.Column, in present: [String: String]) -> String? {
        if let name = present[column.name.uppercased()] { return name }
        switch column.role {
        case .slot, .hiddenKey, .hiddenOrder:
            let pattern = NumberedName(column.name)
            guard pattern.number != nil else { return nil }
            let matches = present.filter { NumberedName($0.key).hasSameText(as: pattern) }
            return matches.count == 1 ? matches.first?.value : nil
        case .order:
            return nil
        }
    }

    // MARK: Joins

    mutating func resolveJoins() throws(SchemaMismatch) {
        for join in plan.joins {
            joins.append((join, try resolve(join)))
        }
    }

    private func resolve(_ join: PlannedJoin) throws(SchemaMismatch) -> SQLJoinTable {
        guard let file else {
            return SQLJoinTable(
                name: join.name, first: SQLColumn(join.first, .integer), second: SQLColumn(join.second, .integer),
                firstOrder: join.firstOrder.map { SQLColumn($0, .integer) },
                secondOrder: join.secondOrder.map { SQLColumn($0, .integer) }, isReflexive: join.isReflexive)
        }
        let otherName = "Z_\(join.inverseNumber)" + join.inverse.name.uppercased()
        let named = [join.name.uppercased(), otherName].filter { file.names[$0] != nil }
        let alike = file.names.keys.sorted().filter { name in
            !named.contains(name)
                && (NumberedName(name).hasSameText(as: NumberedName(join.name))
                    || NumberedName(name).hasSameText(as: NumberedName(otherName)))
        }
        for name in named + alike {
            guard let columns = file.columns[name], let table = file.names[name],
                let first = Self.keyColumn(join.number, join.inverse.name, join.first, in: columns),
                let second = join.isReflexive
                    ? columns[PlannedJoin.reflexiveColumn]
                    : Self.keyColumn(join.inverseNumber, join.relationship.name, join.second, in: columns),
                first != second
            else { continue }
            return SQLJoinTable(
                name: table, first: SQLColumn(first, .integer), second: SQLColumn(second, .integer),
                firstOrder: join.firstOrder.flatMap { _ in Self.orderColumn(of: first, in: columns) },
                secondOrder: join.secondOrder.flatMap { _ in Self.orderColumn(of: second, in: columns) },
                isReflexive: join.isReflexive)
        }
        throw SchemaMismatch(
            reason: "The file has no table \(join.name) for the relationship '\(join.relationship.name)' of entity "
                + "'\(join.relationship.declaringEntity?.name ?? "")'.")
    }

    /// The column with the keys of a relationship's members, whatever number stands behind its name.
    private static func keyColumn(
        _ number: Int32, _ relationship: String, _ planned: String, in columns: [String: String]
    ) -> String? {
        if let name = columns[planned.uppercased()] { return name }
        let base = "Z_\(number)" + relationship.uppercased()
        let exact = columns.keys.filter { $0 == base || ($0.hasPrefix(base) && isNumber($0.dropFirst(base.count))) }
        if exact.count == 1, let name = exact.first { return columns[name] }
        let text = relationship.uppercased()
        let alike = columns.keys.filter { name in
            guard name.hasPrefix("Z_"), let start = name.dropFirst(2).firstIndex(where: { !$0.isNumber }),
                start > name.index(name.startIndex, offsetBy: 2)
            else { return false }
            let rest = name[start...]
            return rest == text || (rest.hasPrefix(text) && isNumber(rest.dropFirst(text.count)))
        }
        return alike.count == 1 ? alike.first.flatMap { columns[$0] } : nil
    }

    private static func orderColumn(of key: String, in columns: [String: String]) -> SQLColumn? {
        columns["Z_FOK_" + key.uppercased().dropFirst(2)].map { SQLColumn($0, .integer) }
    }

    private static func isNumber(_ text: some StringProtocol) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
    }

    // MARK: Entities

    func makeEntities() -> ContiguousArray<SQLEntity> {
        ContiguousArray(
            plan.entities.map { makeEntity($0.entity, $0.number, parent: $0.parentNumber, table: $0.table) })
    }

    /// What the store holds of entities that are not in its configuration, while entities below them are.
    func makeBranches() -> ContiguousArray<SQLEntity> {
        var branches: ContiguousArray<SQLEntity> = []
        for planned in plan.entities {
            var current = planned.entity.superentity
            while let entity = current {
                if plan.numbers[entity.ordinal] == 0, !branches.contains(where: { $0.entity === entity }) {
                    branches.append(makeEntity(entity, 0, parent: 0, table: planned.table))
                }
                current = entity.superentity
            }
        }
        return branches
    }

    private func makeEntity(
        _ entity: NSEntityDescription, _ number: Int32, parent: Int32, table: Int
    ) -> SQLEntity {
        let layout = entity.slotLayout
        var columns = ContiguousArray<SQLColumn?>(repeating: nil, count: layout.slots.count)
        var orders = columns
        var current: NSEntityDescription? = entity
        while let declaring = current {
            let first = declaring.superentity?.slotLayout.slots.count ?? 0
            for slot in first..<max(first, declaring.slotLayout.slots.count) {
                let key = SlotKey(ordinal: declaring.ordinal, slot: slot)
                columns[slot] = slotColumns[table][key]
                orders[slot] = orderColumns[table][key]
            }
            current = declaring.superentity
        }
        let all = [number] + entity.allSubentities.map { plan.numbers[$0.ordinal] }
        return SQLEntity(
            entity: entity, number: number, parentNumber: parent, table: tables[table],
            numbers: ContiguousArray(all.filter { $0 != 0 }.sorted()),
            isWholeTable: entity.superentity == nil && !all.contains(0), columns: columns, orderColumns: orders,
            toMany: ContiguousArray(layout.toManyEntries.map { toMany($0.relationship) }))
    }

    private func toMany(_ relationship: NSRelationshipDescription?) -> SQLToMany? {
        guard let relationship, !relationship.isTransient, let destination = relationship.destinationEntity,
            let index = plan.tables.firstIndex(where: { $0.root === destination.rootEntity })
        else { return nil }
        guard let inverse = relationship.inverseRelationship else {
            return hiddenKeys[ObjectIdentifier(relationship)].map {
                .foreignKey(
                    SQLForeignKey(table: tables[index], key: $0.key, entity: nil, order: $0.order, inverseSlot: nil))
            }
        }
        if inverse.isToMany { return join(relationship, inverse, members: tables[index]) }
        guard let declaring = inverse.declaringEntity,
            case .toOne(let slot, let isPolymorphic) = declaring.slotLayout.entry(named: inverse.name)?.place,
            let key = slotColumns[index][SlotKey(ordinal: declaring.ordinal, slot: slot)]
        else { return nil }
        let entity = isPolymorphic ? slotColumns[index][SlotKey(ordinal: declaring.ordinal, slot: slot + 1)] : nil
        let order = orderColumns[index][SlotKey(ordinal: declaring.ordinal, slot: slot)]
        return .foreignKey(
            SQLForeignKey(table: tables[index], key: key, entity: entity, order: order, inverseSlot: slot))
    }

    private func join(
        _ relationship: NSRelationshipDescription, _ inverse: NSRelationshipDescription, members: SQLTable
    ) -> SQLToMany? {
        for (plan, table) in joins {
            if plan.relationship === relationship {
                return .join(
                    SQLJoin(
                        table: table, owner: table.first, member: table.second,
                        memberOrder: table.isReflexive ? table.firstOrder : table.secondOrder,
                        ownerOrder: table.firstOrder, members: members))
            }
            if plan.inverse === relationship {
                return .join(
                    SQLJoin(
                        table: table, owner: table.second, member: table.first, memberOrder: table.firstOrder,
                        ownerOrder: table.secondOrder, members: members))
            }
        }
        return nil
    }
}

/// A name that begins with `Z`, perhaps an underscore, and an entity's number: `Z10_MESSAGE`, `Z2MODIFIERS`, `Z_15USERS`.
private struct NumberedName {
    let hasUnderscore: Bool
    let number: Int?
    let rest: Substring

    init(_ name: String) {
        var text = Substring(name.uppercased())
        guard text.popFirst() == "Z" else {
            hasUnderscore = false
            number = nil
            rest = text
            return
        }
        hasUnderscore = text.first == "_"
        if hasUnderscore { text.removeFirst() }
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        number = Int(digits)
        rest = text.dropFirst(digits.count)
    }

    func hasSameText(as other: NumberedName) -> Bool {
        number != nil && other.number != nil && hasUnderscore == other.hasUnderscore && rest == other.rest
    }
}
