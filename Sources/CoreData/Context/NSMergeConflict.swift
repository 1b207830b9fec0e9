import Foundation

/// A record that an object was to be saved to, but that somebody else changed or deleted since it was read.
///
/// Where another context of the same coordinator did it there is a cached and no persisted snapshot; where somebody else did it,
/// the cached snapshot is what this coordinator knew and the persisted one what the store has. Snapshots hold attributes and the
/// ids of to-one relationships by name, `NSNull` for nil.
open class NSMergeConflict: NSObject {
    /// What the store has of the record.
    enum Stored {
        case row(Row)
        case gone
        /// A conflict that was not found by a save.
        case unknown
    }

    /// The object that was to be saved.
    public final let sourceObject: NSManagedObject
    /// The values that the object was read with or last saved; its unsaved changes are in the object.
    public final let objectSnapshot: [String: Any]?
    /// The values in the coordinator's row cache.
    public final let cachedSnapshot: [String: Any]?
    /// The values in the store.
    public final let persistedSnapshot: [String: Any]?
    /// The version of the record now; 0 if it was deleted.
    public final let newVersionNumber: Int
    /// The version that the object was read at.
    public final let oldVersionNumber: Int

    let stored: Stored

    /// A conflict of an object whose snapshot is of `oldVersion`.
    public init(
        source srcObject: NSManagedObject, newVersion newvers: Int, oldVersion oldvers: Int,
        cachedSnapshot cachesnap: [String: Any]?, persistedSnapshot persnap: [String: Any]?
    ) {
        sourceObject = srcObject
        objectSnapshot = srcObject.row.map { srcObject.snapshot(of: $0) }
        cachedSnapshot = cachesnap
        persistedSnapshot = persnap
        newVersionNumber = newvers
        oldVersionNumber = oldvers
        stored = .unknown
        super.init()
    }

    init(
        source: NSManagedObject, old: Row?, stored: Stored, newVersion: Int64, cached: [String: Any]?,
        persisted: [String: Any]?
    ) {
        sourceObject = source
        objectSnapshot = old.map { source.snapshot(of: $0) }
        cachedSnapshot = cached
        persistedSnapshot = persisted
        newVersionNumber = Int(newVersion)
        oldVersionNumber = Int(old?.version ?? 0)
        self.stored = stored
        super.init()
    }

    /// The object as messages name it.
    final var sourceName: String { sourceObject.objectID.uriRepresentation().absoluteString }

    open override var description: String {
        "NSMergeConflict for \(sourceName) with oldVersion = \(oldVersionNumber) and newVersion = "
            + (newVersionNumber == 0 ? "<deleted>" : "\(newVersionNumber)")
    }
}

/// Objects that break a uniqueness constraint, with one another or with a stored record.
open class NSConstraintConflict: NSObject {
    /// The names of the attributes that are unique together.
    public final let constraint: [String]
    /// The values they have.
    public final let constraintValues: [String: Any]
    /// The object of the stored record that has the values; nil if only unsaved objects have them.
    public final let databaseObject: NSManagedObject?
    /// The stored record's values.
    public final let databaseSnapshot: [String: Any]?
    /// The objects that were to be saved with the values: one if there is a `databaseObject`, else two or more.
    public final let conflictingObjects: [NSManagedObject]
    /// The values that each of them was read with; empty for objects that were never saved.
    public final let conflictingSnapshots: [[AnyHashable: Any]]

    let databaseRow: Row?
    /// The context had an object of the stored record before the conflict was found.
    let isDatabaseObjectKnown: Bool

    /// A conflict of objects, with the snapshots they were read with (`NSNull` for objects without).
    public convenience init(
        constraint contraint: [String], database databaseObject: NSManagedObject?,
        databaseSnapshot: [AnyHashable: Any]?, conflicting conflictingObjects: [NSManagedObject],
        conflictingSnapshots: [Any]
    ) {
        var snapshot: [String: Any]?
        if let databaseSnapshot {
            snapshot = [:]
            for (key, value) in databaseSnapshot {
                if let key = key.base as? String { snapshot?[key] = value }
            }
        }
        self.init(
            constraint: contraint, database: databaseObject, row: databaseObject?.row, isKnown: true,
            databaseSnapshot: snapshot, conflicting: conflictingObjects,
            snapshots: conflictingSnapshots.map { $0 as? [AnyHashable: Any] ?? [:] })
    }

    init(
        constraint: [String], database: NSManagedObject?, row: Row?, isKnown: Bool, databaseSnapshot: [String: Any]?,
        conflicting: [NSManagedObject], snapshots: [[AnyHashable: Any]]
    ) {
        self.constraint = constraint
        databaseObject = database
        databaseRow = row
        isDatabaseObjectKnown = isKnown
        self.databaseSnapshot = databaseSnapshot
        conflictingObjects = conflicting
        conflictingSnapshots = snapshots
        var values: [String: Any] = [:]
        if let object = conflicting.first {
            for name in constraint { values[name] = object.value(forKey: name) ?? NSNull() }
        }
        constraintValues = values
        super.init()
    }

    open override var description: String {
        "NSConstraintConflict for (\(constraint.joined(separator: ", "))) = \(constraintValues)"
    }
}
