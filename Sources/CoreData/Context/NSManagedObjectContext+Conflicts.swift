import Foundation

// What kept a save from being written, and how the merge policies settle it.

extension NSManagedObjectContext {
    // MARK: Finding

    /// A conflict that the store found, for the policy.
    func conflict(_ found: SaveOutcome.Conflict, _ batch: SaveBatch) -> NSMergeConflict? {
        let old = found.old
        guard let object = registered(old.key, in: batch.store.link) else { return nil }
        let cached = batch.engine.rowCache[old.layout.rootOrdinal, old.primaryKey]
        let stored = found.persisted.map { NSMergeConflict.Stored.row($0) } ?? .gone
        // Another context of the coordinator was faster: the cache has what it wrote. Else the store knows more than the cache.
        if let cached, cached.version == found.persisted?.version {
            return NSMergeConflict(
                source: object, old: object.row ?? old, stored: stored, newVersion: cached.version,
                cached: object.snapshot(of: cached), persisted: nil)
        }
        return NSMergeConflict(
            source: object, old: object.row ?? old, stored: stored, newVersion: found.persisted?.version ?? 0,
            cached: (cached ?? (found.persisted == nil ? nil : old)).map { object.snapshot(of: $0) },
            persisted: found.persisted.map { object.snapshot(of: $0) })
    }

    /// A changed object whose record is gone, so that not even the row it is based on could be read.
    func missingRecord(_ object: NSManagedObject) -> NSMergeConflict {
        NSMergeConflict(source: object, old: nil, stored: .gone, newVersion: 0, cached: nil, persisted: nil)
    }

    func conflict(_ found: SaveOutcome.ConstraintConflict, _ batch: SaveBatch) -> NSConstraintConflict? {
        let claimants = found.claimants.compactMap { batch.object(of: $0) }
        guard let first = claimants.first else { return nil }
        let isKnown = found.persisted.map { registered($0.key, in: batch.store.link) != nil } ?? false
        return NSConstraintConflict(
            constraint: found.constraint, database: found.persisted.map { object(for: $0.key, in: batch.store.link) },
            row: found.persisted, isKnown: isKnown, databaseSnapshot: found.persisted.map { first.snapshot(of: $0) },
            conflicting: claimants,
            snapshots: claimants.map { object in
                object.state.contains(.inserted) ? [:] : object.row.map { object.snapshot(of: $0) } ?? [:]
            })
    }

    /// The rows that objects are to be saved over once their conflicts are resolved: those that still are based on an older one.
    func baselines(after conflicts: [NSMergeConflict], _ former: [ObjectIdentifier: Row]) -> [ObjectIdentifier: Row] {
        var result = former
        for conflict in conflicts {
            let object = conflict.sourceObject
            guard case .row(let stored) = conflict.stored, object.state.isPending else { continue }
            if let row = object.row, row.version == stored.version {
                result[ObjectIdentifier(object)] = nil
            } else {
                result[ObjectIdentifier(object)] = stored
            }
        }
        return result
    }

    // MARK: Settling versions

    /// Decides about one conflict as the policy says. What the object holds afterwards is what is saved.
    func settle(_ conflict: NSMergeConflict, _ type: NSMergePolicyType) {
        let object = conflict.sourceObject
        guard object.state.isPending else { return }
        switch conflict.stored {
        case .unknown: return
        case .gone: settleDeletion(object, type)
        case .row(let stored):
            if object.state.contains(.deleted) {
                settleOwnDeletion(object, stored, type)
            } else {
                settleUpdate(object, stored, type)
            }
        }
    }

    /// The record was deleted by somebody.
    private func settleDeletion(_ object: NSManagedObject, _ type: NSMergePolicyType) {
        if type == .overwriteMergePolicyType, object.state.contains(.updated), object.row != nil {
            // It is inserted anew, under its own id.
            object.holdExternalValues(over: nil)
            withdraw(object)
            object.state.insert(.inserted)
            changes.insertedCount += 1
            list(object)
            return
        }
        let wasDeleted = object.state.contains(.deleted)
        if !wasDeleted { object.discardChanges() }
        deleteElsewhere(object)
    }

    /// The record was changed by somebody, and this context deletes it.
    private func settleOwnDeletion(_ object: NSManagedObject, _ stored: Row, _ type: NSMergePolicyType) {
        switch type {
        case .errorMergePolicyType, .mergeByPropertyObjectTrumpMergePolicyType, .overwriteMergePolicyType:
            object.refreshSnapshot(stored)
        case .mergeByPropertyStoreTrumpMergePolicyType, .rollbackMergePolicyType:
            withdraw(object)
            object.state.remove(.deletePropagated)
            object.discardChanges()
            object.refreshSnapshot(stored)
            report(object, .eventRefreshed)
        }
    }

    /// The record was changed by somebody, and so it was here.
    private func settleUpdate(_ object: NSManagedObject, _ stored: Row, _ type: NSMergePolicyType) {
        switch type {
        // The object as it is goes over the stored record: see `baselines`.
        case .errorMergePolicyType, .overwriteMergePolicyType: object.holdExternalValues(over: stored)
        case .mergeByPropertyObjectTrumpMergePolicyType: object.refreshSnapshot(stored)
        case .mergeByPropertyStoreTrumpMergePolicyType:
            let former = object.row
            object.refreshSnapshot(stored)
            if let former {
                for entry in object.layout.entries { giveUp(entry.place, entry, of: object, former, stored) }
            }
        case .rollbackMergePolicyType:
            withdraw(object)
            object.discardChanges()
            object.refreshSnapshot(stored)
            report(object, .eventRefreshed)
        }
    }

    /// Drops the unsaved value of a property that was changed in the store too.
    private func giveUp(
        _ place: PropertyPlace, _ entry: PropertyEntry, of object: NSManagedObject, _ former: Row, _ stored: Row
    ) {
        switch place {
        case .attribute(let slot):
            guard object.layout.slots[slot].kind != .transient, let overlay = object.overlay, !overlay[slot].isUnset,
                !former.hasEqualValue(slot, as: stored)
            else { return }
            overlay[slot] = .unset
        case .toOne(let slot, let isPolymorphic):
            guard let overlay = object.overlay, !overlay[slot].isUnset, !former.hasEqualValue(slot, as: stored) else {
                return
            }
            // Through the setter, so that the other side follows.
            let target = stored.toOne(slot, isPolymorphic: isPolymorphic).map {
                self.object(for: $0, in: object.storeLink)
            }
            object.setValue(target, forKey: entry.name)
        case .composite(let elements):
            for element in elements { giveUp(element.place, entry, of: object, former, stored) }
        case .toMany, .fetched: break
        }
    }

    // MARK: Settling constraints

    /// Decides about one conflict with a uniqueness constraint as the policy says.
    func settle(_ conflict: NSConstraintConflict, _ type: NSMergePolicyType) {
        let claimants = conflict.conflictingObjects.filter { $0.state.isPending }
        let objectWins = type == .mergeByPropertyObjectTrumpMergePolicyType || type == .overwriteMergePolicyType
        guard let stored = conflict.databaseRow, let database = conflict.databaseObject else {
            settleAmongThemselves(claimants, conflict.constraint, lastWins: objectWins)
            return
        }
        for object in claimants {
            if object.state.contains(.inserted) {
                if conflict.isDatabaseObjectKnown {
                    merge(object, into: database, takesValues: objectWins)
                } else {
                    becomeRecord(object, database, stored, keepsValues: objectWins)
                }
            } else if objectWins {
                delete(database)
            } else {
                revert(object, conflict.constraint, all: type == .rollbackMergePolicyType)
            }
        }
    }

    /// None of the values is stored yet: one of the objects keeps them.
    private func settleAmongThemselves(_ objects: [NSManagedObject], _ constraint: [String], lastWins: Bool) {
        // A saved object is not given up for a new one.
        let saved = objects.filter { !$0.state.contains(.inserted) }
        guard let winner = lastWins ? saved.last ?? objects.last : saved.first ?? objects.first else { return }
        for object in objects where object !== winner {
            if object.state.contains(.inserted) {
                merge(object, into: winner, takesValues: lastWins && !winner.state.contains(.inserted))
            } else {
                revert(object, constraint, all: false)
            }
        }
    }

    /// A new object stands for a stored record from now on.
    private func becomeRecord(
        _ object: NSManagedObject, _ database: NSManagedObject, _ stored: Row, keepsValues: Bool
    ) {
        unregister(database)
        database.state.insert(.detached)
        database.link = formerLink
        withdraw(object)
        let number = object.key.number
        if object.key.isTemporary {
            // Other objects know it by this number until they are saved.
            changes.formerNumbers.append((number, object))
        } else {
            unregister(object)
        }
        object.adopt(key: stored.key, storeLink: database.storeLink)
        object.row = stored
        registerAgain(object)
        object.state.insert(.registered)
        if keepsValues {
            object.state.insert(.updated)
            changes.updatedCount += 1
            list(object)
        } else {
            object.discardChanges()
            object.refreshSnapshot(stored)
        }
        report(object, .eventRefreshed)
    }

    /// Gives up a new object for another one, which takes over its relationships and, if it is the newer one, its values.
    private func merge(_ object: NSManagedObject, into survivor: NSManagedObject, takesValues: Bool) {
        for entry in object.layout.entries where survivor.layout.entry(named: entry.name) != nil {
            switch entry.place {
            case .attribute(let slot):
                if takesValues, let overlay = object.overlay, !overlay[slot].isUnset {
                    survivor.setValue(object.value(forKey: entry.name), forKey: entry.name)
                }
            case .composite:
                if takesValues, let value = object.value(forKey: entry.name) {
                    survivor.setValue(value, forKey: entry.name)
                }
            case .toOne:
                guard let target = object.value(forKey: entry.name) else { continue }
                object.setValue(nil, forKey: entry.name)
                if takesValues || survivor.value(forKey: entry.name) == nil {
                    survivor.setValue(target, forKey: entry.name)
                }
            case .toMany:
                moveMembers(entry, from: object, to: survivor)
            case .fetched: continue
            }
        }
        object.state.insert(.deletePropagated)
        delete(object)
    }

    private func moveMembers(_ entry: PropertyEntry, from object: NSManagedObject, to survivor: NSManagedObject) {
        if entry.relationship?.isOrdered == true {
            let moved = object.value(forKey: entry.name) as? NSOrderedSet ?? []
            guard moved.count > 0 else { return }
            object.setValue(NSOrderedSet(), forKey: entry.name)
            let all = NSMutableOrderedSet(orderedSet: survivor.value(forKey: entry.name) as? NSOrderedSet ?? [])
            all.addObjects(from: moved.array)
            survivor.setValue(all, forKey: entry.name)
        } else {
            let moved = object.value(forKey: entry.name) as? Set<NSManagedObject> ?? []
            guard !moved.isEmpty else { return }
            object.setValue(NSSet(), forKey: entry.name)
            let all = survivor.value(forKey: entry.name) as? Set<NSManagedObject> ?? []
            survivor.setValue(all.union(moved), forKey: entry.name)
        }
    }

    /// Gives a changed object its saved values back: those of the constraint's attributes, or all.
    private func revert(_ object: NSManagedObject, _ constraint: [String], all: Bool) {
        if all {
            withdraw(object)
            object.discardChanges()
            report(object, .eventRefreshed)
            return
        }
        for name in constraint {
            guard case .attribute(let slot)? = object.layout.entry(named: name)?.place, let overlay = object.overlay
            else {
                continue
            }
            overlay[slot] = .unset
        }
    }
}

extension NSManagedObject {
    /// Attributes and ids of to-one relationships by name, `NSNull` for nil, as a row of this object's record has them.
    func snapshot(of row: Row) -> [String: Any] {
        // A bare object shows what the row holds: values are decoded in one place only.
        let reader = NSManagedObject.instantiate(NSManagedObject.self, layout.entity)
        reader.row = row
        reader.storeLink = storeLink
        var result: [String: Any] = [:]
        for entry in layout.entries {
            switch entry.place {
            case .attribute(let slot):
                if layout.slots[slot].kind == .transient { continue }
                result[entry.name] = reader.value(forKey: entry.name) ?? NSNull()
            case .composite: result[entry.name] = reader.value(forKey: entry.name) ?? NSNull()
            case .toOne(let slot, let isPolymorphic):
                guard let key = row.toOne(slot, isPolymorphic: isPolymorphic),
                    let entity = entry.relationship?.destinationEntity?.entity(ofOrdinal: key.entity)
                else {
                    result[entry.name] = NSNull()
                    continue
                }
                result[entry.name] = NSManagedObjectID(key: key, entity: entity, storeLink: storeLink)
            case .toMany, .fetched: continue
            }
        }
        return result
    }
}

extension NSEntityDescription {
    /// This entity or the subentity of that ordinal.
    fileprivate func entity(ofOrdinal ordinal: Int32) -> NSEntityDescription? {
        if self.ordinal == Int(ordinal) { return self }
        return allSubentities.first { $0.ordinal == Int(ordinal) } ?? self
    }
}
