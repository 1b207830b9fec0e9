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
        if let composite = entity.propertiesByName[key] as? NSCompositeAttributeDescription {
            return composite.elements.flatMap { elements(of: $0, key + "." + $0.name) }
        }
        return [try column(key)]
    }

    private func elements(of attribute: NSAttributeDescription, _ path: String) -> [FetchColumn] {
        if let inner = attribute as? NSCompositeAttributeDescription {
            return inner.elements.flatMap { elements(of: $0, path + "." + $0.name) }
        }
        return [column(attribute, path)]
    }

    private func column(_ key: String) throws -> FetchColumn {
        switch try keyPaths.target(of: key, in: entity) {
        case .attribute(let attribute): return column(attribute, key)
        case .toOne, .record: return FetchColumn(plan: .init(key, .keyPath(key)))
        case .toMany:
            return FetchColumn(
                plan: .init(key, .expression(NSExpression(forKeyPath: key + ".@count"), .integer64AttributeType)),
                isNumber: true)
        case .other:
            let isOperator = key.contains("@")
            return FetchColumn(
                plan: .init(
                    key,
                    isOperator ? .expression(NSExpression(forKeyPath: key), .undefinedAttributeType) : .keyPath(key)),
                isNumber: isOperator)
        }
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
        if let key = aggregate.key {
            if case .attribute(let attribute) = try keyPaths.target(of: key, in: entity),
                attribute.attributeType == .booleanAttributeType, [.min, .max].contains(aggregate.function)
            {
                kind = .boolean
            }
            argument = NSExpression(forKeyPath: key)
        } else {
            argument = .expressionForEvaluatedObject()
        }
        let function = NSExpression(forFunction: aggregate.function.rawValue + ":", arguments: [argument])
        return FetchColumn(
            plan: .init(aggregate.title, .expression(function, .undefinedAttributeType)), kind: kind, isNumber: true)
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
