import CoreData
import Foundation

/// A column of the output.
struct FetchColumn {
    enum Kind {
        case plain, boolean, bytes
    }

    let plan: DictionaryPlan.Column
    var kind = Kind.plain
    var isNumber = false

    var title: String { plan.name }
}

/// Which columns a command line asks for.
struct FetchColumns {
    let keyPaths: KeyPaths
    let entity: NSEntityDescription

    /// The record's id, its attributes and relationships.
    func all() throws -> [FetchColumn] {
        var columns = [FetchColumn(plan: .init("objectID", .keyPath("objectID")))]
        for property in entity.slotOrder where !property.isTransient && !(property is NSFetchedPropertyDescription) {
            columns += try self.columns(property.name)
        }
        return columns
    }

    /// The columns of a key: one, or those of a composite's elements.
    func columns(_ key: String) throws -> [FetchColumn] {
        switch try keyPaths.target(of: key, in: entity) {
        case .attribute(let attribute): return [column(attribute, key)]
        case .composite(let composite): return elements(of: composite, key)
        case .toOne, .record: return [FetchColumn(plan: .init(key, .keyPath(key)))]
        case .toMany: return [computed(key, key + ".@count", .integer64AttributeType)]
        case .other where key.contains("@"): return [computed(key, key, .undefinedAttributeType)]
        case .other: return [FetchColumn(plan: .init(key, .keyPath(key)))]
        }
    }

    /// The columns of a key to group by, which has one value that a record keeps.
    func groups(_ key: String) throws -> [FetchColumn] {
        if case .toMany = try keyPaths.target(of: key, in: entity) { throw notGrouped(key) }
        if key.contains("@") { throw notGrouped(key) }
        return try columns(key)
    }

    private func notGrouped(_ key: String) -> ToolError {
        ToolError(
            .request, keyPaths.path, "records cannot be grouped by '\(key)'.",
            advice: "Group by attributes, to-one relationships and paths over these.")
    }

    /// What a key means in `--sort`: of a to-many relationship the number of its members.
    func sortKey(_ key: String) throws -> String {
        if case .toMany = try keyPaths.target(of: key, in: entity) { return key + ".@count" }
        return key
    }

    private func elements(of composite: NSCompositeAttributeDescription, _ path: String) -> [FetchColumn] {
        composite.elements.flatMap { element in
            let path = path + "." + element.name
            if let inner = element as? NSCompositeAttributeDescription { return elements(of: inner, path) }
            return [column(element, path)]
        }
    }

    private func computed(_ title: String, _ keyPath: String, _ type: NSAttributeType) -> FetchColumn {
        FetchColumn(plan: .init(title, .expression(NSExpression(forKeyPath: keyPath), type)), isNumber: true)
    }

    private func column(_ attribute: NSAttributeDescription, _ key: String) -> FetchColumn {
        var column = FetchColumn(plan: .init(key, .keyPath(key)))
        switch attribute.attributeType {
        case .booleanAttributeType: column.kind = .boolean
        case .binaryDataAttributeType, .transformableAttributeType:
            column.kind = .bytes
            var plan = column.plan
            plan.measuresBytes = true
            column = FetchColumn(plan: plan, kind: .bytes, isNumber: true)
        case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType, .doubleAttributeType,
            .floatAttributeType, .decimalAttributeType:
            column.isNumber = true
        default: break
        }
        return column
    }

    func column(_ aggregate: FetchOptions.Aggregate) throws -> FetchColumn {
        let argument: NSExpression
        var kind = FetchColumn.Kind.plain
        var isNumber = true
        if let key = aggregate.key {
            switch try keyPaths.target(of: key, in: entity) {
            case .attribute(let attribute) where [.min, .max].contains(aggregate.function):
                let column = column(attribute, key)
                if column.kind == .boolean { kind = .boolean }
                isNumber = column.isNumber
            case .toMany:
                throw ToolError(
                    .request, keyPaths.path, "'\(key)' has many records of each, so \(aggregate.title) is not clear.",
                    advice: "Take their number: 'sum(\(key).@count)'.")
            default: break
            }
            argument = NSExpression(forKeyPath: key)
        } else {
            argument = .expressionForEvaluatedObject()
        }
        let function = NSExpression(forFunction: aggregate.function.rawValue + ":", arguments: [argument])
        return FetchColumn(
            plan: .init(aggregate.title, .expression(function, .undefinedAttributeType)), kind: kind,
            isNumber: isNumber)
    }
}

extension NSEntityDescription {
    /// Attributes before relationships, those of the entities above first, each in order of name.
    fileprivate var slotOrder: [NSPropertyDescription] {
        var chain: [NSEntityDescription] = []
        var entity: NSEntityDescription? = self
        while let current = entity {
            chain.insert(current, at: 0)
            entity = current.superentity
        }
        var seen: Set<String> = []
        let properties = chain.flatMap { $0.properties.sorted { $0.name < $1.name } }
            .filter { seen.insert($0.name).inserted }
        return properties.filter { $0 is NSAttributeDescription }
            + properties.filter { !($0 is NSAttributeDescription) }
    }
}
