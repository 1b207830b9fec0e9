import Foundation

extension NSManagedObjectContext {
    /// How often objects may change one another in `willSave` or in validation before the save is given up as endless.
    static var mostSaveRounds: Int { 1000 }
    /// How often a save to a store is tried again after a merge policy has resolved conflicts.
    private static var mostSaveAttempts: Int { 16 }

    func saveChanges() throws {
        if isSaving {
            throw saveError(
                "save() was called by willSave, by validation or by an observer of a save that is under way.")
        }
        mergeWaitingChanges()
        forgetDeletionsElsewhere()
        isSaving = true
        defer { isSaving = false }
        processEvents(propagatesDeletes: true)
        sendWillSave(pendingObjects())
        post(.NSManagedObjectContextWillSave, nil)
        sendWillSave(processEvents(propagatesDeletes: true))
        try validatePendingObjects()
        var saved = SavedObjects()
        do {
            try write(&saved)
        } catch  where !saved.isEmpty {
            // Part of the save is done, and others must hear of it.
            finish(saved)
            throw incompleteSave(error as NSError)
        }
        finish(saved)
    }

    // MARK: Before writing

    /// Sends `willSave` to the objects, then to those that changed meanwhile, until nothing changes any more.
    private func sendWillSave(_ objects: ContiguousArray<NSManagedObject>) {
        var objects = objects
        var rounds = 0
        while !objects.isEmpty {
            if changes.overridden.contains(.willSave) {
                for object in objects where object.state.isPending { object.willSave() }
            }
            objects = processEvents(propagatesDeletes: true)
            rounds += 1
            if rounds > Self.mostSaveRounds, let object = objects.first(where: { $0.state.isPending }) {
                contextMisuse(
                    "Failed to process pending changes before save: the context is still dirty after \(Self.mostSaveRounds) "
                        + "attempts. Typically willSave or a notification handler changes "
                        + "'\(object.layout.entity.name ?? "")' every time it is called.")
            }
        }
    }

    private func validatePendingObjects() throws {
        guard changes.needsValidation || sawDeletion else { return }
        var objects = pendingObjects()
        var errors: [NSError] = []
        var rounds = 0
        while !objects.isEmpty {
            for object in objects where object.state.isPending {
                let fate: NSManagedObject.Fate =
                    object.state.contains(.inserted) ? .insert : object.state.contains(.deleted) ? .delete : .update
                let found = object.validationErrors(for: fate)
                if !found.isEmpty { errors += found }
            }
            if let first = errors.first { throw errors.count == 1 ? first : Self.combined(errors) }
            objects = processEvents(propagatesDeletes: true)
            rounds += 1
            if rounds > Self.mostSaveRounds, let object = objects.first(where: { $0.state.isPending }) {
                contextMisuse(
                    "Validation is endless: after \(Self.mostSaveRounds) attempts it still changes "
                        + "'\(object.layout.entity.name ?? "")'")
            }
        }
    }

    private static func combined(_ errors: [NSError]) -> NSError {
        NSError(
            domain: NSCocoaErrorDomain, code: NSValidationMultipleErrorsError,
            userInfo: [
                NSLocalizedDescriptionKey: "Multiple validation errors occurred.",
                NSDetailedErrorsKey: errors,
            ])
    }

    // MARK: Writing

    private func write(_ saved: inout SavedObjects) throws {
        var batches = try makeBatches()
        if batches.count > 1 {
            // What fails without a look at the stores' contents must fail before the first is written.
            for batch in batches { try rehearse(batch) }
        }
        var place = 0
        while place < batches.count {
            let store = batches[place].store
            var attempts = 0
            while let conflicts = try write(batches[place]) {
                attempts += 1
                let unresolved = conflicts.versions as [Any] + conflicts.constraints as [Any]
                if attempts > Self.mostSaveAttempts { try NSMergePolicy.error.resolve(mergeConflicts: unresolved) }
                try policy.resolve(mergeConflicts: unresolved)
                _ = processEvents(propagatesDeletes: true)
                let baselines = baselines(after: conflicts.versions, batches[place].baselines)
                // The objects are not what they were: batches of stores that are not written yet are made again.
                let remaining = try makeBatches(store, baselines)
                batches = batches[..<place] + remaining
                guard place < batches.count, batches[place].store === store else { break }
            }
            if place < batches.count, batches[place].store === store {
                saved.add(adopt(batches[place]))
                place += 1
            }
        }
    }

    /// Sorts what is pending by store.
    ///
    /// - Parameters:
    ///   - first: the store whose batch comes first.
    ///   - baselines: rows that objects of that store are saved over instead of those they were read with.
    private func makeBatches(
        _ first: NSPersistentStore? = nil, _ baselines: [ObjectIdentifier: Row] = [:]
    ) throws -> ArraySlice<SaveBatch> {
        var batches: [SaveBatch] = []
        func batch(_ store: NSPersistentStore, _ object: NSManagedObject?) throws -> SaveBatch {
            if let batch = batches.first(where: { $0.store === store }) { return batch }
            guard let engine = store.engine else {
                throw saveError("The store cannot be saved to.", object.map { [$0] } ?? [])
            }
            if store.isReadOnly { throw readOnly(store) }
            let made = SaveBatch(store, engine, baselines: store === first ? baselines : [:])
            batches.append(made)
            return made
        }
        // Objects come in runs of one store.
        var lastLink: StoreLink?
        var lastBatch: SaveBatch?
        var lastNew: (layout: SlotLayout, batch: SaveBatch)?
        let mayChooseStores = mayChooseStores
        for object in pendingObjects() {
            if object.state.contains(.inserted) {
                let target: SaveBatch
                if object.storeLink == nil, let lastNew, lastNew.layout === object.layout {
                    target = lastNew.batch
                } else {
                    target = try batch(storeForInsert(object), object)
                    if object.storeLink == nil, !mayChooseStores { lastNew = (object.layout, target) }
                }
                target.addInserted(object)
                continue
            }
            guard let link = object.storeLink else { continue }
            let target: SaveBatch
            if let lastBatch, link === lastLink {
                target = lastBatch
            } else {
                guard let store = reachableStore(link) else { throw saveError(unreachable: object) }
                target = try batch(store, object)
                lastLink = link
                lastBatch = target
            }
            if object.state.contains(.deleted) { target.deleted.append(object) } else { target.updated.append(object) }
        }
        for object in changes.checked where !object.state.isPending && object.row != nil {
            guard let link = object.storeLink, let store = reachableStore(link), !store.isReadOnly else { continue }
            try batch(store, object).checked.append(object)
        }
        for store in persistentStoreCoordinator?.persistentStores ?? [] where store.unsavedMetadata != nil {
            _ = try batch(store, nil)
        }
        for batch in batches { try loadMissingRows(batch) }
        if let first, let place = batches.firstIndex(where: { $0.store === first }) { batches.swapAt(0, place) }
        return batches[...]
    }

    private func reachableStore(_ link: StoreLink) -> NSPersistentStore? {
        guard let store = link.store, store.persistentStoreCoordinator === persistentStoreCoordinator else {
            return nil
        }
        return store
    }

    /// Changed and deleted faults need the rows they are based on.
    private func loadMissingRows(_ batch: SaveBatch) throws {
        var missing: [NSManagedObject] = []
        for object in batch.updated where object.row == nil { missing.append(object) }
        for object in batch.deleted where object.row == nil { missing.append(object) }
        guard !missing.isEmpty else { return }
        var rows: [Int64: [Row]] = [:]
        for row in try batch.engine.rows(for: missing.map(\.key)) { rows[row.primaryKey, default: []].append(row) }
        for object in missing { object.row = rows[object.key.number]?.first { fits($0, object) } }
    }

    /// Builds the rows once without writing them.
    private func rehearse(_ batch: SaveBatch) throws {
        _ = try batch.build(batch.newKeys.map { _ in 1 }, changes.formerNumbers)
    }

    /// - Returns: the conflicts, nil if the batch was written.
    private func write(_ batch: SaveBatch) throws -> Conflicts? {
        let gone = batch.updated.filter { $0.row == nil }
        if !gone.isEmpty { return Conflicts(versions: gone.map { missingRecord($0) }) }
        let formerNumbers = changes.formerNumbers
        let request = SaveRequest(
            newKeys: batch.newKeys, build: { try batch.build($0, formerNumbers) }, author: transactionAuthor,
            contextName: name, metadata: batch.store.unsavedMetadata, mayReleaseFiles: { batch.mayReleaseFiles })
        switch try batch.engine.save(request) {
        case .committed:
            if request.metadata != nil { batch.store.metadataWereSaved() }
            return nil
        case .conflicts(let found): return Conflicts(versions: found.compactMap { conflict($0, batch) })
        case .constraintConflicts(let found):
            return Conflicts(constraints: found.compactMap { conflict($0, batch) })
        }
    }

    // MARK: After writing

    /// What was written to a store is what the objects are based on from now on.
    private func adopt(_ batch: SaveBatch) -> SaveBatch {
        guard let index else { return batch }
        let link = batch.store.link
        let tables = identityMap.makeTables(of: link, entityCount: index.entityCount)
        let resolve: (ObjectKey) -> ObjectKey = { batch.resolve($0) }
        batch.makeRoomForIDs()
        for (place, object) in batch.inserted.enumerated() {
            let row = batch.insertedRows[place]
            if object.key.isTemporary {
                identityMap[temporary: object.key.number] = nil
                object.adopt(
                    key: ObjectKey(number: row.primaryKey, entity: object.layout.ordinal), storeLink: link)
                tables[object.layout.rootOrdinal, row.primaryKey] = object
            }
            object.state.subtract([.inserted, .listed])
            object.adoptSaved(row, resolve: resolve)
            batch.insertedIDs.insert(object.objectID)
        }
        for (place, object) in batch.updated.enumerated() {
            object.state.subtract([.updated, .listed])
            if let row = batch.updatedRows[place] ?? object.row { object.adoptSaved(row, resolve: resolve) }
            batch.updatedIDs.insert(object.objectID)
        }
        for object in batch.deleted {
            object.state.remove(.listed)
            batch.deletedIDs.insert(object.objectID)
            unregister(object)
        }
        changes.insertedCount -= batch.inserted.count
        changes.updatedCount -= batch.updated.count
        changes.deletedCount -= batch.deleted.count
        return batch
    }

    /// Objects and others are told what was saved; deleted objects leave the context.
    private func finish(_ saved: SavedObjects) {
        let posted = changes.posted
        let overridden = changes.overridden
        // Records that were found to be gone meanwhile need no further save either.
        forgetDeletionsElsewhere()
        if changes.isEmpty {
            changes.objects = []
            changes.forgetMethods()
            changes.checked = []
            forgetFormerNumbers()
        } else {
            for batch in saved.batches {
                // They are pending no more, though `isDeleted` is true until everybody was told.
                for object in batch.deleted { object.state.insert(.deletedElsewhere) }
            }
            _ = pendingObjects()
        }
        changes.posted = PendingChanges.Posted()
        isSaving = false
        if overridden.contains(.didSave) {
            for batch in saved.batches {
                for object in batch.inserted { object.didSave() }
                for object in batch.updated { object.didSave() }
                for object in batch.deleted { object.didSave() }
            }
        }
        announce(saved, posted)
        for batch in saved.batches {
            for object in batch.deleted { expel(object) }
        }
        let annihilated = changes.annihilated
        changes.annihilated = [:]
        for object in annihilated.values { expel(object) }
        sweepIfDue()
    }

    private func announce(_ saved: SavedObjects, _ posted: PendingChanges.Posted) {
        post(
            .NSManagedObjectContextDidSave,
            [
                NSInsertedObjectsKey: saved.set(\.inserted, posted.inserts),
                NSUpdatedObjectsKey: saved.set(\.updated, posted.updates),
                NSDeletedObjectsKey: saved.set(\.deleted, nil),
            ])
        let inserted = saved.ids(\.insertedIDs)
        let updated = saved.ids(\.updatedIDs)
        let deleted = saved.ids(\.deletedIDs)
        post(
            .NSManagedObjectContextDidSaveObjectIDs,
            [
                NSInsertedObjectIDsKey: inserted, NSUpdatedObjectIDsKey: updated, NSDeletedObjectIDsKey: deleted,
            ])
        guard !saved.isEmpty, let coordinator = persistentStoreCoordinator else { return }
        let receivers = coordinator.registeredContexts.filter { $0 !== self && $0.automaticallyMergesChangesFromParent }
        guard !receivers.isEmpty else { return }
        let changes = RemoteChanges(inserted: Array(inserted), updated: Array(updated), deleted: Array(deleted))
        for receiver in receivers { receiver.receive(changes) }
    }
}

extension Set where Element: NSObject {
    /// An empty set with room for so many elements, at most half full: to compare two objects that collide takes far longer than to
    /// hash one.
    init(roomFor count: Int) { self.init(minimumCapacity: count + count / 2) }
}

/// The conflicts that kept a batch from being written.
struct Conflicts {
    var versions: [NSMergeConflict] = []
    var constraints: [NSConstraintConflict] = []
}

/// What a save has written so far.
struct SavedObjects {
    private(set) var batches: [SaveBatch] = []

    var isEmpty: Bool { batches.allSatisfy(\.isEmpty) }

    mutating func add(_ batch: SaveBatch) { batches.append(batch) }

    /// - Parameter posted: a set of such objects, which are all of them if there are as many.
    func set(
        _ kind: KeyPath<SaveBatch, ContiguousArray<NSManagedObject>>, _ posted: Set<NSManagedObject>?
    ) -> Set<NSManagedObject> {
        let count = batches.reduce(0) { $0 + $1[keyPath: kind].count }
        if let posted, posted.count == count { return posted }
        var set = Set<NSManagedObject>(roomFor: count)
        for batch in batches {
            for object in batch[keyPath: kind] { set.insert(object) }
        }
        return set
    }

    func ids(_ kind: KeyPath<SaveBatch, Set<NSManagedObjectID>>) -> Set<NSManagedObjectID> {
        batches.dropFirst().reduce(batches.first?[keyPath: kind] ?? []) { $0.union($1[keyPath: kind]) }
    }
}
