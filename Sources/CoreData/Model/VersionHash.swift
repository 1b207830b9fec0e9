import Foundation

// The version hashes that decide whether a store fits a model. Integers are little-endian, texts UTF-8 without length or
// terminator; an absent text adds nothing.

extension NSPropertyDescription {
    /// Name, flags (1 optional, 2 transient) and modifier: the part that all properties share.
    final func baseVersionHash() -> Data {
        var digest = SHA256()
        digest.update(name.utf8)
        digest.update([(isOptional ? 1 : 0) | (isTransient ? 2 : 0), 0])
        digest.update((versionHashModifier ?? "").utf8)
        return digest.finalize()
    }
}

extension NSAttributeDescription {
    /// The base, the type, and one byte each for external storage and preservation in the history.
    final func attributeVersionHash() -> Data {
        var digest = SHA256()
        digest.update(baseVersionHash())
        digest.update(littleEndian: Int32(attributeType.rawValue))
        if allowsExternalBinaryDataStorage { digest.update([1]) }
        if preservesValueInHistoryOnDeletion { digest.update([1]) }
        return digest.finalize()
    }
}

extension NSCompositeAttributeDescription {
    /// The hashes of the elements by name; the composite's own name, flags and type do not count.
    final func compositeVersionHash() -> Data {
        var digest = SHA256()
        for element in elements.sorted(by: { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }) {
            digest.update(element.versionHash)
        }
        return digest.finalize()
    }
}

extension NSDerivedAttributeDescription {
    /// The text of the derivation alone; name, flags and type do not count.
    final func derivedVersionHash() -> Data {
        guard let derivationExpression else { return attributeVersionHash() }
        return SHA256.hash(derivationExpression.asDerivation.description.utf8)
    }
}

extension NSRelationshipDescription {
    /// The base, the names of destination and inverse (unless the relationship is its own inverse), the counts, and two
    /// bytes for an ordered relationship. The delete rule does not count.
    final func relationshipVersionHash() -> Data {
        var digest = SHA256()
        digest.update(baseVersionHash())
        digest.update((destinationEntityName ?? "").utf8)
        if inverseRelationship !== self {
            digest.update((inverseRelationshipName ?? "").utf8)
        }
        digest.update(littleEndian: Int32(truncatingIfNeeded: maxCount))
        digest.update(littleEndian: Int32(truncatingIfNeeded: minCount))
        if isOrdered { digest.update([1, 0]) }
        return digest.finalize()
    }
}

extension NSEntityDescription {
    /// The SHA-256 digest (32 bytes) over what storage depends on: name, abstractness, the superentity, all stored
    /// properties, the modifier and the uniqueness constraints. Equal definitions have equal hashes.
    public final var versionHash: Data {
        frozen?.versionHash ?? computeVersionHash()
    }

    final func computeVersionHash() -> Data {
        var digest = SHA256()
        digest.update((name ?? "").utf8)
        digest.update([isAbstract ? 1 : 0])
        if let superentity { digest.update(superentity.versionHash) }
        let stored = properties.filter { !$0.isTransient && !($0 is NSFetchedPropertyDescription) }
        for property in stored.sorted(by: { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }) {
            digest.update(property.versionHash)
        }
        digest.update((versionHashModifier ?? "").utf8)
        let constraints = constraintNames.map { $0.joined(separator: ".") }
        for constraint in constraints.sorted(by: { $0.utf8.lexicographicallyPrecedes($1.utf8) }) {
            digest.update(constraint.utf8)
        }
        return digest.finalize()
    }
}

/// What a store's metadata says about all version hashes together.
package enum VersionHashSummary {
    /// The value of `NSStoreModelVersionHashesDigest`: base64 of SHA-512 over each entity's name and hash.
    package static func digest(of hashes: [String: Data]) -> String {
        var bytes = Data()
        for (name, hash) in sorted(hashes) {
            bytes.append(contentsOf: name.utf8)
            bytes.append(hash)
        }
        return SHA512.hash(bytes).base64EncodedString()
    }

    /// The value of `NSStoreModelVersionChecksumKey`: base64 of SHA-256 over the hashes.
    package static func checksum(of hashes: [String: Data]) -> String {
        var digest = SHA256()
        for (_, hash) in sorted(hashes) {
            digest.update(hash)
        }
        return digest.finalize().base64EncodedString()
    }

    private static func sorted(_ hashes: [String: Data]) -> [(String, Data)] {
        hashes.map { ($0.key, $0.value) }.sorted { $0.0.utf8.lexicographicallyPrecedes($1.0.utf8) }
    }
}
