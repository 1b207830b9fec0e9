import Foundation
import Synchronization

/// A record of a store, live in one context.
///
///     class Book: NSManagedObject {}
///
///     let book = Book(context: context)
///     book.setValue("Emma", forKey: "title")
///     try context.save()
///
/// An object is an id (made on demand), a state, the snapshot `row` it was read from (nil: a fault whose row is not at hand) and,
/// only if it has changes, its changed slots. Relationships hold keys, never objects. An object is used inside its context's
/// queue only.
///
/// Values are read and set by name (`value(forKey:)`, `object["name"]`) or by the accessors of generated code. Swift has no
/// accessors that could be found by name at run time, so `value(forKey:)` and `setValue(_:forKey:)` always mean the model's
/// property: a subclass that wants its own say overrides these methods.
open class NSManagedObject: NSObject, NSFetchRequestResult {
    // MARK: Stored state (the engine's)
    // An object belongs to its context's queue and none of these is ever passed inout: the run-time checks for exclusive access would
    // cost more than the accesses.

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
        /// An object that is turning into a fault right now.
        static let turningIntoFault = State(rawValue: 1 << 14)
    }

    // What each access to a value looks at comes first: it shares a line of the processor's cache.

    @exclusivity(unchecked) final var state: State
    /// The layout's identifier, for typed accessors.
    @exclusivity(unchecked) final private(set) var layoutIdentifier: UInt32
    /// The snapshot: what the store had when the object was read or last saved.
    @exclusivity(unchecked) final private(set) var heldRow = Held<Row>()
    /// Values that differ from the snapshot or may do so, by slot.
    @exclusivity(unchecked) final private(set) var heldOverlay = Held<SlotValues>()
    /// Texts of the snapshot that were read more than once.
    @exclusivity(unchecked) final private(set) var heldTexts = Held<Texts>()
    /// The object's own key, which changes once: from temporary to permanent.
    @exclusivity(unchecked) final var key: ObjectKey
    /// Texts that were read once, by text index.
    @exclusivity(unchecked) final var textsRead: UInt16 = 0
    /// That of the most specific entity that is known of the record.
    @exclusivity(unchecked) final private(set) var layout: SlotLayout
    /// Empty for an object that never belonged to a context.
    @exclusivity(unchecked) final private(set) var heldLink = Held<ContextLink>()
    /// The store of a saved (or assigned) object.
    @exclusivity(unchecked) final private(set) var heldStoreLink = Held<StoreLink>()
    @exclusivity(unchecked) private var cachedID: NSManagedObjectID?
    /// Values decoded from the snapshot, and transient values, by `Slot.decodedIndex`.
    @exclusivity(unchecked) final var decoded: SlotValues?
    /// By `PropertyPlace.toMany` index; nil where nothing is known of the relationship.
    @exclusivity(unchecked) final var toMany: ContiguousArray<ToManyState?>?
    /// Results of fetched properties, by their index.
    @exclusivity(unchecked) final var fetched: ContiguousArray<NSArray?>?

    @inline(__always)
    final var link: ContextLink {
        get { heldLink.object ?? .detached }
        set { heldLink.object = newValue }
    }

    @inline(__always)
    final var storeLink: StoreLink? {
        get { heldStoreLink.object }
        set { heldStoreLink.object = newValue }
    }

    @inline(__always)
    final var row: Row? {
        get { heldRow.object }
        set {
            heldRow.object = newValue
            if !heldTexts.isEmpty { heldTexts.object = nil }
        }
    }

    @inline(__always)
    final var overlay: SlotValues? {
        get { heldOverlay.object }
        set { heldOverlay.object = newValue }
    }

    /// The place for texts that are kept, made where there is none.
    final func makeTexts() -> Texts {
        if let known = heldTexts.object { return known }
        let made = Texts.make(count: layout.textCount)
        heldTexts.object = made
        return made
    }

    // MARK: Making objects

    /// The designated initialiser, which subclasses may override.
    ///
    /// With a context the object is inserted there. It stops with a message where the entity is abstract or belongs to another
    /// model than the context's.
    public init(entity: NSEntityDescription, insertInto context: NSManagedObjectContext?) {
        layout = entity.slotLayout
        layoutIdentifier = layout.identifier
        key = ObjectKey(number: 0, entity: layout.ordinal, isTemporary: true)
        state = []
        super.init()
        if let context { context.insertNew(self) }
    }

    deinit {
        heldRow.object = nil
        heldOverlay.object = nil
        heldTexts.object = nil
        heldLink.object = nil
        heldStoreLink.object = nil
    }

    /// Inserts a new object of the entity whose class this is.
    ///
    /// - Precondition: the model of the context's coordinator has exactly one entity of this class.
    public convenience init(context moc: NSManagedObjectContext) {
        self.init(entity: Self.entity(in: moc), insertInto: moc)
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

    /// The entity whose class this is, found among the models that are in use.
    ///
    /// Where several models claim the class a warning is logged and the newest counts: prefer `init(context:)` or the entity's
    /// name, which look into the context's own model.
    ///
    /// - Precondition: a model in use has an entity of this class.
    open class func entity() -> NSEntityDescription { entityInModels() }

    /// A request for the objects of this class' entity.
    open class func fetchRequest() -> NSFetchRequest<NSFetchRequestResult> {
        NSFetchRequest(entityName: entityNameForRequests())
    }

    /// Whether changes of properties that are not in the model leave the object unchanged. Always true: the engine learns of
    /// no others.
    open class var contextShouldIgnoreUnmodeledPropertyChanges: Bool { true }

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

    /// The record turns out to be of a more specific entity than the object was asked for by.
    func adopt(layout newLayout: SlotLayout) {
        let old = layout
        layout = newLayout
        layoutIdentifier = newLayout.identifier
        key.entity = newLayout.ordinal
        cachedID = nil
        decoded = nil
        heldTexts.object = nil
        overlay = overlay?.widened(from: old.slots.count, to: newLayout.slots.count)
        if let known = toMany {
            toMany = known + ContiguousArray(repeating: nil, count: newLayout.toManyEntries.count - known.count)
        }
        fetched = nil
    }

    private static let temporaryNumbers = Atomic<Int64>(0)

    /// A number for an unsaved object, unique in this process and never 0.
    static func nextTemporaryNumber() -> Int64 { temporaryNumbers.add(1, ordering: .relaxed).newValue }

    /// What the object is, for a person to read. A fault does not fire: it says so in place of its values.
    open override var description: String { describe() }

    // MARK: Life cycle

    /// Called once in the object's life, when it is inserted: the place for initial values. Defaults of the model are set already.
    ///
    /// Overrides call super first.
    open func awakeFromInsert() {}

    /// Called each time the object was loaded from its store. Changes of attributes made here are not tracked; relationships must
    /// not be changed.
    ///
    /// Overrides call super first.
    open func awakeFromFetch() {}

    /// Called when an object got its values back from a snapshot, by the event that did it.
    open func awake(fromSnapshotEvents flags: NSSnapshotEventType) {}

    /// Called by the context's `delete(_:)`, before the delete rules are carried out: relationships are still there.
    open func prepareForDeletion() {}

    /// Called before the object is saved, for deletions too (`isDeleted`). Changes made here are saved; a setter that changes
    /// something each time makes the call repeat, so compare first or use primitive values.
    open func willSave() {}

    /// Called when the object was saved. Changes made here are unsaved changes.
    open func didSave() {}

    /// Called before the object becomes a fault: its values can still be read.
    open func willTurnIntoFault() {}

    /// Called when the object has become a fault: the place to drop what was computed from its values.
    open func didTurnIntoFault() {}

    // MARK: Key-value coding

    /// The value of a property: `String`, `NSNumber`, `NSDecimalNumber`, `Date`, `Data`, `UUID`, `URL`, what a transformer made, a
    /// dictionary for a composite, an object, `NSSet` or `NSOrderedSet` of objects, or nil.
    ///
    /// Reading fires a fault. Any other key goes to ``value(forUndefinedKey:)``.
    ///
    ///     let age = person.value(forKey: "age") as? Int
    open func value(forKey key: String) -> Any? { readValue(key) }

    /// Sets a property. Numbers may be given as any of Swift's number types; a to-many takes a set, an ordered set or an array.
    ///
    /// The object counts as changed, be the value equal to the old one or not. A value of the wrong type stops the program with
    /// a message that names property, desired and given type. Any other key goes to ``setValue(_:forUndefinedKey:)``.
    open func setValue(_ value: Any?, forKey key: String) { writeValue(value, key, isPrimitive: false) }

    /// The property's value, without `willAccessValue(forKey:)` and the like: for use inside accessors.
    open func primitiveValue(forKey key: String) -> Any? { readValue(key) }

    /// Sets a property without the object counting as changed by it. Inverse relationships are kept up all the same.
    open func setPrimitiveValue(_ value: Any?, forKey key: String) { writeValue(value, key, isPrimitive: true) }

    /// Called for a key that is no property. Stops the program unless overridden.
    open func value(forUndefinedKey key: String) -> Any? { refuseUnknownKey(key, "value(forKey:)") }

    /// Called for a key that is no property. Stops the program unless overridden.
    open func setValue(_ value: Any?, forUndefinedKey key: String) { refuseUnknownKey(key, "setValue(_:forKey:)") }

    /// The value that a dotted path leads to: over to-one relationships to one value, over a to-many to a set of values.
    open func value(forKeyPath keyPath: String) -> Any? { readValue(path: keyPath) }

    /// Sets the value that a dotted path over to-one relationships leads to.
    open func setValue(_ value: Any?, forKeyPath keyPath: String) { writeValue(value, path: keyPath) }

    /// The values of some properties by name; `NSNull` stands for nil.
    open func dictionaryWithValues(forKeys keys: [String]) -> [String: Any] {
        Dictionary(keys.map { ($0, value(forKey: $0) ?? NSNull()) }, uniquingKeysWith: { $1 })
    }

    /// Sets several properties by name; `NSNull` means nil.
    open func setValuesForKeys(_ keyedValues: [String: Any]) {
        for (key, value) in keyedValues { setValue(value is NSNull ? nil : value, forKey: key) }
    }

    /// A property's value by name: ``value(forKey:)`` and ``setValue(_:forKey:)``.
    public final subscript(key: String) -> Any? {
        get { value(forKey: key) }
        set { setValue(newValue, forKey: key) }
    }

    /// A live view of a to-many relationship: what it is told to add and remove, the relationship adds and removes.
    ///
    /// It loads no members before they are asked for. Swift's casts to `Set` cannot look through it (they give an empty set): use
    /// its `allObjects`, or cast `value(forKey:)`.
    ///
    /// - Precondition: the key is an unordered to-many relationship.
    open func mutableSetValue(forKey key: String) -> NSMutableSet { mutableSet(key) }

    /// A live view of an ordered to-many relationship.
    ///
    /// - Precondition: the key is an ordered relationship.
    open func mutableOrderedSetValue(forKey key: String) -> NSMutableOrderedSet { mutableOrderedSet(key) }

    // MARK: Notes of accessors

    /// To be called by hand-written accessors before they read a primitive value; fires a fault. nil just fires it.
    open func willAccessValue(forKey key: String?) { fireIfFault() }

    /// To be called by hand-written accessors after reading.
    open func didAccessValue(forKey key: String?) {}

    /// To be called by hand-written accessors before `setPrimitiveValue(_:forKey:)`: the object counts as changed. Not to be
    /// overridden.
    open func willChangeValue(forKey key: String) { noteChange(key) }

    /// To be called by hand-written accessors after `setPrimitiveValue(_:forKey:)`. Not to be overridden.
    open func didChangeValue(forKey key: String) {}

    /// To be called by hand-written accessors before they change a to-many relationship. Not to be overridden.
    open func willChangeValue(
        forKey inKey: String, withSetMutation inMutationKind: NSKeyValueSetMutationKind,
        using inObjects: Set<AnyHashable>
    ) {
        noteChange(inKey)
    }

    /// To be called by hand-written accessors after they changed a to-many relationship: the change is carried out now, if that
    /// was not done yet. Not to be overridden.
    open func didChangeValue(
        forKey inKey: String, withSetMutation inMutationKind: NSKeyValueSetMutationKind,
        using inObjects: Set<AnyHashable>
    ) {
        mutate(inKey, inMutationKind, inObjects)
    }

    // MARK: Validation

    /// Checks a value that the property shall get. Nothing is changed in the object.
    ///
    /// The model's rules come first, then the class' method for the property, which the model plugin makes known:
    ///
    ///     func validateName(_ value: inout Any?) throws
    ///
    /// (or with Apple's parameter, `AutoreleasingUnsafeMutablePointer<AnyObject?>`). Or override this method: check `key`, change the
    /// value in place or throw, and call super for the model's rules.
    ///
    /// - Throws: `NSError` in `NSCocoaErrorDomain`: 1570 for a missing mandatory value, 1550 or 1610…1680 for a broken rule of the
    ///   model, 1580 or 1590 for too few or too many members, 1560 for several.
    open func validateValue(_ value: inout Any?, forKey key: String) throws {
        try checkValue(value, key)
        try ValueRules.shared.rule(for: key, of: type(of: self))?(self, &value)
    }

    /// Checks all properties before the object is inserted. Overrides call super and combine the errors.
    ///
    /// - Throws: the error of ``validateValue(_:forKey:)``; 1560 with `NSDetailedErrorsKey` if there are several.
    open func validateForInsert() throws { try validateProperties() }

    /// Checks all properties before a change of the object is saved. Overrides call super and combine the errors.
    ///
    /// - Throws: the error of ``validateValue(_:forKey:)``; 1560 with `NSDetailedErrorsKey` if there are several.
    open func validateForUpdate() throws { try validateProperties() }

    /// Checks before the object is deleted that no relationship denies it.
    ///
    /// - Throws: 1600 where a relationship with the deny rule has members; 1560 with `NSDetailedErrorsKey` if several have.
    open func validateForDelete() throws { try validateDenyRules() }
}
