/// Why an object got its values back from a snapshot; see `NSManagedObject.awake(fromSnapshotEvents:)`.
public struct NSSnapshotEventType: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// An insertion was undone.
    public static var undoInsertion: NSSnapshotEventType { NSSnapshotEventType(rawValue: 1 << 1) }
    /// A deletion was undone.
    public static var undoDeletion: NSSnapshotEventType { NSSnapshotEventType(rawValue: 1 << 2) }
    /// A change was undone.
    public static var undoUpdate: NSSnapshotEventType { NSSnapshotEventType(rawValue: 1 << 3) }
    /// `NSManagedObjectContext.rollback()`.
    public static var rollback: NSSnapshotEventType { NSSnapshotEventType(rawValue: 1 << 4) }
    /// `NSManagedObjectContext.refresh(_:mergeChanges:)`.
    public static var refresh: NSSnapshotEventType { NSSnapshotEventType(rawValue: 1 << 5) }
    /// The merge policy decided.
    public static var mergePolicy: NSSnapshotEventType { NSSnapshotEventType(rawValue: 1 << 6) }
}

/// How a set is changed; Foundation on Linux lacks it.
public enum NSKeyValueSetMutationKind: UInt, Sendable {
    /// The objects are added.
    case union = 1
    /// The objects are removed.
    case minus = 2
    /// All but the objects are removed.
    case intersect = 3
    /// The objects replace the members.
    case set = 4
}
