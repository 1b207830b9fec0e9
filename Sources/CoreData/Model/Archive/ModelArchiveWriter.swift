import Foundation

/// Writes a model as a keyed archive of the kind that stores cache.
///
/// Entities and properties get their places first, so that they may refer to each other without any recursion.
struct ModelArchiveWriter {
    var archive = KeyedArchiveWriter()
    private var modelIndex = 0
    private var entityIndexes: [ObjectIdentifier: Int] = [:]
    private var propertyIndexes: [ObjectIdentifier: Int] = [:]

    /// The archive of a model.
    static func archive(of model: NSManagedObjectModel) -> Data {
        var writer = ModelArchiveWriter()
        return writer.write(model)
    }

    private mutating func write(_ model: NSManagedObjectModel) -> Data {
        modelIndex = archive.reserve()
        let entities = NSEntityDescription.depthFirst(model.entities.filter { $0.superentity == nil })
        for entity in entities {
            entityIndexes[ObjectIdentifier(entity)] = archive.reserve()
            for property in entity.ownProperties { propertyIndexes[ObjectIdentifier(property)] = archive.reserve() }
        }
        for entity in entities { write(entity) }
        var fields: [(key: String, value: PropertyListValue)] = [
            ("NSEntities", namedEntities(entities)), ("NSFetchRequestTemplates", templates(of: model)),
            ("NSVersionIdentifiers", versionIdentifiers(of: model)),
        ]
        if !model.configurations.isEmpty { fields.append(("NSConfigurations", configurations(of: model))) }
        fields += preserved(model.preservedFields)
        archive.complete(modelIndex, classNames: ["NSManagedObjectModel", "NSObject"], fields: fields)
        return archive.file(root: modelIndex)
    }

    /// A reference to an entity; nil if it is not in the model.
    func reference(to entity: NSEntityDescription?) -> PropertyListValue {
        entity.flatMap { entityIndexes[ObjectIdentifier($0)] }.map { .uid($0) } ?? KeyedArchiveWriter.null
    }

    /// A reference to a property where it is declared.
    func reference(to property: NSPropertyDescription?) -> PropertyListValue {
        property.flatMap { propertyIndexes[ObjectIdentifier($0)] }.map { .uid($0) } ?? KeyedArchiveWriter.null
    }

    private mutating func namedEntities(_ entities: [NSEntityDescription]) -> PropertyListValue {
        var pairs: [(key: PropertyListValue, value: PropertyListValue)] = []
        for entity in entities { pairs.append((archive.string(entity.name), reference(to: entity))) }
        return archive.dictionary(pairs, isMutable: true)
    }

    private mutating func templates(of model: NSManagedObjectModel) -> PropertyListValue {
        var pairs: [(key: PropertyListValue, value: PropertyListValue)] = []
        for (name, request) in model.storedTemplates.sorted(by: { $0.key < $1.key }) {
            let entity = request.facts.entityName.flatMap { model.entitiesByName[$0] }
            guard let value = fetchRequest(request, entity: entity) else { continue }
            pairs.append((archive.string(name), value))
        }
        for (name, kept) in model.preservedTemplates.sorted(by: { $0.key < $1.key })
        where model.storedTemplates[name] == nil {
            pairs.append((archive.string(name), archive.opaque(kept)))
        }
        return pairs.isEmpty ? KeyedArchiveWriter.null : archive.dictionary(pairs, isMutable: true)
    }

    private mutating func versionIdentifiers(of model: NSManagedObjectModel) -> PropertyListValue {
        var members: [PropertyListValue] = []
        for identifier in model.versionIdentifiers.sorted(by: { "\($0)" < "\($1)" }) {
            members.append(archive.value(identifier.base))
        }
        return archive.set(members)
    }

    private mutating func configurations(of model: NSManagedObjectModel) -> PropertyListValue {
        var pairs: [(key: PropertyListValue, value: PropertyListValue)] = []
        for name in model.configurations {
            let members = (model.entities(forConfigurationName: name) ?? []).map { reference(to: $0) }
            pairs.append((archive.string(name), archive.set(members)))
        }
        return archive.dictionary(pairs, isMutable: true)
    }

    private mutating func write(_ entity: NSEntityDescription) {
        guard let index = entityIndexes[ObjectIdentifier(entity)] else { return }
        var fields: [(key: String, value: PropertyListValue)] = [
            ("NSEntityName", archive.string(entity.name)),
            ("NSClassNameForEntity", archive.string(entity.managedObjectClassName)),
            ("NSManagedObjectModel", .uid(modelIndex)),
            ("NSSuperentity", reference(to: entity.superentity)),
            ("NSSubentities", namedEntities(entity.subentities)),
            ("NSProperties", properties(of: entity)),
            ("NSUserInfo", archive.dictionary(entity.userInfo ?? [:])),
            ("NSVersionHashModifier", archive.string(entity.versionHashModifier)),
            ("NSRenamingIdentifier", archive.string(entity.renamingIdentifier)),
        ]
        if entity.isAbstract { fields.append(("NSIsAbstract", .boolean(true))) }
        if !entity.constraintNames.isEmpty { fields.append(("NSUniqueTuples", nameLists(entity.constraintNames))) }
        if !entity.indexes.isEmpty {
            var members: [PropertyListValue] = []
            for fetchIndex in entity.indexes { members.append(write(fetchIndex, of: entity)) }
            fields.append(("NSFetchIndexDescriptions", archive.array(members, className: "NSMutableArray")))
            fields.append(("NSCompoundIndexes", nameLists(entity.recordedCompoundIndexes)))
        } else if !entity.recordedCompoundIndexes.isEmpty {
            fields.append(("NSCompoundIndexes", nameLists(entity.recordedCompoundIndexes)))
        }
        fields += preserved(entity.preservedFields)
        archive.complete(index, classNames: ["NSEntityDescription", "NSObject"], fields: fields)
    }

    /// All properties by name. What is inherited is repeated as a copy that names this entity as its own, as in the caches
    /// of current frameworks.
    private mutating func properties(of entity: NSEntityDescription) -> PropertyListValue {
        var pairs: [(key: PropertyListValue, value: PropertyListValue)] = []
        for property in entity.properties {
            let isOwn = property.declaringEntity === entity
            let index = isOwn ? propertyIndexes[ObjectIdentifier(property)] ?? archive.reserve() : archive.reserve()
            write(property, at: index, of: entity)
            pairs.append((archive.string(property.name), .uid(index)))
        }
        return archive.dictionary(pairs, isMutable: true)
    }

    private mutating func write(
        _ fetchIndex: NSFetchIndexDescription, of entity: NSEntityDescription
    ) -> PropertyListValue {
        let index = archive.reserve()
        var elements: [PropertyListValue] = []
        for element in fetchIndex.elements {
            var fields: [(key: String, value: PropertyListValue)] = [
                ("NSPropertyName", archive.string(element.propertyName)),
                ("NSFetchIndexElementType", .integer(Int64(element.collationType.rawValue))),
                ("NSFetchIndexDescription", .uid(index)), ("NSAscending", .boolean(element.isAscending)),
            ]
            if let expression = element.property as? NSExpressionDescription {
                let place = archive.reserve()
                write(expression, at: place, of: nil)
                fields.append(("NSIndexedProperty", .uid(place)))
            }
            elements.append(archive.object(["NSFetchIndexElementDescription", "NSObject"], fields))
        }
        var fields: [(key: String, value: PropertyListValue)] = [
            ("NSIndexName", archive.string(fetchIndex.name)), ("NSIndexElements", archive.array(elements)),
            ("NSEntity", reference(to: entity)),
        ]
        if fetchIndex.preservedFields["NSPartialIndexPredicate"] == nil {
            let predicate = fetchIndex.partialIndexPredicate.flatMap { self.predicate($0) }
            fields.append(("NSPartialIndexPredicate", predicate ?? KeyedArchiveWriter.null))
        }
        fields += preserved(fetchIndex.preservedFields)
        archive.complete(index, classNames: ["NSFetchIndexDescription", "NSObject"], fields: fields)
        return .uid(index)
    }

    private mutating func nameLists(_ lists: [[String]]) -> PropertyListValue {
        var members: [PropertyListValue] = []
        for list in lists {
            let names = list.map { archive.string($0) }
            members.append(archive.array(names, className: "NSMutableArray"))
        }
        return archive.array(members, className: "NSMutableArray")
    }

    /// The fields that were kept as they are.
    mutating func preserved(
        _ fields: [String: OpaqueArchivedObject]
    ) -> [(key: String, value: PropertyListValue)] {
        var result: [(key: String, value: PropertyListValue)] = []
        for (key, kept) in fields.sorted(by: { $0.key < $1.key }) { result.append((key, archive.opaque(kept))) }
        return result
    }
}
