import CoreData

/// Finds the classes of a model, and their properties.
struct ClassCollector {
    let source: ModelSource
    let modelName: String
    let module: String?
    /// What counts instead of the model's "Codegen" settings.
    let forced: ModelSource.CodeGeneration?

    private let types: PropertyTypes
    /// The classes by entity; nothing for entities whose objects are plain managed objects.
    private let classes: [String: ClassName]

    init(_ source: ModelSource, modelName: String, module: String?, forced: ModelSource.CodeGeneration?) throws {
        self.source = source
        self.modelName = modelName
        self.module = module
        self.forced = forced
        let texts = source.model.entities.compactMap(\.modelClassName)
        let plain = Set(texts.map { $0.hasPrefix(".") ? String($0.dropFirst()) : $0 }.filter { !$0.contains(".") })
        var classes: [String: ClassName] = [:]
        for entity in source.model.entities {
            guard let text = entity.modelClassName else { continue }
            guard let name = ClassName(text, module: module, classes: plain) else {
                throw ModelCodeError(
                    model: modelName, entity: entity.name,
                    problem: "its class '\(text)' is no name of a class in Swift.")
            }
            classes[entity.name ?? ""] = name
        }
        // Of two ways to write a name one counts: `Book` and `Module.Book` are one class.
        let modules = Dictionary(classes.values.map { ($0.path, $0.module) }) { $0 == $1 ? $0 : nil }
        self.classes = classes.mapValues { ClassName(path: $0.path, module: modules[$0.path] ?? nil) }
        types = PropertyTypes(
            classes: Set(classes.values.filter { $0.path.count == 1 }.map(\.plain)), module: module)
    }

    /// The classes, in the order in which the model's entities name them.
    func collect() throws -> [GeneratedClass] {
        var entities: [ClassName: [NSEntityDescription]] = [:]
        var order: [ClassName] = []
        for entity in source.model.entities {
            guard let name = className(of: entity) else { continue }
            if entities[name] == nil { order.append(name) }
            entities[name, default: []].append(entity)
        }
        return try order.map { try generatedClass($0, entities[$0] ?? []) }
    }

    /// The names that Swift has for what the code of every class needs.
    func name(_ type: String) -> String { types.name(type) }

    private func className(of entity: NSEntityDescription) -> ClassName? { classes[entity.name ?? ""] }

    private func generation(of entity: NSEntityDescription) -> ModelSource.CodeGeneration {
        forced ?? source.entities[entity.name ?? ""]?.codeGeneration ?? .manual
    }

    // MARK: A class

    private func generatedClass(_ name: ClassName, _ entities: [NSEntityDescription]) throws -> GeneratedClass {
        let generations = entities.map(generation)
        let superclass = try superclass(of: name, entities)
        let properties = try properties(of: name, entities)
        let isRoot = superclass == types.name("NSManagedObject")
        let identifier = properties.first { $0.name == "id" }
        var modelNames: [String] = []
        for text in entities.compactMap(\.modelClassName) where !modelNames.contains(text) { modelNames.append(text) }
        return GeneratedClass(
            name: name.written, modelNames: modelNames, entityNames: entities.compactMap(\.name),
            superclass: superclass,
            codeGeneration: generations.contains(.class)
                ? .class : generations.contains(.category) ? .category : .manual,
            properties: properties, module: name.module,
            fetchedEntityName: entities.first { top in entities.allSatisfy { $0.isKindOf(entity: top) } }?.name,
            isIdentifiable: isRoot && identifier?.isCertainlyHashable ?? true)
    }

    /// The class of the nearest entity above that has another one.
    private func superclass(of name: ClassName, _ entities: [NSEntityDescription]) throws -> String {
        var found: (entity: NSEntityDescription, superclass: String)?
        for entity in entities {
            var above = entity.superentity
            while let next = above, className(of: next) == name { above = next.superentity }
            let superclass = above.flatMap(className)?.written ?? types.name("NSManagedObject")
            if let found, found.superclass != superclass {
                throw ModelCodeError(
                    model: modelName, entity: entity.name,
                    problem: "its class '\(name.plain)' would be a subclass of '\(superclass)' here, and of "
                        + "'\(found.superclass)' by entity '\(found.entity.name ?? "")', which shares the class.")
            }
            found = (entity, superclass)
        }
        return found?.superclass ?? types.name("NSManagedObject")
    }

    // MARK: Properties

    private func properties(of name: ClassName, _ entities: [NSEntityDescription]) throws -> [GeneratedProperty] {
        var result: [GeneratedProperty] = []
        var places: [String: Int] = [:]
        // The names of the methods of to-many relationships do not tell `items` from `Items`.
        var stems: [String: String] = [:]
        for entity in entities {
            for property in entity.ownProperties {
                let made = try generatedProperty(property, of: entity)
                guard let place = places[property.name] else {
                    if case .toMany = made.kind, made.isGenerated {
                        let stem = made.accessorStem
                        if let other = stems.updateValue(made.name, forKey: stem) {
                            throw failure(
                                entity, property,
                                "its methods would have the same names as those of '\(other)': addTo\(stem).")
                        }
                    }
                    places[property.name] = result.count
                    result.append(made)
                    continue
                }
                let known = result[place]
                guard known.type == made.type, known.kind == made.kind else {
                    throw failure(
                        entity, property,
                        "its type is '\(made.type)' here, and '\(known.type)' in another entity of class '\(name.plain)'."
                    )
                }
                if made.isGenerated { result[place] = made }
            }
        }
        return result
    }

    private func generatedProperty(
        _ property: NSPropertyDescription, of entity: NSEntityDescription
    ) throws -> GeneratedProperty {
        let isGenerated = generation(of: entity) != .manual
        // What hand-written code calls its property is not ours to judge.
        if isGenerated, let problem = SwiftName.problem(ofProperty: property.name) {
            throw failure(entity, property, problem)
        }
        let found: PropertyTypes.Found
        var kind = GeneratedProperty.Kind.attribute
        switch property {
        case let attribute as NSAttributeDescription:
            let settings = source.entities[entity.name ?? ""]?.attributes[property.name]
            if let type = types.type(of: attribute, settings) {
                found = type
            } else {
                guard !isGenerated else {
                    throw failure(
                        entity, property, "its custom class '\(settings?.customClassName ?? "")' is no type in Swift.")
                }
                found = .init(type: "Any?", isTyped: false)
            }
        case let relationship as NSRelationshipDescription:
            let destination = written(relationship.destinationEntity)
            if relationship.isToMany {
                kind = .toMany(destination, isOrdered: relationship.isOrdered)
                found = .init(type: types.name(relationship.isOrdered ? "NSOrderedSet" : "NSSet") + "?")
            } else {
                kind = .toOne
                found = .init(type: destination + "?")
            }
        default:
            kind = .fetched
            found = .init(type: "[\(resultType(of: property))]", isTyped: false)
        }
        return GeneratedProperty(
            name: property.name, swiftName: SwiftName.written(property.name), type: found.type, kind: kind,
            isGenerated: isGenerated, hasTypedAccessors: found.isTyped)
    }

    private func resultType(of property: NSPropertyDescription) -> String {
        guard let request = (property as? NSFetchedPropertyDescription)?.fetchRequest,
            request.resultType == .managedObjectResultType
        else { return "Any" }
        return written(request.entityName.flatMap { source.model.entitiesByName[$0] })
    }

    private func written(_ entity: NSEntityDescription?) -> String {
        entity.flatMap(className)?.written ?? types.name("NSManagedObject")
    }

    private func failure(
        _ entity: NSEntityDescription, _ property: NSPropertyDescription, _ problem: String
    ) -> ModelCodeError {
        ModelCodeError(model: modelName, entity: entity.name, property: property.name, problem: problem)
    }
}

extension NSEntityDescription {
    /// The class as the model writes it; nil for plain managed objects.
    fileprivate var modelClassName: String? {
        guard let name = managedObjectClassName, !name.isEmpty, name != "NSManagedObject" else { return nil }
        return name
    }
}

extension ClassName {
    fileprivate init(path: [String], module: String?) {
        self.path = path
        self.module = module
    }
}

extension GeneratedProperty {
    /// What follows `addTo` in the name of a to-many relationship's method.
    var accessorStem: String { name.prefix(1).uppercased() + name.dropFirst() }

    /// Whether the type is `Hashable`, as an `Identifiable`'s `id` must be.
    fileprivate var isCertainlyHashable: Bool { hasTypedAccessors || kind == .fetched || type.hasSuffix("NSObject?") }
}
