import Foundation

/// A derived attribute that is computed from the record it belongs to, such as `canonical:(name)` or `now()`.
///
/// What is derived from other records is kept by triggers: see `DerivedAggregate`.
struct OwnDerivation {
    let slot: Int
    let kind: SlotKind
    /// The slots it is computed from, with their attributes' names.
    let sources: [(name: String, slot: Int)]
    private let expression: NSExpression

    /// nil for an attribute that is computed from something else, or by an expression of another kind.
    init?(_ attribute: NSDerivedAttributeDescription, _ layout: SlotLayout) {
        guard case .attribute(let slot)? = layout.entry(named: attribute.name)?.place,
            layout.slots[slot].kind != .transient, let expression = attribute.derivationExpression
        else { return nil }
        var names: Set<String> = []
        guard Self.collect(expression, into: &names) else { return nil }
        var sources: [(name: String, slot: Int)] = []
        for name in names.sorted() {
            guard case .attribute(let source)? = layout.entry(named: name)?.place, source != slot else { return nil }
            switch layout.slots[source].kind {
            case .transient, .transformable, .toOneKey, .toOneEntity: return nil
            default: sources.append((name, source))
            }
        }
        self.slot = slot
        kind = layout.slots[slot].kind
        self.sources = sources
        self.expression = expression
    }

    /// - Returns: false where the expression is of more than functions, names and constants.
    private static func collect(_ expression: NSExpression, into names: inout Set<String>) -> Bool {
        switch expression.node {
        case .constant: return true
        case .keyPath(let path, operand: let operand):
            if let operand {
                guard case .evaluatedObject = operand.node else { return false }
            }
            names.insert(path)
            return true
        case .function(_, operand: nil, arguments: let arguments):
            return arguments.allSatisfy { collect($0, into: &names) }
        default: return false
        }
    }

    /// Whether an update changes the value.
    func depends(on changed: SlotSet) -> Bool {
        sources.isEmpty || changed.contains(slot) || sources.contains { changed.contains($0.slot) }
    }

    /// The value of a record; null where the expression's result is of another type than the attribute.
    func value(in row: Row) -> SlotValue {
        var values: [String: Any] = [:]
        for source in sources { values[source.name] = Self.value(of: row, source.slot) }
        guard let result = expression.expressionValue(with: values, context: nil).flatMap(unwrapped) else {
            return .null
        }
        return SlotValue(result, kind: kind) ?? .null
    }

    private static func value(of row: Row, _ slot: Int) -> Any? {
        if row.isNull(slot) { return nil }
        switch row.layout.slots[slot].kind {
        case .integer: return NSNumber(value: row.integer(slot))
        case .boolean: return NSNumber(value: row.integer(slot) != 0)
        case .double, .float: return NSNumber(value: row.double(slot))
        case .date: return Date(timeIntervalSinceReferenceDate: row.double(slot))
        case .decimal: return row.decimal(slot)
        case .string: return row.string(slot)
        case .uri: return URL(string: row.string(slot))
        case .uuid: return row.uuid(slot)
        case .data: return row.data(slot)
        case .transformable, .toOneKey, .toOneEntity, .transient: return nil
        }
    }
}
