import Foundation

/// What a model keeps once it is frozen.
struct FrozenModel {
    let entitiesByName: [String: NSEntityDescription]
    let versionHashes: [String: Data]
    /// All entities by ordinal, the first at index 0.
    let entitiesByOrdinal: [NSEntityDescription]
    let storeCache = StoreCacheContents()
}

/// What new stores of a frozen model have as their model cache, made when the first one is created.
final class StoreCacheContents: @unchecked Sendable {
    private let lock = NSLock()
    private var contents: Data?

    func contents(_ make: () throws(NSError) -> Data) throws(NSError) -> Data {
        lock.lock()
        defer { lock.unlock() }
        if let contents { return contents }
        let made = try make()
        contents = made
        return made
    }
}

/// What is left of a model, for objects that belong to no context.
final class ModelRemains: Sendable {
    private let entities: [NSEntityDescription]
    /// Entries of relationships know those of their inverses.
    private let entries: [PropertyEntry]

    init(entities: [NSEntityDescription], entries: [PropertyEntry]) {
        self.entities = entities
        self.entries = entries
    }
}

extension NSManagedObjectModel {
    /// Makes the model unchangeable and computes once what the engine reads often. A coordinator calls it; a second call
    /// does nothing. It may be called from several threads at once.
    ///
    /// - Precondition: the model is valid; a mistake in a model built in code stops the program with the reason.
    package final func freeze() {
        Self.freezeLock.withLock {
            guard frozen == nil else { return }
            do {
                try validate()
            } catch {
                modelMisuse((error as NSError).localizedFailureReason ?? error.localizedDescription)
            }
            freezeValidated()
        }
    }

    /// The model goes. Objects without a context do not keep it, since each would have to count it: where some are left, what they
    /// share keeps from now on what the model described.
    final func handOverEntities() {
        guard let entities = frozen?.entitiesByOrdinal,
            entities.contains(where: { !isKnownUniquelyReferenced(&$0.frozenLayout) })
        else { return }
        let remains = ModelRemains(entities: entities, entries: entities.flatMap { $0.frozenLayout?.entries ?? [] })
        for entity in entities { entity.handOverLayout(remains) }
    }

    /// All entities in the order in which stores number them, the first at index 0.
    ///
    /// - Precondition: the model is frozen.
    package final var entitiesByOrdinal: [NSEntityDescription] {
        guard let frozen else { modelMisuse("The ordinals are asked for before the model is in use.") }
        return frozen.entitiesByOrdinal
    }

    private static let freezeLock = NSLock()
    nonisolated(unsafe) private static var freezeCount: UInt64 = 0

    private func freezeValidated() {
        Self.freezeCount += 1
        convertOldIndexMarks()
        let ordered = NSEntityDescription.depthFirst(storedEntities.filter { $0.superentity == nil })
        for (index, entity) in ordered.enumerated() {
            // Parents come first, so what a child reads of its parent is frozen already.
            for property in entity.ownProperties {
                property.frozenVersionHash = property.versionHash
                property.isFrozen = true
                (property as? NSFetchedPropertyDescription)?.freezeRequest()
                for case let element in (property as? NSCompositeAttributeDescription)?.allElements ?? [] {
                    element.isFrozen = true
                }
            }
            for fetchIndex in entity.indexes {
                fetchIndex.isFrozen = true
                for element in fetchIndex.elements {
                    element.property?.isFrozen = true
                }
            }
            let descendants = entity.allSubentities
            let properties = entity.properties
            entity.frozen = FrozenEntity(
                freezeNumber: Self.freezeCount, ordinal: index + 1, lastOrdinal: index + 1 + descendants.count,
                rootOrdinal: entity.superentity?.frozen?.rootOrdinal ?? index + 1, allSubentities: descendants,
                properties: properties,
                propertiesByName: NSEntityDescription.byName(properties),
                attributesByName: NSEntityDescription.byName(properties.compactMap { $0 as? NSAttributeDescription }),
                relationshipsByName: NSEntityDescription.byName(
                    properties.compactMap { $0 as? NSRelationshipDescription }),
                versionHash: entity.versionHash)
            entity.isFrozen = true
        }
        SlotLayout.makeLayouts(ordered)
        frozen = FrozenModel(
            entitiesByName: entitiesByName, versionHashes: entityVersionHashesByName, entitiesByOrdinal: ordered)
        ModelsInUse.shared.note(self)
    }
}
