import Foundation

@testable import CoreData

/// Everything a model says, each setting under a name of its own such as `Person.name / optional`. Written apart from the
/// framework's own comparisons.
enum ModelFacts {
    /// What two models say differently, in order of name; empty if they are alike. A setting that one of them does not have
    /// counts as `-`.
    static func differences(
        _ left: NSManagedObjectModel, _ right: NSManagedObjectModel, except ignored: (String) -> Bool = { _ in false }
    ) -> [String] {
        let (left, right) = (facts(of: left), facts(of: right))
        return Set(left.keys).union(right.keys).sorted().compactMap { name in
            let (a, b) = (left[name] ?? "-", right[name] ?? "-")
            return a == b || ignored(name) ? nil : "\(name): \(a) ≠ \(b)"
        }
    }

    /// All settings by name.
    static func facts(of model: NSManagedObjectModel) -> [String: String] {
        var facts: [String: String] = [:]
        facts["identifiers"] = model.versionIdentifiers.map { "\($0)" }.sorted().description
        for entity in model.entities { add(entity, to: &facts) }
        for name in model.configurations {
            facts["configuration \(name)"] =
                model.entities(forConfigurationName: name)!.map { $0.name! }.sorted().description
        }
        for (name, request) in model.fetchRequestTemplatesByName { add(request, at: "template \(name)", to: &facts) }
        return facts
    }

    private static func add(_ entity: NSEntityDescription, to facts: inout [String: String]) {
        let name = entity.name!
        facts["\(name) / class"] = entity.managedObjectClassName
        facts["\(name) / abstract"] = "\(entity.isAbstract)"
        facts["\(name) / parent"] = entity.superentity?.name
        facts["\(name) / subentities"] = entity.subentities.map { $0.name! }.sorted().description
        facts["\(name) / modifier"] = entity.versionHashModifier
        facts["\(name) / renaming"] = entity.renamingIdentifier
        facts["\(name) / unique"] = "\(entity.uniquenessConstraints)"
        facts["\(name) / old indexes"] = "\(entity.recordedCompoundIndexes)"
        facts["\(name) / hash"] = entity.versionHash.base64EncodedString()
        add(entity.userInfo, at: name, to: &facts)
        for property in entity.properties { add(property, at: "\(name).\(property.name)", to: &facts) }
        for index in entity.indexes {
            let path = "\(name) index \(index.name)"
            facts["\(path) / condition"] = index.partialIndexPredicate?.formatText
            for (number, element) in index.elements.enumerated() {
                facts["\(path) / \(number)"] =
                    "\(element.propertyName ?? "-") ascending \(element.isAscending) type \(element.collationType.rawValue)"
                guard let property = element.property as? NSExpressionDescription else { continue }
                add(property, at: "\(path) \(number)", to: &facts)
            }
        }
    }

    private static func add(_ property: NSPropertyDescription, at path: String, to facts: inout [String: String]) {
        facts["\(path) / kind"] = "\(type(of: property))"
        facts["\(path) / optional"] = "\(property.isOptional)"
        facts["\(path) / transient"] = "\(property.isTransient)"
        facts["\(path) / old index"] = "\(property.isMarkedIndexed)"
        facts["\(path) / modifier"] = property.versionHashModifier
        facts["\(path) / renaming"] = property.renamingIdentifier
        facts["\(path) / hash"] = property.versionHash.base64EncodedString()
        add(property.userInfo, at: path, to: &facts)
        facts["\(path) / validations"] = "\(property.validationPredicates.count)"
        let validations = zip(property.validationPredicates, property.validationWarnings)
        for (number, (predicate, warning)) in validations.enumerated() {
            facts["\(path) / validation \(number)"] = "\(predicate.formatText) else \(warning)"
        }
        switch property {
        case let attribute as NSAttributeDescription: add(attribute, at: path, to: &facts)
        case let relationship as NSRelationshipDescription:
            facts["\(path) / destination"] = relationship.destinationEntity?.name
            facts["\(path) / inverse"] = relationship.inverseRelationship.map { "\($0.entity.name!).\($0.name)" }
            facts["\(path) / minimum"] = "\(relationship.minCount)"
            facts["\(path) / maximum"] = "\(relationship.maxCount)"
            facts["\(path) / delete rule"] = "\(relationship.deleteRule.rawValue)"
            facts["\(path) / ordered"] = "\(relationship.isOrdered)"
        case let fetched as NSFetchedPropertyDescription:
            if let request = fetched.fetchRequest { add(request, at: path, to: &facts) }
        case let description as NSExpressionDescription:
            facts["\(path) / expression"] = description.expression?.description
            facts["\(path) / result type"] = "\(description.expressionResultType.rawValue)"
        default: break
        }
    }

    private static func add(_ attribute: NSAttributeDescription, at path: String, to facts: inout [String: String]) {
        facts["\(path) / type"] = "\(attribute.attributeType.rawValue)"
        facts["\(path) / default"] = attribute.defaultValue.map { "\(type(of: $0)) \($0)" }
        facts["\(path) / value class"] = attribute.attributeValueClassName
        facts["\(path) / transformer"] = attribute.valueTransformerName
        facts["\(path) / external"] = "\(attribute.allowsExternalBinaryDataStorage)"
        facts["\(path) / kept on deletion"] = "\(attribute.preservesValueInHistoryOnDeletion)"
        if let derived = attribute as? NSDerivedAttributeDescription {
            facts["\(path) / derivation"] = derived.derivationExpression?.description
        }
        if let composite = attribute as? NSCompositeAttributeDescription {
            facts["\(path) / elements"] = composite.elements.map(\.name).description
            for element in composite.elements { add(element, at: "\(path).\(element.name)", to: &facts) }
        }
    }

    private static func add(
        _ request: NSFetchRequest<NSFetchRequestResult>, at path: String, to facts: inout [String: String]
    ) {
        facts["\(path) / entity"] = request.entityName
        facts["\(path) / predicate"] = request.predicate?.formatText
        facts["\(path) / sort"] = (request.sortDescriptors ?? []).map { "\($0.key ?? "-") \($0.ascending)" }.description
        facts["\(path) / limit"] = "\(request.fetchLimit)"
        facts["\(path) / offset"] = "\(request.fetchOffset)"
        facts["\(path) / batch"] = "\(request.fetchBatchSize)"
        facts["\(path) / results"] = "\(request.resultType.rawValue)"
        facts["\(path) / subentities"] = "\(request.includesSubentities)"
        facts["\(path) / values"] = "\(request.includesPropertyValues)"
        facts["\(path) / faults"] = "\(request.returnsObjectsAsFaults)"
        facts["\(path) / distinct"] = "\(request.returnsDistinctResults)"
    }

    private static func add(_ userInfo: [AnyHashable: Any]?, at path: String, to facts: inout [String: String]) {
        for (key, value) in userInfo ?? [:] { facts["\(path) / info \(key)"] = "\(value)" }
    }
}
