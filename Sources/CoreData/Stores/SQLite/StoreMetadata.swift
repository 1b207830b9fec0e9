import Foundation

/// A store's metadata and their form in the file: a binary property list.
package enum StoreMetadata {
    /// The largest property list that is read. Apple's are a few kilobytes.
    static let maximumByteCount = 16 << 20

    package static let frameworkVersionKey = "NSPersistenceFrameworkVersion"
    package static let hashesVersionKey = "NSStoreModelVersionHashesVersion"
    package static let hashesDigestKey = "NSStoreModelVersionHashesDigest"
    package static let checksumKey = "NSStoreModelVersionChecksumKey"
    package static let autoVacuumKey = "_NSAutoVacuumLevel"
    package static let maximumFrameworkVersionKey = "NSPersistenceMaximumFrameworkVersion"
    package static let ancillaryHashesKey = "_NSStoreAncillaryModelVersionHashesMetadataKey"

    /// What the framework itself keeps among the metadata; an application that sets others does not lose these.
    package static let ownKeys: Set<String> = [
        NSStoreTypeKey, NSStoreUUIDKey, NSStoreModelVersionHashesKey, NSStoreModelVersionIdentifiersKey,
        NSPersistentStoreOSCompatibility, frameworkVersionKey, hashesVersionKey, hashesDigestKey, checksumKey,
        autoVacuumKey, maximumFrameworkVersionKey, ancillaryHashesKey,
    ]

    /// The metadata of a new store.
    static func new(
        model: NSManagedObjectModel, configuration: String?, type: String, identifier: String
    ) -> [String: Any] {
        var metadata: [String: Any] = [
            NSStoreTypeKey: type,
            NSStoreUUIDKey: identifier,
            frameworkVersionKey: 1344,
            autoVacuumKey: "2",
        ]
        setVersion(of: model, configuration: configuration, in: &metadata)
        return metadata
    }

    /// Writes what tells which model a store fits.
    static func setVersion(
        of model: NSManagedObjectModel, configuration: String?, in metadata: inout [String: Any]
    ) {
        let hashes = model.versionHashes(forConfigurationName: configuration) ?? [:]
        metadata[NSStoreModelVersionHashesKey] = hashes
        metadata[hashesVersionKey] = 3
        metadata[NSStoreModelVersionIdentifiersKey] = model.versionIdentifiers.compactMap { $0 as? String }.sorted()
        metadata[hashesDigestKey] = VersionHashSummary.digest(of: hashes)
        metadata[checksumKey] = VersionHashSummary.checksum(of: hashes)
    }

    /// The metadata an application sets, with the framework's own entries of the old ones where it names none. Type and
    /// identifier are never taken over.
    static func merged(_ new: [String: Any], into old: [String: Any]) -> [String: Any] {
        var result = new
        for key in ownKeys where result[key] == nil || key == NSStoreTypeKey || key == NSStoreUUIDKey {
            result[key] = old[key]
        }
        return result
    }

    // MARK: The file's form

    /// - Throws: 259 where the bytes are no property list, no dictionary, or beyond the bounds.
    package static func decode(_ data: Data, url: URL?) throws -> [String: Any] {
        guard data.count <= maximumByteCount else {
            throw StoreFile.damaged("The store's metadata are too large (\(data.count) bytes).", url)
        }
        do {
            if let metadata = try BoundedPropertyList.value(data) as? [String: Any] { return metadata }
        } catch {
            throw StoreFile.damaged("The store's metadata cannot be read.", url)
        }
        throw StoreFile.damaged("The store's metadata are no dictionary.", url)
    }

    /// - Throws: 134060 naming the key whose value cannot be part of a property list.
    static func encode(_ metadata: [String: Any], url: URL?) throws -> Data {
        var stored = metadata
        // The identifier has a column of its own.
        stored[NSStoreUUIDKey] = nil
        return BinaryPropertyListWriter.write(try encoded(stored, path: "", depth: 0, url: url))
    }

    private static func encoded(_ value: Any, path: String, depth: Int, url: URL?) throws -> PropertyListValue {
        guard depth <= BoundedPropertyList.maximumDepth else { throw unusable(path, "is nested too deeply", url) }
        switch value {
        case let value as NSNumber: return number(value)
        case let value as String: return .string(value)
        case let value as Data: return .data(value)
        case let value as Date: return .date(value.timeIntervalSinceReferenceDate)
        case let value as [Any]:
            return .array(try value.map { try encoded($0, path: path, depth: depth + 1, url: url) })
        case let value as [String: Any]:
            return .dictionary(
                try value.sorted { $0.key < $1.key }.map { key, value in
                    (key, try encoded(value, path: path.isEmpty ? key : path + "." + key, depth: depth + 1, url: url))
                })
        default: throw unusable(path, "has a value of the type \(Swift.type(of: value))", url)
        }
    }

    private static func number(_ value: NSNumber) -> PropertyListValue {
        switch UnicodeScalar(UInt8(bitPattern: value.objCType[0])) {
        case "c", "B": .boolean(value.boolValue)
        case "f", "d": .real(value.doubleValue)
        default: .integer(value.int64Value)
        }
    }

    private static func unusable(_ path: String, _ problem: String, _ url: URL?) -> NSError {
        StoreError.make(
            NSCoreDataError, "The metadata entry '\(path)' \(problem), which cannot be stored as a property list.",
            url: url)
    }
}
