import Foundation

/// Reads the keyed archive of a model: the one cached in a store, or a compiled model.
///
/// Only the classes listed here are understood, and each is read field by field into our own descriptions. What the
/// archive holds beyond that is kept and written back.
struct ModelArchiveReader {
    /// The classes a model consists of. No unknown object may lead back to them.
    static let modelClasses: Set<String> = [
        "NSManagedObjectModel", "NSEntityDescription", "_NSPropertyDescriptionProxy", "NSAttributeDescription",
        "NSRelationshipDescription", "NSFetchedPropertyDescription", "NSExpressionDescription",
        "NSDerivedAttributeDescription", "NSCompositeAttributeDescription", "NSFetchIndexDescription",
        "NSFetchIndexElementDescription",
    ]

    let archive: KeyedArchive
    var predicates: ArchivedPredicateReader
    var compositeDepth = 0
    private var entities: [Int: NSEntityDescription] = [:]

    private init(archive: KeyedArchive) {
        self.archive = archive
        let values = ArchivedValueReader(archive: archive) { archive, number, budget throws(NSError) in
            try archive.opaqueObject(number, budget: &budget)
        }
        predicates = ArchivedPredicateReader(archive: archive, values: values)
    }

    /// Reads a model.
    ///
    /// - Parameters:
    ///   - data: the archive, a binary property list.
    ///   - isCache: true for the model cached in a store, whose old index marks are already among its fetch indexes.
    /// - Throws: NSCocoaErrorDomain 259 for a damaged archive or one beyond the bounds; 134020 for a model that cannot be
    ///   used.
    static func model(from data: Data, isCache: Bool) throws(NSError) -> NSManagedObjectModel {
        let archive = try KeyedArchive(data)
        var reader = ModelArchiveReader(archive: archive)
        let model = try reader.readModel(isCache: isCache)
        try model.validate()
        return model
    }

    private mutating func readModel(isCache: Bool) throws(NSError) -> NSManagedObjectModel {
        let root = try archive.object(at: archive.root)
        guard root.className == "NSManagedObjectModel" else {
            throw corruptModel("The archive holds an object of class \(root.className) instead of a model.")
        }
        var indexes: [Int] = []
        for pair in try archive.namedValues(root.fields["NSEntities"]) ?? [] {
            guard let index = try archive.objectIndex(pair.value, classes: ["NSEntityDescription"]),
                entities[index] == nil
            else { throw corruptModel("The archive's list of entities is damaged.") }
            entities[index] = NSEntityDescription()
            indexes.append(index)
        }
        let model = NSManagedObjectModel()
        let ordered = try joinHierarchy(indexes)
        for index in ordered { try readProperties(at: index) }
        for index in ordered { try readRelationships(at: index) }
        model.entities = ordered.compactMap { entities[$0] }
        try readTemplates(root.fields["NSFetchRequestTemplates"], of: model)
        for index in ordered { try readIndexes(at: index) }
        for member in try archive.list(root.fields["NSVersionIdentifiers"]) ?? [] {
            if let identifier = try predicates.values.value(member) as? AnyHashable {
                model.versionIdentifiers.insert(identifier)
            }
        }
        for pair in try archive.namedValues(root.fields["NSConfigurations"]) ?? [] {
            var members: [NSEntityDescription] = []
            for member in try archive.list(pair.value) ?? [] { members.append(try entity(member)) }
            model.setEntities(members.sorted { ($0.name ?? "") < ($1.name ?? "") }, forConfigurationName: pair.key)
        }
        model.preservedFields = try preservedFields(
            of: root, except: ["NSEntities", "NSFetchRequestTemplates", "NSVersionIdentifiers", "NSConfigurations"])
        model.hasConvertedIndexMarks = isCache && ordered.contains { entities[$0]?.indexes.isEmpty == false }
        model.convertOldIndexMarks()
        return model
    }

    /// Names the entities and joins them to a hierarchy.
    ///
    /// - Returns: the indexes, parents before their children.
    private mutating func joinHierarchy(_ indexes: [Int]) throws(NSError) -> [Int] {
        var children: [Int: [Int]] = [:]
        var roots: [Int] = []
        for index in indexes {
            let fields = try archive.object(at: index).fields
            guard let entity = entities[index], let name = try archive.string(fields["NSEntityName"]) else {
                throw corruptModel("The archive has an entity without a name.")
            }
            entity.name = name
            if let parent = try archive.objectIndex(fields["NSSuperentity"], classes: ["NSEntityDescription"]) {
                guard entities[parent] != nil else {
                    throw corruptModel("The superentity of entity '\(name)' is not in the model.")
                }
                children[parent, default: []].append(index)
            } else {
                roots.append(index)
            }
        }
        var ordered: [Int] = []
        var pending = Array(roots.reversed())
        while let index = pending.popLast() {
            ordered.append(index)
            let below = children[index] ?? []
            entities[index]?.subentities = below.compactMap { entities[$0] }
            pending.append(contentsOf: below.reversed())
        }
        guard ordered.count == indexes.count else {
            throw corruptModel("The archive has an entity that inherits from itself.")
        }
        return ordered
    }

    /// The entity that a reference leads to.
    func entity(_ number: Int?) throws(NSError) -> NSEntityDescription {
        guard let index = try archive.objectIndex(number, classes: ["NSEntityDescription"]),
            let entity = entities[index]
        else { throw corruptModel("The archive refers to an entity that is not in the model.") }
        return entity
    }

    private mutating func readProperties(at index: Int) throws(NSError) {
        let object = try archive.object(at: index)
        let fields = object.fields
        guard let entity = entities[index] else { return }
        entity.isAbstract = try archive.boolean(fields["NSIsAbstract"])
        entity.managedObjectClassName = try archive.string(fields["NSClassNameForEntity"])
        entity.versionHashModifier = try archive.string(fields["NSVersionHashModifier"])
        entity.explicitRenamingIdentifier = try renamingIdentifier(fields, name: entity.name)
        entity.userInfo = try userInfo(fields)
        entity.constraintNames = try nameLists(fields["NSUniqueTuples"])
        entity.recordedCompoundIndexes = try nameLists(fields["NSCompoundIndexes"])
        entity.preservedFields = try preservedFields(of: object, except: Self.entityFields)
        // A subentity's list repeats what it inherits, as copies or as proxies.
        let inherited = Set(entity.inheritedProperties.map(\.name))
        var properties: [NSPropertyDescription] = []
        for pair in try archive.namedValues(fields["NSProperties"]) ?? [] where !inherited.contains(pair.key) {
            properties.append(try property(pair.value, name: pair.key))
        }
        entity.properties = properties.sorted { $0.name < $1.name }
    }

    private mutating func readRelationships(at index: Int) throws(NSError) {
        guard let entity = entities[index] else { return }
        for pair in try archive.namedValues(archive.object(at: index).fields["NSProperties"]) ?? [] {
            guard let property = entity.ownProperties.first(where: { $0.name == pair.key }),
                let propertyIndex = try archive.objectIndex(pair.value, classes: Self.modelClasses)
            else { continue }
            let fields = try archive.object(at: propertyIndex).fields
            if let relationship = property as? NSRelationshipDescription {
                try join(relationship, fields)
            }
        }
    }

    private func join(_ relationship: NSRelationshipDescription, _ fields: [String: Int]) throws(NSError) {
        if fields["NSDestinationEntity"] != nil,
            try archive.objectIndex(fields["NSDestinationEntity"], classes: ["NSEntityDescription"]) != nil
        {
            relationship.destinationEntity = try entity(fields["NSDestinationEntity"])
        } else if let name = try archive.string(fields["_NSDestinationEntityName"]) {
            relationship.destinationEntity = entities.values.first { $0.name == name }
            relationship.recordedDestinationName = name
        }
        var inverseName = try archive.string(fields["_NSInverseRelationshipName"])
        if inverseName == nil,
            let inverse = try archive.objectIndex(
                fields["NSInverseRelationship"], classes: ["NSRelationshipDescription", "_NSPropertyDescriptionProxy"])
        {
            var inverseFields = try archive.object(at: inverse).fields
            if let underlying = try archive.objectIndex(
                inverseFields["NSUnderlyingProperty"], classes: ["NSRelationshipDescription"])
            {
                inverseFields = try archive.object(at: underlying).fields
            }
            inverseName = try archive.string(inverseFields["NSPropertyName"])
        }
        guard let inverseName else { return }
        relationship.recordedInverseName = inverseName
        relationship.inverseRelationship = relationship.destinationEntity?.relationshipsByName[inverseName]
    }

    private mutating func readIndexes(at index: Int) throws(NSError) {
        guard let entity = entities[index] else { return }
        var indexes: [NSFetchIndexDescription] = []
        for member in try archive.list(archive.object(at: index).fields["NSFetchIndexDescriptions"]) ?? [] {
            guard let number = try archive.objectIndex(member, classes: ["NSFetchIndexDescription"]) else {
                throw corruptModel("The archive has a damaged list of indexes.")
            }
            indexes.append(try fetchIndex(at: number, of: entity))
        }
        entity.indexes = indexes
    }

    private mutating func readTemplates(_ number: Int?, of model: NSManagedObjectModel) throws(NSError) {
        for pair in try archive.namedValues(number) ?? [] {
            if let request = try fetchRequest(pair.value) {
                model.setFetchRequestTemplate(request.resolvedCopy(in: model), forName: pair.key)
            } else {
                model.preservedTemplates[pair.key] = try archive.opaqueObject(
                    pair.value, budget: &predicates.values.budget)
            }
        }
    }

    /// A fetch request for an entity of the model; nil for one that holds something unknown.
    mutating func fetchRequest(_ number: Int) throws(NSError) -> NSFetchRequest<NSFetchRequestResult>? {
        let reader = self
        return try predicates.fetchRequest(number) { (entityNumber) throws(NSError) in
            guard let entityNumber else { return nil }
            if case .null = try reader.archive.element(entityNumber) { return nil }
            return try reader.entity(entityNumber).name
        }
    }

    /// Lists of names: uniqueness constraints and old compound indexes. A name may be a property description.
    private func nameLists(_ number: Int?) throws(NSError) -> [[String]] {
        var result: [[String]] = []
        for list in try archive.list(number) ?? [] {
            var names: [String] = []
            for member in try archive.list(list) ?? [] {
                if case .object(let index) = try archive.element(member),
                    let name = try archive.object(at: index).fields["NSPropertyName"]
                {
                    names.append(try archive.string(name) ?? "")
                } else if let name = try archive.string(member) {
                    names.append(name)
                }
            }
            result.append(names)
        }
        return result
    }

    /// The renaming identifier if it says more than the name.
    func renamingIdentifier(_ fields: [String: Int], name: String?) throws(NSError) -> String? {
        let identifier = try archive.string(fields["NSRenamingIdentifier"])
        return identifier == name ? nil : identifier
    }

    mutating func userInfo(_ fields: [String: Int]) throws(NSError) -> [AnyHashable: Any] {
        guard fields["NSUserInfo"] != nil else { return [:] }
        return try predicates.values.value(fields["NSUserInfo"]) as? [AnyHashable: Any] ?? [:]
    }

    /// The fields that nothing here understands.
    mutating func preservedFields(
        of object: KeyedArchive.Object, except known: Set<String>
    ) throws(NSError) -> [String: OpaqueArchivedObject] {
        var result: [String: OpaqueArchivedObject] = [:]
        for (key, number) in object.fields where !known.contains(key) {
            result[key] = try archive.opaqueObject(number, budget: &predicates.values.budget)
        }
        return result
    }

    private static let entityFields: Set<String> = [
        "NSEntityName", "NSClassNameForEntity", "NSIsAbstract", "NSProperties", "NSSubentities", "NSSuperentity",
        "NSUniqueTuples", "NSFetchIndexDescriptions", "NSCompoundIndexes", "NSUserInfo", "NSVersionHashModifier",
        "NSRenamingIdentifier", "NSManagedObjectModel",
    ]
}
