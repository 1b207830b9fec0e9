import Foundation

/// What one save writes to one store.
final class SaveBatch {
    let store: NSPersistentStore
    let engine: any StoreEngine
    var inserted: ContiguousArray<NSManagedObject> = []
    var updated: ContiguousArray<NSManagedObject> = []
    var deleted: ContiguousArray<NSManagedObject> = []
    /// Unchanged objects whose records must not have changed.
    var checked: ContiguousArray<NSManagedObject> = []

    /// The ids of what was written, for those who are to hear of it.
    var insertedIDs: Set<NSManagedObjectID> = []
    var updatedIDs: Set<NSManagedObjectID> = []
    var deletedIDs: Set<NSManagedObjectID> = []

    /// The new keys that are needed, by root entity.
    private(set) var newKeys: [(root: NSEntityDescription, count: Int)] = []
    private var keyGroups: [Int32: Int] = [:]
    /// What the change set holds of each inserted and each updated object; nil where nothing of it is written.
    private(set) var insertedRows: ContiguousArray<Row> = []
    private(set) var updatedRows: ContiguousArray<Row?> = []
    private(set) var keys = PermanentKeys()
    /// The objects that the rows were made of, once somebody asks.
    private var madeOf: [ObjectIdentifier: NSManagedObject] = [:]

    /// The stored rows that conflicting objects are saved over, where these are not the rows they were read with.
    let baselines: [ObjectIdentifier: Row]

    init(_ store: NSPersistentStore, _ engine: any StoreEngine, baselines: [ObjectIdentifier: Row]) {
        self.store = store
        self.engine = engine
        self.baselines = baselines
    }

    var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty && checked.isEmpty }

    func addInserted(_ object: NSManagedObject) {
        inserted.append(object)
        guard object.key.isTemporary else { return }
        let root = object.layout.rootOrdinal
        let group: Int
        if let known = keyGroups[root] {
            group = known
        } else {
            group = newKeys.count
            keyGroups[root] = group
            newKeys.append((object.layout.entity.rootEntity, 0))
        }
        newKeys[group].count += 1
        keys.expect(object.key.number)
    }

    func makeRoomForIDs() {
        insertedIDs = Set(roomFor: inserted.count)
        updatedIDs = Set(roomFor: updated.count)
        deletedIDs = Set(roomFor: deleted.count)
    }

    /// The permanent key of a temporary one.
    func resolve(_ key: ObjectKey) -> ObjectKey { keys.resolve(key) }

    /// The object that a row of the change set was made of.
    func object(of row: Row) -> NSManagedObject? {
        if madeOf.isEmpty {
            for (place, row) in insertedRows.enumerated() { madeOf[ObjectIdentifier(row)] = inserted[place] }
            for (place, row) in updatedRows.enumerated() {
                if let row { madeOf[ObjectIdentifier(row)] = updated[place] }
            }
        }
        if let object = madeOf[ObjectIdentifier(row)] { return object }
        // The store may have written another row, with values that it derives.
        let root = row.layout.rootOrdinal
        let place = insertedRows.firstIndex { $0.primaryKey == row.primaryKey && $0.layout.rootOrdinal == root }
        return place.map { inserted[$0] } ?? updated.first { $0.key == row.key && $0.layout.rootOrdinal == root }
    }

    // MARK: Building

    /// The changes with their permanent keys.
    ///
    /// - Parameters:
    ///   - first: the first key of each of `newKeys`.
    ///   - formerNumbers: temporary numbers of objects that got their permanent key before the save.
    /// - Throws: `NSError`, naming the object, where a value cannot be stored or a relationship leads nowhere.
    func build(_ first: [Int64], _ formerNumbers: [(number: Int64, object: NSManagedObject)]) throws -> ChangeSet {
        giveKeys(first, formerNumbers)
        madeOf = [:]
        var changes = ChangeSet()
        try buildInserts(&changes)
        try buildUpdates(&changes)
        for object in deleted {
            guard let row = baselines.isEmpty ? object.row : baselines[ObjectIdentifier(object)] ?? object.row else {
                continue
            }
            changes.deleted.append(ChangeSet.Deletion(old: row))
            if object.toMany != nil { changes.toMany += goodbyes(of: object) }
        }
        for object in checked {
            if let row = object.row { changes.checked.append(row) }
        }
        if let dangling = keys.unresolved { throw danglingReference(dangling) }
        return changes
    }

    /// What a deleted object's relationships leave to be written: it still knows the members that it got since the last save, but
    /// only those that it lost before may have to be told.
    private func goodbyes(of object: NSManagedObject) -> [ChangeSet.ToManyChange] {
        object.toManyChanges(resolve: resolve).writes.compactMap { change in
            if change.removed.isEmpty { return nil }
            return ChangeSet.ToManyChange(
                relationship: change.relationship, owner: change.owner, added: [], removed: change.removed, order: nil)
        }
    }

    private func giveKeys(_ first: [Int64], _ formerNumbers: [(number: Int64, object: NSManagedObject)]) {
        var next = first
        keys.prepare()
        var lastRoot: Int32 = 0
        var group = 0
        for object in inserted where object.key.isTemporary {
            if object.layout.rootOrdinal != lastRoot {
                lastRoot = object.layout.rootOrdinal
                group = keyGroups[lastRoot] ?? 0
            }
            keys[object.key.number] = next[group]
            next[group] += 1
        }
        for (number, object) in formerNumbers { keys[number] = object.key.number }
    }

    private func buildInserts(_ changes: inout ChangeSet) throws {
        let require: (ObjectKey) -> ObjectKey = { [self] in keys.require($0) }
        insertedRows = []
        insertedRows.reserveCapacity(inserted.count)
        for object in inserted {
            let key = object.key
            let row = try object.makeRow(
                primaryKey: key.isTemporary ? keys[key.number] : key.number, version: 1, resolve: require)
            insertedRows.append(row)
            if object.toMany != nil { changes.toMany += object.toManyChanges(resolve: resolve).writes }
        }
        changes.inserted = insertedRows
    }

    private func buildUpdates(_ changes: inout ChangeSet) throws {
        let require: (ObjectKey) -> ObjectKey = { [self] in keys.require($0) }
        updatedRows = []
        updatedRows.reserveCapacity(updated.count)
        changes.updated.reserveCapacity(updated.count)
        for object in updated {
            guard let snapshot = object.row else {
                updatedRows.append(nil)
                continue
            }
            let baseline = baselines.isEmpty ? nil : baselines[ObjectIdentifier(object)]
            let old = baseline ?? snapshot
            let row = try object.makeRow(primaryKey: old.primaryKey, version: old.version, resolve: require)
            let slots = baseline.map { Self.changedSlots(from: $0, to: row) } ?? object.changedSlots(to: row)
            var names: [String] = []
            if object.toMany != nil {
                let toMany = object.toManyChanges(resolve: resolve)
                names = toMany.names
                if !toMany.writes.isEmpty { changes.toMany += toMany.writes }
            }
            // An equal value was set, or a transient one: there is nothing to write.
            if slots.isEmpty, names.isEmpty {
                updatedRows.append(nil)
                continue
            }
            updatedRows.append(row)
            changes.updated.append(
                ChangeSet.Update(old: old, new: row, changedSlots: slots, changedToMany: names))
        }
    }

    static func changedSlots(from old: Row, to new: Row) -> SlotSet {
        var slots = SlotSet(slotCount: new.layout.slots.count)
        for slot in new.layout.slots.indices where new.layout.slots[slot].kind != .transient {
            if !old.hasEqualValue(slot, as: new) { slots.insert(slot) }
        }
        return slots
    }

    private func danglingReference(_ key: ObjectKey) -> NSError {
        let entity =
            store.model.entitiesByOrdinal.indices.contains(Int(key.entity) - 1)
            ? store.model.entitiesByOrdinal[Int(key.entity) - 1].name ?? "" : ""
        return NSError(
            domain: NSCocoaErrorDomain, code: NSManagedObjectValidationError,
            userInfo: [
                NSLocalizedDescriptionKey: "A relationship leads to an invalid object.",
                NSLocalizedFailureReasonErrorKey:
                    "Dangling reference to an invalid object: a relationship leads to an unsaved object of entity '\(entity)' that "
                    + "is not part of the save to this store.",
            ])
    }
}

/// The permanent keys that a save gives to temporary numbers: an array where the numbers lie close together, as they do when
/// one context makes them, else a dictionary.
struct PermanentKeys {
    private var lowest = Int64.max
    private var highest = Int64.min
    private var expected = 0
    private var dense: ContiguousArray<Int64> = []
    private var sparse: [Int64: Int64] = [:]
    /// The first temporary key that was asked for and is nobody's.
    private(set) var unresolved: ObjectKey?

    mutating func expect(_ number: Int64) {
        lowest = min(lowest, number)
        highest = max(highest, number)
        expected += 1
    }

    mutating func prepare() {
        unresolved = nil
        sparse = [:]
        dense = []
        guard expected > 0 else { return }
        let span = highest - lowest + 1
        if span <= Int64(expected) * 4 + 1024 { dense = ContiguousArray(repeating: 0, count: Int(span)) }
    }

    /// 0 where the number has no key.
    subscript(number: Int64) -> Int64 {
        @inline(__always)
        get {
            let index = number &- lowest
            if index >= 0, index < Int64(dense.count) { return dense[Int(index)] }
            return sparse[number] ?? 0
        }
        @inline(__always)
        set {
            let index = number &- lowest
            if index >= 0, index < Int64(dense.count) {
                dense[Int(index)] = newValue
            } else {
                sparse[number] = newValue
            }
        }
    }

    /// The permanent key; the key itself if it has none: the object is not going to be saved.
    @inline(__always)
    func resolve(_ key: ObjectKey) -> ObjectKey {
        guard key.isTemporary else { return key }
        let number = self[key.number]
        return number == 0 ? key : ObjectKey(number: number, entity: key.entity)
    }

    /// The same for a key that must have a permanent one: where it has none, `unresolved` says so.
    @inline(__always)
    mutating func require(_ key: ObjectKey) -> ObjectKey {
        let permanent = resolve(key)
        if permanent.isTemporary, unresolved == nil { unresolved = key }
        return permanent
    }
}
