import Foundation

@testable import CoreData

/// Everything a model says, as lines of text that can be compared. Written apart from the framework's own comparisons.
enum ModelDump {
    static func lines(of model: NSManagedObjectModel) -> [String] {
        var lines: [String] = []
        for entity in model.entities.sorted(by: { $0.name! < $1.name! }) {
            lines += self.lines(of: entity)
        }
        for name in model.configurations {
            let members = model.entities(forConfigurationName: name)!.map { $0.name! }.sorted()
            lines.append("configuration \(name): \(members)")
        }
        for (name, request) in model.fetchRequestTemplatesByName.sorted(by: { $0.key < $1.key }) {
            lines.append("template \(name): \(text(request))")
        }
        lines.append("identifiers: \(model.versionIdentifiers.map { "\($0)" }.sorted())")
        return lines
    }

    static func lines(of entity: NSEntityDescription) -> [String] {
        let name = entity.name!
        var lines = [
            "\(name): class \(entity.managedObjectClassName!) abstract \(entity.isAbstract) "
                + "super \(entity.superentity?.name ?? "-") subs \(entity.subentities.map { $0.name! }.sorted()) "
                + "modifier \(entity.versionHashModifier ?? "-") renaming \(entity.renamingIdentifier ?? "-") "
                + "info \(text(entity.userInfo)) unique \(entity.uniquenessConstraints)"
        ]
        for property in entity.properties.sorted(by: { $0.name < $1.name }) {
            lines.append("\(name).\(text(property))")
        }
        for index in entity.indexes.sorted(by: { $0.name < $1.name }) {
            let elements = index.elements.map {
                "\($0.propertyName ?? "-") \($0.isAscending) \($0.collationType.rawValue) \($0.property.map { text($0) } ?? "-")"
            }
            lines.append(
                "\(name) index \(index.name): \(elements) where \(index.partialIndexPredicate?.formatText ?? "-")")
        }
        return lines
    }

    static func text(_ property: NSPropertyDescription) -> String {
        var text =
            "\(property.name): \(type(of: property)) optional \(property.isOptional) transient \(property.isTransient) "
            + "modifier \(property.versionHashModifier ?? "-") renaming \(property.renamingIdentifier ?? "-") "
            + "info \(self.text(property.userInfo))"
        if let attribute = property as? NSAttributeDescription {
            text +=
                " type \(attribute.attributeType.rawValue) default \(value(attribute.defaultValue)) "
                + "class \(attribute.attributeValueClassName ?? "-") transformer \(attribute.valueTransformerName ?? "-") "
                + "external \(attribute.allowsExternalBinaryDataStorage) kept \(attribute.preservesValueInHistoryOnDeletion)"
        }
        for (predicate, warning) in zip(property.validationPredicates, property.validationWarnings) {
            text += " valid \(predicate.formatText) else \(warning)"
        }
        if let derived = property as? NSDerivedAttributeDescription {
            text += " derived \(derived.derivationExpression?.description ?? "-")"
        }
        if let fetched = property as? NSFetchedPropertyDescription {
            text += " fetches \(fetched.fetchRequest.map { self.text($0) } ?? "-")"
        }
        if let description = property as? NSExpressionDescription {
            text +=
                " expression \(description.expression?.description ?? "-") \(description.expressionResultType.rawValue)"
        }
        if let composite = property as? NSCompositeAttributeDescription {
            text += " elements \(composite.elements.map { self.text($0) })"
        }
        if let relationship = property as? NSRelationshipDescription {
            text +=
                " to \(relationship.destinationEntity?.name ?? "-") inverse \(relationship.inverseRelationship?.name ?? "-") "
                + "of \(relationship.inverseRelationship?.entity.name ?? "-") "
                + "\(relationship.minCount)...\(relationship.maxCount) rule \(relationship.deleteRule.rawValue) "
                + "ordered \(relationship.isOrdered)"
        }
        return text
    }

    static func text(_ userInfo: [AnyHashable: Any]?) -> String {
        (userInfo ?? [:]).map { "\($0.key)=\($0.value)" }.sorted().description
    }

    static func text(_ request: NSFetchRequest<NSFetchRequestResult>) -> String {
        let sort = (request.sortDescriptors ?? []).map { "\($0.key ?? "-") \($0.ascending)" }
        let numbers = [
            request.fetchLimit, request.fetchOffset, request.facts.fetchBatchSize, Int(request.resultType.rawValue),
        ]
        let flags = [
            request.includesSubentities, request.includesPropertyValues, request.returnsObjectsAsFaults,
            request.returnsDistinctResults,
        ]
        let subject = request.entityName ?? "-"
        let predicate = request.predicate?.formatText ?? "-"
        return "\(subject) where \(predicate) sort \(sort) \(numbers) \(flags)"
    }

    static func value(_ value: Any?) -> String {
        guard let value else { return "-" }
        return "\(type(of: value)) \(value)"
    }
}
