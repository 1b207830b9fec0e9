import CoreData

/// Finds out what key paths that people type lead to, so that a mistyped one is answered with what was probably meant.
struct KeyPaths {
    let path: String

    enum Target {
        case attribute(NSAttributeDescription)
        case toOne(NSRelationshipDescription)
        case toMany(NSRelationshipDescription)
        case composite(NSCompositeAttributeDescription)
        /// A record itself.
        case record(NSEntityDescription)
        /// What an operator gives: the store knows.
        case other
    }

    /// - Parameter crossesToMany: whether the path may lead over to-many relationships, so that a record has many values there.
    /// - Throws: `ToolError` naming the entity that lacks a key, and its nearest.
    func target(of keyPath: String, in entity: NSEntityDescription, crossesToMany: Bool = false) throws -> Target {
        var entity = entity
        var target = Target.record(entity)
        let all = keyPath.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        var keys = all[...]
        while let key = keys.popFirst() {
            if key.hasPrefix("@") { return .other }
            if !crossesToMany, case .toMany(let relationship) = target {
                let walked = all.dropLast(keys.count + 1).joined(separator: ".")
                throw ToolError(
                    .request, path, "'\(relationship.name)' leads to many records, so '\(keyPath)' is not one value.",
                    advice: "One value are '\(walked).@count' and, for a number, '\(walked).@max.\(key)'.")
            }
            switch key {
            case "SELF", "self": continue
            case "objectID" where entity.propertiesByName[key] == nil: return .record(entity)
            case "entity" where entity.propertiesByName[key] == nil: return .other
            default: break
            }
            guard let property = entity.propertiesByName[key] else {
                throw unknown(key, "entity '\(entity.name ?? "")'", among: entity.propertiesByName.keys)
            }
            switch property {
            case let relationship as NSRelationshipDescription:
                target = relationship.isToMany ? .toMany(relationship) : .toOne(relationship)
                guard let destination = relationship.destinationEntity else { return .other }
                entity = destination
            case let attribute as NSAttributeDescription:
                return try self.target(of: keys, inside: attribute)
            default: return .other
            }
        }
        return target
    }

    private func target(of keys: ArraySlice<String>, inside attribute: NSAttributeDescription) throws -> Target {
        guard let composite = attribute as? NSCompositeAttributeDescription else {
            guard keys.isEmpty else {
                throw ToolError(
                    .unknownKey, path,
                    "'\(attribute.name)' is an attribute and has no key '\(keys.joined(separator: "."))'.")
            }
            return .attribute(attribute)
        }
        guard let key = keys.first else { return .composite(composite) }
        guard let element = composite.elements.first(where: { $0.name == key }) else {
            throw unknown(key, "the composite '\(composite.name)'", among: composite.elements.map(\.name))
        }
        return try target(of: keys.dropFirst(), inside: element)
    }

    private func unknown(_ key: String, _ owner: String, among names: some Sequence<String>) -> ToolError {
        let names = names.sorted()
        let near = Suggestion.nearest(to: key, among: names)
        let list = names.prefix(30).joined(separator: ", ") + (names.count > 30 ? ", …" : "")
        return ToolError(
            .unknownKey, path, "\(owner) has no property '\(key)'.",
            advice: (near.map { "Did you mean '\($0)'? " } ?? "") + "Its properties are: \(list).")
    }
}
