import Foundation

extension NSManagedObjectModel {
    /// A model of copies of the entities of several models.
    ///
    /// An entity that several models define alike is taken once. Relationships and parents are joined by name, so a model
    /// may complete another's hierarchy.
    ///
    /// - Parameter models: the models; none give a model without entities.
    /// - Precondition: no two models define an entity differently. The program stops with "Can't merge models with two
    ///   different entities named …", where Apple's framework raises an exception.
    public convenience init?(byMerging models: [NSManagedObjectModel]?) {
        self.init()
        do {
            try merge(models ?? [])
        } catch {
            modelMisuse(error.localizedFailureReason ?? error.localizedDescription)
        }
    }

    /// A model of copies of those entities, out of several versions, that a store was made with.
    ///
    /// - Parameters:
    ///   - models: the versions among which the store's entities are looked for.
    ///   - metadata: a store's metadata.
    /// - Returns: nil if for some entity of the store no model has the version.
    public convenience init?(byMerging models: [NSManagedObjectModel], forStoreMetadata metadata: [String: Any]) {
        guard let hashes = metadata["NSStoreModelVersionHashes"] as? [String: Any] else { return nil }
        self.init()
        // Most often one model fits as it is; then its configurations and templates stay as they are too.
        let fitting = models.first { $0.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata) }
        let chosen = fitting.map { [$0] } ?? models
        do {
            try merge(chosen) { entity in hashes[entity.name ?? ""] as? Data == entity.versionHash }
        } catch {
            CoreDataLog.error(error.localizedFailureReason ?? error.localizedDescription)
            return nil
        }
        guard isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata) else { return nil }
    }

    /// The merged model of all models in bundles.
    ///
    /// - Parameter bundles: where to look; nil means the main bundle and the resource bundles beside the program.
    /// - Returns: nil if there is no model, or two that cannot be merged; the reason is logged.
    public class func mergedModel(from bundles: [Bundle]?) -> NSManagedObjectModel? {
        let models = models(in: bundles)
        guard !models.isEmpty else { return nil }
        let merged = NSManagedObjectModel()
        do {
            try merged.merge(models)
            return merged
        } catch {
            CoreDataLog.error(error.localizedFailureReason ?? error.localizedDescription)
            return nil
        }
    }

    /// The model in bundles that a store was made with; all versions of a model are considered.
    ///
    /// - Parameters:
    ///   - bundles: where to look; nil means the main bundle and the resource bundles beside the program.
    ///   - metadata: a store's metadata.
    /// - Returns: nil if no version fits.
    public class func mergedModel(
        from bundles: [Bundle]?, forStoreMetadata metadata: [String: Any]
    ) -> NSManagedObjectModel? {
        NSManagedObjectModel(byMerging: models(in: bundles, allVersions: true), forStoreMetadata: metadata)
    }

    private class func models(in bundles: [Bundle]?, allVersions: Bool = false) -> [NSManagedObjectModel] {
        let folders = bundles.map { $0.flatMap { [$0.resourceURL, $0.bundleURL].compactMap { $0 } } }
        var seen: Set<String> = []
        var models: [NSManagedObjectModel] = []
        for folder in folders ?? ModelCatalog.programFolders() {
            for url in modelURLs(in: folder) where seen.insert(url.resolvingSymlinksInPath().path).inserted {
                let versions = allVersions ? (try? versionURLs(of: url)) ?? [] : [url]
                models += versions.compactMap { NSManagedObjectModel(contentsOf: $0) }
            }
        }
        return models
    }

    /// The models in a folder, by name. The source of a model that is there in compiled form as well is left out.
    private class func modelURLs(in folder: URL) -> [URL] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        let urls = names.sorted().map { folder.appendingPathComponent($0) }
        let compiled = Set(urls.filter { ModelFileForm($0)?.isCompiled == true }.map(\.modelName))
        return urls.filter { url in
            guard let form = ModelFileForm(url), form != .optimized else { return false }
            return form.isCompiled || !compiled.contains(url.modelName)
        }
    }

    /// Adds copies of the entities of models.
    ///
    /// - Parameter isWanted: which entities to take.
    /// - Throws: NSCocoaErrorDomain 134020 for two different entities of one name.
    private func merge(
        _ models: [NSManagedObjectModel], where isWanted: (NSEntityDescription) -> Bool = { _ in true }
    ) throws(NSError) {
        var originals: [String: NSEntityDescription] = [:]
        var copies: [String: NSEntityDescription] = [:]
        var merged: [NSEntityDescription] = []
        for model in models {
            for entity in NSEntityDescription.depthFirst(model.entities.filter { $0.superentity == nil })
            where isWanted(entity) {
                let name = entity.name ?? ""
                if let known = originals[name] {
                    guard known.versionHash == entity.versionHash,
                        known.managedObjectClassName == entity.managedObjectClassName
                    else {
                        throw Self.invalid("Can't merge models with two different entities named '\(name)'")
                    }
                    continue
                }
                let copy = EntityCopier.copyAlone(entity)
                originals[name] = entity
                copies[name] = copy
                merged.append(copy)
                if let parent = entity.superentity?.name.flatMap({ copies[$0] }) {
                    parent.subentities = parent.storedSubentities + [copy]
                }
            }
        }
        for entity in merged {
            Self.joinByName(entity, to: copies)
        }
        entities = merged
        hasConvertedIndexMarks = models.contains { $0.hasConvertedIndexMarks }
        for (name, copy) in copies {
            copy.indexes = originals[name]?.indexes.map { EntityCopier.copy($0, to: copy) } ?? []
        }
        for model in models {
            adoptConfigurationsAndTemplates(of: model, members: copies)
        }
    }

    /// Leads a copied entity's relationships to the copies of the same names.
    private static func joinByName(_ entity: NSEntityDescription, to copies: [String: NSEntityDescription]) {
        for case let relationship as NSRelationshipDescription in entity.ownProperties {
            guard let destination = relationship.destinationEntityName.flatMap({ copies[$0] }) else { continue }
            let inverseName = relationship.inverseRelationshipName
            relationship.destinationEntity = destination
            relationship.inverseRelationship = inverseName.flatMap { destination.relationshipsByName[$0] }
        }
    }

    private func adoptConfigurationsAndTemplates(
        of model: NSManagedObjectModel, members: [String: NSEntityDescription]
    ) {
        versionIdentifiers.formUnion(model.versionIdentifiers)
        for (name, entities) in model.configurationMembers {
            let known = configurationMembers[name] ?? []
            let added = entities.filter { members[$0] != nil && !known.contains($0) }
            configurationMembers[name] = known + added
        }
        for (name, request) in model.storedTemplates where storedTemplates[name] == nil {
            storedTemplates[name] = request.resolvedCopy(in: self)
        }
        if let texts = model.localizationDictionary {
            localizationDictionary = (localizationDictionary ?? [:]).merging(texts) { own, _ in own }
        }
    }
}

extension URL {
    fileprivate var modelName: String { deletingPathExtension().lastPathComponent }
}
