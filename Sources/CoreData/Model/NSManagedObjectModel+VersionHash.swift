import Foundation

extension NSManagedObjectModel {
    /// The version hash (32 bytes) of every entity by name.
    public final var entityVersionHashesByName: [String: Data] {
        frozen?.versionHashes ?? Self.versionHashes(of: entities)
    }

    /// A text over all version hashes together: base64 of a SHA-256 digest, as in a compiled model's `VersionInfo.plist`.
    public final var versionChecksum: String {
        VersionHashSummary.checksum(of: entityVersionHashesByName)
    }

    /// The version hashes of a configuration's entities; nil for a name that the model does not have.
    package final func versionHashes(forConfigurationName configuration: String?) -> [String: Data]? {
        entities(forConfigurationName: configuration).map(Self.versionHashes)
    }

    /// Whether a store with this metadata has just the entities of a configuration, each with the same version hash.
    ///
    /// - Parameters:
    ///   - configuration: a configuration's name; nil means all entities.
    ///   - metadata: a store's metadata; without version hashes it fits nothing.
    public final func isConfiguration(
        withName configuration: String?, compatibleWithStoreMetadata metadata: [String: Any]
    ) -> Bool {
        guard let stored = metadata["NSStoreModelVersionHashes"] as? [String: Any],
            let expected = versionHashes(forConfigurationName: configuration), stored.count == expected.count
        else { return false }
        return expected.allSatisfy { name, hash in (stored[name] as? Data) == hash }
    }

    /// As ``isConfiguration(withName:compatibleWithStoreMetadata:)``, but where a hash differs, the model cached in the store
    /// is asked too.
    ///
    /// How Apple's framework hashes the expression of a derived attribute is known for some expressions only. If our rule
    /// does not give a stored hash for the store's own model either, the rule is at fault, and the two models are compared
    /// by the same rule.
    ///
    /// - Parameter cachedModel: the store's cached model; asked for only where a hash differs.
    package final func isConfiguration(
        withName configuration: String?, compatibleWithStoreMetadata metadata: [String: Any],
        cachedModel: () throws -> NSManagedObjectModel?
    ) rethrows -> Bool {
        if isConfiguration(withName: configuration, compatibleWithStoreMetadata: metadata) { return true }
        guard let stored = metadata["NSStoreModelVersionHashes"] as? [String: Any],
            let members = entities(forConfigurationName: configuration), stored.count == members.count
        else { return false }
        let different = members.filter { stored[$0.name ?? ""] as? Data != $0.versionHash }
        guard different.allSatisfy({ $0.properties.contains { $0 is NSDerivedAttributeDescription } }),
            let cached = try cachedModel()?.entityVersionHashesByName
        else { return false }
        return different.allSatisfy { entity in
            let name = entity.name ?? ""
            return cached[name] == entity.versionHash && stored[name] as? Data != cached[name]
        }
    }

    static func versionHashes(of entities: [NSEntityDescription]) -> [String: Data] {
        Dictionary(
            entities.compactMap { entity in entity.name.map { ($0, entity.versionHash) } }, uniquingKeysWith: { $1 })
    }
}
