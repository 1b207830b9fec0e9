import FoundationBackfill

extension SchemaPlan {
    /// Keys of relationships first, then join tables, then `Z_ENT`, then each entity's fetch indexes and constraints.
    func indexes(_ index: Int) -> [String] {
        let table = tables[index]
        let family = entities.filter { $0.table == index }
        var result: [String] = []
        for column in table.columns where isRelationshipKey(column) {
            result.append(
                "CREATE INDEX \(id("\(table.name)_\(column.name)_INDEX")) ON \(id(table.name)) (\(id(column.name)))")
        }
        for join in ownedJoins(index) {
            result.append(
                "CREATE INDEX \(id("\(join.name)_\(join.second)_INDEX")) ON \(id(join.name)) "
                    + "(\(id(join.second)), \(id(join.first)))")
        }
        if family.count > 1 || !table.root.subentities.isEmpty {
            result.append("CREATE INDEX \(id("\(table.name)_Z_ENT_INDEX")) ON \(id(table.name)) (Z_ENT)")
        }
        for planned in family {
            result += fetchIndexes(planned.entity, table.name)
            result += constraints(planned.entity, table.name)
        }
        return result
    }

    private func isRelationshipKey(_ column: PlannedTable.Column) -> Bool {
        switch column.role {
        case .slot(let ordinal, let slot):
            model.entitiesByOrdinal[ordinal - 1].slotLayout.slots[slot].kind == .toOneKey
        case .hiddenKey: true
        case .order, .hiddenOrder: false
        }
    }

    private func fetchIndexes(_ entity: NSEntityDescription, _ table: String) -> [String] {
        entity.indexes.compactMap { index -> String? in
            if index.elements.contains(where: { $0.collationType == .rTree }) { return nil }
            // The key of a relationship has an index of its own.
            if index.elements.count == 1, index.elements[0].property is NSRelationshipDescription { return nil }
            var parts: [String] = []
            for element in index.elements {
                let names = columnNames(entity, element)
                if names.isEmpty { return nil }
                parts += names.map { "\(id($0)) COLLATE BINARY \(element.isAscending ? "ASC" : "DESC")" }
            }
            if parts.isEmpty { return nil }
            return "CREATE INDEX \(id("Z_\(entity.name ?? "")_\(index.name)")) ON \(id(table)) "
                + "(\(parts.joined(separator: ", ")))" + condition(index.partialIndexPredicate, entity)
        }
    }

    /// The columns of an element: of a property, or `Z_ENT` for the key path `entity`. None for another expression; the index
    /// is then left out, which changes no result.
    private func columnNames(
        _ entity: NSEntityDescription, _ element: NSFetchIndexElementDescription
    ) -> [String] {
        guard let expression = element.property as? NSExpressionDescription else {
            return columnNames(entity, path: element.propertyName ?? "")
        }
        guard case .keyPath(let path, operand: nil) = expression.expression?.node else { return [] }
        return path == "entity" ? ["Z_ENT"] : columnNames(entity, path: path)
    }

    /// The rows an index is for, where the predicate asks whether a property has a value. Under another predicate the index
    /// covers all rows.
    private func condition(_ predicate: NSPredicate?, _ entity: NSEntityDescription) -> String {
        guard let predicate, case .comparison(let comparison) = predicate.form,
            case .keyPath(let path, operand: nil) = comparison.leftExpression.node,
            case .constant(nil) = comparison.rightExpression.node,
            let column = columnNames(entity, path: path).first
        else { return "" }
        switch comparison.predicateOperatorType {
        case .equalTo: return " WHERE  \(id(column)) IS NULL"
        case .notEqualTo: return " WHERE  \(id(column)) IS NOT NULL"
        default: return ""
        }
    }

    private func constraints(_ entity: NSEntityDescription, _ table: String) -> [String] {
        entity.constraintNames.compactMap { constraint -> String? in
            let columns = constraint.flatMap { columnNames(entity, path: $0) }
            if columns.isEmpty { return nil }
            let name = "Z_\(entity.name ?? "")_UNIQUE_" + constraint.joined(separator: "_")
            let parts = columns.map { "\(id($0)) COLLATE BINARY ASC" }
            return "CREATE UNIQUE INDEX \(id(name)) ON \(id(table)) (\(parts.joined(separator: ", ")))"
        }
    }

    // MARK: R-trees

    /// A virtual table over the columns of an R-tree index, kept by triggers.
    func spatialIndexes(_ table: Int) -> [String] {
        entities.filter { $0.table == table }.flatMap { planned in
            planned.entity.indexes.flatMap { index -> [String] in
                guard !index.elements.isEmpty, index.elements.allSatisfy({ $0.collationType == .rTree }) else {
                    return []
                }
                let columns = index.elements.flatMap { columnNames(planned.entity, path: $0.propertyName ?? "") }
                // SQLite's R-trees have one to five dimensions.
                guard (1...5).contains(columns.count) else { return [] }
                return spatialIndex(
                    "Z_RT_\(planned.entity.name ?? "")_\(index.name)", on: tables[table].name, columns)
            }
        }
    }

    private func spatialIndex(_ name: String, on table: String, _ columns: [String]) -> [String] {
        let bounds = columns.flatMap { [id($0 + "_MIN"), id($0 + "_MAX")] }
        let values = columns.map { "NEW.\(id($0)) ,NEW.\(id($0))" }.joined(separator: ", ")
        let insert =
            "INTO \(id(name)) (Z_PK, \(bounds.joined(separator: ", "))) VALUES (NEW.Z_PK, \(values)) ;"
        let delete = "DELETE FROM \(id(name)) WHERE Z_PK ="
        func trigger(_ event: String, _ body: String) -> String {
            "CREATE TRIGGER \(id("\(name)_\(event)")) AFTER \(event) ON \(id(table)) FOR EACH ROW BEGIN \(body) END"
        }
        return [
            "CREATE VIRTUAL TABLE \(id(name)) USING RTREE (Z_PK INTEGER PRIMARY KEY, "
                + bounds.map { $0 + " FLOAT" }.joined(separator: ", ") + ")",
            trigger("INSERT", "INSERT OR REPLACE \(insert)"),
            trigger("UPDATE", "\(delete) NEW.Z_PK ; INSERT \(insert)"),
            trigger("DELETE", "\(delete) OLD.Z_PK ;"),
        ]
    }
}
