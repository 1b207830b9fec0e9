/// What a context has to save and to report.
///
/// The states of the objects decide; the lists only find them. An entry whose object lost the state it was listed for is passed
/// over, so that nothing is ever searched in a list.
struct PendingChanges {
    /// Objects to be inserted, updated or deleted, in the order of their first change.
    var objects: ContiguousArray<NSManagedObject> = []
    var insertedCount = 0
    var updatedCount = 0
    var deletedCount = 0

    /// Objects that changed since the last `ObjectsDidChange`, and, from a merge on, those it changed.
    var event: ContiguousArray<NSManagedObject> = []
    var mergedInEvent: Set<NSManagedObject>?

    /// Deleted objects whose delete rules are still to be carried out.
    var unpropagated: ContiguousArray<NSManagedObject> = []
    /// Objects whose records were deleted elsewhere: pending until the next event is processed.
    var deletedElsewhere: ContiguousArray<NSManagedObject> = []
    /// Never saved objects that were deleted: they leave the context with the next save. Until then keys that others still have
    /// of them, while delete rules are carried out or because none says otherwise, lead here.
    var annihilated: [UnsavedPlace: NSManagedObject] = [:]
    /// Temporary numbers of unsaved objects that have permanent ids already: other objects still refer to them by these.
    var formerNumbers: [(number: Int64, object: NSManagedObject)] = []
    /// Unchanged objects whose records must not have changed at the next save (`detectConflicts(for:)`).
    var checked: ContiguousArray<NSManagedObject> = []

    /// What the classes of the objects on the list override, and whether one of the objects may turn out not to be valid.
    var overridden: OverriddenMethods = []
    var needsValidation = false
    private var lastNoted: (type: NSManagedObject.Type, layout: UInt32)?

    /// Notes what saving has to do for an object that comes onto the list. Objects come in runs of one class.
    @inline(__always)
    mutating func noteMethods(of object: NSManagedObject) {
        let type = type(of: object)
        if let lastNoted, lastNoted.type == type, lastNoted.layout == object.layoutIdentifier { return }
        lastNoted = (type, object.layoutIdentifier)
        overridden.formUnion(OverriddenMethods(of: type))
        if !overridden.isDisjoint(with: .anyValidation) || !object.traits.validation.allowsEverything {
            needsValidation = true
        }
    }

    /// The list is empty: what comes onto it is noted anew.
    mutating func forgetMethods() {
        overridden = []
        needsValidation = false
        lastNoted = nil
    }

    /// Sets of inserted and of updated objects that were posted last, while these still are all that there are.
    var posted = Posted()

    struct Posted {
        var inserts: Set<NSManagedObject>?
        var updates: Set<NSManagedObject>?
    }

    var isEmpty: Bool {
        insertedCount == 0 && updatedCount == 0 && deletedCount == 0 && deletedElsewhere.isEmpty
    }
}

/// Where an object that was never saved is looked for: a temporary number, or a permanent one given before the save.
struct UnsavedPlace: Hashable {
    /// The ordinal of the root entity; 0 for a temporary number, which is unique by itself.
    let root: Int32
    let number: Int64

    init(_ key: ObjectKey, root: Int32) {
        self.root = key.isTemporary ? 0 : root
        number = key.number
    }
}

extension NSManagedObject.State {
    /// In the context's list of pending changes, with or without one.
    static let listed = NSManagedObject.State(rawValue: 1 << 16)
    /// The record is gone already: a deletion that was merged, or found when a fault fired. There is nothing to write.
    static let deletedElsewhere = NSManagedObject.State(rawValue: 1 << 17)
    /// Never saved and deleted: no longer part of the graph, though still in the context until the next save.
    static let annihilated = NSManagedObject.State(rawValue: 1 << 18)
    /// Warned about: its record was gone when the fault fired.
    static let warned = NSManagedObject.State(rawValue: 1 << 19)

    static let pending: NSManagedObject.State = [.inserted, .updated, .deleted]
    static let anyEvent: NSManagedObject.State = [.eventInserted, .eventUpdated, .eventDeleted, .eventRefreshed]
    /// Whether the next save has to do with the object.
    @inline(__always) var isPending: Bool { !isDisjoint(with: Self.pending) && !contains(.deletedElsewhere) }
    /// Changes of such objects are not tracked.
    static let inert: NSManagedObject.State = [.detached, .annihilated, .deletedElsewhere, .inaccessible]
}
