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

    static func versionHashes(of entities: [NSEntityDescription]) -> [String: Data] {
        Dictionary(
            entities.compactMap { entity in entity.name.map { ($0, entity.versionHash) } }, uniquingKeysWith: { $1 })
    }
}
