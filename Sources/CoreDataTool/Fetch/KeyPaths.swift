import CoreData

/// Finds out what key paths that people type lead to, so that a mistyped one is answered with what was probably meant.
struct KeyPaths {
    let path: String

    enum Target {
        case attribute(NSAttributeDescription)
        case toOne(NSRelationshipDescription)
        case toMany(NSRelationshipDescription)
        /// A record itself.
        case record(NSEntityDescription)
        /// What an operator or a composite's part gives: the store knows.
        case other
    }

    /// - Throws: `ToolError` naming the entity that lacks a key, and its nearest.
    func target(of keyPath: String, in entity: NSEntityDescription) throws -> Target {
        var entity = entity
        var target = Target.record(entity)
        var keys = keyPath.split(separator: ".", omittingEmptySubsequences: false)[...]
        while let key = keys.popFirst().map(String.init) {
            if key.hasPrefix("@") { return .other }
            switch key {
            case "SELF", "self": continue
            case "objectID" where entity.propertiesByName[key] == nil: return .record(entity)
            case "entity" where entity.propertiesByName[key] == nil: return .other
            default: break
            }
            guard let property = entity.propertiesByName[key] else { throw unknown(key, in: entity) }
            switch property {
            case let relationship as NSRelationshipDescription:
                target = relationship.isToMany ? .toMany(relationship) : .toOne(relationship)
                guard let destination = relationship.destinationEntity else { return .other }
                entity = destination
            case is NSCompositeAttributeDescription:
                return .other
            case let attribute as NSAttributeDescription:
                guard keys.isEmpty else {
                    throw ToolError(
                        .unknownKey, path,
                        "'\(key)' of entity '\(entity.name ?? "")' is an attribute and has no key '\(keys.joined(separator: "."))'."
                    )
                }
                return .attribute(attribute)
            default: return .other
            }
        }
        return target
    }

    private func unknown(_ key: String, in entity: NSEntityDescription) -> ToolError {
        let names = entity.propertiesByName.keys.sorted()
        let near = Suggestion.nearest(to: key, among: names)
        let list = names.prefix(30).joined(separator: ", ") + (names.count > 30 ? ", …" : "")
        return ToolError(
            .unknownKey, path, "entity '\(entity.name ?? "")' has no property '\(key)'.",
            advice: (near.map { "Did you mean '\($0)'? " } ?? "") + "Its properties are: \(list).")
    }
}
