import CoreData

/// What is known of the types of a program: what its sources and models declare.
package struct PortedTypes {
    private struct Facts {
        var supertypes: Set<String> = []
        var properties: [String: SourceStructure.Property] = [:]
        var isEntityClass = false
    }

    private var types: [String: Facts] = [:]

    package init() {}

    /// Adds the classes of a model's entities with their properties.
    package mutating func add(_ model: NSManagedObjectModel) {
        for entity in model.entities {
            let name = Self.className(of: entity)
            types[name, default: Facts()].isEntityClass = true
            if let parent = entity.superentity { types[name]?.supertypes.insert(Self.className(of: parent)) }
            for property in entity.properties where types[name]?.properties[property.name] == nil {
                let destination = (property as? NSRelationshipDescription)?.destinationEntity.map(Self.className)
                types[name]?.properties[property.name] = SourceStructure.Property(
                    objectiveCName: nil, types: destination.map { [$0] } ?? [])
            }
        }
    }

    /// The class without its module. Where the model names none, code may still have one by the entity's name.
    private static func className(of entity: NSEntityDescription) -> String {
        let name = entity.managedObjectClassName.flatMap { $0.split(separator: ".").last }.map(String.init)
        return name.flatMap { $0 == "NSManagedObject" ? nil : $0 } ?? entity.name ?? ""
    }

    /// Adds what a file declares.
    package mutating func add(_ source: PortableSource) { add(source.structure) }

    /// What sources say counts before what a model says: they may rename.
    mutating func add(_ structure: SourceStructure) {
        for type in structure.types {
            types[type.name, default: Facts()].supertypes.formUnion(type.supertypes)
            types[type.name]?.properties.merge(type.properties) { $1.objectiveCName == nil ? $0 : $1 }
        }
    }

    /// The path that `#keyPath` would give, or why it is not known.
    ///
    /// - Parameters:
    ///   - components: what stands between the brackets, by its dots.
    ///   - enclosingType: the type in whose body it stands, for a path that begins with a property.
    func path(_ components: [String], enclosingType: String?) -> Result<String, Problem> {
        let typeCount = components.prefix { types[$0] != nil || $0.first?.isUppercase == true }.count
        guard let root = typeCount > 0 ? components[typeCount - 1] : enclosingType, typeCount < components.count else {
            return .failure(Problem("it names no property"))
        }
        guard isManagedObjectClass(root) else {
            return .failure(Problem("'\(root)' is no class of managed objects in these sources and models"))
        }
        var path: [String] = []
        var current: Set<String> = [root]
        for name in components[typeCount...] {
            guard let property = property(name, ofAny: current) else {
                return .failure(
                    Problem(
                        "'\(current.sorted().joined(separator: ", "))' has no property '\(name)' in these sources and models"
                    ))
            }
            path.append(property.objectiveCName ?? name)
            current = property.types.filter { types[$0] != nil }
        }
        return .success(path.joined(separator: "."))
    }

    struct Problem: Error {
        let text: String
        init(_ text: String) { self.text = text }
    }

    private func property(_ name: String, ofAny roots: Set<String>) -> SourceStructure.Property? {
        for type in ancestors(of: roots) {
            if let property = types[type]?.properties[name] { return property }
        }
        return nil
    }

    private func isManagedObjectClass(_ name: String) -> Bool {
        ancestors(of: [name]).contains { $0 == "NSManagedObject" || types[$0]?.isEntityClass == true }
    }

    /// Types and all that they inherit, the nearest first.
    private func ancestors(of roots: Set<String>) -> [String] {
        var result = roots.sorted()
        var seen = roots
        var index = 0
        while index < result.count {
            for name in (types[result[index]]?.supertypes ?? []).sorted() where seen.insert(name).inserted {
                result.append(name)
            }
            index += 1
        }
        return result
    }
}
