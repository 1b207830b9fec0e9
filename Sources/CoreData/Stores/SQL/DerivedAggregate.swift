import FoundationBackfill

/// The derivation of an attribute from a to-many relationship: `count:(pages)`, `sum:(pages.number)`.
struct DerivedAggregate {
    enum Function: String {
        case count = "COUNT"
        case sum = "SUM"
        case minimum = "MIN"
        case maximum = "MAX"
        case average = "AVG"

        /// By the name of a predefined function, or of the operator in a key path.
        init?(named name: String) {
            switch name {
            case "count:", "@count": self = .count
            case "sum:", "@sum": self = .sum
            case "min:", "@min": self = .minimum
            case "max:", "@max": self = .maximum
            case "average:", "@avg": self = .average
            default: return nil
            }
        }
    }

    let function: Function
    let relationship: NSRelationshipDescription
    /// The attribute of the members; nil for the count.
    let attribute: NSAttributeDescription?

    /// nil where the expression is of another kind.
    init?(_ expression: FoundationBackfill.NSExpression?, of entity: NSEntityDescription) {
        let function: Function?
        var path: [Substring]
        switch expression?.node {
        case .function(let name, operand: nil, arguments: let arguments):
            guard arguments.count == 1, case .keyPath(let text, operand: nil) = arguments[0].node else { return nil }
            function = Function(named: name)
            path = text.split(separator: ".")
        case .keyPath(let text, operand: nil):
            path = text.split(separator: ".")
            guard let index = path.firstIndex(where: { $0.hasPrefix("@") }) else { return nil }
            function = Function(named: String(path.remove(at: index)))
        default: return nil
        }
        guard let function, let name = path.first,
            let relationship = entity.relationshipsByName[String(name)], relationship.isToMany
        else { return nil }
        self.function = function
        self.relationship = relationship
        switch path.count {
        case 1 where function == .count:
            attribute = nil
        case 2 where function != .count:
            guard let attribute = relationship.destinationEntity?.attributesByName[String(path[1])] else { return nil }
            self.attribute = attribute
        default: return nil
        }
    }
}
