import Foundation
import Synchronization

/// A record of a store, live in one context.
///
/// An object is an id (made on demand), a state, the snapshot `row` it was read from (nil: a fault whose row is not at hand) and,
/// only if it has changes, its changed slots. Relationships hold keys, never objects. An object is used inside its context's
/// queue only.
open class NSManagedObject: NSObject, NSFetchRequestResult {
    // MARK: Stored state (the engine's)

    /// Where the object stands between fault, loaded, changed and gone.
    struct State: OptionSet {
        let rawValue: UInt32

        /// The values are not loaded: the next access fires the fault. A row may be at hand all the same.
        static let fault = State(rawValue: 1 << 0)
        /// In the context's identity map.
        static let registered = State(rawValue: 1 << 1)
        /// Will be inserted, updated or deleted by the next save.
        static let inserted = State(rawValue: 1 << 2)
        static let updated = State(rawValue: 1 << 3)
        static let deleted = State(rawValue: 1 << 4)
        /// Reported changes of the current event: what the next `ObjectsDidChange` will say.
        static let eventInserted = State(rawValue: 1 << 5)
        static let eventUpdated = State(rawValue: 1 << 6)
        static let eventDeleted = State(rawValue: 1 << 7)
        static let eventRefreshed = State(rawValue: 1 << 8)
        /// The row was gone when the fault fired: every property reads nil or 0.
        static let inaccessible = State(rawValue: 1 << 9)
        /// Changes are not tracked: inside `awakeFromFetch` and the like.
        static let untracked = State(rawValue: 1 << 10)
        /// The object's deletion was saved, or its store or context is gone.
        static let detached = State(rawValue: 1 << 11)
        /// A fault that is firing right now.
        static let firing = State(rawValue: 1 << 12)
        /// Delete rules were carried out for the pending deletion.
        static let deletePropagated = State(rawValue: 1 << 13)
    }

    let layout: SlotLayout
    var link: ContextLink
    /// The store of a saved (or assigned) object.
    var storeLink: StoreLink?
    /// The object's own key, which changes once: from temporary to permanent.
    var key: ObjectKey
    private var cachedID: NSManagedObjectID?
    /// The snapshot: what the store had when the object was read or last saved.
    var row: Row?
    /// Values that differ from the snapshot or may do so, by slot.
    var overlay: SlotValues?
    /// Values decoded from the snapshot, and transient values, by `Slot.decodedIndex`.
    var decoded: SlotValues?
    /// By `PropertyPlace.toMany` index; nil where nothing is known of the relationship.
    var toMany: ContiguousArray<ToManyState?>?
    var state: State

    // MARK: Making objects

    /// The designated initialiser, which subclasses may override.
    ///
    /// With a context the object is inserted there. It stops with a message where the entity is abstract or belongs to another
    /// model than the context's.
    public init(entity: NSEntityDescription, insertInto context: NSManagedObjectContext?) {
        layout = entity.slotLayout
        link = ContextLink.detached
        key = ObjectKey(number: 0, entity: layout.ordinal, isTemporary: true)
        state = []
        super.init()
        if let context { context.insertNew(self) }
    }

    /// The engine's way to make an object of a run-time class; called by its symbol, since subclasses need not inherit it.
    @usableFromInline
    convenience init(_instantiating entity: NSEntityDescription) {
        self.init(entity: entity, insertInto: nil)
    }

    @_silgen_name("$s8CoreData15NSManagedObjectC14_instantiatingAcA19NSEntityDescriptionC_tcfC")
    private static func allocate(_ entity: __owned NSEntityDescription) -> NSManagedObject

    /// Makes an object that belongs to no context yet, of the class the entity names.
    @inline(__always)
    static func instantiate(_ type: NSManagedObject.Type, _ entity: NSEntityDescription) -> NSManagedObject {
        type.allocate(entity)
    }

    // MARK: Identity

    /// The object's id: temporary until the first save, then permanent. The instance changes with it.
    public var objectID: NSManagedObjectID {
        if let cachedID { return cachedID }
        if key.isTemporary, key.number == 0 { key.number = Self.nextTemporaryNumber() }
        let id = NSManagedObjectID(key: key, entity: layout.entity, storeLink: storeLink)
        cachedID = id
        return id
    }

    /// Gives the object its key, the temporary one or, once, the permanent one.
    func adopt(key newKey: ObjectKey, storeLink newLink: StoreLink?, id: NSManagedObjectID? = nil) {
        key = newKey
        storeLink = newLink
        cachedID = id
    }

    private static let temporaryNumbers = Atomic<Int64>(0)

    /// A number for an unsaved object, unique in this process and never 0.
    static func nextTemporaryNumber() -> Int64 { temporaryNumbers.add(1, ordering: .relaxed).newValue }
}
